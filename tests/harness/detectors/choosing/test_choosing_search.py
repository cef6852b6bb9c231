"""The search goes up each ladder to the first candidate that keeps what was asked. The results are made by hand."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.harness.detectors.choosing.questions import candidate, candidate_of, question, swim_settings

from shaketable.harness.detectors.choosing.candidates import Ladder, ladders, to_set
from shaketable.harness.detectors.choosing.playing import Crashes, Done, Task
from shaketable.harness.detectors.choosing.question import HOUR, Question
from shaketable.harness.detectors.choosing.search import (
    AT_ONCE,
    BREAKS,
    FOR_THE_PICTURE,
    KEEPS,
    NOT_WHOLE,
    TOO_SLOW,
    UNSURE,
    WITH_CRASHES,
    Search,
)
from shaketable.harness.detectors.choosing.vigil import Seen
from shaketable.harness.errors import UserError
from shaketable.node.config import read_settings
from shaketable.node.core.env import SECOND

WINDOWS = (2, 3, 4, 5)
ASLEEP = question(under="pauses-3s", members=50)


def missed_of(task: Task) -> int:
    return int(task.settings.get("gms_max_missed", 3))


def well(task: Task) -> Done:
    if task.crashes:
        return Done(crashes=Crashes([missed_of(task) * SECOND], 1.5, 400.0, 3.0))
    many = task.portions
    return Done(seen=Seen(1, many, 0, 100 * many, many * HOUR // 10, 1_000, 2_000, 0, 0, many * HOUR // 5))


def well_silenced(task: Task) -> Done:
    """As a ring of fifty beats, each once a second."""
    done = well(task)
    if done.seen is not None:
        done.seen.heartbeats = 50 * task.portions * 360
        done.seen.silenced = 500 * task.portions * task.silences
        done.seen.sleeps = 1_000 * task.portions
    return done


def wrong_below(least: int) -> Callable[[Task], Done]:
    def play(task: Task) -> Done:
        done = well(task)
        if done.seen is not None and missed_of(task) < least:
            done.seen.removals, done.seen.sleeps = 1, 5
        return done

    return play


def searched(
    play: Callable[[Task], Done], asked: Question = ASLEEP, *, ladders: int = 1
) -> tuple[Search, list[list[Task]]]:
    steps = [candidate("ring", missed=missed) for missed in WINDOWS]
    search, waves = Search(asked, "default", [Ladder("ring", asked.members, steps)] * ladders), list[list[Task]]()
    while wave := search.wave():
        waves.append(wave)
        search.take([play(task) for task in wave])
    return search, waves


def outcomes(search: Search) -> list[str]:
    return [each.outcome for each in search.climbs[0].tried]


def test_the_first_one_that_keeps_it_is_found_and_the_last_one_below_is_measured_too() -> None:
    search, waves = searched(wrong_below(4))
    (climb,) = search.climbs
    assert outcomes(search) == [BREAKS, BREAKS, KEEPS]
    assert climb.kept is climb.tried[2]
    assert climb.kept.told == [4 * SECOND] * WITH_CRASHES
    assert (climb.kept.average("messages"), climb.kept.average("bytes")) == (1.5, 400.0)
    assert climb.missed is climb.tried[1]
    assert climb.missed.told == [3 * SECOND] * FOR_THE_PICTURE
    assert [task.crashes for wave in waves for task in wave].count(True) == WITH_CRASHES + FOR_THE_PICTURE
    assert (search.over, climb.tried[0].crashes) == (1, [])


def test_it_is_watched_twice_as_long_each_time_and_no_longer_than_is_needed() -> None:
    search, waves = searched(well)
    portions = [[task.portions for task in wave] for wave in waves[:-1]]
    assert portions == [[1], [2], [5, 1], [5, 5, 5, 3], [5, 5, 5, 3]], "4,494 sleeps are enough: 45 portions"
    (kept,) = search.climbs[0].tried
    assert (kept.seen.runs, kept.seen.portions, kept.seen.sleeps) == (12, 45, 4_500)
    assert 0.99 < kept.most <= 1
    seeds = [task.seed for wave in waves[:-1] for task in wave]
    assert seeds == [*range(1, 13)], "each run has draws of its own"


def test_no_wave_is_longer_than_it_may_be() -> None:
    """A rare fault is watched for long, and a result may come too late for what is under way."""
    _, waves = searched(well, question("0.02/month", under="pauses-3s", hours=1_000))
    assert max(sum(task.portions for task in wave) for wave in waves) == AT_ONCE


def test_what_cannot_be_shown_in_the_hours_that_there_are_is_left_at_once() -> None:
    search, waves = searched(well, question(under="pauses-3s", hours=8))
    assert outcomes(search) == [UNSURE] * len(WINDOWS), "they differ in what they miss"
    assert [len(wave) for wave in waves] == [1] * len(WINDOWS) + [FOR_THE_PICTURE]
    assert search.climbs[0].tried[0].hours_more == pytest.approx(44.94 / 5 - 0.2, rel=0.01)


def test_where_nothing_went_wrong_and_still_nothing_is_shown_other_probes_are_not_tried() -> None:
    """Two silences by loss in a row are too many, however patient the probes are."""
    steps = [candidate("ring", missed=missed, probe=probe) for missed, probe in ((2, 1), (2, 5), (3, 1), (3, 5))]
    search = Search(question(hours=10), "default", [Ladder("ring", 50, steps)])
    while wave := search.wave():
        search.take([well_silenced(task) for task in wave])
    (climb,) = search.climbs
    assert [each.candidate for each in climb.tried] == [steps[0], steps[2]]
    assert outcomes(search) == [UNSURE, KEEPS]


def test_under_swim_helpers_bear_losses() -> None:
    """With so few of them too many pings fail, however long a suspect has to answer."""
    steps = [
        candidate_of("swim", swim_settings(suspicion=suspicion, helpers=helpers))
        for helpers, suspicion in ((2, 5), (2, 20), (10, 5), (10, 20))
    ]
    search = Search(question(hours=10), "default", [Ladder("swim", 50, steps)])
    while wave := search.wave():
        search.take([well_silenced(task) for task in wave])
    (climb,) = search.climbs
    assert [each.candidate for each in climb.tried] == [steps[0], steps[2]]
    assert outcomes(search) == [UNSURE, KEEPS]


def test_where_something_went_wrong_other_probes_are_tried() -> None:
    def play(task: Task) -> Done:
        done = well(task)
        if done.seen is not None and task.settings["gms_probe_timeout_seconds"] == "1":
            done.seen.removals, done.seen.sleeps = 1, 2_000
        return done

    steps = [candidate("ring", probe=probe) for probe in (1, 5)]
    search = Search(question(under="pauses-3s", hours=20), "default", [Ladder("ring", 50, steps)])
    while wave := search.wave():
        search.take([play(task) for task in wave])
    assert outcomes(search) == [UNSURE, KEEPS]


def test_settings_with_which_no_group_forms_are_passed_over() -> None:
    def play(task: Task) -> Done:
        return Done() if missed_of(task) == 2 or (task.crashes and missed_of(task) == 3) else well(task)

    search, _ = searched(play)
    assert outcomes(search) == [NOT_WHOLE, NOT_WHOLE, KEEPS]
    assert search.climbs[0].kept is search.climbs[0].tried[2]


def test_one_that_promises_to_be_too_slow_is_not_played() -> None:
    slow = question(under="pauses-3s", within="5s")
    search, waves = searched(wrong_below(5), slow)
    assert outcomes(search) == [BREAKS, TOO_SLOW, TOO_SLOW, TOO_SLOW]
    assert {missed_of(task) for wave in waves for task in wave} == {2}


def test_where_all_are_wrong_there_is_none() -> None:
    search, waves = searched(wrong_below(9))
    assert outcomes(search) == [BREAKS] * len(WINDOWS)
    assert search.climbs[0].kept is None
    assert len(waves[-1]) == FOR_THE_PICTURE


def test_ladders_are_climbed_at_once() -> None:
    alone, waves = searched(wrong_below(4))
    both, of_both = searched(wrong_below(4), ladders=2)
    assert [len(wave) for wave in of_both] == [2 * len(wave) for wave in waves]
    assert [outcomes(each) for each in (alone, both)] == [[BREAKS, BREAKS, KEEPS]] * 2
    assert both.over == 2


def test_members_are_silenced_only_where_heartbeats_are_lost() -> None:
    def silenced(under: str) -> bool:
        _, waves = searched(well, question(under=under, hours=0.1))
        return waves[0][0].silences

    assert silenced("loss-2+pauses-3s")
    assert not silenced("pauses-3s")


# The ladders


def test_there_is_a_ladder_for_each_policy_and_period_that_a_member_can_pay() -> None:
    given = {"gms_max_missed": "3", "gms_probe_timeout_seconds": "5"}
    made = ladders(ASLEEP, "default", given)
    found = {(each.policy, each.steps[0].values["gms_heartbeat_period_seconds"]) for each in made}
    assert {period for policy, period in found if policy == "ring"} == {"0.5", "1", "2", "5", "10"}
    assert {period for policy, period in found if policy in ("all", "deadline")} == {"5", "10"}, "49 messages a period"
    assert {period for policy, period in found if policy == "swim"} == {"0.5", "1", "2", "5", "10"}
    assert len(ladders(question(under="pauses-3s", messages=100), "default", given)) == 8 * 5
    few = ladders(question(under="pauses-3s", messages=1.9), "default", given)
    cheap = {(each.policy, each.steps[0].values["gms_heartbeat_period_seconds"]) for each in few}
    assert ("ring", "1") in cheap
    assert ("swim", "1") not in cheap, "a ping and its answer are two messages"
    assert ("swim", "2") in cheap


def test_a_ladder_begins_with_the_quickest() -> None:
    for ladder in ladders(ASLEEP, "default", {"gms_heartbeat_period_seconds": "5"}):
        promised = [each.promised.most for each in ladder.steps]
        assert promised == sorted(promised)
        assert len({tuple(each.values.items()) for each in ladder.steps}) == len(ladder.steps) > 8


def test_what_the_user_has_set_stays_as_it_is() -> None:
    given = {"gms_heartbeat_period_seconds": "4", "gms_probe_timeout_seconds": "7"}
    for ladder in ladders(ASLEEP, "default", given):
        for each in ladder.steps:
            settings = each.variant.settings
            assert settings.gms_heartbeat_period == 4 * SECOND
            assert settings.gms_probe_timeout == 7 * SECOND
            assert not set(each.values) & set(given)
            assert given.items() <= each.settings.items()


def test_swim_and_lifeguard_become_patient_by_settings_of_their_own() -> None:
    made = ladders(ASLEEP, "default", {"gms_heartbeat_period_seconds": "1", "swim_helpers": "4"})
    names = {each.policy: {*each.steps[0].values} for each in made}
    assert names["swim"] == {"swim_suspicion_periods", "swim_ping_timeout_seconds"}
    assert names["lifeguard"] == names["swim"] | {"lifeguard_longest_suspicion"}
    for each in made:
        if each.policy in names.keys() - {"ring"} and each.steps[0].variant.settings.swims:
            assert {step.variant.settings.swim_helpers for step in each.steps} == {4}
            assert each.steps[0].values["swim_suspicion_periods"] == "1"
            assert each.steps[-1].values["swim_suspicion_periods"] == "20"


def test_a_setting_that_there_is_not_is_refused() -> None:
    with pytest.raises(UserError, match="no such setting"):
        ladders(ASLEEP, "default", {"patience": "3"})


def test_what_is_to_be_set_is_told_for_a_shell_and_for_the_family() -> None:
    assert to_set(candidate("likely", missed=4, probe=2)) == [
        "'gms_detection=master and likely'",
        *("gms_heartbeat_period_seconds=1", "gms_max_missed=4"),
        *("gms_probe_timeout_seconds=2", "gms_verify_timeout_seconds=0.5"),
    ]
    cluster = to_set(candidate("deadline", period=2, missed=4))
    assert cluster == ["failure_detector=deadline", "heartbeat_interval_seconds=2", "heartbeat_timeout_seconds=8"]


def test_what_is_to_be_set_gives_swim_its_settings() -> None:
    tried = candidate_of("lifeguard", swim_settings(2, suspicion=3, ping=0.5, helpers=7, longest=4))
    said = dict(shlex.split(each)[0].split("=") for each in to_set(tried))
    assert read_settings("default", {"family": "gms", "merging": "false", **said}) == replace(
        tried.variant.settings, discovery_uri_list=read_settings("default", {}).discovery_uri_list
    )


@pytest.mark.parametrize("policy", ["all", "likely", "ring", "inferred", "deadline", "phi-accrual"])
def test_what_is_to_be_set_gives_the_settings_that_were_tried(policy: str) -> None:
    tried = candidate(policy, period=0.5, missed=6, probe=2)
    said = [shlex.split(each)[0].split("=") for each in to_set(tried)]
    family = "gms" if tried.variant.is_group else "cluster"
    settings = read_settings("default", {"family": family, **dict(said)})
    for name in ("gms_detection", "gms_probe_timeout", "gms_verify_timeout", "gms_heartbeat_period", "gms_max_missed"):
        assert not tried.variant.is_group or getattr(settings, name) == getattr(tried.variant.settings, name)
    for name in ("failure_detector", "heartbeat_interval", "heartbeat_timeout"):
        assert tried.variant.is_group or getattr(settings, name) == getattr(tried.variant.settings, name)
