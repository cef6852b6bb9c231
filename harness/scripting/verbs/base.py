"""What all verbs stand on: the world, the driver, the book of faults, the names so far, and how mistakes are told."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.parameters import Parameter
from shaketable.harness.faults.table import Link
from shaketable.harness.faults.verb import DATAGRAM, FaultKind
from shaketable.harness.records import StepBegan, StepKind
from shaketable.harness.scripting.driver import Driver
from shaketable.harness.scripting.fault_book import FaultBook
from shaketable.harness.scripting.steps import Sleep, Unmet, Until
from shaketable.harness.scripting.world import World
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.gms.datagrams import datagram_kinds

MOST_STEPS: Final = 250_000
"""that one run tells of: each is in its history, and in the memory"""
MOST_UNMET: Final = 1_000
"""things that did not come true, and after which a script goes on all the same"""
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*", re.ASCII)


Names = str | Sequence[str]
"""of a node or of several"""
AfterStart = Callable[[str], Coroutine[Any, Any, object]]
"""is given the name of a node"""


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
        self._after_start: list[AfterStart] = []
        self._steps = 0
        self._unmet = 0
        self._taken: list[str] = []
        """names that were asked for, whether or not their nodes run yet"""
        self.settings = settings
        self.bounds = Bounds(settings)
        self.seed = seed
        self.rng = random.Random(f"{seed}/script")
        self.world = world.name

    def _step(self, what: str, kind: StepKind = StepKind.DOES) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise ScriptError(f"it has told of {MOST_STEPS:,} steps, and a run has no room for more")
        self._world.record(StepBegan(what, means=kind))

    async def _met(self, condition: Condition, within: Micros) -> None:
        within += self._world.allowance
        why_not = await Until(condition, self._world.now() + within)
        if why_not is not None:
            await self._not_met(f"waited {within / SECOND:g} s until {condition.label}; but {why_not}")

    async def _not_met(self, said: str) -> None:
        self._unmet += 1
        if self._unmet > MOST_UNMET:
            self._driver.give_up(f"it went on after {MOST_UNMET:,} things had not come true")
            await Sleep(0)  # for ever
        raise Unmet(said)

    async def _have_started(self, *names: str) -> None:
        for name in names:
            for do in self._after_start:
                await do(name)

    async def _sleep(self, time: Micros) -> None:
        await Sleep(whole(time, "the time to sleep"))

    def _known(self, name: str) -> str:
        return known_in(self._formed, name)

    def _settings_of(self, name: str) -> Settings:
        """A node's own, if it was started with some."""
        own = next((formed.settings for formed in self._formation if name in formed.nodes), {})
        return self.settings.with_values(own)

    def _between(self, a: Names, b: Names, one_way: bool = False) -> tuple[Link, ...]:
        """All links between those and these, each once."""
        ends = [(sender, to) for sender in self._all_known(a) for to in self._all_known(b) if sender != to]
        if not ends:
            those, these = (each if isinstance(each, str) else " ".join(each) or "nobody" for each in (a, b))
            raise ScriptError(f"there is no link from {those} to {'itself' if those == these else these}")
        return tuple(dict.fromkeys(ends if one_way else [link for end in ends for link in (end, end[::-1])]))

    def _all_known(self, names: Sequence[str]) -> list[str]:
        return all_known_in(self._formed, names)

    def _receivers(self, sender: str, to: Sequence[str]) -> tuple[str, ...]:
        self._known(sender)
        receivers = tuple(self._all_known(to))
        if sender in receivers:
            raise ScriptError(f"{sender} sends nothing to itself")
        return receivers

    def _links_between(self, kind: FaultKind, a: Names, b: Names, one_way: bool) -> tuple[Link, ...]:
        """All links between those and these: what is done to datagrams needs some there."""
        links = self._between(a, b, one_way)
        for sender, _ in links if kind.comes_upon == DATAGRAM else ():
            if not datagram_kinds(self._settings_of(sender)):
                needed = 'settings={"family": "gms", "gms_udp": "both"}'
                raise ScriptError(
                    f"{kind.spoken}: {sender} sends none; it takes {needed}, or heartbeats or notifications"
                )
        return links


def known_in(formed: Sequence[str], name: object) -> str:
    if not isinstance(name, str) or name not in formed:
        raise ScriptError(f"{name} is not a node of this run ({', '.join(formed) or 'none yet'})")
    return name


def all_known_in(formed: Sequence[str], names: object) -> list[str]:
    """One name alone will do for a list of names."""
    if not isinstance(names, Iterable):
        raise ScriptError(f"give the name of a node, or a list of names, not {names!r}")
    return [known_in(formed, name) for name in ([names] if isinstance(names, str) else names)]


def partition_in(settings: Settings, number: int) -> int:
    if whole(number, "a partition") >= settings.partition_count:
        raise ScriptError(f"a partition is at most {settings.partition_count - 1} here, not {number}")
    return number


def named_values(what: str, values: object) -> Mapping[str, object]:
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise ScriptError(f"{what}: give names with their values, {{'heartbeat_interval_seconds': 1}}, not {values!r}")
    return values


def checked(kind: FaultKind, **values: int | None) -> None:
    """Values of its parameters, by what its row says of them; None: nothing is said."""
    given: list[tuple[Parameter, int]] = []
    for each in kind.parameters:
        if each.name not in values or (values[each.name] is None and not each.usual):
            continue
        said = each.said or f"{each.name} of {kind.verb}"
        value = whole(values[each.name], said, least=each.least)
        given.append((each, value))
        if each.most is not None and value > each.most:
            raise ScriptError(f"{said} is at most {each.most}, not {value}")
    if kind.any_of and not any(value for each, value in given if each.name in kind.any_of):
        raise ScriptError(f"{kind.verb} needs a {' or a '.join(kind.any_of)}")
    for each, value in given:
        other = values.get(each.no_more_than)
        if other is not None and value > other:
            raise ScriptError(f"{kind.verb} needs a {each.name} that is no larger than the {each.no_more_than}")
    for each, value in given:
        if value % each.step:
            raise ScriptError(f"{kind.verb} takes {each.steps}: the real proxy knows no others")


def whole(value: object, what: str, *, least: int | None = 0) -> Micros:
    """Times and counts are whole: a float that came in would end all order."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ScriptError(f"{what} is a whole number (a time has microseconds: 5 * SECOND // 2), not {value!r}")
    if least is not None and value < least:
        raise ScriptError(f"{what} is at least {least}, not {value}")
    return value
