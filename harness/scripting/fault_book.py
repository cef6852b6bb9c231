"""The book of a script's faults: how each becomes an action of the world, and its receipt a fact of the history.

Every fault leaves a receipt: asked, took effect (and how we know), ended. One that takes no effect does not stop the
script, but nothing can be said about the run any more: its verdict is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from shaketable.harness.actions import Action, Begin, End, Kill, Leave, NoEffect, Receipt, Reset, Restart
from shaketable.harness.errors import ScriptError
from shaketable.harness.faults import (
    ClockFault,
    Fault,
    FaultTable,
    Hold,
    Link,
    LinkFault,
    Load,
    MessageFault,
    NodeFault,
    Pause,
)
from shaketable.harness.links import LinkState
from shaketable.harness.records import FaultAsked, FaultEndAsked, FaultEnded, FaultTook, FaultWithoutEffect
from shaketable.harness.scripting.driver import World
from shaketable.harness.scripting.steps import Act, Cancelled
from shaketable.node.env import MILLISECOND, SECOND


@dataclass(frozen=True, slots=True)
class Injected:
    """A fault that was asked for; `heal` ends just this one."""

    number: int
    verb: str


class FaultBook:
    def __init__(self, world: World) -> None:
        self._world = world
        self._last = 0
        self._asked: dict[int, Fault] = {}
        """all that last, whatever became of them"""
        self._healed: dict[int, bool] = {}
        self.table: Final = FaultTable()

    async def begin(self, fault: Fault) -> Injected:
        links = fault.links if isinstance(fault, LinkFault) else ()
        nodes = (fault.node,) if isinstance(fault, NodeFault) else ()
        silences = isinstance(fault, LinkFault) and fault.state.silent
        number = self._ask(fault.verb, nodes, links, lasts=True, silences=silences, detail=_detail(fault))
        self._asked[number] = fault
        self.table.begin(number, fault)
        try:
            await self._take_effect(number, Begin(number, fault), _words(fault.verb, nodes, links))
        except Cancelled:
            await self.end(number)  # who asked for it never learns its number
            raise
        return Injected(number, fault.verb)

    async def once(self, verb: str, action: Kill | Leave | Restart) -> None:
        """What happens to a node and has no end of its own."""
        number = self._ask(verb, (action.node,), (), lasts=False)
        await self._take_effect(number, action, f"{verb} {action.node}")

    async def reset(self, links: tuple[Link, ...]) -> None:
        number = self._ask("reset", (), links, lasts=False)
        await self._take_effect(number, Reset(number, links), _words("reset", (), links))

    async def end(self, number: int) -> None:
        """Ends just this fault. One that took no effect, or whose process is gone, has ended already."""
        fault = self.table.active.get(number)
        if fault is None:
            return
        self._healed[number] = True
        if isinstance(fault, NodeFault) and self._gone(fault.node):
            self.end_all_in(fault.node)
            return
        self.table.end(number)
        self._world.record(FaultEndAsked(number))

        def record(receipt: Receipt | NoEffect) -> None:
            if isinstance(receipt, NoEffect):
                self._world.record(FaultWithoutEffect(number, f"its end: {receipt}"))
            else:
                self._world.record(FaultEnded(number, receipt.how))

        await Act(End(number), f"the end of fault {number} ({fault.verb})", record)

    def end_all_in(self, node: str) -> None:
        """A process that ends takes the faults inside it along."""
        for number in self.table.end_all_of(node):
            self._world.record(FaultEnded(number, f"the process of {node} is gone"))

    def is_filter(self, number: int) -> bool:
        """It acts on messages by their kind."""
        return isinstance(self._asked.get(number), MessageFault)

    def healed(self, number: int) -> bool:
        return number in self._healed

    def pauses_of(self, node: str) -> list[int]:
        """Also those that took no effect."""
        pauses = [n for n, f in self._asked.items() if isinstance(f, Pause) and f.node == node]
        return [n for n in pauses if not self.healed(n)]

    def finish(self) -> None:
        """The script has ended: a filter that caught nothing and a hold that held nobody took no effect after all."""
        seen = self._world.observed
        took = {n: f for n, f in self._asked.items() if n in seen.faults and not seen.faults[n].without_effect}
        for number, fault in took.items():
            match fault:
                case MessageFault() if not seen.faults[number].fired:
                    what = " ".join(fault.kinds) or "message"
                    self._world.record(
                        FaultWithoutEffect(number, f"no message matched: {fault.node} sent no such {what}")
                    )
                case Hold(node=node, event=event, where=where) if not seen.faults[number].fired:
                    having = " and ".join(f"{name} {value}" for name, value in where)
                    so = f" with {having}" if having else ""
                    self._world.record(FaultWithoutEffect(number, f"{node} never came to {event}{so}"))

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
        self._last += 1
        self._world.record(FaultAsked(self._last, verb, nodes, _arrows(links), detail, lasts, silences))
        return self._last

    async def _take_effect(self, number: int, action: Action, words: str) -> None:
        def record(receipt: Receipt | NoEffect) -> None:
            if isinstance(receipt, NoEffect):
                self.table.end(number)
                self._world.record(FaultWithoutEffect(number, str(receipt)))
                return
            self._world.record(FaultTook(number, receipt.how))
            if isinstance(action, Kill | Leave | Restart):
                self.end_all_in(action.node)

        refusal = self._refusal(action)
        if refusal:
            record(NoEffect(refusal))
        else:
            await Act(action, words, record)

    def _refusal(self, action: Action) -> str:
        """What cannot be done to a node as it is: this reads the same in both worlds."""
        match action:
            case Kill(node=node) | Leave(node=node):
                pass
            case Begin(fault=fault) if isinstance(fault, NodeFault):
                node = fault.node
                if not isinstance(fault, Pause) and self._world.observed.paused(node):
                    return f"{node} is paused: nothing can be set in it"
            case _:
                return ""
        return f"{node} is not running ({self._world.observed.nodes[node].state})" if self._gone(node) else ""

    def _gone(self, node: str) -> bool:
        return self._world.observed.nodes[node].ended


def between(groups: Iterable[Iterable[str]]) -> tuple[Link, ...]:
    """The links, in both directions, between nodes of different groups."""
    all_groups = [list(group) for group in groups]
    names = [name for group in all_groups for name in group]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ScriptError(f"{twice} is in more than one group")
    return tuple(
        (a, b) for one in all_groups for other in all_groups if one is not other for a in one for b in other
    )  # fmt: skip


def _arrows(links: Iterable[Link]) -> tuple[str, ...]:
    return tuple(f"{a}->{b}" for a, b in links)


def _words(verb: str, nodes: Iterable[str], links: Iterable[Link]) -> str:
    return " ".join((verb, *nodes, *_arrows(links)))


def _detail(fault: Fault) -> str:
    """What the verb alone does not say, for people."""
    match fault:
        case LinkFault(state=LinkState(latency=latency, jitter=jitter)) if latency:
            return f"{latency / MILLISECOND:g} ms" + (f" +- {jitter / MILLISECOND:g} ms" if jitter else "")
        case LinkFault(state=LinkState(rate=int(rate))):
            return f"{rate} bytes/s"
        case Load(busy=busy):
            return f"{busy} busy process{'es' * (busy > 1)} a core"
        case ClockFault(jump=jump, rate_ppm=rate):
            return ", ".join([f"jump {jump / SECOND:g} s"] * bool(jump) + [f"rate {rate:+d} ppm"] * bool(rate))
        case MessageFault(to=to, count=count, delay=delay):
            parts = [f"to {' '.join(to)}"] * bool(to) + [f"the first {count}"] * (count is not None)
            return ", ".join([f"by {delay / MILLISECOND:g} ms"] * bool(delay) + parts)
        case Hold(event=event, after=after, nth=nth, where=where):
            which = f" with {', '.join(f'{name} {value}' for name, value in where)}" if where else ""
            return f"{'before' if after is None else f'after {after} of'} the messages of {event}{which} number {nth}"
        case _:
            return ""
