"""The picture of `shaketable compare-detectors` as SVG, with one column for each size.

For each kind of crash it shows when the crash was suspected, how long its verification took, and when it was announced,
like a report's plots. Bars show amounts: the cost of watching, members that were doubted or removed and had not
crashed, and changes of the leadership."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from shaketable.harness.checks.result import counted
from shaketable.harness.detectors.figures import ANNOUNCED, SUSPECTED, VERIFIED, Figures
from shaketable.harness.detectors.text import seconds
from shaketable.harness.detectors.workload import CRASHES
from shaketable.harness.reports.model import Measure
from shaketable.harness.reports.page.markup import Html, tag
from shaketable.harness.reports.page.plots import Scale, plot, said_of

TOP, HEAD, BETWEEN = 84, 42, 28
"""pixels, for the head of all, of each part with what its columns are, and between two parts or columns"""
NAMES: Final = 170
"""pixels for the names of the policies"""
WIDE: Final = 400
"""a column"""
STRIP, STRIPS, BAR = 11, 38, 20
"""pixels for one plot, for a policy's three of them, and for its bar"""
SCALE: Final = WIDE - 64
"""the rest is for the figures behind"""
LONGEST_BAR: Final = WIDE // 2 - 62
COLOURS: Final = {SUSPECTED: "#b36b00", VERIFIED: "#1f6f5c", ANNOUNCED: "#8a1f7a"}
NOTE: Final = (
    "shaded: promised · columns: how many · upright: median · line below: from the least to 99 of 100 · "
    "figures: median and 99th percentile, in seconds"
)
STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#222}.t{font-size:17px;font-weight:600}.h{font-weight:600}"
    ".f{fill:#777;font-size:11px}.n{font-size:10px;font-variant-numeric:tabular-nums}.promise{fill-opacity:.15}"
    ".edge,.reach,.middle{stroke:currentColor;vector-effect:non-scaling-stroke}.edge{stroke-opacity:.4}"
    ".promise,.many{fill:currentColor}.many{fill-opacity:.6}.middle{stroke-width:2.5}"
)


class Amount(NamedTuple):
    name: str
    of: Callable[[Figures], float]
    colour: str
    places: int
    """behind the point, at most"""


PAIRS: Final[dict[str, tuple[Amount, Amount]]] = {
    "What a member sends in a second, when all is quiet": (
        Amount("messages", lambda each: each.messages, "#2b6cb0", 2),
        Amount("bytes", lambda each: each.bytes, "#4a7a2c", 0),
    ),
    "Messages in a second of the member that has most of them": (
        Amount("sent", lambda each: each.most_sent, "#2b6cb0", 2),
        Amount("received", lambda each: each.most_received, "#5a4fa2", 2),
    ),
    "False suspicions: members whose process ran, a seed": (
        Amount("doubted", lambda each: each.wrongly_suspected / each.seeds, "#b36b00", 1),
        Amount("removed", lambda each: each.wrongly_removed / each.seeds, "#b00020", 1),
    ),
    "Changes of leadership, a seed": (
        Amount("while members crash", lambda each: each.masters / each.seeds, "#5a4fa2", 1),
        Amount("while the oldest shut down", lambda each: each.masters_in_scale_down / each.seeds, "#777", 1),
    ),
}


def picture(measured: Sequence[Figures]) -> str:
    sizes = dict.fromkeys(each.members for each in measured)
    columns = [[each for each in measured if each.members == size] for size in sizes]
    parts = [
        _text(12, 26, "Failure detectors under the same faults: what they promise, and what was measured", "t"),
        *_legend(),
    ]
    for column, figures in enumerate(columns):
        crashes = sum(crash.crashes for crash in figures[0].crashes)
        said = (
            f"{figures[0].members} members, {counted(figures[0].seeds, 'seed')}, {counted(crashes, 'crash', 'crashes')}"
        )
        parts.append(_text(_left_of(column), TOP - 8, said, "h"))
    top = TOP
    for place in range(len(CRASHES)):
        parts += _times(place, columns, top)
        top += HEAD + STRIPS * len(columns[0]) + BETWEEN
    for title, pair in PAIRS.items():
        parts += _amounts(title, pair, columns, top)
        top += HEAD + BAR * len(columns[0]) + BETWEEN
    wide = _left_of(len(columns))
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {top}" width="{wide}" height="{top}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{wide}" height="{top}" fill="#fff"/>',
    ]
    return "\n".join([*head, *parts, "</svg>", ""])


