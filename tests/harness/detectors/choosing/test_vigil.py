"""A run in which nobody crashes: what is done to the members, and what counts as a false removal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from tests.harness.detectors.choosing.questions import of, question, settings, swim_settings
from tests.lengths import LONG

from shaketable.harness.detectors.choosing.vigil import PORTION, WITHOUT_SLEEPS, Seen, Vigil
from shaketable.harness.detectors.members import Members
from shaketable.harness.detectors.world import Traffic
from shaketable.harness.faults.table import LinkFault, Pause
from shaketable.harness.records import Record
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND
from shaketable.node.events import ViewInstalled
from shaketable.node.gms.local_health import LocalHealth

NO_FAULT = -1
"""nothing ends with it"""


class Slept:
    """How often each member sleeps, and how many do at a time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times: Counter[str] = Counter()
        self.together = 0
        asleep: dict[int, str] = {}
        begin, end = Members.begin, Members.end

        def begins(members: Members, fault: LinkFault | Pause) -> int:
            number = begin(members, fault)
            if isinstance(fault, Pause):
                self.times[fault.node] += 1
                asleep[number] = fault.node
                assert len({*asleep.values()}) == len(asleep)
                self.together = max(self.together, len(asleep))
            return number

        def ends(members: Members, faults: Sequence[int]) -> None:
            for each in faults:
                asleep.pop(each, None)
            end(members, faults)

        monkeypatch.setattr(Members, "begin", begins)
        monkeypatch.setattr(Members, "end", ends)


def vigil(
    policy: str, members: int = 8, under: str = "loss-2+pauses-3s", *, silences: bool = False, seed: int = 1,
    period: float = 1, missed: int = 3, probe: float = 1, portions: int = 1,
) -> Vigil:  # fmt: skip
    variant = of(policy, settings(period, missed, probe))
    return Vigil(variant, members, seed, question(under=under).faults, silences=silences, portions=portions)


