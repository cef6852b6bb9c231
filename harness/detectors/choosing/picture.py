"""The picture of a search as SVG: what a candidate costs against how soon it tells a crash, both by multiples.

A line joins the front of each policy: those that keep what was asked and of which no cheaper one is as quick. A hollow
point was not shown to keep it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import Final

from shaketable.harness.detectors.choosing.answer import Point, front
from shaketable.harness.detectors.choosing.question import Question
from shaketable.harness.detectors.choosing.text import asked, duration
from shaketable.harness.detectors.quality.of_a_run import NEVER
from shaketable.harness.detectors.text import seconds
from shaketable.harness.reports.page.markup import Html, tag
from shaketable.node.core.env import SECOND

WIDE, HIGH = 640, 420
"""pixels of the plot"""
LEFT, TOP, BELOW, NAMES = 64, 84, 56, 130
COLOURS: Final = ("#2b6cb0", "#b36b00", "#1f6f5c", "#8a1f7a", "#b00020", "#5a4fa2", "#4a7a2c", "#777777")
STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#222}.t{font-size:17px;font-weight:600}.f{fill:#777;font-size:11px}"
    ".front{fill:none;stroke:currentColor;stroke-width:2}.kept{fill:currentColor;stroke:currentColor}"
    ".not{fill:#fff;stroke:currentColor;stroke-width:1.5}"
)
MARKS: Final = (1, 2, 5)
"""of each power of ten"""


class _Scale:
    """Of logarithms, from one mark to another."""

    def __init__(self, values: Sequence[float], long: int) -> None:
        self._long = long
        low, high = min(values), max(values)
        powers = range(floor(log10(low)) - 1, ceil(log10(high)) + 2)
        marks = [mark * 10.0**power for power in powers for mark in MARKS]
        least = max(mark for mark in marks if mark <= low)
        most = min(mark for mark in marks if mark >= high and mark > least)
        self.marks = [mark for mark in marks if least <= mark <= most]
        self._least, self._span = log10(least), log10(most) - log10(least)

    def at(self, value: float) -> float:
        return round(self._long * (log10(value) - self._least) / self._span, 1)


def picture(question: Question, policies: Sequence[str], found: Sequence[Point]) -> str:
    shown = [each for each in found if each.told < NEVER]
    width, height = LEFT + WIDE + NAMES, TOP + HIGH + BELOW
    said = f"{asked(question)}: {question.members} members, {question.faults.name}"
    if question.faults.asleep:
        said += f", each member once in {duration(question.faults.every)}"
    parts = [
        tag("rect", width=width, height=height, fill="#fff"),
        _text(12, 26, said, "t"),
        _text(12, 46, "filled: keeps it · hollow: was not shown to keep it · line: the best of a policy", "f"),
        _text(12, 64, "seconds until nine of ten crashes are told, by messages that a member sends in a second", "f"),
        *(_plot(policies, shown) if shown else [_text(LEFT, TOP + 20, "nothing was measured")]),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"\n<style>{STYLE}</style>"
    )
    return "\n".join([head, *parts, "</svg>", ""])


def _plot(policies: Sequence[str], shown: Sequence[Point]) -> Iterator[Html]:
    across = _Scale([each.messages for each in shown], WIDE)
    up = _Scale([each.told / SECOND for each in shown], HIGH)
    for mark in across.marks:
        x = LEFT + across.at(mark)
        yield tag("line", x1=x, x2=x, y1=TOP, y2=TOP + HIGH, stroke="#ddd")
        yield _text(x, TOP + HIGH + 16, f"{mark:g}", "f", "middle")
    for mark in up.marks:
        y = round(TOP + HIGH - up.at(mark), 1)
        yield tag("line", x1=LEFT, x2=LEFT + WIDE, y1=y, y2=y, stroke="#ddd")
        yield _text(LEFT - 8, y + 4, f"{mark:g}", "f", "end")
    yield _text(LEFT + WIDE, TOP + HIGH + 36, "messages a second", "f", "end")
    for place, policy in enumerate(policies):
        colour = COLOURS[place % len(COLOURS)]
        mine = [each for each in shown if each.policy == policy]
        yield tag("rect", x=LEFT + WIDE + 20, y=TOP + 22 * place, width=12, height=12, fill=colour)
        yield _text(LEFT + WIDE + 38, TOP + 22 * place + 10, policy if mine else f"{policy}: none")
        yield _policy(policy, mine, across, up, colour)


def _policy(policy: str, mine: Sequence[Point], across: _Scale, up: _Scale, colour: str) -> Html:
    def place(of: Point) -> tuple[float, float]:
        return round(LEFT + across.at(of.messages), 1), round(TOP + HIGH - up.at(of.told / SECOND), 1)

    best = front(mine, policy)
    line = " ".join(f"{x:g},{y:g}" for x, y in map(place, best))
    dots = [tag("polyline", points=line, class_="front")] if len(best) > 1 else []
    for each in mine:
        x, y = place(each)
        values = ", ".join(f"{name}={value}" for name, value in each.tried.candidate.values.items())
        title = f"{policy}: {seconds(each.told)} s, {each.messages:.2f} messages a second ({values})"
        dots.append(tag("circle", tag("title", title), cx=x, cy=y, r=4.5, class_="kept" if each.keeps else "not"))
    return tag("g", *dots, style=f"color:{colour}")


def _text(x: float, y: float, said: str, kind: str | None = None, anchor: str | None = None) -> Html:
    return tag("text", said, x=f"{x:g}", y=f"{y:g}", class_=kind, text_anchor=anchor)
