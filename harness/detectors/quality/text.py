"""How the terminal shows the quality of failure detectors: for each condition three tables, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor
from statistics import fmean
from typing import Final

from rich.table import Table
from rich.text import Text

from shaketable.harness.checks.result import counted
from shaketable.harness.detectors.intervals import interval_of_mean, interval_of_quantile
from shaketable.harness.detectors.quality.equal import Cost
from shaketable.harness.detectors.quality.figures import Quality, Rates, quantile
from shaketable.harness.detectors.quality.measures import HOUR
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.quality.of_a_run import LEVELS, NEVER
from shaketable.harness.detectors.text import FAINT, HEAD, seconds, table_of
from shaketable.harness.detectors.variants import Variant
from shaketable.node.core.env import SECOND, Micros

NAME: Final = 11
NOT_TOLD: Final = "not told"
TITLES: Final = dict(zip(LEVELS, ("Doubted, or off the list", "Off the list"), strict=True))


def rendered(figures: Sequence[Quality], at_cost: str | None = None) -> Iterator[Table | Text]:
    """Of one size and condition. `at_cost`: what makes their costs equal."""
    first = figures[0]
    about = f"{first.members} members, {counted(first.runs, 'run')}"
    yield Text(f"{first.condition}: {known(first.condition).says}", "bold reverse")
    yield Text(about, FAINT)
    if at_cost is not None:
        yield Text(at_cost, FAINT)
    for name in LEVELS:
        yield Text()
        yield Text(TITLES[name], HEAD)
        yield _measures(figures, name)
    if any(each.well for each in figures):
        yield Text()
        yield Text("About members to which nothing is done", HEAD)
        yield _about_well_ones(figures)
    yield Text()
    yield Text("What it costs", HEAD)
    yield _costs(figures)


def periods(of: Mapping[str, Variant], cost: Cost) -> str:
    """The settings that make all policies equal in their cost."""
    each = [f"{policy} {variant.settings.gms_heartbeat_period / SECOND:.3g} s" for policy, variant in of.items()]
    unit = cost.unit.removesuffix("s") if cost.many == 1 else cost.unit
    return f"A member sends {cost.many:g} {unit} a second, with this heartbeat period: {', '.join(each)}"


def _measures(figures: Sequence[Quality], name: str) -> Table:
    table = table_of(
        "policy", "first", "told", "sure", "90%", "wrong/h", "sure", "again", "lasts", "90%", "right", least=NAME
    )
    for each in figures:
        level = each.levels.get(name)
        if level is None:
            table.add_row(each.policy, NOT_TOLD)
            continue
        table.add_row(
            each.policy,
            _time(quantile(level.first, 0.5)),
            _time(quantile(level.detections, 0.5)),
            _between(interval_of_quantile(level.detections, 0.5)),
            _time(quantile(level.detections, 0.9)),
            *_rate(level.rates),
            _time(quantile(level.recurrences, 0.5)),
            _time(quantile(level.durations, 0.5)),
            _time(quantile(level.durations, 0.9)),
            _percent(level.accuracies),
        )
    return table


def _about_well_ones(figures: Sequence[Quality]) -> Table:
    table = table_of("policy", "doubted/h", "sure", "removed/h", "sure", least=NAME)
    for each in figures:
        table.add_row(each.policy, *(cell for name in LEVELS for cell in _rate(each.well.get(name, ()))))
    return table


def _rate(rates: Sequence[float]) -> tuple[str, str]:
    if not rates:
        return "-", "-"
    interval = interval_of_mean(rates)
    sure = "-" if interval is None else f"{_amount(max(0, interval[0]))}–{_amount(interval[1])}"
    return _amount(fmean(rates)), sure


def _amount(rate: float) -> str:
    """Two figures that count, or three before the point."""
    return f"{rate:.{0 if rate >= 10 or not rate else 1 if rate >= 1 else 2}f}"


def _percent(accuracies: Sequence[float]) -> str:
    """Rounded down: only what is always right is 100 %."""
    return f"{floor(10_000 * fmean(accuracies)) / 100:g}%" if accuracies else "-"


def _costs(figures: Sequence[Quality]) -> Table:
    table = table_of("policy", "msg/s", "most", "B/s", "crashes", "pair hours", "started again", least=NAME)
    for each in figures:
        table.add_row(
            each.policy,
            *((NOT_TOLD,) * 3 if each.sent is None else _sent(each.sent)),
            str(max(len(level.detections) for level in each.levels.values())),
            f"{each.watched / HOUR:,.1f}",
            f"{each.repaired / each.runs:.3g}",
        )
    return table


def _sent(rates: Rates) -> tuple[str, str, str]:
    return f"{rates.messages:.2f}", f"{rates.most:.2f}", f"{rates.bytes:,.0f}"


LEGEND: Final = (
    "first, told: seconds from a crash until the first survivor, and until the last, suspects the member and never "
    "trusts it again, the medians; 90%: so many crashes are told to the last by then. "
    "wrong/h, doubted/h, removed/h: mistakes in an hour, of one observer about one member that runs. "
    "again: seconds from a mistake to the next one of the same two, the median. "
    "lasts: seconds that a mistake lasts, the median, and 90 of 100 are over by then. "
    "right: so much of the time an observer trusts a member that runs. "
    "sure: there the true figure lies in 95 of 100 such measurements; -: too few to say, or none. "
    "msg/s, B/s: what a member sends in a second; most: what the busiest member sends or receives. "
    "crashes: those that somebody could tell. pair hours: how long all pairs were watched together. "
    "started again: members in a run that the others had removed and did not take back."
)


def _time(time: Micros | None) -> str:
    if time is None:
        return "-"
    if time == NEVER:
        return "never"
    return seconds(time) if time < 100 * SECOND else f"{time / SECOND:.0f}"


def _between(interval: tuple[Micros, Micros] | None) -> str:
    return "-" if interval is None else "–".join(map(_time, interval))
