"""Plots: when things happened beside what the settings promise, how long runs took, how coverage grew.

The shapes are stretched to the width there is, so they hold no words: these stand beside them, and stay readable on a
phone. All rows of one plot are on one scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.reports.model import Comparison, Measure, Number, Report, Spread
from shaketable.harness.reports.page.markup import Html, Part, joined, table, tag
from shaketable.harness.reports.shared import amount, promise_of, said_of_spread

WIDE: Final = 1000
HIGH: Final = 34
KEY: Final = (
    "Columns are how many there were, or a block reaches from the median to 90 of 100; the bar is the median, the line "
    "below reaches from the least to 99 of 100. Shaded is what the settings promise, for one failure at a time over "
    "sound links. The checks say whether a guarantee was broken."
)
COLUMN: Final = 10.0
"""how wide one is, of WIDE"""
MANY_TIMES: Final = 25
"""as far the scale reaches as the shortest row: from then on it grows by multiples"""
FEW_SEEDS: Final = 10
"""of these nobody can see whether more would bring anything"""
MOST_ROWS: Final = 40
"""of one plot; the rest is in report.json"""


def measured(report: Report) -> Html:
    measures = [each for each in report.measures if each.spread.count]
    parts: list[Part] = []
    for name in dict.fromkeys(each.measure for each in measures):
        parts.append(_measure(name, [each for each in measures if each.measure == name]))
    durations = [
        Measure(measure="", script=line.script, variant=line.variant, system=line.system, spread=line.durations)
        for line in report.lines
        if line.durations is not None and line.runs > 1
    ]
    if durations:
        longest = sorted(durations, key=lambda each: (-each.spread.most, each.script, each.variant, each.system))
        said = "From the first step of a script to its end, in the world's own time."
        parts.append(_plot("How long the scripts ran", said, longest))
    return joined([tag("p", KEY, class_="lead"), *parts] if parts else [])


def _measure(name: str, rows: Sequence[Measure]) -> Html:
    about = next((each.about for each in rows if each.about), "")
    ordered = sorted(rows, key=lambda each: (-each.outside, each.script, each.variant, each.system, each.size))
    return _plot(name[:1].upper() + name[1:], about, ordered)


class Scale:
    """Of a plot. Where the rows differ by much each of its quarters is a multiple, so that the short ones are seen."""

    def __init__(self, rows: Sequence[Measure]) -> None:
        self.most = max(max(each.spread.most, each.promised_most or 0) for each in rows) or 1
        highest = [each.spread.high for each in rows if each.spread.high] or [self.most]
        self.by_multiples = self.most > MANY_TIMES * max(1, min(highest))
        self._least = max(1, min(each.spread.least for each in rows)) if self.by_multiples else 0

    def x(self, value: Number) -> float:
        if not self.by_multiples:
            return round(WIDE * value / self.most, 1)
        whole = math.log(self.most / self._least)
        return round(WIDE * math.log(max(value, self._least) / self._least) / whole, 1)

    def quarter(self, number: int) -> Number:
        if not self.by_multiples:
            return self.most * number / 4
        return float(self._least * (self.most / self._least) ** (number / 4))


def _plot(title: str, about: str, rows: Sequence[Measure]) -> Html:
    shown = rows[:MOST_ROWS]
    scale = Scale(shown)
    strips = [part for each in shown for part in _strip(each, scale)]
    marks = [tag("span", amount(scale.quarter(number), shown[0].unit)) for number in range(5)]
    left_out = len(rows) - len(shown)
    notes = ["The scale grows by multiples."] if scale.by_multiples else []
    notes += [f"{left_out} more rows are in report.json."] if left_out else []
    return tag(
        "div",
        tag("h3", title),
        tag("p", about) if about else None,
        tag("div", *strips, tag("div", *marks, class_="scale", aria_hidden="true"), class_="strips"),
        tag("p", " ".join(notes), class_="source") if notes else None,
        class_="measure",
    )


def _strip(of: Measure, scale: Scale) -> Iterator[Html]:
    size = counted(of.size, "member") if of.size else ""
    who = " · ".join(filter(None, (of.script, of.variant, of.system, size))) or "all runs"
    yield tag("div", who, class_="who")
    yield plot(of, scale, class_="plot", role="img", aria_label=f"{who}: {said_of(of)}")
    outside = tag("strong", f" {of.outside:,} outside of it", class_="word unknown") if of.outside else None
    yield tag("div", said_of(of), outside, class_="told")


def plot(of: Measure, scale: Scale, **attributes: object) -> Html:
    """It fills the place that it is given."""
    box = f"0 0 {WIDE} {HIGH}"
    return tag("svg", *_shapes(of, scale), **attributes, viewBox=box, preserveAspectRatio="none")


def _shapes(of: Measure, scale: Scale) -> Iterator[Html]:
    spread, x = of.spread, scale.x
    if of.promised_most is not None:
        begin, end = x(of.promised_least or 0), x(of.promised_most)
        yield tag("rect", x=begin, y=0, width=max(2.0, round(end - begin, 1)), height=HIGH, class_="promise")
        for edge in {begin, end} - {0.0} if begin != end else {end}:
            yield _upright(edge, 0, HIGH, "edge")
    columns = [(x(begin_), x(end_), count) for begin_, end_, count in spread.bins] or _columns_of(spread, scale)
    tallest = max((count for _, _, count in columns), default=1)
    drawn = []
    for left, right, count in columns:
        high, wide = round(3 + (HIGH - 8) * count / tallest, 1), max(2.5, round(right - left - 0.6, 1))
        drawn.append(f"M{left:g},{HIGH - 3}v{-high:g}h{wide:g}v{high:g}z")
    if drawn:
        yield tag("path", d="".join(drawn), class_="many")
    elif spread.ninety is not None:
        begin_, end_ = x(spread.median), x(spread.ninety)
        yield tag("rect", x=begin_, y=10, width=max(2.0, round(end_ - begin_, 1)), height=HIGH - 16, class_="many")
    yield tag("line", x1=x(spread.least), x2=x(spread.high), y1=HIGH - 1, y2=HIGH - 1, class_="reach")
    yield _upright(x(spread.median), 2, HIGH, "middle")


def _columns_of(spread: Spread, scale: Scale) -> list[tuple[float, float, float]]:
    """Between two shares lie equally many: each of the places between them has its part of these."""
    counts: dict[int, float] = {}
    for begin, end in pairwise(map(scale.x, spread.shares)):
        first, last = int(begin // COLUMN), int(end // COLUMN)
        for place in range(first, last + 1):
            counts[place] = counts.get(place, 0) + 1 / (last - first + 1)
    return [(place * COLUMN, (place + 1) * COLUMN, count) for place, count in sorted(counts.items())]


def _upright(x: float, top: float, bottom: float, kind: str) -> Html:
    return tag("line", x1=x, x2=x, y1=top, y2=bottom, class_=kind)


def said_of(of: Measure) -> str:
    """ "median 31.2 s, 99 of 100 by 35.0 s, 212 times; promised 30 to 35 s"."""
    said, promise = said_of_spread(of.spread, of.unit), promise_of(of)
    return f"{said}; promised {promise}" if promise else said


def reached_by(report: Report) -> Html | None:
    """How many marks were reached by the first so many seeds: where it is flat, more seeds bring little."""
    seeds = sorted(mark.first_seed for mark in report.coverage if mark.first_seed is not None)
    first = min((line.first_seed for line in report.lines), default=0)
    last = max((line.last_seed for line in report.lines), default=0)
    if len(seeds) < 2 or last - first < FEW_SEEDS:
        return None
    high, all_of = 160, len(report.coverage)
    path = [f"M0,{high}"]
    for number, seed in enumerate(seeds, 1):
        x, y = round(WIDE * (seed - first) / (last - first), 1), round(high - (high - 8) * number / all_of, 1)
        path.append(f"H{x}V{y}")
    line = "".join([*path, f"H{WIDE}"])
    shapes = [
        tag("path", d=f"{line}V{high}Z", class_="under"),
        tag("path", d=line, class_="grows"),
    ]
    said = f"{len(seeds)} of {all_of} marks by seed {last}, the last new one by seed {seeds[-1]}"
    plot = tag(
        "svg",
        *shapes,
        class_="plot",
        viewBox=f"0 0 {WIDE} {high}",
        preserveAspectRatio="none",
        role="img",
        aria_label=said,
    )
    ends = tag("div", tag("span", f"seed {first}"), tag("span", said), tag("span", f"seed {last}"), class_="ends")
    return tag("div", plot, ends, class_="trend")


def compared(report: Report) -> Html:
    if not report.comparisons:
        return joined([])
    order = tuple(_SIGNS)
    rows = sorted(report.comparisons, key=lambda each: order.index(each.kind) if each.kind in order else len(order))
    head = [("", ""), ("what", ""), ("script", ""), ("before", ""), ("now", ""), ("in words", "")]
    return table(head, [_compared(each) for each in rows])


_SIGNS: Final = {
    "new failure": "✗",
    "worse": "▲",
    "now unknown": "?",
    "gone failure": "✓",
    "known now": "✓",
    "better": "▼",
    "different": "≠",
}
_STATUSES: Final = {
    "new failure": "broken",
    "worse": "unknown",
    "now unknown": "unknown",
    "better": "held",
    "gone failure": "held",
    "known now": "held",
}


def _compared(of: Comparison) -> Html:
    status = _STATUSES.get(of.kind, "")
    where = " · ".join(filter(None, (of.script, of.variant))) or "all"
    return tag(
        "tr",
        tag("td", f"{_SIGNS.get(of.kind, '')} {of.kind}", class_=f"word {status}"),
        tag("th", of.what, scope="row"),
        tag("td", where),
        tag("td", of.before, data_label="before"),
        tag("td", of.now, data_label="now"),
        tag("td", of.said),
    )
