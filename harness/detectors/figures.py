"""What `shaketable compare-detectors` has measured, put together over the seeds, beside what was promised: of one
policy at one size, and the same as one JSON object for another program, where times are in seconds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.detectors.intervals import interval_of_median
from shaketable.harness.detectors.promises import Span, heartbeats, promise
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.detectors.workload import CRASHES, PERIODS, Result, cycle
from shaketable.harness.reports.model import Measure
from shaketable.harness.reports.tally import spread_of
from shaketable.node.core.env import SECOND, Micros

SUSPECTED, VERIFIED, ANNOUNCED = "suspected", "verified", "announced"
FIRST: Final = "first suspected"
MEASURED = (SUSPECTED, VERIFIED, ANNOUNCED)


@dataclass(frozen=True, slots=True)
class OfCrash:
    """One kind of crash under one policy, over all seeds. Each crash counts once: until the last survivor."""

    kind: str
    crashes: int
    times: Mapping[str, Sequence[Micros]]
    """of each of `MEASURED`"""
    medians: Mapping[str, tuple[Micros, Micros] | None]
    """of the same, the interval of the median"""
    first: Sequence[Micros]
    """until anybody suspected it"""
    measures: Mapping[str, Measure]
    """of those for which something is promised, and was measured"""
    unseen: int

    @property
    def outside(self) -> int:
        return self.unseen + sum(measure.outside for measure in self.measures.values())


@dataclass(frozen=True, slots=True)
class Figures:
    """One policy at one size."""

    variant: Variant
    members: int
    seeds: int
    crashes: Sequence[OfCrash]
    heartbeats: Sequence[int]
    """in `PERIODS` quiet periods, by seed"""
    talking: Sequence[int]
    """the same while all applications talk; empty: they cannot"""
    messages: float
    """a member and second, heartbeats included, when all is quiet, over whole cycles"""
    most_sent: float
    most_received: float
    """a second, by the member that sends most and by the one that receives most"""
    bytes: float
    wrongly_suspected: int
    wrongly_removed: int
    masters: int
    masters_in_scale_down: int

    @property
    def cost_is_as_promised(self) -> bool:
        def within(counted: Sequence[int], *, talking: bool) -> bool:
            least, most = heartbeats(self.variant, self.members, PERIODS, talking=talking)
            return all(least <= each <= most for each in counted)

        return within(self.heartbeats, talking=False) and within(self.talking, talking=True)

    @property
    def outside(self) -> int:
        """Measurements that are not as promised."""
        return sum(crash.outside for crash in self.crashes) + (not self.cost_is_as_promised)


def figures(variant: Variant, members: int, results: Sequence[Result]) -> Figures:
    quiet = len(results) * cycle(variant.settings) * variant.settings.gms_heartbeat_period / SECOND
    return Figures(
        variant,
        members,
        len(results),
        [_of_crash(kind, variant, members, results) for kind in CRASHES],
        [result.heartbeats for result in results],
        [result.talking for result in results if result.talking is not None],
        sum(result.messages for result in results) / quiet / members,
        sum(result.most_sent for result in results) / quiet,
        sum(result.most_received for result in results) / quiet,
        sum(result.bytes for result in results) / quiet / members,
        sum(result.false_suspicions for result in results),
        sum(result.false_removals for result in results),
        sum(result.masters for result in results),
        sum(result.masters_in_scale_down for result in results),
    )


def _of_crash(kind: str, variant: Variant, members: int, results: Sequence[Result]) -> OfCrash:
    crashes = [crash for result in results for crash in result.crashes if crash.kind == kind]
    promised = promise(variant, members, kind)
    all_times: dict[str, Sequence[Sequence[Micros]]] = {
        SUSPECTED: [crash.suspected for crash in crashes],
        VERIFIED: [crash.verified for crash in crashes],
        ANNOUNCED: [crash.announced for crash in crashes],
    }
    times = {name: [max(each) for each in all_times[name] if each] for name in MEASURED}
    measures: dict[str, Measure] = {}
    for name, span in zip(MEASURED, (promised.suspected, promised.verified, promised.announced), strict=True):
        spread = spread_of(times[name])
        if span is not None and spread is not None:
            measures[name] = Measure(
                measure=name, script=kind, variant=variant.name, size=members, spread=spread,
                promised_least=span.least, promised_most=span.most, outside=_outside(span, all_times[name]),
            )  # fmt: skip
    medians = {name: interval_of_median(times[name]) for name in MEASURED}
    first = [min(crash.suspected) for crash in crashes if crash.suspected]
    return OfCrash(kind, len(crashes), times, medians, first, measures, sum(crash.unseen for crash in crashes))


def _outside(span: Span, crashes: Iterable[Sequence[Micros]]) -> int:
    """Of how many crashes some survivor's time is."""
    return sum(span.outside(times) > 0 for times in crashes)


def in_json(figures: Figures) -> str:
    promised = heartbeats(figures.variant, figures.members, PERIODS)
    return json.dumps(
        {
            "policy": figures.variant.name,
            "members": figures.members,
            "seeds": figures.seeds,
            "as_promised": not figures.outside,
            "heartbeats_a_period": {
                "promised": [round(each / PERIODS, 3) for each in promised],
                "measured": [counted / PERIODS for counted in figures.heartbeats],
                "while_applications_talk": [counted / PERIODS for counted in figures.talking],
            },
            "messages_a_member_and_second": round(figures.messages, 3),
            "sent_by_the_busiest_in_a_second": round(figures.most_sent, 3),
            "received_by_the_busiest_in_a_second": round(figures.most_received, 3),
            "bytes_a_member_and_second": round(figures.bytes, 1),
            "wrongly_suspected": figures.wrongly_suspected,
            "wrongly_removed": figures.wrongly_removed,
            "changes_of_leadership": figures.masters,
            "changes_of_leadership_in_the_scale_down": figures.masters_in_scale_down,
            "crashes": {
                crash.kind: {
                    FIRST: _of_the_first(crash),
                    **{name: _told(crash.measures.get(name), crash.medians[name]) for name in MEASURED},
                }
                for crash in figures.crashes
            },
        }
    )


def _of_the_first(crash: OfCrash) -> dict[str, object] | None:
    """Nothing is promised of it but of the last one."""
    spread, interval = spread_of(crash.first), interval_of_median(crash.first)
    if spread is None:
        return None
    return {
        "median": spread.median / SECOND,
        "interval_of_the_median": None if interval is None else [each / SECOND for each in interval],
        "least": spread.least / SECOND,
        "most": spread.most / SECOND,
        "measured": spread.count,
    }


def _told(measure: Measure | None, median: tuple[Micros, Micros] | None) -> dict[str, object] | None:
    if measure is None:
        return None
    spread = measure.spread
    return {
        "promised": [each / SECOND for each in (measure.promised_least, measure.promised_most) if each is not None],
        "median": spread.median / SECOND,
        "interval_of_the_median": None if median is None else [each / SECOND for each in median],
        "99th_percentile": spread.high / SECOND,
        "least": spread.least / SECOND,
        "most": spread.most / SECOND,
        "measured": spread.count,
        "outside": measure.outside,
    }
