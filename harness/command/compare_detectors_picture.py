"""The picture of `shaketable compare-detectors`: all times of all policies, one column a size, as SVG.

A line has two halves: above, when a crash was suspected, below, when it was announced. A band is what the settings
promise, a tick each place where something was measured, the darker the more often, a bar the median."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.command.compare_detectors_figures import Figures, Measured, OfCrash
from shaketable.harness.command.compare_detectors_results import CRASHES
from shaketable.harness.command.compare_detectors_text import seconds
from shaketable.node.env import SECOND, Micros

NAMES: Final = 170
WIDE: Final = 380
BETWEEN: Final = 24
LINE: Final = 20
HEAD: Final = 34
TOP: Final = 72
SUSPECTED, ANNOUNCED = "#b36b00", "#8a1f7a"
STYLE: Final = (
    "text{font:12px system-ui,sans-serif;fill:#222}.t{font-size:17px;font-weight:600}.h{font-weight:600}"
    ".f{fill:#777;font-size:11px}"
)


def picture(figures: Sequence[Figures]) -> str:
    sizes = list(dict.fromkeys(each.members for each in figures))
    policies = list(dict.fromkeys(each.variant.name for each in figures))
    wide = NAMES + len(sizes) * (WIDE + BETWEEN)
    high = TOP + len(CRASHES) * (HEAD + LINE * len(policies) + BETWEEN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{wide}" height="{high}" fill="#fff"/>',
        _text(12, 26, "How soon a crash is suspected and announced, in seconds since the last heartbeat", "t"),
        *_legend(),
    ]
    for column, size in enumerate(sizes):
        seeds = next(each.seeds for each in figures if each.members == size)
        at = NAMES + column * (WIDE + BETWEEN)
        parts.append(_text(at, TOP - 4, f"{size} members, {counted(seeds, 'seed')}", "h"))
    for number, kind in enumerate(CRASHES):
        top = TOP + number * (HEAD + LINE * len(policies) + BETWEEN)
        crashes = {(each.members, each.variant.name): each.crashes[number] for each in figures}
        parts += _kind(kind, crashes, sizes, policies, top)
    return "\n".join([*parts, "</svg>", ""])


def _legend() -> Iterator[str]:
    for at, colour, said in ((12, SUSPECTED, "suspected"), (110, ANNOUNCED, "announced")):
        yield f'<rect x="{at}" y="37" width="18" height="8" fill="{colour}" fill-opacity="0.15"/>'
        yield f'<rect x="{at + 8}" y="36" width="2.5" height="10" fill="{colour}"/>'
        yield _text(at + 24, 46, said)
    yield _text(215, 46, "band: what the settings promise; ticks: measured at each survivor; bar: the median", "f")


def _kind(
    kind: str, crashes: dict[tuple[int, str], OfCrash], sizes: Sequence[int], policies: Sequence[str], top: int
) -> Iterator[str]:
    """All sizes on one scale."""
    most = max(_end_of(crash) for crash in crashes.values())
    yield _text(12, top + 20, kind.capitalize(), "h")
    for line, policy in enumerate(policies):
        yield _text(NAMES - 12, top + HEAD + line * LINE + 14, policy, anchor="end")
    for column, size in enumerate(sizes):
        left = NAMES + column * (WIDE + BETWEEN)
        bottom = top + HEAD + len(policies) * LINE
        for share in range(5):
            x = left + WIDE * share / 4
            yield f'<line x1="{x:g}" x2="{x:g}" y1="{top + HEAD}" y2="{bottom}" stroke="#ddd"/>'
            yield _text(x, bottom + 13, seconds(most * share // 4), "f", anchor="middle")
        for line, policy in enumerate(policies):
            crash, y = crashes[size, policy], top + HEAD + line * LINE
            yield f"<g><title>{escape(_said(policy, crash))}</title>"
            yield from _half(crash.suspected, left, y + 2, most, SUSPECTED)
            yield from _half(crash.announced, left, y + 10, most, ANNOUNCED)
            yield "</g>"


def _half(measured: Measured, left: int, top: int, most: Micros, colour: str) -> Iterator[str]:
    def x(time: Micros) -> float:
        return round(left + WIDE * time / most, 1)

    if measured.promised is not None:
        start, end = x(measured.promised.least), x(measured.promised.most)
        yield (
            f'<rect x="{start}" y="{top}" width="{max(1.0, round(end - start, 1))}" height="7" '
            f'fill="{colour}" fill-opacity="0.15"/>'
        )
    places = Counter(round(x(time)) for time in measured.times)
    for place, count in sorted(places.items()):
        strength = 0.35 + 0.65 * count / max(places.values())
        yield (
            f'<rect x="{place}" y="{top + 1}" width="1.5" height="5" fill="{colour}" fill-opacity="{strength:.2f}"/>'
        )
    if measured.times:
        yield f'<rect x="{x(measured.median)}" y="{top - 1}" width="2.5" height="9" fill="{colour}"/>'


def _end_of(crash: OfCrash) -> Micros:
    ends = [measured.promised.most for _, measured in crash.measures if measured.promised is not None]
    return max(*ends, *crash.suspected.times, *crash.announced.times, SECOND // 10)


def _said(policy: str, crash: OfCrash) -> str:
    told = [
        f"{name} {seconds(measured.median)} s, 99 of 100 by {seconds(measured.high)} s"
        for name, measured in crash.measures
        if measured.times and measured.promised is not None
    ]
    return f"{policy}, {crash.kind}: {'; '.join(told)}"


def _text(x: float, y: float, said: str, kind: str = "", anchor: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    placed = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}"{style}{placed}>{escape(said)}</text>'