def _legend() -> Iterator[Html]:
    at = 12
    for name, colour in COLOURS.items():
        said = "verified, since then" if name == VERIFIED else name
        yield tag("rect", x=at, y=42, width=18, height=8, fill=colour, fill_opacity=0.6)
        yield _text(at + 24, 50, said)
        at += 40 + 7 * len(said)
    yield _text(at, 50, NOTE, "f")


def _times(place: int, columns: Sequence[Sequence[Figures]], top: int) -> Iterator[Html]:
    """All sizes on one scale."""
    every = [each.crashes[place].measures.values() for figures in columns for each in figures]
    scale = Scale([measure for measures in every for measure in measures])
    title = f"{CRASHES[place].capitalize()}: seconds since its last heartbeat"
    yield from _names(f"{title}, growing by multiples" if scale.by_multiples else title, columns[0], top, STRIPS)
    bottom = top + HEAD + STRIPS * len(columns[0])
    for column, figures in enumerate(columns):
        left = _left_of(column)
        yield _text(left, top + HEAD - 4, f"{figures[0].members} members", "f")
        for quarter in range(5):
            x = left + SCALE * quarter // 4
            yield tag("line", x1=x, x2=x, y1=top + HEAD, y2=bottom, stroke="#ddd")
            yield _text(x, bottom + 13, seconds(scale.quarter(quarter)), "f", anchor="middle")
        for line, each in enumerate(figures):
            for strip, (name, colour) in enumerate(COLOURS.items()):
                measure = each.crashes[place].measures.get(name)
                if measure is not None:
                    y = top + HEAD + line * STRIPS + strip * STRIP + 2
                    yield _strip(measure, scale, left, y, colour)


def _strip(of: Measure, scale: Scale, left: int, top: int, colour: str) -> Html:
    return tag(
        "g",
        tag("title", f"{of.variant}, {of.size} members, {of.script}: {of.measure} {said_of(of)}"),
        plot(of, scale, x=left, y=top, width=SCALE, height=STRIP - 2),
        _text(left + WIDE, top + 8, f"{seconds(of.spread.median)} · {seconds(of.spread.high)}", "n", "end"),
        style=f"color:{colour}",
    )


def _amounts(title: str, pair: Sequence[Amount], columns: Sequence[Sequence[Figures]], top: int) -> Iterator[Html]:
    """The longest bar of a size is the scale."""
    yield from _names(title, columns[0], top, BAR)
    for column, figures in enumerate(columns):
        for half, amount in enumerate(pair):
            left = _left_of(column) + half * (WIDE // 2)
            most = max(map(amount.of, figures)) or 1
            size = f"{figures[0].members} members"
            yield _text(left, top + HEAD - 4, f"{amount.name}, {size}" if not half else amount.name, "f")
            for line, each in enumerate(figures):
                said = f"{amount.of(each):,.{amount.places}f}"
                said = said.removesuffix(".0") if amount.places == 1 else said
                y, wide = top + HEAD + line * BAR, round(LONGEST_BAR * amount.of(each) / most, 1)
                yield tag(
                    "g",
                    tag("title", f"{each.variant.name}, {size}, {amount.name}: {said}"),
                    tag("rect", x=left, y=y + 4, width=wide, height=11, fill=amount.colour, fill_opacity=0.8),
                    _text(left + wide + 5, y + 14, said),
                )


def _names(title: str, figures: Sequence[Figures], top: int, line: int) -> Iterator[Html]:
    yield _text(12, top + 20, title, "h")
    for number, each in enumerate(figures):
        yield _text(NAMES - 12, top + HEAD + number * line + line // 2 + 4, each.variant.name, anchor="end")


def _left_of(column: int) -> int:
    return NAMES + column * (WIDE + BETWEEN)


def _text(x: float, y: float, said: str, kind: str | None = None, anchor: str | None = None) -> Html:
    return tag("text", said, x=f"{x:g}", y=y, class_=kind, text_anchor=anchor)
