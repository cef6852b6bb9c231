"""The ways to look for a bug: each is a row of random runs, which ends when a check notices something."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import msgspec
from tests.soon.player import Play, Player, Seen, plans

from shaketable.harness.pipeline.campaigns.cases import Cell
from shaketable.harness.pipeline.campaigns.steering import Reached
from shaketable.harness.pipeline.campaigns.variants import Variant
from shaketable.harness.pipeline.campaigns.waves import Asked, Planner
from shaketable.harness.scripting.scripts import Script
from shaketable.node.config import RANKED, VARYING

APART: Final = 1000
"""seeds, from one start to the next"""
WAVE: Final = 4
"""runs of a steered row that are planned at once"""
PLAIN: Final = "plain seeds"
SCHEDULES: Final = "schedules"
STEERED: Final = "steered"
OWN: Final = "own seeds"
AS_WRITTEN: Final = Variant("")

Row = Iterator[Seen]
Playing = Callable[[Play], Seen]
Way = Callable[[Playing, Sequence[Script], int, int], Row]
"""plays plans from a first seed on, so many runs at most"""


class Found(msgspec.Struct, frozen=True):
    runs: int
    """with the one in which it was noticed"""
    events: int
    by: str


def plain(player: Playing, scripts: Sequence[Script], first: int, most: int) -> Row:
    for turn, seed in islice(_rounds(scripts, first), most):
        yield player(Play(turn.name, seed))


def own_seeds(player: Playing, scripts: Sequence[Script], first: int, most: int) -> Row:
    """No seed is played twice: the plans of one seed are alike in all scripts."""
    for number, (script, _) in enumerate(islice(_rounds(scripts, first), most)):
        yield player(Play(script.name, first + number))


def schedules(player: Playing, scripts: Sequence[Script], first: int, most: int) -> Row:
    """Each seed and each script has both in turn."""
    for number, (script, seed) in enumerate(islice(_rounds(scripts, first), most)):
        schedule = (VARYING, RANKED)[(number % len(scripts) + seed) % 2]
        yield player(Play(script.name, seed, schedule))


def steered(player: Playing, scripts: Sequence[Script], first: int, most: int) -> Row:
    """As a campaign of these scripts is planned, but in small waves: one of its own has 320 runs at least, and the
    first two are never steered."""
    cells = [Cell(script, AS_WRITTEN) for script in scripts]
    planner = Planner(Asked(cells, most, first, sample=0, wave=WAVE))
    left = most
    while left > 0:
        reached = Reached()
        for case in planner.next():
            seen = player(Play(case.script, case.seed))
            reached.add(case.script, seen.marks)
            left -= 1
            yield seen
        planner.over(reached)


def _rounds(scripts: Sequence[Script], first: int) -> Iterator[tuple[Script, int]]:
    seed = first
    while True:
        yield from ((script, seed) for script in scripts)
        seed += 1


WAYS: Final[Mapping[str, Way]] = {PLAIN: plain, OWN: own_seeds, STEERED: steered, SCHEDULES: schedules}


def until_noticed(row: Row) -> Found | None:
    events = 0
    for number, seen in enumerate(row, 1):
        events += seen.events
        if seen.by:
            return Found(number, events, seen.by)
    return None


def look(player: Player, way: Way, most: int, starts: int) -> list[Found | None]:
    """From each start, until the median is known to be more than that."""
    scripts, found = list(plans(player.fault.family).values()), list[Found | None]()
    for start in range(starts):
        if found.count(None) * 2 <= starts:
            found.append(until_noticed(way(player, scripts, 1 + APART * start, most)))
    return found
