"""The detectors that are measured on real processes: that of a system that others wrote, and some of ours beside it,
all with one heartbeat period and one window.

They are the system's own, if the user names no others: of its `heartbeat_interval_seconds` and
`heartbeat_timeout_seconds`. A group of ours gets that period, and as many missed heartbeats as fit into the timeout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.real.trial import Times
from shaketable.harness.detectors.variants import variants
from shaketable.harness.errors import UserError
from shaketable.harness.faults.actions import Action, Begin, Kill, Restart
from shaketable.harness.faults.table import Pause
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Body, Script, script
from shaketable.node.config import GMS, PRESETS, SettingError, Settings, by_our_names, read_settings
from shaketable.node.core.env import SECOND, Micros

USUAL: Final = ("swim", "lifeguard", "ring", "deadline")
"""of ours, if no others are named"""
PRESET: Final = "fast"
PERIOD, MISSED = "gms_heartbeat_period_seconds", "gms_max_missed"
LIMIT: Final = 1e8
"""seconds: a run ends by itself"""
_DONE: Final[tuple[Action, ...]] = (Kill("n1"), Restart("n1"), Begin(1, Pause("n1")))
"""what is done to the members under any condition"""


@dataclass(frozen=True, slots=True)
class Contender:
    name: str
    options: Options


@dataclass(frozen=True, slots=True)
class Contenders:
    all: Sequence[Contender]
    """the others' system first"""
    times: Times


def trial_of(body: Body) -> Script:
    return script(name="measure detectors", title="Members crash at drawn times, and it is measured who tells it.")(
        body
    )


async def _nothing(cluster: Cluster) -> None:
    pass


def contenders(asked: str, preset: str | None, given: Mapping[str, object], of_ours: Sequence[str]) -> Contenders:
    """`asked`: the system, as `--system` takes it. `given`: settings. UserError: it cannot be measured so."""
    theirs = Options("real", preset=preset, system=asked, limit=LIMIT)
    system, under_test = theirs.chosen
    if under_test.is_ours:
        times = _times(preset or PRESET, given, {})
        return Contenders(_ours(preset or PRESET, given, times, of_ours), times)
    own = theirs.settings(trial_of(_nothing))
    if why := next(filter(None, (system.unfit(own), *map(system.cannot, _DONE))), ""):
        raise UserError(f"--system {asked}: its detector cannot be measured: {why}")
    times = _times(preset or PRESET, given, _usual(own))
    ours = _ours(preset or PRESET, given, times, of_ours)
    if not {PERIOD, MISSED}.isdisjoint(by_our_names(given)):
        theirs = Options("real", preset=preset, system=asked, limit=LIMIT, values=_values(own, times))
        theirs.settings(trial_of(_nothing))
    return Contenders([Contender(under_test.called, theirs), *ours], times)


def _told(time: Micros) -> float:
    return time / SECOND


def _usual(own: Settings) -> dict[str, object]:
    """As a group of ours has it: the times of a system."""
    if own.family == GMS:
        return {PERIOD: _told(own.gms_heartbeat_period), MISSED: own.gms_max_missed}
    return {PERIOD: _told(own.heartbeat_interval), MISSED: own.heartbeat_timeout // own.heartbeat_interval}


def _values(own: Settings, times: Times) -> dict[str, object]:
    if own.family == GMS:
        return {PERIOD: _told(times.period), MISSED: times.missed}
    return {"heartbeat_interval_seconds": _told(times.period), "heartbeat_timeout_seconds": _told(times.window)}


def _times(preset: str, given: Mapping[str, object], usual: Mapping[str, object]) -> Times:
    try:
        settings = read_settings(preset, {**usual, **by_our_names(given)})
    except SettingError as error:
        raise UserError(f"{error}; `shaketable settings` lists them all") from None
    return Times(settings.gms_heartbeat_period, settings.gms_max_missed)


def _ours(preset: str, given: Mapping[str, object], times: Times, names: Sequence[str]) -> list[Contender]:
    made = policies(variants(preset, {**given, PERIOD: _told(times.period), MISSED: times.missed}))
    usual = PRESETS[preset].outside()
    return [Contender(name, Options("real", preset=preset, limit=LIMIT, values=_differing(made[name].settings, usual)))
            for name in names]  # fmt: skip


def _differing(settings: Settings, usual: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in settings.outside().items() if value != usual[name]}
