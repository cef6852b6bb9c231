"""Plots: when things happened beside what the settings promise, how long runs took, how coverage grew.

The shapes are stretched to the width there is, so they hold no words: these stand beside them, and stay readable on a
phone. All rows of one plot are on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.reports.model import Comparison, Measure, Number, Report
from shaketable.harness.reports.page.markup import Html, Part, joined, tag
from shaketable.harness.reports.page.tables import table
from shaketable.node.env import SECOND

WIDE: Final = 1000
HIGH: Final = 34
MOST_ROWS: Final = 40
"""of one plot; the rest is in report.json"""
TIME: Final = "time"


def measured(report: Report) -> Html:
    measures = [each for each in report.measures if each.spread.count]
    parts: list[Part] = []
    for name in dict.fromkeys(each.measure for each in measures):
        parts.append(_measure(name, [each for each in measures if each.measure == name]))
    durations = [
        Measure(measure="", script=line.script, variant=line.variant, spread=line.durations)
        for line in report.lines
        if line.durations is not None and line.runs > 1
    ]
    if durations:
        longest = sorted(durations, key=lambda each: (-each.spread.most, each.script, each.variant))
        said = "From the first step of a script to its end, in the world's own time."
        parts.append(_plot("How long the scripts ran", said, longest))
    return joined(parts)


def _measure(name: str, rows: Sequence[Measure]) -> Html:
    about = next((each.about for each in rows if each.about), "")
    ordered = sorted(rows, key=lambda each: (-each.outside, each.script, each.variant, each.size))
    return _plot(name[:1].upper() + name[1:], about, ordered)


def _plot(title: str, about: str, rows: Sequence[Measure]) -> Html:
    shown = rows[:MOST_ROWS]
    most = max(max(each.spread.most, each.promised_most or 0) for each in shown) or 1
    promised = any(each.promised_most is not None for each in shown)
    strips = [part for each in shown for part in _strip(each, most)]
    marks = [tag("span", amount(most * share / 4, shown[0].unit)) for share in range(5)]
    left_out = len(rows) - len(shown)
    columns = "Columns: how many" if any(each.spread.bins for each in shown) else "Block: from the median to 90 of 100"
    key = f"{columns}; bar: the median; line: from the least to 99 of 100."
    key = f"{key} Shaded: what the settings promise." if promised else key
    return tag(
        "div",
        tag("h3", title),
        tag("p", about) if about else None,
        tag("div", *strips, tag("div", *marks, class_="scale", aria_hidden="true"), class_="strips"),
        tag("p", key + (f" {left_out} more rows are in report.json." if left_out else ""), class_="source"),
        class_="measure",
    )


def _strip(of: Measure, most: Number) -> Iterator[Html]:
    size = counted(of.size, "member") if of.size else ""
    who = " · ".join(filter(None, (of.script, of.variant, size))) or "all runs"
    yield tag("div", who, class_="who")
    yield tag(
        "svg",
        *_shapes(of, most),
        class_="plot",
        viewBox=f"0 0 {WIDE} {HIGH}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{who}: {said_of(of)}",
    )
    outside = tag("strong", f" {of.outside} not as promised", class_="word broken") if of.outside else None
    yield tag("div", said_of(of), outside, class_="told")


def _shapes(of: Measure, most: Number) -> Iterator[Html]:
    spread = of.spread

    def x(value: Number) -> float:
        return round(WIDE * value / most, 1)

    if of.promised_most is not None:
        begin, end = x(of.promised_least or 0), x(of.promised_most)
        yield tag("rect", x=begin, y=0, width=max(2.0, round(end - begin, 1)), height=HIGH, class_="promise")
        for edge in {begin, end} - {0.0} if begin != end else {end}:
            yield _upright(edge, 0, HIGH, "edge")
    tallest = max((count for _, _, count in spread.bins), default=1)
    for begin_, end_, count in spread.bins:
        high = round(3 + (HIGH - 8) * count / tallest, 1)
        wide = max(2.5, round(x(end_) - x(begin_) - 0.6, 1))
        yield tag("rect", x=x(begin_), y=round(HIGH - 3 - high, 1), width=wide, height=high, class_="many")
    if not spread.bins and spread.ninety is not None:
        begin_, end_ = x(spread.median), x(spread.ninety)
        yield tag("rect", x=begin_, y=10, width=max(2.0, round(end_ - begin_, 1)), height=HIGH - 16, class_="many")
    yield tag("line", x1=x(spread.least), x2=x(spread.high), y1=HIGH - 1, y2=HIGH - 1, class_="reach")
    yield _upright(x(spread.median), 2, HIGH, "middle")


def _upright(x: float, top: float, bottom: float, kind: str) -> Html:
    return tag("line", x1=x, x2=x, y1=top, y2=bottom, class_=kind)


def said_of(of: Measure) -> str:
    """ "median 31.2 s, 99 of 100 by 35.0 s, 212 times; promised 30 to 35 s"."""
    spread, unit = of.spread, of.unit
    if spread.least == spread.most:
        said = f"{amount(spread.median, unit)}, {counted(spread.count, 'time')}"
    else:
        high = amount(spread.high, unit)
        said = f"median {amount(spread.median, unit)}, 99 of 100 by {high}, {counted(spread.count, 'time')}"
    if of.promised_most is None:
        return said
    least = f"{amount(of.promised_least, unit)} to " if of.promised_least else "at most "
    return f"{said}; promised {least}{amount(of.promised_most, unit)}"


def amount(value: Number, unit: str = TIME) -> str:
    """As short as it can be said."""
    if unit != TIME:
        said = f"{value:,.0f}" if value == int(value) or value >= 1_000 else f"{value:.3g}"
        return said if unit == "count" else f"{said} {unit}"
    if value == 0:
        return "0 s"
    if value < 1_000:
        return f"{value:.3g} µs"
    if value < SECOND:
        return f"{value / 1_000:.3g} ms"
    if value < 100 * SECOND:
        return f"{value / SECOND:.3g} s"
    if value < 7_200 * SECOND:
        return f"{value / SECOND:,.0f} s"
    return f"{value / 3_600 / SECOND:,.1f} h"


def reached_by(report: Report) -> Html | None:
    """How many marks were reached by the first so many seeds: where it is flat, more seeds bring little."""
    seeds = sorted(mark.first_seed for mark in report.coverage if mark.first_seed is not None)
    first = min((line.first_seed for line in report.lines), default=0)
    last = max((line.last_seed for line in report.lines), default=0)
    if len(seeds) < 2 or last <= first:
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
    order = ("new failure", "worse", "gone failure", "better", "same")
    rows = sorted(report.comparisons, key=lambda each: order.index(each.kind) if each.kind in order else len(order))
    head = [("", ""), ("what", ""), ("script", ""), ("before", ""), ("now", ""), ("in words", "")]
    return table(head, [_compared(each) for each in rows])


_SIGNS: Final = {"new failure": "✗", "worse": "▲", "better": "▼", "gone failure": "✓", "same": "="}


def _compared(of: Comparison) -> Html:
    status = {"new failure": "broken", "worse": "unknown", "better": "held", "gone failure": "held"}.get(of.kind, "")
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
