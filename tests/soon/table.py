"""The table: after how many runs each fault is noticed, by each way of looking for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from tests.long_commands import kept_lines
from tests.soon import explored
from tests.soon.faults import Fault, Kind
from tests.soon.ways import OWN, PLAIN, SCHEDULES, STEERED, Found
from tests.where import DATA

KEPT: Final = DATA / "soon" / "found.jsonl"
"""what the docs and the bench show"""
SHOWN: Final = (PLAIN, OWN, STEERED, SCHEDULES)


class Measured(msgspec.Struct, frozen=True):
    fault: Fault
    most: int
    """runs from a start"""
    starts: int
    found: Mapping[str, Sequence[Found | None]]
    """by way, for each start"""

    def median(self, way: str) -> float:
        """Runs; infinite if that is more than were played."""
        runs = [math.inf if each is None else each.runs for each in self.found[way]]
        return sorted(runs + [math.inf] * (self.starts - len(runs)))[self.starts // 2]

    def cell(self, way: str) -> str:
        runs = self.median(way)
        return f"{runs:g}" if runs < math.inf else f"not within {self.most}"

    @property
    def by(self) -> str:
        """The check that noticed it first in most rows; of equals the first."""
        checks = [each.by for found in self.found.values() for each in found if each is not None]
        return max(dict.fromkeys(checks), key=checks.count, default="-")


def kept(file: Path = KEPT) -> list[Measured]:
    return [msgspec.json.decode(line, type=Measured) for line in kept_lines(file)]


def ratio(measured: Iterable[Measured], way: str) -> float:
    """Runs of this way for one of plain seeds: the geometric mean. A median that is not known counts as the limit."""
    logs = [math.log(min(each.median(way), each.most) / min(each.median(PLAIN), each.most)) for each in measured]
    return math.exp(sum(logs) / len(logs)) if logs else 1


def within(measured: Iterable[Measured], way: str) -> int:
    return sum(each.median(way) < math.inf for each in measured)


def summary(measured: Sequence[Measured]) -> list[str]:
    """A line for each kind and way."""
    lines = [
        "| faults | looked for by | noticed | median runs | sooner | later | runs for one of plain |",
        "|---" * 7 + "|",
    ]
    groups = [(f"{kind}s", [each for each in measured if each.fault.kind is kind]) for kind in Kind]
    small = explored.kept()
    for name, of in [*groups, ("all", measured)]:
        if of:
            lines += [f"| {name} ({len(of)}) | {_told(of, way)}" for way in SHOWN]
            lines += _explored_of(name, [small[each.fault] for each in of if each.fault in small])
    return lines


def _explored_of(name: str, found: Sequence[explored.Explored]) -> list[str]:
    runs = [each.runs for each in found if each.world]
    told = f"{median(runs):g} (of the {len(runs)} noticed)" if runs else "-"
    return [f"| {name} ({len(found)} with a small world) | explore | {len(runs)} | {told} | | | |"] * bool(found)


def _told(of: Sequence[Measured], way: str) -> str:
    runs = median(each.median(way) for each in of)
    told = f"{runs:g}" if runs < math.inf else "-"
    sooner = sum(each.median(way) < each.median(PLAIN) for each in of)
    later = sum(each.median(way) > each.median(PLAIN) for each in of)
    return f"{way} | {within(of, way)} | {told} | {sooner} | {later} | {ratio(of, way):.2f} |"


def table(measured: Sequence[Measured]) -> list[str]:
    lines = ["| fault | " + " | ".join(SHOWN) + " | explore | noticed by |", "|---" * (len(SHOWN) + 3) + "|"]
    small = explored.kept()
    for each in measured:
        name = str(each.fault).replace("|", "\\|")
        shown = f"`{name}`" if each.fault.kind is Kind.MUTANT else name
        lines.append(
            f"| {shown} | "
            + " | ".join(each.cell(way) for way in SHOWN)
            + f" | {_explored(small.get(each.fault))} | {each.by} |"
        )
    return lines


def _explored(found: explored.Explored | None) -> str:
    """A group has no small world yet."""
    if found is None:
        return "-"
    return f"{found.runs}, {found.world}" if found.world else f"not within {found.runs}"


def size(measured: Sequence[Measured]) -> str:
    counts = {kind: sum(each.fault.kind is kind for each in measured) for kind in Kind}
    kinds = [f"{kind}s: {count}" for kind, count in counts.items()]
    most = max((each.most for each in measured), default=0)
    starts = max((each.starts for each in measured), default=0)
    return f"{', '.join(kinds)}; at most {most} runs from each of {starts} starts"


def page_part(measured: Sequence[Measured]) -> str:
    return "\n".join([f"Measured: {size(measured)}.", "", *summary(measured), "", *table(measured)])
