"""How the terminal shows what `shaketable compare-detectors` has measured: tables, and a drawing of letters.

All of it fits into 80 columns, and says the same without colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from shaketable.harness.checks.result import counted
from shaketable.harness.detectors.figures import ANNOUNCED, SUSPECTED, Figures, OfCrash
from shaketable.harness.detectors.promises import heartbeats
from shaketable.harness.detectors.workload import CRASHES, PERIODS
from shaketable.harness.reports.model import Number
from shaketable.harness.reports.tally import spread_of
from shaketable.node.core.env import SECOND

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
        yield Text(f"{kind.capitalize()}: {counted(crashes[0].crashes, 'crash', 'crashes')}", HEAD)
        yield _times(figures, crashes)
        yield from _drawing(figures, crashes)
    yield Text()
    yield from _judged(figures)


def _costs(figures: Sequence[Figures]) -> Table:
    table = table_of("policy", "formula", "sent", "talk", "msg/s", "most", "B/s", "wrong", "led")
    for each in figures:
        least, most = heartbeats(each.variant, each.members, PERIODS)
        table.add_row(
            each.variant.name,
            f"{'' if least == most else '<= '}{most // PERIODS:,}",
            Text(_a_period(each.heartbeats), GOOD if each.cost_is_as_promised else BAD),
            _a_period(each.talking) if each.talking else "-",
            _rate(each.messages),
            _rate(max(each.most_sent, each.most_received)),
            f"{each.bytes:,.0f}",
            Text(
                f"{_a_seed(each.wrongly_suspected, each.seeds)}+{_a_seed(each.wrongly_removed, each.seeds)}",
                BAD if each.wrongly_removed else "",
            ),
            f"{_a_seed(each.masters, each.seeds)}+{_a_seed(each.masters_in_scale_down, each.seeds)}",
        )
    return table


def _times(figures: Sequence[Figures], crashes: Sequence[OfCrash]) -> Table:
    table = table_of("policy", "suspect", "first", "all", "most", "announce", "all", "sure", "most")
    for each, crash in zip(figures, crashes, strict=True):
        promised, last, _, most = _cells(crash, SUSPECTED)
        known = spread_of(crash.first)
        first = Text("-" if known is None else seconds(known.median))
        table.add_row(each.variant.name, promised, first, last, most, *_cells(crash, ANNOUNCED))
    return table


def _cells(crash: OfCrash, name: str) -> list[Text]:
    measure, sure = crash.measures.get(name), crash.medians[name]
    if measure is None:
        return [Text("-", FAINT)] * 4
    style, spread = BAD if measure.outside else GOOD, measure.spread
    span = f"{_short(measure.promised_least)}–{_short(measure.promised_most)}"
    between = "-" if sure is None else "–".join(seconds(each) for each in sure)
    return [Text(span, FAINT), Text(seconds(spread.median), style), Text(between), Text(seconds(spread.most), style)]


def _drawing(figures: Sequence[Figures], crashes: Sequence[OfCrash]) -> Iterator[Text]:
    """A line a policy, all on one scale. SWIM's longest time grows with the members, and is met by nobody: dots that
    would lie beyond the scale are left out."""
    most = max(_end_of(crash, each.variant.settings.swims) for each, crash in zip(figures, crashes, strict=True))
    yield Text()
    for each, crash in zip(figures, crashes, strict=True):
        yield Text.assemble(f"{each.variant.name:<{NAME}} ", strip(crash, most))
    scale = f"0{seconds(most) + ' s':>{STRIP - 1}}"
    yield Text(f"{'':<{NAME}} {scale}", FAINT)


def _end_of(crash: OfCrash, swims: bool) -> Number:
    announced = crash.measures.get(ANNOUNCED)
    promised = announced.promised_most if announced is not None and not swims else None
    return max([promised or 0, *crash.times[ANNOUNCED], *crash.times[SUSPECTED]])


def strip(crash: OfCrash, most: Number) -> Text:
    """Dots where it may be announced; shades where it was suspected and announced, the medians S and A."""
    cells: list[tuple[str, str]] = [(" ", "")] * STRIP

    def place(time: Number | None) -> int:
        return min(STRIP - 1, int((time or 0) * STRIP // (most or 1)))

    announced = crash.measures.get(ANNOUNCED)
    if announced is not None:
        for at in range(place(announced.promised_least), place(announced.promised_most) + 1):
            cells[at] = "·", FAINT
    for name, letter, style in ((SUSPECTED, "S", "yellow"), (ANNOUNCED, "A", "magenta")):
        counts = Counter(map(place, crash.times[name]))
        for at, count in counts.items():
            cells[at] = SHADES[min(3, 4 * count // (max(counts.values()) + 1))], style
        if name in crash.measures:
            cells[place(crash.measures[name].spread.median)] = letter, f"bold {style}"
    return Text.assemble(*cells)


def _judged(figures: Sequence[Figures]) -> Iterator[Text]:
    wrong = [each for each in figures if each.outside]
    if not wrong:
        yield Text("All times lie where the settings have them, and all heartbeats are as many as promised.", GOOD)
    for each in wrong:
        for crash in each.crashes:
            for name, measure in crash.measures.items():
                if measure.outside:
                    many = f"of {measure.outside} of {counted(crash.crashes, 'crash', 'crashes')}"
                    least, most = seconds(measure.spread.least), seconds(measure.spread.most)
                    yield Text(
                        f"{each.variant.name}: {crash.kind}: the times {many} until it was {name} are outside of what "
                        f"is promised; they go from {least} to {most} s",
                        BAD,
                    )
            if crash.unseen:
                yield Text(f"{each.variant.name}: {crash.kind}: {crash.unseen} never learned of it", BAD)
        if not each.cost_is_as_promised:
            yield Text(f"{each.variant.name}: the heartbeats are not as many as promised", BAD)


LEGEND: Final = (
    "policy: who watches whom by heartbeats, and who is elected; a cluster's failure detector for comparison. "
    "formula, sent: heartbeats of all members in a period when all is quiet; talk: while all applications talk. "
    "msg/s, B/s: all messages and bytes that a member sends in a second, when all is quiet, on the average; "
    "most: that the busiest member sends or receives. "
    "wrong: members that were doubted, + removed, though their processes ran, a seed. "
    "led: how often somebody became master, + while the oldest shut down. "
    "suspect, announce: what is promised, in seconds since the last heartbeat, and what was measured: the medians "
    "until the first survivor knew (first) and until all did (all), and the longest time until all did. "
    "sure: the median lies there, in 95 of 100 such measurements; -: too few crashes to say. "
    "In the drawing S and A are the medians of suspect and announce, shades are the rest, dots what is promised."
)


def seconds(time: Number) -> str:
    """Three figures that count."""
    return f"{time / SECOND:.{1 if time >= 10 * SECOND else 2}f}"


def _short(time: Number | None) -> str:
    """Four figures that count."""
    whole = (time or 0) / SECOND
    return f"{whole:.4g}" if whole < 1000 else f"{whole:.0f}"


def _a_period(counted: Sequence[int]) -> str:
    """On the average of the seeds."""
    return f"{sum(counted) / len(counted) / PERIODS:,.1f}".removesuffix(".0")


def _rate(a_second: float) -> str:
    """Four figures at most."""
    return f"{a_second:.{2 if a_second < 10 else 1 if a_second < 100 else 0}f}"


def _a_seed(count: int, seeds: int) -> str:
    return f"{count / seeds:.3g}"


def table_of(first: str, *rest: str, least: int = NAME) -> Table:
    """Names in the first column, which is at `least` so wide; figures in the others."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style=FAINT)
    table.add_column(first, no_wrap=True, min_width=least)
    for name in rest:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def kept(tell: Callable[[Console], None]) -> str:
    """The same as in the terminal, for a file."""
    text = StringIO()
    tell(Console(file=text, width=80, highlight=False))
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
