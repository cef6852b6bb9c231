"""How long it takes to say who is to hold what after a change of members, and which migrations lead there.

With seven replicas (or as many as there are members), each member a group of its own, 3 to 50 members. The real
system's planner was measured with 10."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from tests.bench.figure import number

from shaketable.node.cluster.partition.planner import plan, prioritised
from shaketable.node.cluster.partition.repartitioning import repartitioned
from shaketable.node.cluster.partition.rows import repaired
from shaketable.node.messages import Migration, Row

PARTITIONS: Final = (271, 10_000)
MEMBERS: Final = (3, 5, 7, 10, 20, 50)
"""with the one who joins or leaves there is one more"""
TIMES: Final = {271: 11, 10_000: 5}

PLAN_AIM: Final = {271: 10.0, 10_000: 250.0}
REPARTITION_AIM: Final = {10_000: 1000.0}
"""milliseconds"""

JOIN, LEAVE, CRASH, NOTHING = "a member joins", "a member leaves", "a member crashes", "nothing has changed"

EXPLAINED: Final = """\
Milliseconds of CPU time, the median of several and (the worst). Members: without the one who joins, leaves or
crashes."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the table."""

    partitions: int
    what: str
    members: int
    migrations: int
    repartition: Sequence[float]
    plan: Sequence[float]

    @property
    def reached(self) -> bool:
        """By the median: what else the machine does only takes away."""
        aim = REPARTITION_AIM.get(self.partitions)
        arranged = aim is None or statistics.median(self.repartition) <= aim
        return arranged and statistics.median(self.plan) <= PLAN_AIM[self.partitions]

    @property
    def cells(self) -> Sequence[str]:
        return (
            number(self.migrations), _shown(self.repartition), _aim(REPARTITION_AIM, self.partitions),
            _shown(self.plan), _aim(PLAN_AIM, self.partitions),
        )  # fmt: skip


HEADINGS: Final = (
    "migrations", "repartition", "aim", "plan and prioritise", "aim",
)  # fmt: skip


def rows() -> Iterator[Change]:
    for partitions in PARTITIONS:
        for count in MEMBERS:
            names = [f"n{number}" for number in range(1, count + 2)]
            few = repartitioned([()] * partitions, names[:-1])
            many = repartitioned(few, names)
            crashed = [repaired(row, names[1:]) for row in many]
            yield _measured(JOIN, few, names)
            yield _measured(LEAVE, many, names[1:])
            yield _measured(CRASH, crashed, names[1:])
        yield _measured(NOTHING, many, names)


def _measured(what: str, current: Sequence[Row], members: Sequence[str]) -> Change:
    partitions = len(current)
    count = len(members) - (what == JOIN)
    target, arranging = _timed(partitions, lambda: repartitioned(current, members))
    plans, planning = _timed(partitions, lambda: _plans(current, target))
    return Change(partitions, what, count, sum(map(len, plans)), arranging, planning)


def _plans(current: Sequence[Row], target: Sequence[Row]) -> list[list[Migration]]:
    """In the order in which they run."""
    found = []
    for row, wanted in zip(current, target, strict=True):
        migrations = plan(row, wanted)
        found.append([migrations[place] for place in prioritised(migrations)])
    return found


def _timed(partitions: int, what: Callable[[], Result]) -> tuple[Result, list[float]]:
    times = []
    for _ in range(TIMES[partitions]):
        begun = time.process_time()
        result = what()
        times.append((time.process_time() - begun) * 1000)
    return result, times


def _shown(times: Sequence[float]) -> str:
    return f"{number(statistics.median(times))} ({number(max(times))})"


def _aim(aims: Mapping[int, float], partitions: int) -> str:
    return f"<= {number(aims[partitions])}" if partitions in aims else "-"
