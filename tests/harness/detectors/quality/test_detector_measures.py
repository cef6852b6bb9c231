"""The measures of a failure detector, on timelines made by hand: each line is what one observer thinks of one node."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import pytest

from shaketable.harness.detectors.intervals import interval_of_mean, interval_of_quantile
from shaketable.harness.detectors.quality.beliefs import Beliefs, Life, Trust, beliefs
from shaketable.harness.detectors.quality.measures import HOUR, accuracy, detection
from shaketable.harness.detectors.quality.watches import Mistake, Watch, watches
from shaketable.harness.records import Ending, NodeEnded, Record
from shaketable.node.events import (
    Event,
    MembersSeen,
    NotificationPublished,
    NotificationTaken,
    ReadmissionAsked,
    Started,
    Suspected,
    SuspicionEnded,
    ViewInstalled,
)
from shaketable.node.messages import Member
from shaketable.node.why import Why, because

END = 1_000
Spans = Sequence[tuple[int, int | None]]


def seen(*spans: tuple[int, int | None], own: tuple[int, int] = (0, END), of: tuple[int, int] = (0, END)) -> Beliefs:
    """p trusted q in these times; q thinks nothing."""
    lives = {"P": Life("p", *own), "Q": Life("q", *of)}
    return Beliefs(lives, {("P", "Q"): [Trust(*span) for span in spans]})


def watched(known: Beliefs, repaired: Sequence[str] = ()) -> list[Watch]:
    return list(watches(known, repaired))


def test_time_begins_with_the_first_trust_and_ends_with_the_run() -> None:
    assert watched(seen((100, None))) == [Watch(100, END, [])]
    assert watched(seen()) == []


def test_a_gap_is_a_mistake_and_one_that_lasts_to_the_end_is_open() -> None:
    known = seen((100, 200), (250, 400), (410, 900))
    mistakes = [Mistake(200, 250), Mistake(400, 410), Mistake(900, END, ended=False)]
    assert watched(known) == [Watch(100, END, mistakes)]


@pytest.mark.parametrize("end", [700, 650])
def test_no_mistake_is_made_about_a_node_that_has_crashed(end: int) -> None:
    """Nor is a mistake longer than what it is about."""
    assert watched(seen((100, end + 20), of=(0, end))) == [Watch(100, end, [])]
    assert watched(seen((100, 300), of=(0, end))) == [Watch(100, end, [Mistake(300, end, ended=False)])]
    assert watched(seen((100, end), of=(0, end))) == [Watch(100, end, [])]


def test_no_mistake_is_made_by_an_observer_that_has_ended() -> None:
    assert watched(seen((100, None), own=(0, 500))) == [Watch(100, 500, [])]
    assert watched(seen((100, 300), own=(0, 500))) == [Watch(100, 500, [Mistake(300, 500, ended=False)])]


def again(first: Spans, second: Spans) -> Beliefs:
    """q's first process ended at 400, and its second one began at 450."""
    lives = {"P": Life("p", 0, END), "Q": Life("q", 0, 400), "Q2": Life("q", 450, END)}
    return Beliefs(
        lives, {("P", "Q"): [Trust(*span) for span in first], ("P", "Q2"): [Trust(*span) for span in second]}
    )


def test_a_node_that_crashed_and_came_back_is_watched_twice() -> None:
    known = again([(100, 430)], [(500, None)])
    assert watched(known) == [Watch(100, 400, []), Watch(500, END, [])]


def test_a_mistake_outlasts_the_repair_of_what_it_has_done() -> None:
    known = again([(100, 300)], [(500, 600), (640, None)])
    assert watched(known, ["Q"]) == [Watch(100, END, [Mistake(300, 500), Mistake(600, 640)])]
    assert watched(known) == [
        Watch(100, 400, [Mistake(300, 400, ended=False)]),
        Watch(500, END, [Mistake(600, 640)]),
    ], "a crash is no repair"
    assert watched(again([(100, 300)], []), ["Q"]) == [Watch(100, END, [Mistake(300, END, ended=False)])]


def test_an_observer_that_trusted_the_node_until_its_repair_has_made_no_mistake() -> None:
    known = again([(100, 300), (350, 430)], [(500, None)])
    assert watched(known, ["Q"]) == [Watch(100, 400, [Mistake(300, 350)]), Watch(500, END, [])]


def test_a_watch_is_cut_to_the_time_that_is_measured() -> None:
    watch = Watch(100, 900, [Mistake(100, 200), Mistake(300, 400), Mistake(500, 600)])
    assert watch.within(150, 550) == Watch(
        150, 550, [Mistake(150, 200, begun=False), Mistake(300, 400), Mistake(500, 550, ended=False)]
    )
    assert watch.within(250, 280) == Watch(250, 280, [])
    assert watch.within(900, 950) is watch.within(0, 100) is None


