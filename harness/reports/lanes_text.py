"""The picture of a run in letters, for a page that shows only text: the lanes of the terminal UI, in its signs.

Like the page's picture it draws time in which nothing happens short, so that what a moment holds can be told apart."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from shaketable.harness.history.signs import BEGINS, LINES
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.reports.beliefs import Belief, Lane
from shaketable.harness.reports.picture import Band, Picture
from shaketable.node.core.env import Micros

WIDE: Final = 84
MOST_FAULTS: Final = 6
MOST_NODES: Final = 12
LEGEND: Final = (
    "═ master  ─ member  ◆7 made v7  ┼7 has v7  ░ suspects  ◇ claims  ✗ crashed  ‖ paused  ■ held  – left  ▓ fault\n"
    "(1) a record of the proof; time in which nothing happens is drawn short"
)
SHORTEST: Final = 150
"""micros: how fast time is drawn shorter"""


def lanes_text(picture: Picture) -> str:
    label = min(14, max((len(lane.node) for lane in picture.lanes), default=0)) + 2
    scale = _Scale(picture, WIDE - label)
    lines = [f"{'':{label}}{scale.axis()}"]
    lines += [f"{'faults' if not number else '':{label}}{row}" for number, row in enumerate(_faults(picture, scale))]
    for lane in picture.lanes[:MOST_NODES]:
        for number, row in enumerate(_lane(lane, picture, scale)):
            lines.append(f"{lane.node[: label - 2] if not number else '':{label}}{row}")
    if len(picture.lanes) > MOST_NODES:
        lines.append(f"... and {len(picture.lanes) - MOST_NODES} more nodes")
    lines += ["", LEGEND]
    return "\n".join(line.rstrip() for line in lines)


class _Scale:
    def __init__(self, picture: Picture, wide: int) -> None:
        self.begin, self.end = picture.focus
        self.wide = wide
        times = [belief.time for lane in picture.lanes for belief in lane.beliefs]
        times += [time for band in picture.bands for time in (band.began, band.ended) if time is not None]
        inside = sorted({time for time in times if self.begin < time < self.end})
        self.stops = [self.begin, *inside, self.end]
        gaps = [0.3 + math.log10(1 + (after - before) / SHORTEST) for before, after in pairwise(self.stops)]
        whole = sum(gaps) or 1
        self._cells = [0]
        reached = 0.0
        for gap in gaps:
            reached += gap
            self._cells.append(min(wide - 1, int((wide - 1) * reached / whole)))

    def cell(self, time: Micros) -> int:
        """Of the last thing that happened by then."""
        return self._cells[max(0, bisect_right(self.stops, time) - 1)]

    def sees(self, time: Micros) -> bool:
        return self.begin <= time <= self.end

    def axis(self) -> str:
        row = [" "] * (self.wide + 12)
        free = 0
        for time in self.stops:
            said = f"╷{rounded(time)}"
            at = self.cell(time)
            if at >= free and at + len(said) <= self.wide + 8:
                row[at : at + len(said)] = said
                free = at + len(said) + 1
        return "".join(row)


def _faults(picture: Picture, scale: _Scale) -> Iterator[str]:
    shown = [band for band in picture.bands if _stop(band, scale) >= scale.begin and band.began <= scale.end]
    for band in shown[:MOST_FAULTS]:
        first, last = scale.cell(band.began), scale.cell(_stop(band, scale))
        row = [" "] * scale.wide
        lasting = band.lasts or band.ended is not None
        row[first : last + 1] = ("▓" if lasting else "▼") * (last + 1 - first)
        said = f" {band.words}{' (without effect)' if band.without_effect else ''}"
        if last + 1 + len(said) <= scale.wide or len(said) > first:
            yield "".join(row[: last + 1]) + said
        else:
            row[first - len(said) : first] = f"{said[1:]} "
            yield "".join(row)
    if len(shown) > MOST_FAULTS:
        yield f"... and {len(shown) - MOST_FAULTS} more"


def _stop(band: Band, scale: _Scale) -> Micros:
    if band.ended is not None:
        return band.ended
    return scale.end if band.lasts and not band.without_effect else band.began


def _lane(lane: Lane, picture: Picture, scale: _Scale) -> Iterator[str]:
    life, doubts = [" "] * scale.wide, [" "] * scale.wide
    marks = [" "] * (scale.wide + 2)
    beliefs = [belief for belief in lane.beliefs if belief.time <= scale.end]
    for number, belief in enumerate(beliefs):
        stop = beliefs[number + 1].time if number + 1 < len(beliefs) else scale.end
        first, last = scale.cell(max(belief.time, scale.begin)), scale.cell(stop)
        if stop < scale.begin:
            continue
        for at in range(first, last + 1):
            life[at] = LINES.get(belief.state, " ")
        if belief.suspects:
            _over(doubts, first, last, f"!{' '.join(belief.suspects)}")
    for number, belief in reversed(list(enumerate(beliefs))):
        if scale.sees(belief.time):
            _sign(life, scale.cell(belief.time), beliefs[number - 1] if number else None, belief)
    for mark in picture.marks:
        if mark.node == lane.node and scale.sees(mark.time):
            at = scale.cell(mark.time)
            said = f"({mark.number})"
            at = next((place for place in range(at, len(marks)) if "".join(marks[place : place + 3]).isspace()), at)
            marks[at : at + len(said)] = said
    yield "".join(life)
    yield from ("".join(row) for row in (doubts, marks) if not "".join(row).isspace())


def _over(row: list[str], first: int, last: int, said: str) -> None:
    for at in range(first, last + 1):
        row[at] = "░"
    if len(said) <= last + 1 - first:
        row[first : first + len(said)] = said


def _sign(row: list[str], at: int, before: Belief | None, belief: Belief) -> None:
    """The later ones are there already: in one cell the last is seen, and a number only where it has room."""
    was = before.state if before is not None else ""
    if row[at] not in LINES.values() and not row[at].isspace():
        return
    if belief.state != was and belief.state in BEGINS:
        row[at] = BEGINS[belief.state]
    elif belief.claims and not (before is not None and before.claims):
        row[at] = "◇"
    elif belief.version and (before is None or (before.version, before.author) != (belief.version, belief.author)):
        said = str(belief.version)
        row[at] = "◆" if belief.own else "┼"
        free: Sequence[str] = row[at + 1 : at + 1 + len(said)]
        if len(free) == len(said) and all(letter in LINES.values() for letter in free):
            row[at + 1 : at + 1 + len(said)] = said
