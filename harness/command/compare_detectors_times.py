"""The times in the picture of `shaketable compare-detectors`: of each kind of crash when it was suspected, how long it
took to be verified, and when it was announced.

Each has its own line. A band is what the settings promise, a tick each place where something was measured, the darker
the more often; a bar is the median, an open one the 99th percentile, and both stand behind in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shaketable.harness.command.compare_detectors_figures import Measured, OfCrash
from shaketable.harness.command.compare_detectors_svg import HEAD, NAMES, WIDE, bar, left_of, text, told
from shaketable.harness.command.compare_detectors_text import seconds
from shaketable.node.env import SECOND, Micros

COLOURS: Final = {"suspected": "#b36b00", "verified": "#1f6f5c", "announced": "#8a1f7a"}
HALF: Final = 11
"""pixels a line"""
LINE: Final = len(COLOURS) * HALF + 5
FIGURES: Final = 64
"""pixels for the two figures"""
SCALE: Final = WIDE - FIGURES
NOTE: Final = "band: promised · ticks: measured · bar: median · open bar: 99th percentile · figures: both, in seconds"


def legend(y: int) -> Iterator[str]:
    at = 12
    for name, colour in COLOURS.items():
        yield bar(at, y - 8, 18, 8, colour, 0.15)
        yield bar(at + 8, y - 9, 2.5, 10, colour)
        said = "verified, since then" if name == "verified" else name
        yield text(at + 24, y, said)
        at += 40 + 7 * len(said)
    yield text(at, y, NOTE, "f")


def height(policies: Sequence[str]) -> int:
    return HEAD + LINE * len(policies)


def times(
    kind: str, crashes: Mapping[tuple[int, str], OfCrash], sizes: Sequence[int], policies: Sequence[str], top: int
) -> Iterator[str]:
    """All sizes on one scale."""
    most = max(_end_of(crash) for crash in crashes.values())
    bottom = top + height(policies)
    yield text(12, top + 20, f"{kind.capitalize()}: seconds since its last heartbeat", "h")
    for line, policy in enumerate(policies):
        yield text(NAMES - 12, top + HEAD + line * LINE + 20, policy, anchor="end")
    for column, size in enumerate(sizes):
        left = left_of(column)
        yield text(left, top + HEAD - 4, f"{size} members", "f")
        for share in range(5):
            x = left + SCALE * share / 4
            yield f'<line x1="{x:g}" x2="{x:g}" y1="{top + HEAD}" y2="{bottom}" stroke="#ddd"/>'
            yield text(x, bottom + 13, seconds(most * share // 4), "f", anchor="middle")
        for line, policy in enumerate(policies):
            crash, y = crashes[size, policy], top + HEAD + line * LINE + 2
            yield from told(_said(policy, crash), _of_crash(crash, left, y, most))


def _of_crash(crash: OfCrash, left: int, top: int, most: Micros) -> Iterator[str]:
    for (name, measured), y in zip(crash.measures, range(top, top + LINE, HALF), strict=False):
        if measured.promised is not None and measured.times:
            yield from _line(measured, left, y, most, COLOURS[name])


def _line(measured: Measured, left: int, top: int, most: Micros, colour: str) -> Iterator[str]:
    def x(time: Micros) -> float:
        return round(left + SCALE * time / most, 1)

    promised = measured.promised
    assert promised is not None
    start, end = x(promised.least), x(promised.most)
    yield bar(start, top, max(1.0, round(end - start, 1)), 9, colour, 0.15)
    places = Counter(round(x(time)) for time in measured.times)
    for place, count in sorted(places.items()):
        yield bar(place, top + 2, 1.5, 5, colour, 0.35 + 0.65 * count / max(places.values()))
    high = x(measured.high)
    yield (
        f'<rect x="{high - 1.5:g}" y="{top + 0.5:g}" width="4" height="8" fill="#fff" stroke="{colour}" '
        'stroke-width="1"/>'
    )
    yield bar(x(measured.median), top, 2.5, 9, colour)
    said = f"{seconds(measured.median)} · {seconds(measured.high)}"
    yield text(left + WIDE, top + 8, said, "n", anchor="end", colour=colour)


def _end_of(crash: OfCrash) -> Micros:
    ends = [measured.promised.most for _, measured in crash.measures if measured.promised is not None]
    return max(*ends, *crash.suspected.times, *crash.announced.times, SECOND // 10)


def _said(policy: str, crash: OfCrash) -> str:
    measures = [
        f"{name} {seconds(measured.median)} s, 99 of 100 by {seconds(measured.high)} s"
        for name, measured in crash.measures
        if measured.times and measured.promised is not None
    ]
    return f"{policy}, {crash.kind}: {'; '.join(measures)}"