# The measures


def test_the_four_measures_of_a_line() -> None:
    """Three mistakes in 800 microseconds; the recurrence time goes from begin to begin."""
    known = watched(seen((100, 200), (250, 400), (410, 860), (900, None)))
    found = accuracy(known)
    assert (found.watched, found.mistaken, found.mistakes) == (900, 100, 3)
    assert (found.durations, found.recurrences) == ([50, 10, 40], [200, 460])
    assert found.query_accuracy == pytest.approx(8 / 9)
    assert found.rate == pytest.approx(HOUR / 300)


def test_open_mistakes_count_as_long_as_they_were_seen_and_have_no_duration() -> None:
    watch = Watch(0, 500, [Mistake(0, 100, begun=False), Mistake(200, 250), Mistake(400, 500, ended=False)])
    found = accuracy([watch, Watch(0, 500)])
    assert (found.watched, found.mistaken, found.mistakes) == (1_000, 250, 2)
    assert (found.durations, found.recurrences) == ([50], [200])
    assert found.query_accuracy == 0.75


def test_two_pairs_have_no_recurrence_between_them() -> None:
    assert accuracy([Watch(0, 10, [Mistake(1, 2)]), Watch(0, 10, [Mistake(5, 6)])]).recurrences == []


def test_of_nothing_there_is_no_rate() -> None:
    nothing = accuracy([])
    assert (nothing.rate, nothing.query_accuracy) == (None, None)


def told_by(*observers: tuple[Spans, int]) -> Beliefs:
    """Q crashes at 400."""
    lives = {"Q": Life("q", 0, 400)}
    trusts = {}
    for number, (spans, end) in enumerate(observers):
        lives[f"P{number}"] = Life(f"p{number}", 0, end)
        trusts[f"P{number}", "Q"] = [Trust(*span) for span in spans]
    return Beliefs(lives, trusts)


def test_a_crash_is_detected_when_the_suspicion_begins_that_never_ends() -> None:
    found = detection(told_by(([(0, 410), (430, 480)], END), ([(0, 450)], END)), "Q", 900)
    assert found is not None
    assert (found.first, found.last, found.unseen) == (50, 80, 0)


def test_a_process_that_was_suspected_already_is_detected_at_once() -> None:
    found = detection(told_by(([(0, 350)], END)), "Q", 900)
    assert found is not None
    assert (found.first, found.last) == (0, 0)


@pytest.mark.parametrize("end", [None, 950])
def test_a_crash_that_somebody_does_not_see_in_time_has_no_last_detection(end: int | None) -> None:
    found = detection(told_by(([(0, 450)], END), ([(0, end)], END)), "Q", 900)
    assert found is not None
    assert (found.first, found.last, found.unseen) == (50, None, 1)


def test_only_those_tell_of_a_crash_that_knew_the_process_and_outlive_it() -> None:
    assert detection(told_by(([(0, None)], 800), ([], END)), "Q", 900) is None


# From records

P, Q, R = (Member(f"127.0.0.1:{port}", uuid) for port, uuid in ((1, "P"), (2, "Q"), (3, "R")))
NODES = {"P": "p", "Q": "q", "R": "r"}


def told(*lines: tuple[int, str, Event]) -> list[Record]:
    return [Record(time, NODES.get(uuid, ""), uuid, place, event) for place, (time, uuid, event) in enumerate(lines)]


def lists(*members: Member) -> ViewInstalled:
    return ViewInstalled(1, "P", P, members, *because(Why.HEARD))


def spans(records: Sequence[Record], gone: Mapping[str, int] | None = None) -> dict[str, list[tuple[int, int | None]]]:
    known = beliefs(records, gone or {}, END)
    return {f"{p}{q}": [(trust.begin, trust.end) for trust in found] for (p, q), found in known.trusts.items()}


BEGIN = [(0, "P", Started(P)), (0, "Q", Started(Q)), (0, "R", Started(R)), (10, "P", lists(P, Q, R))]
DOUBT, TRUST = Suspected(Q, *because(Why.HEARD)), SuspicionEnded(Q, *because(Why.HEARD))


def test_who_is_on_the_list_and_not_suspect_is_trusted() -> None:
    records = told(*BEGIN, (20, "P", DOUBT), (30, "P", TRUST), (40, "P", lists(P, R)), (50, "P", lists(P, Q, R)))
    assert spans(records) == {"PQ": [(10, 20), (30, 40), (50, None)], "PR": [(10, None)]}


