"""The settings that are tried: for each policy and heartbeat period a ladder, from the quickest to the most patient.

The period costs messages. How many missed heartbeats a member bears, and how long it waits for answers, costs
time. So of each ladder one candidate is wanted: the first one that is wrong seldom enough. SWIM and Lifeguard bear no
missed heartbeats: there a suspect has some time to answer."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from shaketable.harness.detectors.choosing.question import Question
from shaketable.harness.detectors.promises import Span, heartbeats, promise
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.variants import Variant, variants
from shaketable.harness.detectors.workload import GONE
from shaketable.node.config import by_our_names
from shaketable.node.core.env import SECOND

PERIOD: Final = "gms_heartbeat_period_seconds"
MISSED: Final = "gms_max_missed"
PROBE: Final = "gms_probe_timeout_seconds"
VERIFY: Final = "gms_verify_timeout_seconds"
THRESHOLD: Final = "phi_accrual_threshold"
SUSPICION: Final = "swim_suspicion_periods"
PING: Final = "swim_ping_timeout_seconds"
HELPERS: Final = "swim_helpers"
LONGEST: Final = "lifeguard_longest_suspicion"
Values = Mapping[str, str]


def _each(name: str, *values: float) -> Sequence[Values]:
    return [{name: f"{value:g}"} for value in values]


PERIODS: Final = _each(PERIOD, 0.5, 1, 2, 5, 10)
WINDOWS: Final = _each(MISSED, 2, 3, 4, 5, 6, 8, 10, 12, 16)
PROBES: Final[Sequence[Values]] = [
    {PROBE: f"{seconds:g}", VERIFY: f"{seconds / 4:g}"} for seconds in (0.5, 1, 2, 3, 5, 10)
]
"""A quarter of the one is the other, as in the default settings."""
THRESHOLDS: Final = _each(THRESHOLD, 1, 3, 10)
OF_A_GROUP: Final = (WINDOWS, PROBES)
OF_SWIM: Final = (
    _each(SUSPICION, 1, 2, 3, 5, 8, 12, 20),
    _each(PING, 0.2, 1),
    _each(HELPERS, 5, 10),
)
"""With fewer helpers lost pings make so many suspects that hardly anybody could watch what comes of them."""
OTHERS: Final[Mapping[str, Sequence[Sequence[Values]]]] = {
    "deadline": (WINDOWS,),
    "phi-accrual": (WINDOWS, THRESHOLDS),
    "swim": OF_SWIM,
    "lifeguard": (*OF_SWIM, _each(LONGEST, 2, 6)),
}
"""These make a policy patient, if other settings do so than in a group."""


@dataclass(frozen=True, slots=True)
class Candidate:
    policy: str
    values: Values
    """the settings that were chosen for it, as `--set` takes them"""
    given: Values
    """those that the user gave"""
    variant: Variant
    promised: Span
    """how soon a crash is told, by these settings"""

    @property
    def settings(self) -> dict[str, str]:
        return {**self.given, **self.values}

    @property
    def bears(self) -> int:
        """So many lost heartbeats in a row, or lost pings of helpers: that decides how often losses make suspects."""
        s = self.variant.settings
        return s.swim_helpers if s.swims else s.gms_max_missed


@dataclass(frozen=True, slots=True)
class Ladder:
    policy: str
    members: int
    steps: Sequence[Candidate]
    """the quickest first, by what the settings promise"""

    @property
    def sends(self) -> float:
        """Heartbeats of a member in a second, on the average, by the formula; or pings and their answers."""
        variant = self.steps[0].variant
        _, most = heartbeats(variant, self.members, 1)
        answered = 2 if variant.settings.swims else 1
        return answered * most / self.members * SECOND / variant.settings.gms_heartbeat_period


def searched(preset: str, given: Values) -> list[str]:
    """All policies."""
    return [*policies(variants(preset, given))]


def ladders(question: Question, preset: str, given: Values) -> list[Ladder]:
    """Those that a member's messages allow. A setting that the user gave stays as it is."""
    names = searched(preset, given)
    maker = _Maker(preset, given, question.members)
    found = [
        Ladder(policy, question.members, maker.steps(policy, period))
        for policy in names
        for period in _free([PERIODS], maker.set_by_user)
    ]
    return [each for each in found if each.sends <= question.messages]


class _Maker:
    def __init__(self, preset: str, given: Values, members: int) -> None:
        self._preset = preset
        self._members = members
        self._given = given
        self.set_by_user = by_our_names(given)
        self._made: dict[tuple[str, ...], Mapping[str, Variant]] = {}
        """by the values, of all policies"""

    def steps(self, policy: str, period: Values) -> Sequence[Candidate]:
        made = []
        for more in _free(OTHERS.get(policy, OF_A_GROUP), self.set_by_user):
            values = {**period, **more}
            variant = self._variants(values)[policy]
            made.append(
                Candidate(policy, values, self._given, variant, promise(variant, self._members, GONE).announced)
            )
        return sorted(made, key=lambda each: each.promised.most)

    def _variants(self, values: Values) -> Mapping[str, Variant]:
        key = (*values, *values.values())
        if key not in self._made:
            self._made[key] = policies(variants(self._preset, {**self._given, **values}))
        return self._made[key]


def _free(dimensions: Sequence[Sequence[Values]], by_us: Mapping[str, object]) -> Iterator[Values]:
    """All combinations of what the user has not set."""
    free = [each for each in dimensions if not any(name in by_us for name in each[0])]
    for choice in product(*free):
        yield {name: value for values in choice for name, value in values.items()}


def to_set(candidate: Candidate) -> list[str]:
    """Each as NAME=VALUE, for a shell: by the names of its own family. A cluster's are made of the group's."""
    settings, values = candidate.variant.settings, candidate.settings
    if candidate.variant.is_group:
        return _quoted({"gms_detection": settings.gms_detection, **values})
    of_its_own = {
        "failure_detector": settings.failure_detector,
        "heartbeat_interval_seconds": f"{settings.heartbeat_interval / SECOND:g}",
        "heartbeat_timeout_seconds": f"{settings.heartbeat_timeout / SECOND:g}",
    }
    more = {name: value for name, value in values.items() if name not in (PERIOD, MISSED, PROBE, VERIFY)}
    return _quoted({**of_its_own, **more})


def _quoted(values: Values) -> list[str]:
    return [shlex.quote(f"{name}={value}") for name, value in values.items()]
