"""The conditions do what they say, and `shaketable compare-detectors --under` tells what they make of each policy."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.harness.command.command_helpers import here
from tests.harness.explain.explain_helpers import as_answered
from tests.where import DOCS

from shaketable.harness.detectors.arguments import UNDER
from shaketable.harness.detectors.members import Members
from shaketable.harness.detectors.quality.conditions import CONDITIONS
from shaketable.harness.detectors.quality.course import CRASHES, Trace
from shaketable.harness.detectors.quality.named import condition_named, known, why_there_is_none
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.quality.trial import Trial
from shaketable.harness.detectors.variants import variants
from shaketable.harness.faults.table import LinkFault, Pause
from shaketable.harness.records import NodeEnded
from shaketable.harness.worlds.sim.node import SimNode
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import HealthMessage

COMPARE = "compare-detectors"
POLICIES = policies(variants("default", {}))
WINDOW = 9 * SECOND


def trial(condition: str, policy: str = "all") -> Trial:
    return Trial(POLICIES[policy], 5, 1, condition, known(condition))


def ends(trace: Trace) -> int:
    return sum(isinstance(record.event, NodeEnded) for record in trace.records)


class Taken:
    """When each member takes a heartbeat, and from whom."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times: dict[tuple[str, str], list[Micros]] = {}
        self.senders: Counter[str] = Counter()
        once = SimNode._take

        def counted(node: SimNode, what: Any) -> None:
            if isinstance(what, HealthMessage):
                self.senders[what.sender.address] += 1
                self.times.setdefault((what.sender.address, node.name), []).append(node.env.now())
            once(node, what)

        monkeypatch.setattr(SimNode, "_take", counted)

    @property
    def gaps(self) -> dict[tuple[str, str], list[float]]:
        """In seconds."""
        return {
            pair: [(after - before) / SECOND for before, after in pairwise(times)] for pair, times in self.times.items()
        }


