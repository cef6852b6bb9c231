"""What a history has reached: the stories of tests/data/coverage.txt, and that nothing is missing in the lists."""

from __future__ import annotations

import pytest
from tests import where
from tests.notation.notation import Case, cases, history_of
from tests.notation.notation_faults import kinds_of
from tests.reasons import gone, reason_in

from shaketable.harness.coverage import ALL_MARKS, cluster, groups, marks_of, partitions, splitbrain
from shaketable.harness.coverage.guards import GUARDS
from shaketable.harness.coverage.mark import BOTH
from shaketable.harness.coverage.sometimes_seen import _HANDLERS
from shaketable.harness.history.history import History
from shaketable.harness.records import FaultAsked, FaultTook, NodeEnded, Record, RunBegan
from shaketable.node import events as e
from shaketable.node.config import CLUSTER, GMS
from shaketable.node.events import Event
from shaketable.node.messages import KINDS, Member

DATA = where.DATA / "coverage.txt"
CASES = [pytest.param(case, id=case.title) for case in cases(DATA.read_text(encoding="utf-8"))]

OF_NO_INTEREST = (
    # Every run has them, or what they tell is told by another event as well.
    e.Failed, e.LinkDown, e.LinkUp, e.LinkHeard, e.LinkSilent, e.FramesDropped, e.Released, e.Held,
    e.StoodStill, e.FramesLate, e.MessagesLost,
    e.TableInstalled, e.TableFetched, e.MigrationRequested, e.MigrationCopied, e.CommitSent, e.ChunkArrived,
    e.OperationCalled, e.StockTaken, e.ClaimAsked, e.TriggerSent, e.NotificationsResent,
    e.MembersSeen,
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_story_reaches_these_marks(case: Case) -> None:
    reached = marks_of(History(history_of(case.story)))
    assert "\n".join(f"{name}: {times}" for name, times in reached.items()) == case.expected


def test_every_mark_has_words_and_a_family() -> None:
    for name, mark in ALL_MARKS.items():
        assert ": " in name
        assert mark.means, name
        assert mark.family in (CLUSTER, GMS, BOTH), name
    for name, why in GUARDS.items():
        assert ALL_MARKS[name].means.endswith(f"; a guard: {why}")


def test_no_name_stands_for_two_marks() -> None:
    tables = (cluster.MARKS, partitions.MARKS, splitbrain.MARKS, groups.MARKS)
    told = [mark.name for table in tables for mark in table]
    assert len(told) == len(set(told))


def test_every_kind_of_event_is_a_mark_or_of_no_interest() -> None:
    told = {mark.kind for table in (cluster.MARKS, partitions.MARKS, splitbrain.MARKS, groups.MARKS) for mark in table}
    kinds = [kind for kind in vars(e).values() if isinstance(kind, type) and issubclass(kind, Event) and kind != Event]
    assert [kind.__name__ for kind in kinds if not {kind} & {*told, *_HANDLERS, *OF_NO_INTEREST, e.FilterMatched}] == []


def test_the_fields_that_marks_look_at_are_there() -> None:
    for table in (cluster.MARKS, partitions.MARKS, splitbrain.MARKS, groups.MARKS):
        for mark in table:
            assert set(mark.where) <= set(mark.kind.__struct_fields__), mark.name


def test_each_kind_of_message_can_be_shaken() -> None:
    assert {f"message shaken: {kind.__name__}" for kind in KINDS} <= set(ALL_MARKS)


def reached_by(*events: Event, family: str = CLUSTER) -> dict[str, int]:
    began = RunBegan("story", "sim", "simulated", 1, "default", {"family": family})
    return marks_of(History(Record(time, "", "", time, event) for time, event in enumerate((began, *events))))


@pytest.mark.parametrize(
    ("verb", "mark"),
    [
        ("drop heartbeat", "fault: drop"),
        ("hold back membersupdate", "fault: hold back"),
        ("delay chunk", "fault: delay"),
        ("delay datagrams", "fault: delay datagrams"),
        ("hold", "fault: hold"),
    ],
)
def test_a_fault_counts_when_it_took_effect(verb: str, mark: str) -> None:
    asked = FaultAsked(3, verb, ("n1",), (), "", True, False, kinds_of(verb))
    assert reached_by(asked) == {}
    assert reached_by(asked, FaultTook(3, "it did")) == {mark: 1}


def test_groups_and_clusters_have_marks_of_their_own_for_one_event() -> None:
    suspected = e.Suspected(Member("127.0.0.1:5702", "u2"), *reason_in("connection lost"))
    assert reached_by(suspected) == {"suspected: connection lost": 1}
    assert reached_by(suspected, family=GMS) == {}


def test_a_new_master_that_dies_in_its_search() -> None:
    began = RunBegan("story", "sim", "simulated", 1, "default", {})
    member = Member("127.0.0.1:5702", "u2")
    records = [
        Record(0, "", "", 1, began),
        Record(1, "n2", "u2", 1, e.Started(member)),
        Record(2, "n2", "u2", 2, e.TableSearchBegan((member,))),
        Record(3, "", "", 2, NodeEnded("n2", *gone("killed"))),
    ]
    assert marks_of(History(records)) == {"table search: began": 1, "sometimes: a master died in its search": 1}
