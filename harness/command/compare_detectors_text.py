"""How the terminal shows what `shaketable compare-detectors` has measured: tables, and a drawing of letters.

All of it fits into 80 columns, and says the same without colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from shaketable.harness.checks.result import counted
from shaketable.harness.command.compare_detectors_figures import Figures, Measured, OfCrash
from shaketable.harness.command.compare_detectors_promises import heartbeats
from shaketable.harness.command.compare_detectors_results import CRASHES, PERIODS
from shaketable.node.env import SECOND, Micros

NAME: Final = 20
STRIP: Final = 56
"""columns of the drawing"""
GOOD, BAD, FAINT, HEAD = "green", "bold red", "dim", "bold underline"
SHADES: Final = "░▒▓█"


def rendered(figures: Sequence[Figures]) -> Iterator[Table | Text]:
    """Of one size."""
    members, seeds = figures[0].members, figures[0].seeds
    yield Text(f"{members} members, {counted(seeds, 'seed')}", "bold reverse")
    yield Text()
    yield Text("What it costs, and what it takes for a crash that is none", HEAD)
    yield _costs(figures)
    for place, kind in enumerate(CRASHES):
        crashes = [each.crashes[place] for each in figures]
        yield Text()
        yield Text(kind.capitalize(), HEAD)
        yield _times(figures, crashes)
        yield from _drawing(figures, crashes)
    yield Text()
    yield from _judged(figures)


def _costs(figures: Sequence[Figures]) -> Table:
    table = _table("policy", "formula", "sent", "talk", "msg/s", "B/s", "doubted", "removed", "led")
    for each in figures:
        least, most = heartbeats(each.variant, each.members, PERIODS)
        table.add_row(
            each.variant.name,
            f"{'' if least == most else '<= '}{most // PERIODS:,}",
            Text(_a_period(each.heartbeats), GOOD if each.cost_is_as_promised else BAD),
            _a_period(each.talking) if each.talking else "-",
            f"{each.messages:.2f}",
            f"{each.bytes:,.0f}",
            _a_seed(each.wrongly_suspected, each.seeds),
            Text(_a_seed(each.wrongly_removed, each.seeds), BAD if each.wrongly_removed else ""),
            f"{_a_seed(each.masters, each.seeds)}+{_a_seed(each.masters_in_scale_down, each.seeds)}",
        )
    return table


def _times(figures: Sequence[Figures], crashes: Sequence[OfCrash]) -> Table:
    table = _table("policy", "suspect", "50%", "99%", "verify", "50%", "99%", "announce", "50%", "99%")
    for each, crash in zip(figures, crashes, strict=True):
        cells: list[Text] = []
        for _, measured in crash.measures:
            cells += _cells(measured)
        table.add_row(each.variant.name, *cells)
    return table


def _cells(measured: Measured) -> list[Text]:
    promised = measured.promised
    if promised is None or not measured.times:
        return [Text("-", FAINT)] * 3
    style = BAD if measured.outside else GOOD
    span = f"{_short(promised.least)}–{_short(promised.most)}"
    return [Text(span, FAINT), Text(seconds(measured.median), style), Text(seconds(measured.high), style)]


def _drawing(figures: Sequence[Figures], crashes: Sequence[OfCrash]) -> Iterator[Text]:
    """A line a policy, all on one scale."""
    most = max(_end_of(crash) for crash in crashes)
    yield Text()
    for each, crash in zip(figures, crashes, strict=True):
        yield Text.assemble(f"{each.variant.name:<{NAME}} ", strip(crash, most))
    scale = f"0{seconds(most) + ' s':>{STRIP - 1}}"
    yield Text(f"{'':<{NAME}} {scale}", FAINT)


def _end_of(crash: OfCrash) -> Micros:
    promised = crash.announced.promised
    return max([promised.most if promised is not None else 0, *crash.announced.times, *crash.suspected.times])


def strip(crash: OfCrash, most: Micros) -> Text:
    """Dots where it may be announced; shades where it was suspected and announced, the medians S and A."""
    cells: list[tuple[str, str]] = [(" ", "")] * STRIP

    def place(time: Micros) -> int:
        return min(STRIP - 1, time * STRIP // (most or 1))

    promised = crash.announced.promised
    if promised is not None:
        for at in range(place(promised.least), place(promised.most) + 1):
            cells[at] = "·", FAINT
    for measured, letter, style in ((crash.suspected, "S", "yellow"), (crash.announced, "A", "magenta")):
        counts = [0] * STRIP
        for time in measured.times:
            counts[place(time)] += 1
        for at, count in enumerate(counts):
            if count:
                cells[at] = SHADES[min(3, 4 * count // (max(counts) + 1))], style
        if measured.times:
            cells[place(measured.median)] = letter, f"bold {style}"
    return Text.assemble(*cells)


def _judged(figures: Sequence[Figures]) -> Iterator[Text]:
    wrong = [each for each in figures if each.outside]
    if not wrong:
        yield Text("All times lie where the settings have them, and all heartbeats are as many as promised.", GOOD)
    for each in wrong:
        for crash in each.crashes:
            for name, measured in crash.measures:
                if measured.outside:
                    many = f"{measured.outside} of {len(measured.times)}"
                    least, most = seconds(min(measured.times)), seconds(max(measured.times))
                    yield Text(
                        f"{each.variant.name}: {crash.kind}: {many} times until it was {name} are outside of what is "
                        f"promised; they go from {least} to {most} s",
                        BAD,
                    )
            if crash.unseen:
                yield Text(f"{each.variant.name}: {crash.kind}: {crash.unseen} never learned of it", BAD)
        if not each.cost_is_as_promised:
            yield Text(f"{each.variant.name}: the heartbeats are not as many as promised", BAD)


LEGEND: Final = (
    "policy: who watches whom by heartbeats, and who is elected; a cluster's failure detector for comparison. "
    "formula, sent: heartbeats of all members in a period when all is quiet; talk: while all applications talk. "
    "msg/s, B/s: all messages and bytes of a member in a second, when all is quiet. "
    "doubted, removed: members whose process ran, a seed. "
    "led: how often somebody became master, + while the oldest shut down. "
    "suspect, announce: seconds since the last heartbeat, at each survivor; verify: from the one to the other. "
    "In the drawing S and A are the medians of suspect and announce, shades are the rest, dots what is promised."
)


def seconds(time: Micros) -> str:
    """Three figures that count."""
    return f"{time / SECOND:.{1 if time >= 10 * SECOND else 2}f}"


def _short(time: Micros) -> str:
    return f"{time / SECOND:.4g}"


def _a_period(counted: Sequence[int]) -> str:
    """On the average of the seeds."""
    return f"{sum(counted) / len(counted) / PERIODS:,.1f}".removesuffix(".0")


def _a_seed(count: int, seeds: int) -> str:
    return f"{count / seeds:.3g}"


def _table(first: str, *rest: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style=FAINT)
    table.add_column(first, no_wrap=True, min_width=NAME)
    for name in rest:
        table.add_column(name, justify="right", no_wrap=True)
    return table
