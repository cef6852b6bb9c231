"""A reader's question: at most so many false removals in so long a time, under a condition, with so many members."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from shaketable.harness.detectors.quality.named import AND, lost_share, parts_of, seconds_asleep
from shaketable.harness.errors import UserError
from shaketable.node.core.env import SECOND, Micros

HOUR: Final[Micros] = 3600 * SECOND
DAY: Final[Micros] = 24 * HOUR
TIMES: Final = {"hour": HOUR, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "year": 365 * DAY}
_UNITS: Final = {"s": SECOND, "m": 60 * SECOND, "h": HOUR, "d": DAY}
_RATE: Final = re.compile(rf"(\d{{1,6}}(?:\.\d{{1,6}})?)/({'|'.join(TIMES)})", re.ASCII)
_TIME: Final = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)([smhd])", re.ASCII)
NOT_FOR_A_SEARCH: Final = ("churn",)
"""A member that is killed on purpose is rightly removed: there is nothing wrong to count."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many false removals in so long a time."""

    many: float
    time: str
    """one of `TIMES`"""

    @property
    def span(self) -> Micros:
        return TIMES[self.time]


@dataclass(frozen=True, slots=True)
class Faults:
    """A condition, taken apart: what goes on all the time, and what can be counted."""

    name: str
    lost: float
    """the share of heartbeats; 0: none"""
    asleep: Micros
    """so long a member sleeps; 0: it never does"""
    every: Micros
    """each member sleeps once in so long a time"""
    always: str
    """the name of all but the sleeps"""
    others: bool
    """something else than losses and sleeps goes on"""

    def sleeps(self, members: int, span: Micros) -> float:
        """Of all members together."""
        return members * span / self.every if self.asleep else 0.0


@dataclass(frozen=True, slots=True)
class Question:
    at_most: Rate
    members: int
    faults: Faults
    within: Micros | None
    """nine of ten crashes are to be told by then; None: as soon as can be"""
    messages: float
    """a member may send so many in a second"""
    hours: float
    """of virtual time in which one candidate is watched, at most"""
    first_seed: int


def rate_in(said: str) -> Rate:
    found = _RATE.fullmatch(said)
    if found is None or not float(found[1]):
        raise UserError(
            f"--at-most {said}: give a number above 0 and a time, as in 1/month; times are {', '.join(TIMES)}"
        )
    return Rate(float(found[1]), found[2])


def time_in(option: str, said: str) -> Micros:
    found = _TIME.fullmatch(said)
    if found is None or not float(found[1]):
        raise UserError(f"{option} {said}: give a time such as 20s, 1.5m, 2h or 1d")
    return round(float(found[1]) * _UNITS[found[2]])


def faults_in(name: str, every: Micros) -> Faults:
    """`name`: of a condition that is there."""
    parts = parts_of(name)
    asleep = next((each for each in map(seconds_asleep, parts) if each is not None), 0.0)
    always = [each for each in parts if seconds_asleep(each) is None] or ["none"]
    lost = next((each for each in map(lost_share, always) if each is not None), 0.0)
    others = any(each != "none" and lost_share(each) is None for each in always)
    for each in always:
        if each in NOT_FOR_A_SEARCH:
            raise UserError(f"--under {name}: {each} ends members on purpose, so no removal is false; leave it out")
    return Faults(name, lost, round(asleep * SECOND), every, AND.join(always), others)