@pytest.mark.parametrize(("name", "share"), [("none", 0), ("loss-10", 0.1), ("loss-22.5", 0.225), ("loss-30", 0.3)])
def test_so_many_heartbeats_are_lost(name: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    taken, run = Taken(monkeypatch), trial(name)
    run.members.form()
    known(name).begin(run)
    run.members.world.traffic.begin()
    taken.senders.clear()
    run.members.world.pass_time(300 * SECOND + SECOND // 2)
    sent = run.members.world.traffic.heartbeats
    assert sent > 1_900
    assert 1 - taken.senders.total() / sent == pytest.approx(share, abs=0.03)


def uneven(name: str, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The links on which a heartbeat came five seconds after the one before, or later."""
    taken, run = Taken(monkeypatch), trial(name)
    run.members.form()
    CONDITIONS[name].begin(run)
    taken.times.clear()
    run.members.world.pass_time(20 * WINDOW)
    return [(run.members.world.names[sender], to) for (sender, to), gaps in taken.gaps.items() if max(gaps) > 5]


def test_jitter_makes_heartbeats_come_at_uneven_times(monkeypatch: pytest.MonkeyPatch) -> None:
    assert uneven("none", monkeypatch) == []
    assert len(uneven("jitter", monkeypatch)) == 20


def test_a_slow_member_is_one_that_is_heard_late(monkeypatch: pytest.MonkeyPatch) -> None:
    links = uneven("lagging", monkeypatch)
    assert (len(links), len({sender for sender, _ in links})) == (4, 1)


def test_some_slow_members_are_a_third_of_them_and_the_others_are_well(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Trial(POLICIES["all"], 9, 1, "lagging-some", CONDITIONS["lagging-some"])
    taken = Taken(monkeypatch)
    run.members.form()
    CONDITIONS["lagging-some"].begin(run)
    taken.times.clear()
    run.members.world.pass_time(20 * WINDOW)
    late = {run.members.world.names[sender] for (sender, _), gaps in taken.gaps.items() if max(gaps) > 5}
    assert len(late) == 3
    assert late == set(run.ill)


def test_a_member_that_is_started_again_is_as_well_as_it_was() -> None:
    """And the overloaded one is overloaded again."""
    run = trial("overload")
    run.run()
    names = set(run.members.names)
    waiting = {name for name in names if run.members.world.nodes[name].waits_for_its_turn or name in run.ill}
    assert waiting == set(run.ill)
    assert len(run.ill) == 1


def test_an_overloaded_member_is_heard_late_and_hears_late(monkeypatch: pytest.MonkeyPatch) -> None:
    links = uneven("overload", monkeypatch)
    ((busy, many),) = Counter(name for link in links for name in link).most_common(1)
    assert many == len(links) > 4
    assert {busy} < {sender for sender, _ in links}


def test_under_churn_more_members_are_killed_than_are_crashed_to_be_detected() -> None:
    assert ends(trial("none").run()) == CRASHES
    assert ends(trial("churn").run()) > 2 * CRASHES


@pytest.mark.parametrize("name", ["pauses", "one-way"])
def test_what_comes_and_goes_leaves_nothing_behind(name: str) -> None:
    quiet, run = trial("none"), trial(name)
    quiet.run()
    run.run()
    assert quiet.members.begun == 2 * CRASHES
    assert run.members.begun > 3 * CRASHES
    assert len(run.members.world.table.active) < 4


def test_a_member_that_the_others_removed_for_good_is_started_again() -> None:
    assert trial("pauses", "all").run().repaired == {}
    repaired = trial("loss-30", "deadline").run().repaired
    assert len(repaired) > 3


# Conditions with a number, and several at once


class Slept:
    """When each sleep begins and how long it lasts, in seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lasted: list[float] = []
        since: dict[int, Micros] = {}
        begin, end = Members.begin, Members.end

        def begins(members: Members, fault: LinkFault | Pause) -> int:
            number = begin(members, fault)
            if isinstance(fault, Pause):
                since[number] = members.world.time
            return number

        def ends(members: Members, faults: Sequence[int]) -> None:
            self.lasted += [(members.world.time - since.pop(each)) / SECOND for each in faults if each in since]
            end(members, faults)

        monkeypatch.setattr(Members, "begin", begins)
        monkeypatch.setattr(Members, "end", ends)


@pytest.mark.parametrize(("name", "seconds"), [("pauses-3s", 3), ("pauses-0.5s", 0.5), ("loss-5+pauses-12s", 12)])
def test_a_sleep_lasts_as_long_as_its_name_says(name: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    slept, run = Slept(monkeypatch), trial(name)
    run.members.form()
    known(name).begin(run)
    run.members.world.pass_time(40 * WINDOW)
    assert len(slept.lasted) > 4
    assert set(slept.lasted) == {seconds}


def test_several_conditions_go_on_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    slept, taken, run = Slept(monkeypatch), Taken(monkeypatch), trial("loss-20+pauses-3s")
    run.members.form()
    known("loss-20+pauses-3s").begin(run)
    run.members.world.traffic.begin()
    taken.senders.clear()
    run.members.world.pass_time(60 * WINDOW + SECOND // 2)
    assert len(slept.lasted) > 8
    assert 1 - taken.senders.total() / run.members.world.traffic.heartbeats == pytest.approx(0.2, abs=0.04)


def test_a_condition_says_its_number_and_its_parts() -> None:
    assert known("loss-2.50").says == "2.5 % of the heartbeats are lost"
    assert known("loss-2+pauses-3s").says == "2 % of the heartbeats are lost; now and then a member sleeps for 3 s"
    assert known("loss-10") is CONDITIONS["loss-10"]


@pytest.mark.parametrize(
    "name",
    [
        *("loss-0", "loss-100", "loss-", "loss--1", "loss-2%", "pauses-0s", "pauses-3", "pauses-3600.001s", "pauses-s"),
        *("loss-1+loss-2", "pauses+pauses-3s", "none+loss-1", "loss-1+", "+", "loss-2+rain", "loss-²"),
    ],
)
def test_what_names_no_condition(name: str) -> None:
    assert condition_named(name) is None


# The command


def test_the_names_on_the_command_line_are_those_of_the_conditions() -> None:
    assert tuple(CONDITIONS) == UNDER


def test_in_json_each_policy_and_condition_is_an_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--members", "5", "--seeds", "1", "--under", "all", "--json", "--report", tmp_path)
    ran = here(capsys, COMPARE, *arguments)
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, ran.err, len(told)) == (0, "", len(POLICIES) * len(CONDITIONS))
    assert (tmp_path / "quality.jsonl").read_text() == ran.out
    lines = (tmp_path / "quality.txt").read_text().splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)
    by = {(each["condition"], each["policy"]): each for each in told}
    for each in told:
        for level in (each["doubted"], each["removed"]):
            assert 0 <= level["query_accuracy"]["mean"] <= 1
            assert (level["mistakes"] == 0) == (level["mistakes_an_hour_of_a_pair"]["mean"] == 0)
            assert level["mistake_duration"]["measured"] <= level["mistakes"]
        doubted, removed = (each[level]["query_accuracy"]["mean"] for level in ("doubted", "removed"))
        assert doubted <= removed, "but in one doubt a member may be removed twice, and not doubted anew"
    for name in CONDITIONS:
        well = [by[name, policy]["mistakes_an_hour_about_members_that_are_well"] for policy in POLICIES]
        assert all(bool(each) == name.startswith(("lagging", "overload")) for each in well)
    for name in ("lagging", "lagging-some"):
        doubted = {
            policy: by[name, policy]["mistakes_an_hour_about_members_that_are_well"]["doubted"]["mean"]
            for policy in POLICIES
        }
        assert 10 * doubted["lifeguard"] < doubted["swim"], "the claim of the paper"
    for name in CONDITIONS:
        removed = {policy: by[name, policy]["removed"]["query_accuracy"]["mean"] for policy in POLICIES}
        assert min(removed["all"], removed["ring"]) >= removed["deadline"], "a group asks twice before it removes"
    quiet, lossy = by["none", "deadline"], by["loss-30", "deadline"]
    assert quiet["doubted"]["mistakes"] == 0 < lossy["doubted"]["mistakes"]
    assert quiet["messages_a_member_and_second"] == pytest.approx(4 / 3, rel=0.1)
    spread = quiet["removed"]["detection_time"]
    assert spread["measured"] == CRASHES
    assert 6 <= spread["median"] <= spread["90th_percentile"] <= 12
    assert spread["interval_of_the_median"] is None, "four crashes are too few"


def test_the_page_shows_what_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, as_written: Any
) -> None:
    page = DOCS / "detector-quality.md"
    as_written(page, as_answered(page.read_text(), capsys, monkeypatch))


MISTAKES = {
    "no condition": (("--under", "rain"), ("--under rain: there is no condition 'rain'", "loss-10", "churn")),
    "a number that is none": (
        ("--under", "loss-2,loss-x"),
        ("--under loss-2,loss-x: there is no condition 'loss-x'", "loss-2+pauses-3s"),
    ),
    "two losses": (("--under", "loss-2+loss-5"), ("--under loss-2+loss-5: loss-2 and loss-5 are two losses at once",)),
    "two losses with more": (
        ("--under", "none,loss-2+jitter+loss-5"),
        ("--under none,loss-2+jitter+loss-5: loss-2 and loss-5 are two losses at once", "give one of them"),
    ),
    "two sleeps": (("--under", "pauses+pauses-3s"), ("pauses and pauses-3s are two sleeps at once",)),
    "two of a kind": (("--under", "lagging+lagging-some"), ("lagging and lagging-some are two of a kind at once",)),
    "nothing and more": (("--under", "none+loss-2"), ("--under none+loss-2: none says that there is no fault",)),
    "a share above all": (
        ("--under", "pauses+loss-101"),
        ("--under pauses+loss-101: loss-101 is no loss; give a percentage above 0 and below 100",),
    ),
    "no share": (("--under", "loss-0"), ("--under loss-0: loss-0 is no loss; give a percentage above 0",)),
    "less than no share": (("--under", "loss--1"), ("loss--1 is no loss; give a percentage above 0",)),
    "too fine a share": (("--under", "loss-0.00001"), ("loss-0.00001 is no loss", "no more than four decimals")),
    "no sleep": (("--under", "pauses-0s"), ("pauses-0s is no sleep; give at most 3600 seconds, above 0",)),
    "too long a sleep": (("--under", "pauses-3600.5s"), ("pauses-3600.5s is no sleep; give at most 3600 seconds",)),
    "one unknown of two of a kind": (
        ("--under", "loss-2+loss-5+rain"),
        ("there is no condition 'loss-2+loss-5+rain'",),
    ),
    "an empty name": (("--under", "none,"), ("there is no condition ''",)),
    "no picture": (("--under", "none", "--out", "x.svg"), ("--out x.svg: there is a picture only without --under",)),
}


@pytest.mark.parametrize("name", [*CONDITIONS, "loss-2+pauses-3s"])
def test_a_condition_that_is_there_needs_no_reason(name: str) -> None:
    assert why_there_is_none(name) == ""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_its_sentence(mistake: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = MISTAKES[mistake]
    here(capsys, COMPARE, *arguments).refused(*words)
