"""What `shaketable compare-detectors` does to a group, by name, and what came of it: of one policy, size and seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from shaketable.node.env import Micros

GONE: Final = "a member's machine is gone"
KILLED: Final = "a member is killed"
MASTER_GONE: Final = "the master's machine is gone"
MASTER_KILLED: Final = "the master is killed"
NEIGHBOURS_GONE: Final = "two neighbours' machines are gone"
CRASHES: Final = (GONE, KILLED, MASTER_GONE, MASTER_KILLED, NEIGHBOURS_GONE)

PERIODS: Final = 6
"""a steady time is counted over so many"""


@dataclass(frozen=True, slots=True)
class Crash:
    """One fault of `CRASHES`, and what came of it. Times are since the last heartbeat that the victim sent before."""

    kind: str
    noticed: Sequence[Micros]
    """once a victim: who watches it, or decides about it, held it to be suspect"""
    suspected: Sequence[Micros]
    """once a victim and survivor: this one heard of that"""
    verified: Sequence[Micros]
    """and from then on until it held a list without the victim"""
    announced: Sequence[Micros]
    unseen: int
    """victims, once a survivor, that were still on its list at the end"""


@dataclass(slots=True)
class Result:
    crashes: list[Crash] = field(default_factory=list)
    heartbeats: int = 0
    """in `PERIODS` quiet periods"""
    messages: int = 0
    bytes: int = 0
    talking: int | None = None
    """heartbeats in as many periods in which all applications talk; a cluster has none that could"""
    false_suspicions: int = 0
    false_removals: int = 0
    masters: int = 0
    """how often somebody came to lead while members crashed and slept"""
    masters_in_scale_down: int = 0
