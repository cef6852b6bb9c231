"""The figures of a run are computed again from its raw records, by other code: one step of time after the other."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import pytest

from shaketable.harness.detectors.quality.conditions import CONDITIONS
from shaketable.harness.detectors.quality.course import Trace
from shaketable.harness.detectors.quality.figures import Quality, quality
from shaketable.harness.detectors.quality.of_a_run import DOUBTED, LEVELS, NEVER, measured
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.quality.trial import Trial
from shaketable.harness.detectors.variants import Variant, variants

POLICIES = policies(variants("default", {}))
OBSERVER = str
ABOUT = tuple[str, str]
"""the process of an observer, and the name of the node that it is about"""


@dataclass
class Found:
    trusted: int = 0
    mistaken: int = 0
    mistakes: int = 0
    durations: list[int] = field(default_factory=list)
    recurrences: list[int] = field(default_factory=list)
    detections: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)

    @property
    def watched(self) -> int:
        return self.trusted + self.mistaken

    @property
    def rate(self) -> float:
        return self.mistakes * 3_600_000_000 / self.watched


class Again:
    """Goes through the records in their order, and looks at all pairs after each."""

    def __init__(self, trace: Trace, *, doubts: bool, without: Collection[str] = ()) -> None:
        """`without`: nodes of which nothing counts that is thought of them."""
        self.trace = trace
        self.without = without
        self.doubts = doubts
        self.found = Found()
        self.now = 0
        self.runs: dict[str, str] = {}
        self.lists: dict[str, list[str]] = {}
        self.doubted: dict[str, list[str]] = {}
        self.anew: list[str] = []
        self.trusting: dict[ABOUT, bool] = {}
        self.mistaken_since: dict[ABOUT, int] = {}
        self.last_mistake: dict[ABOUT, int] = {}
        self.outputs: dict[tuple[str, str], list[tuple[int, bool]]] = {}
        """by observer and process: each change of what it thinks"""
        self.ends: dict[str, int] = {}

    def compute(self) -> Found:
        gone = [(time, 0, uuid) for uuid, time in self.trace.gone.items()]
        told = [(record.time, 1, record) for record in self.trace.records]
        for time, kind, what in sorted([*gone, *told], key=lambda each: each[:2]):
            self.pass_to(time)
            if kind == 0:
                self.ended(str(what))
            else:
                self.take(what)
        self.pass_to(self.trace.end)
        for uuid, until in self.trace.looked_until.items():
            times = self.detected(uuid, until)
            if times:
                self.found.first.append(min(times))
                self.found.detections.append(max(times))
        return self.found

    def pass_to(self, time: int) -> None:
        begin, end = max(self.now, self.trace.begin), min(time, self.trace.end)
        if end > begin:
            self.found.trusted += (end - begin) * len(self.trusting)
            self.found.mistaken += (end - begin) * len(self.mistaken_since)
        self.now = time

    def take(self, record: Any) -> None:
        event, observer = record.event, record.incarnation
        match type(event).__name__:
            case "Started":
                self.runs[record.node] = observer
                self.lists[observer], self.doubted[observer] = [], []
            case "NodeEnded":
                if event.peer in self.runs:
                    self.ended(self.runs[event.peer])
            case "ViewInstalled":
                if observer in self.anew:
                    self.anew.remove(observer)
                    self.doubted[observer] = []
                self.lists[observer] = [member.uuid for member in event.members]
                self.doubted[observer] = [each for each in self.doubted[observer] if each in self.lists[observer]]
            case "Suspected":
                self.doubted[observer].append(event.peer.uuid)
            case "SuspicionEnded":
                self.all_clear(observer, event.peer)
            case "ReadmissionAsked":
                self.anew.append(observer)
            case "NotificationPublished" | "NotificationTaken":
                if event.change == "add":
                    self.all_clear(observer, event.peer)
        for name, running in self.runs.items():
            if running == observer:
                self.look(name, observer)

    def all_clear(self, observer: str, peer: Any) -> None:
        if peer is not None:
            self.doubted[observer] = [each for each in self.doubted[observer] if each != peer.uuid]

    def trusts(self, observer: str, uuid: str) -> bool:
        return uuid in self.lists[observer] and not (self.doubts and uuid in self.doubted[observer])

    def look(self, own: str, observer: str) -> None:
        for uuid in self.lists:
            output = self.outputs.setdefault((observer, uuid), [])
            trusts = self.trusts(observer, uuid)
            if uuid != observer and trusts != (bool(output) and output[-1][1]):
                output.append((self.now, trusts))
        for name, uuid in self.runs.items():
            pair = observer, name
            if name == own or name in self.without:
                continue
            if self.trusts(observer, uuid):
                self.trusting[pair] = True
                since = self.mistaken_since.pop(pair, None)
                if since is not None and self.trace.begin <= since and self.now <= self.trace.end:
                    self.found.durations.append(self.now - since)
            elif self.trusting.pop(pair, False):
                self.mistaken_since[pair] = self.now
                if self.trace.begin <= self.now < self.trace.end:
                    self.found.mistakes += 1
                    if self.last_mistake.get(pair, -1) >= self.trace.begin:
                        self.found.recurrences.append(self.now - self.last_mistake[pair])
                    self.last_mistake[pair] = self.now

    def ended(self, uuid: str) -> None:
        """A crash ends all that is thought of it; a repair only what is rightly thought."""
        name = next((name for name, running in self.runs.items() if running == uuid), None)
        if name is None:
            return
        del self.runs[name]
        self.ends[uuid] = self.now
        for pair in [*self.trusting, *self.mistaken_since]:
            observer, about = pair
            stays = uuid in self.trace.repaired and pair in self.mistaken_since
            if observer == uuid or (about == name and not stays):
                self.trusting.pop(pair, None)
                self.mistaken_since.pop(pair, None)
                self.last_mistake.pop(pair, None)

    def detected(self, uuid: str, until: int) -> list[int]:
        """When the last output of each survivor became what it is."""
        crash, latest = self.trace.gone[uuid], []
        for (observer, about), output in self.outputs.items():
            if about != uuid or not output or self.ends.get(observer, self.trace.end) < until:
                continue
            before = [each for each in output if each[0] <= until]
            latest.append(NEVER if before[-1][1] else max(0, before[-1][0] - crash))
        return latest


CASES = [
    ("all", "jitter"),
    ("likely", "one-way"),
    ("ring", "pauses"),
    ("ring", "jitter"),
    ("inferred", "churn"),
    ("inferred", "jitter"),
    ("deadline", "loss-30"),
    ("deadline", "lagging"),
    ("phi-accrual", "pauses"),
    ("phi-accrual", "one-way"),
    ("swim", "lagging-some"),
    ("swim", "loss-30"),
    ("lifeguard", "overload-some"),
    ("lifeguard", "pauses"),
]


@pytest.mark.parametrize(("policy", "condition"), CASES)
def test_all_figures_are_those_of_the_raw_records(policy: str, condition: str) -> None:
    traces = [Trial(POLICIES[policy], 5, seed, condition, CONDITIONS[condition]).run() for seed in (1, 2)]
    found = quality(policy, condition, [measured(each) for each in traces])
    for name in LEVELS:
        again = [Again(trace, doubts=name == DOUBTED).compute() for trace in traces]
        level = found.levels[name]
        assert level.mistakes == sum(each.mistakes for each in again)
        assert sorted(level.durations) == sorted(time for each in again for time in each.durations)
        assert sorted(level.recurrences) == sorted(time for each in again for time in each.recurrences)
        assert sorted(level.detections) == sorted(time for each in again for time in each.detections)
        assert sorted(level.first) == sorted(time for each in again for time in each.first)
        assert found.watched == sum(each.watched for each in again)
        assert fmean(level.rates) == pytest.approx(fmean(each.rate for each in again))
        assert fmean(level.accuracies) == pytest.approx(fmean(each.trusted / each.watched for each in again))
        assert (name in found.well) == condition.startswith(("lagging", "overload"))
        if name in found.well:
            well = [Again(trace, doubts=name == DOUBTED, without=trace.ill).compute() for trace in traces]
            assert found.well[name] == pytest.approx([each.rate for each in well])


def test_what_is_computed_again_is_not_nothing() -> None:
    found = measured_of(POLICIES["deadline"], "deadline", "loss-30").levels[DOUBTED]
    assert found.mistakes > 20
    assert found.durations
    assert found.recurrences
    assert found.detections


def measured_of(variant: Variant, policy: str, condition: str) -> Quality:
    return quality(policy, condition, [measured(Trial(variant, 5, 1, condition, CONDITIONS[condition]).run())])


def test_without_a_fault_there_is_no_mistake_and_each_crash_is_told() -> None:
    for policy, variant in POLICIES.items():
        found = measured_of(variant, policy, "none")
        for level in found.levels.values():
            assert (level.mistakes, level.accuracies, len(level.detections)) == (0, [1.0], 4)
            assert max(level.detections) < NEVER
        assert found.repaired == 0


def test_the_seed_draws_the_crashes_and_a_policy_does_not() -> None:
    def begins(policy: str, seed: int) -> Mapping[str, int]:
        trace = Trial(POLICIES[policy], 5, seed, "none", CONDITIONS["none"]).run()
        return dict(list(trace.gone.items())[:1])

    assert [*begins("ring", 1).values()] == [*begins("all", 1).values()] != [*begins("ring", 2).values()]
    assert begins("ring", 1) == begins("ring", 1)
