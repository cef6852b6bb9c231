"""What all verbs stand on: the world, the driver, the book of faults, the names so far, and how mistakes are told."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.checks.bounds import Bounds
from shaketable.harness.conditions import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.faults import Link
from shaketable.harness.records import StepBegan
from shaketable.harness.scripting.driver import Driver, World
from shaketable.harness.scripting.fault_book import FaultBook
from shaketable.harness.scripting.steps import Sleep, Unmet, Until
from shaketable.node.config import Settings
from shaketable.node.env import SECOND, Micros

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Formed:
    """Nodes that a script had started: by which verb, and with which settings of their own."""

    verb: str
    nodes: tuple[str, ...]
    settings: Mapping[str, object]
    knowing: Sequence[str] | None = None
    """whose addresses they were given, if not the usual ones"""


class Verbs:
    def __init__(self, world: World, driver: Driver, settings: Settings, seed: int) -> None:
        self._world = world
        self._driver = driver
        self._faults = FaultBook(world)
        self._formed: list[str] = []
        self._formation: list[Formed] = []
        self._clients = 0
        """numbers given to clients so far: each has a name that no other one of the run has"""
        self._tags: dict[tuple[str, str, str], bool] = {}
        """map, key and tag of each value that was put"""
        self._taken: list[str] = []
        """names that were asked for, whether or not their nodes run yet"""
        self.settings = settings
        self.bounds = Bounds(settings)
        self.seed = seed
        self.rng = random.Random(f"{seed}/script")
        self.world = world.name

    def _step(self, what: str) -> None:
        self._world.record(StepBegan(what))

    async def _met(self, condition: Condition, within: Micros) -> None:
        within += self._world.allowance
        why_not = await Until(condition, self._world.now() + within)
        if why_not is not None:
            raise Unmet(f"waited {within / SECOND:g} s until {condition.label}; but {why_not}")

    async def _sleep(self, time: Micros) -> None:
        await Sleep(whole(time, "the time to sleep"))

    def _known(self, name: str) -> str:
        if name not in self._formed:
            raise ScriptError(f"{name} is not a node of this run ({', '.join(self._formed) or 'none yet'})")
        return name

    def _settings_of(self, name: str) -> Settings:
        """A node's own, if it was started with some."""
        own = next((formed.settings for formed in self._formation if name in formed.nodes), {})
        return self.settings.with_values(own)

    def _between(self, a: str, b: str, one_way: bool = False) -> tuple[Link, ...]:
        if self._known(a) == self._known(b):
            raise ScriptError(f"there is no link from {a} to itself")
        return ((a, b),) if one_way else ((a, b), (b, a))

    def _all_known(self, names: Sequence[str]) -> list[str]:
        """One name alone will do for a list of names."""
        return [self._known(name) for name in ([names] if isinstance(names, str) else names)]


def named_values(what: str, values: object) -> Mapping[str, object]:
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ScriptError(f"{what}: give names with their values, {{'heartbeat_interval_seconds': 1}}, not {values!r}")
    return values


def whole(value: Micros, what: str, *, least: int = 0) -> Micros:
    """Times and counts are whole: a float that came in would end all order."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ScriptError(f"{what} is a whole number (divide times with //), not {value!r}")
    if value < least:
        raise ScriptError(f"{what} is at least {least}, not {value}")
    return value