def test_each_member_sleeps_in_its_turn_and_that_is_borne(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = Slept(monkeypatch)
    seen = vigil("ring", 20).run()
    assert (seen.runs, seen.removals, seen.silenced) == (1, 0, 0)
    assert [*slept.times.values()] == [PORTION // 20] * 20
    assert (seen.sleeps, slept.together) == (PORTION, 2)


def test_a_run_may_have_several_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A member's next turn comes when the last one is over."""
    slept = Slept(monkeypatch)
    seen = vigil("ring", 50, portions=2, silences=True).run()
    assert (seen.runs, seen.portions, seen.sleeps, seen.removals) == (1, 2, 2 * PORTION, 0)
    assert [*slept.times.values()] == [4] * 50
    assert 3 <= slept.together <= 5
    assert seen.silenced == 2 * PORTION


def test_where_a_detector_learns_each_member_sleeps_once(monkeypatch: pytest.MonkeyPatch) -> None:
    slept = Slept(monkeypatch)
    assert vigil("phi-accrual", missed=8, portions=3).run().sleeps == 8
    assert [*slept.times.values()] == [1] * 8
    assert slept.together == 1
    slept.times.clear()
    assert vigil("deadline", missed=10).run().sleeps == 8 * (PORTION // 8)


@pytest.mark.parametrize(
    ("policy", "missed", "probe", "removed"),
    [
        *(("ring", 2, 0.25, True), ("ring", 3, 1, False), ("all", 2, 0.25, True), ("likely", 2, 0.25, True)),
        ("deadline", 2, 1, True),
        *(pytest.param(policy, 3, 1, False, marks=LONG) for policy in ("all", "likely", "inferred")),
        pytest.param("deadline", 10, 1, False, marks=LONG),
    ],
)
def test_a_member_that_sleeps_longer_than_is_borne_is_removed(
    policy: str, missed: int, probe: float, removed: bool
) -> None:
    """Until it is removed it may sleep for the window, and for two probes and what lies between them."""
    seen = vigil(policy, missed=missed, probe=probe).run()
    assert seen.removals == removed
    assert seen.sleeps < 8 if removed else seen.sleeps == 8 * (PORTION // 8)


def test_a_removal_is_what_some_list_says_first() -> None:
    run = vigil("deadline", missed=2)
    lists: dict[str, Sequence[str]] = {}
    lost: list[int] = []
    add = run.members.world.add

    def added(record: Record) -> None:
        if isinstance(record.event, ViewInstalled):
            now = [member.uuid for member in record.event.members]
            if any(uuid not in now for uuid in lists.get(record.node, ())):
                lost.append(record.time)
            lists[record.node] = now
        add(record)

    run.members.world.add = added  # type: ignore[method-assign]
    seen = run.run()
    assert seen.removals == 1
    assert lost[0] <= seen.took <= lost[0] + run.members.window, "and then it is watched no longer"


def test_members_are_silenced_each_in_its_turn_and_answer_when_they_are_asked() -> None:
    seen = vigil("ring", 10, silences=True, missed=2, probe=5).run()
    assert (seen.removals, seen.removals_of_silenced, seen.silenced) == (0, 0, PORTION)
    assert seen.took > seen.watched


def test_a_cluster_removes_whom_it_does_not_hear() -> None:
    seen = vigil("deadline", 5, "loss-2+pauses-0.1s", silences=True, missed=6).run()
    assert (seen.removals, seen.removals_of_silenced, seen.silenced) == (0, 1, 1)


def test_without_sleeps_a_run_is_watched_for_its_time() -> None:
    seen = vigil("ring", 5, "loss-10", period=3, probe=5).run()
    assert (seen.removals, seen.sleeps, seen.silenced) == (0, 0, 0)
    assert seen.watched >= WITHOUT_SLEEPS
    assert seen.heartbeats == pytest.approx(5 * WITHOUT_SLEEPS / (3 * SECOND), rel=0.01)


# Under SWIM


def swimming(
    policy: str, members: int = 8, under: str = "loss-2+pauses-3s", *, silences: bool = False, **chosen: float
) -> Vigil:
    values = swim_settings(**chosen)  # type: ignore[arg-type]
    return Vigil(of(policy, values), members, 1, question(under=under).faults, silences=silences)


@pytest.mark.parametrize("policy", ["swim", "lifeguard"])
def test_a_suspect_that_sleeps_for_longer_than_it_has_to_answer_is_removed(policy: str) -> None:
    """Six tenths of a second for a ping, and then one or four."""
    hasty = swimming(policy, suspicion=1, longest=1).run()
    assert (hasty.removals, hasty.sleeps < PORTION // 8) == (1, True)
    patient = swimming(policy, suspicion=4, longest=1).run()
    assert (patient.removals, patient.sleeps) == (0, 8 * (PORTION // 8))


def test_all_is_watched_until_the_last_suspect_has_had_its_time() -> None:
    """The last one that falls asleep never wakes: it is removed when 60 s are over."""
    run = swimming("swim", 5, "pauses-0.1s", suspicion=60)
    asleep: list[int] = []
    begin = run.members.begin

    def begins(fault: LinkFault | Pause) -> int:
        number = begin(fault)
        asleep.append(number)
        return number if len(asleep) < 5 * (PORTION // 5) else NO_FAULT

    run.members.begin = begins  # type: ignore[method-assign]
    seen = run.run()
    assert (seen.removals, seen.sleeps) == (1, 5 * (PORTION // 5))


def test_a_silence_counts_if_somebody_has_suspected_the_member_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eight members each is pinged about four times in its silence."""
    seen = swimming("swim", silences=True).run()
    of_all = 8 * (PORTION // 8)
    assert (seen.removals, seen.removals_of_silenced) == (0, 0)
    assert 0.9 * of_all < seen.silenced <= of_all
    nothing = property(lambda traffic: None, lambda traffic, value: None)
    monkeypatch.setattr(Traffic, "loses", nothing, raising=False)
    assert swimming("swim", silences=True).run().silenced == 0, "nothing was lost, so nobody was suspected"


def test_under_lifeguard_one_sleeps_at_a_time_and_the_others_are_sure_of_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept = Slept(monkeypatch)
    healths: list[LocalHealth] = []
    slow: list[int] = []
    once = LocalHealth.__init__

    def made(health: LocalHealth, settings: Settings) -> None:
        healths.append(health)
        once(health, settings)

    monkeypatch.setattr(LocalHealth, "__init__", made)
    run = swimming("lifeguard", 20, "pauses-3s", suspicion=8)
    begin = run.members.begin

    def begins(fault: LinkFault | Pause) -> int:
        slow.append(sum(health.score > 0 for health in healths))
        return begin(fault)

    run.members.begin = begins  # type: ignore[method-assign]
    assert run.run().removals == 0
    assert slept.together == 1
    assert (len(slow), len(healths)) == (20 * (PORTION // 20), 20)
    assert sum(slow) / len(slow) < 2, "those that slept last"
    slept.together = 0
    assert swimming("swim", 20, "pauses-3s", suspicion=8).run().removals == 0
    assert slept.together == 2


def test_the_same_seed_sees_the_same_and_another_one_does_not() -> None:
    once, again, other = (vigil("inferred", seed=seed, missed=2, probe=0.5).run() for seed in (1, 1, 2))
    assert once == again
    assert once.messages != other.messages


def test_runs_add_up() -> None:
    both = Seen()
    for each in (Seen(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), Seen(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)):
        both.add(each)
    assert both == Seen(2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
