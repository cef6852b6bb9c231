"""What `shaketable compare-detectors` has measured, put together over the seeds, beside what was promised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shaketable.harness.command.compare_detectors_promises import Promise, Span, heartbeats, promise
from shaketable.harness.command.compare_detectors_results import CRASHES, PERIODS, Result
from shaketable.harness.command.compare_detectors_variants import Variant
from shaketable.node.env import SECOND, Micros


def quantile(measured: Sequence[Micros], hundredths: int) -> Micros:
    """The least that so many hundredths of the measurements do not exceed."""
    ordered = sorted(measured)
    return ordered[max(0, -(-len(ordered) * hundredths // 100) - 1)]


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of one kind of crash, in microseconds."""

    times: Sequence[Micros]
    promised: Span | None

    @property
    def median(self) -> Micros:
        return quantile(self.times, 50)

    @property
    def high(self) -> Micros:
        return quantile(self.times, 99)

    @property
    def outside(self) -> int:
        return self.promised.outside(self.times) if self.promised is not None else 0


@dataclass(frozen=True, slots=True)
class OfCrash:
    """One kind of crash under one policy, over all seeds."""

    kind: str
    suspected: Measured
    verified: Measured
    announced: Measured
    unseen: int

    @property
    def measures(self) -> Iterator[tuple[str, Measured]]:
        yield "suspected", self.suspected
        yield "verified", self.verified
        yield "announced", self.announced

    @property
    def outside(self) -> int:
        return self.unseen + sum(measured.outside for _, measured in self.measures)


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
    """a member and second, heartbeats included, when all is quiet"""
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
    quiet = len(results) * members * PERIODS * variant.settings.gms_heartbeat_period / SECOND
    return Figures(
        variant,
        members,
        len(results),
        [_of_crash(kind, promise(variant, kind), results) for kind in CRASHES],
        [result.heartbeats for result in results],
        [result.talking for result in results if result.talking is not None],
        sum(result.messages for result in results) / quiet,
        sum(result.bytes for result in results) / quiet,
        sum(result.false_suspicions for result in results),
        sum(result.false_removals for result in results),
        sum(result.masters for result in results),
        sum(result.masters_in_scale_down for result in results),
    )


def _of_crash(kind: str, promised: Promise, results: Sequence[Result]) -> OfCrash:
    crashes = [crash for result in results for crash in result.crashes if crash.kind == kind]
    return OfCrash(
        kind,
        Measured([time for crash in crashes for time in (*crash.noticed, *crash.suspected)], promised.suspected),
        Measured([time for crash in crashes for time in crash.verified], promised.verified),
        Measured([time for crash in crashes for time in crash.announced], promised.announced),
        sum(crash.unseen for crash in crashes),
    )