def test_a_suspicion_ends_with_the_place_on_the_list_and_a_repeated_word_changes_nothing() -> None:
    records = told(
        *BEGIN, (20, "P", DOUBT), (25, "P", DOUBT), (30, "P", lists(P, R)), (40, "P", lists(P, Q, R)), (45, "P", TRUST)
    )
    assert spans(records)["PQ"] == [(10, 20), (40, None)]


def test_who_is_added_to_a_group_again_has_forgotten_its_doubts() -> None:
    asked = ReadmissionAsked(P, *because(Why.HEARD))
    records = told(*BEGIN, (20, "P", DOUBT), (30, "P", asked), (40, "P", lists(P, Q, R)), (50, "P", DOUBT))
    assert spans(records)["PQ"] == [(10, 20), (40, 50)]


@pytest.mark.parametrize("kind", [NotificationPublished, NotificationTaken])
def test_of_a_member_that_is_added_to_a_group_again_no_doubt_is_left(
    kind: type[NotificationPublished] | type[NotificationTaken],
) -> None:
    def word(change: str) -> Event:
        if kind is NotificationTaken:
            return NotificationTaken(2, "P", Q, change, again=False)
        return NotificationPublished(2, "P", Q, change, (P, Q, R), 2)

    records = told(*BEGIN, (20, "P", DOUBT), (25, "P", word("joined and ready")), (30, "P", word("add")))
    assert spans(records)["PQ"] == [(10, 20), (30, None)]


def test_by_the_list_alone_a_doubt_is_no_mistake() -> None:
    records = told(*BEGIN, (20, "P", DOUBT), (40, "P", lists(P, R)), (50, "P", lists(P, Q, R)))
    known = beliefs(records, {}, END, doubts=False)
    assert [(trust.begin, trust.end) for trust in known.trusts["P", "Q"]] == [(10, 40), (50, None)]


def test_where_members_are_a_set_the_set_is_the_list() -> None:
    sets = (Q, P, R), (R, P), (P, R), (P, Q, R)
    first, *others = ((time, "P", MembersSeen(members)) for time, members in zip((10, 40, 45, 50), sets, strict=True))
    assert spans(told(*BEGIN[:3], first, *others)) == {"PQ": [(10, 40), (50, None)], "PR": [(10, None)]}


def test_a_process_lives_until_it_ends_or_its_machine_is_gone() -> None:
    ended = [
        (400, "", NodeEnded("p", "killed", Ending.KILLED)),
        (450, "", NodeEnded("q", "killed", Ending.KILLED)),
    ]
    known = beliefs(told(*BEGIN, *ended), {"Q": 300}, END)
    assert {uuid: life.end for uuid, life in known.lives.items()} == {"P": 400, "Q": 300, "R": END}


def test_what_a_machine_thinks_that_is_gone_does_not_count() -> None:
    records = told(*BEGIN, (20, "Q", lists(P, Q, R)), (350, "Q", Suspected(P, *because(Why.HEARD))))
    assert spans(records, {"Q": 300})["QP"] == [(20, None)]


# How sure


def test_the_interval_of_a_quantile_has_the_ranks_of_the_tables() -> None:
    def ranks(many: int, share: float) -> tuple[int, int] | None:
        return interval_of_quantile(range(1, many + 1), share)

    assert (ranks(5, 0.5), ranks(6, 0.5), ranks(10, 0.5), ranks(20, 0.5)) == (None, (1, 6), (2, 9), (6, 15))
    assert ranks(35, 0.9) is None, "0.9 ** 35 is more than a fortieth"
    assert ranks(36, 0.9) == (29, 36)


def test_the_interval_of_a_mean_has_the_width_of_student_s_tables() -> None:
    def width(many: int) -> float:
        found = interval_of_mean([0.0, 2.0] * (many // 2))
        assert found is not None
        return (found[1] - 1) * math.sqrt(many - 1)

    assert [width(many) for many in (6, 10, 20, 30)] == pytest.approx([2.571, 2.262, 2.093, 2.045], abs=0.005)
    assert interval_of_mean([1.0] * 5) is None
    assert interval_of_mean([1.0, 2.0] * 2) is None


def test_in_95_of_100_measurements_a_quantile_lies_in_its_interval() -> None:
    draws = random.Random(5)
    hits = 0
    for _ in range(1_000):
        interval = interval_of_quantile((draws.randrange(1_000_000) for _ in range(50)), 0.8)
        assert interval is not None
        hits += interval[0] <= 800_000 <= interval[1]
    assert 950 < hits < 1_000
