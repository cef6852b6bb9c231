"""What a chaos script sees: one class whose verbs yield steps, whichever world they act in.

Every fault leaves a receipt in the history: asked, took effect (and how we know), ended. A fault that takes no effect
does not stop a script; it makes the verdict unknown. Times are whole microseconds, best computed from `settings` and
`bounds`: `cluster.settings.heartbeat_timeout * 2`."""

from __future__ import annotations

import random
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shaketable.harness import conditions
from shaketable.harness.actions import Action, Begin, End, Kill, Leave, NoEffect, Receipt, Reset, Restart, Start
from shaketable.harness.checks.bounds import Bounds
from shaketable.harness.conditions import Condition
from shaketable.harness.faults import ClockFault, Fault, FaultTable, Hold, Link, LinkFault, MessageFault, Pause
from shaketable.harness.links import LinkState, Slices
from shaketable.harness.observed import NodeSeen
from shaketable.harness.records import (
    Expected,
    FaultAsked,
    FaultEndAsked,
    FaultEnded,
    FaultTook,
    FaultWithoutEffect,
    StepBegan,
)
from shaketable.harness.script import Act, Driver, ScriptError, Sleep, Together, Unmet, Until, World, calling_line
from shaketable.node import events, messages
from shaketable.node.config import Settings
from shaketable.node.env import MILLISECOND, SECOND, Micros

EVENT_NAMES = frozenset(
    name for name, kind in vars(events).items() if isinstance(kind, type) and issubclass(kind, events.Event)
)
MESSAGE_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in messages.AnyMessage.__args__)


@dataclass(frozen=True, slots=True)
class Injected:
    """A fault that was asked for; `heal` ends just this one."""

    number: int
    verb: str


class Cluster:
    def __init__(self, world: World, driver: Driver, settings: Settings, seed: int) -> None:
        self._world = world
        self._driver = driver
        self._table = FaultTable()
        self._last_fault = 0
        self._formed: list[str] = []
        self.settings = settings
        self.bounds = Bounds(settings)
        self.seed = seed
        self.rng = random.Random(f"{seed}/script")
        self.world = world.name

    # Forming

    async def form(self, *names: str, settings: Mapping[str, object] | None = None) -> None:
        """These nodes, one after the other, so that their names are in the order of their ages."""
        self._new_names(names)
        self._step(f"form {', '.join(names)}, one after the other")
        await self._perform(Start(names, names, settings or {}, run=False))
        await self._join_in_turn(names, names, settings or {})

    async def form_at_once(self, *names: str, settings: Mapping[str, object] | None = None) -> None:
        """These nodes all at once: who is oldest is decided by the start-up vote, see `members()`."""
        self._new_names(names)
        self._step(f"form {', '.join(names)}, all at once")
        await self._perform(Start(names, names, settings or {}, run=False))
        await self._perform(Start(names, names, settings or {}))
        self._formed += names
        await self._met(conditions.agree(names), self.bounds.forming)

    async def join(self, *names: str, settings: Mapping[str, object] | None = None) -> None:
        """More nodes, one after the other. They know all names so far; who runs already does not know theirs."""
        self._new_names(names)
        self._step(f"join {', '.join(names)}")
        addresses = (*self._formed, *names)
        await self._perform(Start(names, addresses, settings or {}, run=False))
        await self._join_in_turn(names, addresses, settings or {})

    async def start(self, *names: str, settings: Mapping[str, object] | None = None) -> None:
        """More nodes, at once, without waiting until they have joined."""
        self._new_names(names)
        self._step(f"start {', '.join(names)}")
        await self._perform(Start(names, (*self._formed, *names), settings or {}))
        self._formed += names

    async def _join_in_turn(
        self, names: Sequence[str], addresses: tuple[str, ...], settings: Mapping[str, object]
    ) -> None:
        for name in names:
            await self._perform(Start((name,), addresses, settings))
            self._formed.append(name)
            joined = [n.name for n in self._world.observed.awake()]
            await self._met(conditions.agree(joined), self.bounds.forming)

    # Faults of links

    async def cut(self, a: str, b: str, *, one_way: bool = False) -> Injected:
        """Connections drop, new ones are refused: the sender knows it at once."""
        return await self._links("cut", self._between(a, b, one_way), LinkState(cut=True))

    async def blackhole(self, a: str, b: str, *, one_way: bool = False) -> Injected:
        """Bytes vanish, connections look alive: only silence tells."""
        return await self._links("blackhole", self._between(a, b, one_way), LinkState(blackhole=True))

    async def slow(self, a: str, b: str, latency: Micros, *, jitter: Micros = 0, one_way: bool = False) -> Injected:
        if latency <= 0 or not 0 <= jitter <= latency:
            raise ScriptError(f"{calling_line()}: slow needs a latency above 0 and a jitter from 0 to the latency")
        return await self._links("slow", self._between(a, b, one_way), LinkState(latency=latency, jitter=jitter))

    async def thin(self, a: str, b: str, rate: int, *, one_way: bool = False) -> Injected:
        """At most `rate` bytes a second."""
        if rate < 1000:
            raise ScriptError(f"{calling_line()}: thin needs a rate of at least 1000 bytes a second, not {rate}")
        return await self._links("thin", self._between(a, b, one_way), LinkState(rate=rate))

    async def slice(self, a: str, b: str, slices: Slices | None = None, *, one_way: bool = False) -> Injected:
        """Data arrives in small pieces."""
        return await self._links("slice", self._between(a, b, one_way), LinkState(slices=slices or Slices()))

    async def reset(self, a: str, b: str, *, one_way: bool = False) -> Injected:
        """Connections drop once and may come back at once."""
        links = self._between(a, b, one_way)
        number = self._ask("reset", (), links, lasts=False)
        await self._receive_receipt(number, Reset(number, links))
        return Injected(number, "reset")

    async def flap(self, a: str, b: str, *, down: Micros, up: Micros, times: int, one_way: bool = False) -> None:
        """Cut and heal on a rhythm. To go on meanwhile, run it `together` with the rest."""
        for _ in range(times):
            fault = await self.cut(a, b, one_way=one_way)
            await self.sleep(down)
            await self.heal(fault)
            await self.sleep(up)

    async def isolate(self, name: str, *, how: str = "cut") -> Injected:
        """All links of this node, in both directions."""
        self._known(name)
        return await self._split("isolate", [[name], [n for n in self._formed if n != name]], how)

    async def split(self, *groups: Iterable[str], how: str = "cut") -> Injected:
        """All links between members of different groups."""
        return await self._split("split", [list(g) for g in groups], how)

    async def _split(self, verb: str, groups: Sequence[Sequence[str]], how: str) -> Injected:
        for name in [n for group in groups for n in group]:
            self._known(name)
        states = {"cut": LinkState(cut=True), "blackhole": LinkState(blackhole=True)}
        if how not in states:
            raise ScriptError(f"{calling_line()}: how is {' or '.join(states)}, not {how}")
        links = tuple(
            (a, b)
            for i, one in enumerate(groups)
            for j, other in enumerate(groups)
            if i != j
            for a in one
            for b in other
        )
        return await self._links(f"{verb} by {how}", links, states[how])

    async def _links(self, verb: str, links: tuple[Link, ...], state: LinkState) -> Injected:
        return await self._begin(LinkFault(verb, links, state))

    # Faults of nodes

    async def kill(self, name: str) -> None:
        """SIGKILL: a crash."""
        self._known(name)
        number = self._ask("kill", (name,), (), lasts=False)
        await self._receive_receipt(number, Kill(name))
        for ended in self._table.end_all_of(name):
            self._world.record(FaultEnded(ended, f"{name} was killed"))

    async def pause(self, name: str) -> Injected:
        """A long GC pause: nothing is executed, the clock runs on."""
        self._known(name)
        return await self._begin(Pause(name))

    async def resume(self, name: str) -> None:
        self._known(name)
        paused = [n for n, f in self._table.active.items() if isinstance(f, Pause) and f.node == name]
        if not paused:
            raise ScriptError(f"{calling_line()}: {name} is not paused")
        for number in paused:
            await self._end(number)

    async def leave(self, name: str) -> None:
        """Graceful shutdown; returns when the node has ended."""
        self._known(name)
        number = self._ask("leave", (name,), (), lasts=False)
        await self._receive_receipt(number, Leave(name))

    async def restart(self, name: str) -> None:
        """The same address with a new identity, after a kill or a leave; does not wait until it has joined."""
        self._known(name)
        number = self._ask("restart", (name,), (), lasts=False)
        await self._receive_receipt(number, Restart(name))

    async def clock(self, name: str, *, jump: Micros = 0, rate_ppm: int = 0) -> Injected:
        """The node's clock jumps ahead, or runs this many millionths fast (slow if negative) until it is healed."""
        self._known(name)
        if jump < 0 or not -500_000 <= rate_ppm <= 500_000:
            raise ScriptError(f"{calling_line()}: a clock jumps only ahead, and runs at most 500000 ppm fast or slow")
        return await self._begin(ClockFault(name, jump, rate_ppm))

    async def drop(self, kind: str, *, sender: str, to: Sequence[str] = (), count: int | None = None) -> Injected:
        """Messages of this kind ("membersupdate") that `sender` sends are lost."""
        return await self._filter("drop", kind, sender, to, count)

    async def hold_back(self, kind: str, *, sender: str, to: Sequence[str] = (), count: int | None = None) -> Injected:
        """They wait until the fault is healed, and then arrive after their successors."""
        return await self._filter("hold back", kind, sender, to, count)

    async def delay(
        self, kind: str, by: Micros, *, sender: str, to: Sequence[str] = (), count: int | None = None
    ) -> Injected:
        return await self._filter("delay", kind, sender, to, count, by)

    async def _filter(
        self, does: str, kind: str, sender: str, to: Sequence[str], count: int | None, delay: Micros = 0
    ) -> Injected:
        for name in (sender, *to):
            self._known(name)
        if kind not in MESSAGE_KINDS:
            raise ScriptError(
                f"{calling_line()}: there is no message {kind}; there are {', '.join(sorted(MESSAGE_KINDS))}"
            )
        return await self._begin(MessageFault(sender, does, (kind,), tuple(to), count, delay))

    async def hold(self, name: str, event: str, *, after: int | None = None, nth: int = 1) -> Injected:
        """The node is to hold at its `nth` event of this kind, before the step's messages leave or after k of them."""
        self._known(name)
        if event not in EVENT_NAMES:
            raise ScriptError(
                f"{calling_line()}: there is no event {event}; there are {', '.join(sorted(EVENT_NAMES))}"
            )
        return await self._begin(Hold(name, event, after, nth))

    async def until_held(self, name: str, event: str, *, within: Micros) -> None:
        await self.until(conditions.is_held(name, event), within=within)

    # Ending faults

    async def heal(self, fault: Injected) -> None:
        """Ends just this fault; the link is then as bad as the worst that is left."""
        if fault.number not in self._table.active:
            raise ScriptError(f"{calling_line()}: fault {fault.number} ({fault.verb}) has ended already")
        await self._end(fault.number)

    async def heal_link(self, a: str, b: str) -> None:
        """Ends every fault that touches the link, in either direction."""
        self._between(a, b, False)
        for number in sorted({*self._table.numbers(link=(a, b)), *self._table.numbers(link=(b, a))}):
            await self._end(number)

    async def heal_all(self) -> None:
        """Ends every fault that lasts."""
        numbers = list(self._table.active)
        if numbers:
            await self.together(*(self._end(n) for n in numbers))

    # Waiting and expecting

    async def sleep(self, time: Micros) -> None:
        if time < 0:
            raise ScriptError(f"{calling_line()}: nobody can sleep for {time} us")
        await Sleep(time)

    async def until(self, condition: Condition, *, within: Micros) -> None:
        """Goes on when the condition holds; if it does not within that time, the run has failed."""
        self._step(f"until {condition.label}")
        await self._met(condition, within)

    async def expect(self, condition: Condition, *, within: Micros) -> None:
        """What must hold at the end: `within` counts from the receipt of the last fault."""
        self._step(f"expect that {condition.label}")
        bound = within + self._world.allowance
        why_not = await Until(condition, self._world.observed.last_receipt + bound)
        self._world.record(Expected(condition.label, bound, why_not is None, why_not or ""))
        if why_not is not None:
            raise Unmet(f"expected within {bound / SECOND:g} s of the last fault: {condition.label}; but {why_not}")

    def always(self, condition: Condition) -> None:
        """From now on this must hold at every moment of the run."""
        self._driver.always(condition)

    async def together(self, *scripts: Coroutine[Any, Any, Any]) -> list[Any]:
        """At once; returns all results in order. If one fails the others are cancelled, then it fails too."""
        return await Together(scripts)

    async def _met(self, condition: Condition, within: Micros) -> None:
        within += self._world.allowance
        why_not = await Until(condition, self._world.now() + within)
        if why_not is not None:
            raise Unmet(f"waited {within / SECOND:g} s until {condition.label}; but {why_not}")

    # Looking

    def view(self, name: str) -> NodeSeen:
        """What this node believes, as far as it has reported it."""
        self._known(name)
        return self._world.observed.nodes[name]

    def members(self) -> list[str]:
        """By age, in the list of the oldest node that runs and has joined."""
        seen = self._world.observed
        joined = [n for n in seen.awake() if n.joined]
        return seen.names_of(max(joined, key=lambda n: n.version).members) if joined else []

    def master(self) -> str:
        members = self.members()
        if not members:
            raise ScriptError(f"{calling_line()}: nobody has joined, so there is no master")
        return members[0]

    def agree(self, *names: str) -> Condition:
        """These nodes, and no others, are the members of each one's list, in one order and version."""
        return conditions.agree([self._known(n) for n in names])

    def settled(self) -> Condition:
        return conditions.settled()

    def suspects(self, who: str, whom: str) -> Condition:
        return conditions.suspects(self._known(who), self._known(whom))

    def trusts(self, who: str, whom: str) -> Condition:
        return conditions.trusts(self._known(who), self._known(whom))

    def follows(self, who: str, whom: str) -> Condition:
        return conditions.follows(self._known(who), self._known(whom))

    # How a fault becomes an action and its receipt a fact

    async def _begin(self, fault: Fault) -> Injected:
        links = fault.links if isinstance(fault, LinkFault) else ()
        nodes = () if isinstance(fault, LinkFault) else (fault.node,)
        silences = isinstance(fault, LinkFault) and fault.state.silent
        number = self._ask(fault.verb, nodes, links, lasts=True, silences=silences, detail=_detail(fault))
        self._table.begin(number, fault)
        if not await self._receive_receipt(number, Begin(number, fault)):
            self._table.end(number)
        return Injected(number, fault.verb)

    async def _end(self, number: int) -> None:
        if number not in self._table.active:
            return
        self._table.end(number)
        self._world.record(FaultEndAsked(number))
        receipt = await Act(End(number))
        if isinstance(receipt, Receipt):
            self._world.record(FaultEnded(number, receipt.how))
        else:
            self._world.record(FaultWithoutEffect(number, f"its end: {receipt}"))

    def _ask(
        self,
        verb: str,
        nodes: tuple[str, ...],
        links: tuple[Link, ...],
        *,
        lasts: bool,
        silences: bool = False,
        detail: str = "",
    ) -> int:
        self._last_fault += 1
        arrows = tuple(f"{a}->{b}" for a, b in links)
        self._world.record(FaultAsked(self._last_fault, verb, nodes, arrows, detail, lasts, silences))
        return self._last_fault

    async def _receive_receipt(self, number: int, action: Action) -> bool:
        receipt = await Act(action)
        if isinstance(receipt, NoEffect):
            self._world.record(FaultWithoutEffect(number, str(receipt)))
            return False
        self._world.record(FaultTook(number, receipt.how))
        return True

    async def _perform(self, action: Start) -> None:
        receipt = await Act(action)
        if isinstance(receipt, NoEffect):
            raise ScriptError(f"{', '.join(action.nodes)} could not be started: {receipt}")

    def _step(self, what: str) -> None:
        self._world.record(StepBegan(what))

    def _new_names(self, names: Sequence[str]) -> None:
        for name in names:
            if name in self._formed or not name.replace("-", "").replace("_", "").isalnum():
                raise ScriptError(
                    f"{calling_line()}: {name!r} is no name for a new node: it is taken, or not letters and digits"
                )
        if len(set(names)) != len(names) or not names:
            raise ScriptError(f"{calling_line()}: give each node a name, and each name once")

    def _known(self, name: str) -> str:
        if name not in self._formed:
            raise ScriptError(
                f"{calling_line()}: {name} is not a node of this run ({', '.join(self._formed) or 'none yet'})"
            )
        return name

    def _between(self, a: str, b: str, one_way: bool) -> tuple[Link, ...]:
        if self._known(a) == self._known(b):
            raise ScriptError(f"{calling_line()}: there is no link from {a} to itself")
        return ((a, b),) if one_way else ((a, b), (b, a))


def _detail(fault: Fault) -> str:
    """What the verb alone does not say, for people."""
    match fault:
        case LinkFault(state=LinkState(latency=latency, jitter=jitter)) if latency:
            return f"{latency / MILLISECOND:g} ms" + (f" +- {jitter / MILLISECOND:g} ms" if jitter else "")
        case LinkFault(state=LinkState(rate=int(rate))):
            return f"{rate} bytes/s"
        case ClockFault(jump=jump, rate_ppm=rate):
            return ", ".join([f"jump {jump / SECOND:g} s"] * bool(jump) + [f"rate {rate:+d} ppm"] * bool(rate))
        case MessageFault(to=to, count=count):
            return ", ".join([f"to {' '.join(to)}"] * bool(to) + [f"the first {count}"] * (count is not None))
        case Hold(event=event, after=after, nth=nth):
            return f"{'before' if after is None else f'after {after} of'} the messages of {event} number {nth}"
        case _:
            return ""
