"""The book of a script's faults: how each becomes an action of the world, and its receipt a fact of the history.

Every fault leaves a receipt: asked, took effect (and how we know), ended. One that takes no effect does not stop the
script, but nothing can be said about the run any more: its verdict is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.actions import Action, Begin, End, Kill, Leave, NoEffect, Receipt, Reset, Restart
from shaketable.harness.faults.link_kinds import RESET
from shaketable.harness.faults.table import FaultTable, Link, LinkFault, MessageFault, NodeFault, OnLinks, Pause
from shaketable.harness.faults.verb import BY_ITSELF, DATAGRAM, MESSAGE, Fault, FaultKind
from shaketable.harness.records import (
    FaultAsked,
    FaultEndAsked,
    FaultEnded,
    FaultMayMiss,
    FaultTook,
    FaultWithoutEffect,
    Missed,
)
from shaketable.harness.scripting.fault_words import arrows, came_upon_nothing, detail_of, values_of, words_of
from shaketable.harness.scripting.steps import Act, Cancelled
from shaketable.harness.scripting.world import World


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
        self._may_miss: dict[int, bool] = {}
        self._rhythms: dict[int, tuple[tuple[Link, ...], int]] = {}
        """those that go on: their links, and the last of the faults that each is made of"""
        self.table: Final = FaultTable()

    async def begin(self, fault: Fault, *, of: int = 0, perhaps: bool = False) -> Injected:
        """`of`: the fault that it is a part of, if it is one. `perhaps`: nothing need come upon it."""
        if type(fault) not in self._world.acts:
            kind, world = type(fault).__name__, self._world.name
            raise ScriptError(f"{fault.verb} cannot be done in the {world} world: it has no act for {kind}")
        links = fault.links if isinstance(fault, OnLinks) else ()
        nodes = (fault.node,) if isinstance(fault, NodeFault) else ()
        silences = isinstance(fault, LinkFault) and fault.state.silent
        by = fault.by if isinstance(fault, LinkFault) else None
        detail = f"of fault {of}" if of else detail_of(fault)
        number = self._ask(
            fault.kind,
            nodes,
            links,
            verb=fault.verb,
            by=by,
            silences=silences,
            detail=detail,
            to=fault.to if isinstance(fault, MessageFault) else (),
            values=values_of(fault),
            part_of=of or None,
        )
        self._asked[number] = fault
        if perhaps:
            self._may_miss[number] = True
            self._world.record(FaultMayMiss(number))
        self.table.begin(number, fault)
        try:
            await self._take_effect(number, Begin(number, fault), words_of(fault.verb, nodes, links))
            if fault.kind.ends == BY_ITSELF:
                await self.end(number)
        except Cancelled:
            await self.end(number)  # who asked for it never learns its number
            raise
        return Injected(number, fault.verb)

    def begin_rhythm(self, kind: FaultKind, links: tuple[Link, ...], detail: str) -> int:
        """What is made of faults that come and go until it is healed as a whole. They have the links, it has none: the
        checks know it by them."""
        number = self._ask(kind, (), (), detail=f"{', '.join(arrows(links))}: {detail}")
        self._rhythms[number] = links, 0
        return number

    async def beat(self, number: int, fault: LinkFault) -> None:
        """The next of the faults that it is made of; its receipt is that of the first."""
        part = self._last + 1
        self._rhythms[number] = fault.links, part
        await self.begin(fault, of=number)
        if number in self._rhythms and not self._world.observed.faults[number].active:
            first = self._world.observed.faults[part]
            if first.missed:
                del self._rhythms[number]
                self._world.record(FaultWithoutEffect(number, first.without_effect, Missed.PART))
            else:
                self._world.record(FaultTook(number, f"its first {fault.verb}, fault {part}, took effect"))

    def goes_on(self, number: int) -> bool:
        return number in self._rhythms

    def part_of(self, number: int) -> int:
        return self._rhythms[number][1]

    async def once(self, kind: FaultKind, action: Kill | Leave | Restart) -> None:
        """What happens to a node and has no end of its own."""
        number = self._ask(kind, (action.node,), ())
        await self._take_effect(number, action, f"{kind.spoken} {action.node}")

    async def reset(self, links: tuple[Link, ...]) -> None:
        number = self._ask(RESET, (), links)
        await self._take_effect(number, Reset(number, links), words_of(RESET.spoken, (), links))

    async def end(self, number: int) -> None:
        """Ends just this fault. One that took no effect, or whose process is gone, has ended already."""
        if number in self._rhythms:
            self._healed[number] = True
            self._world.record(FaultEndAsked(number))
            _, part = self._rhythms.pop(number)
            await self.end(part)
            self._world.record(FaultEnded(number, "it goes on no more"))
            return
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
            if (
                isinstance(receipt, NoEffect)
                and number in self._may_miss
                and not self._world.observed.faults[number].fired
            ):
                self._world.record(FaultEnded(number, str(receipt)))
            elif isinstance(receipt, NoEffect):
                self._world.record(FaultWithoutEffect(number, f"its end: {receipt}", Missed.END_UNSEEN))
            else:
                self._world.record(FaultEnded(number, receipt.how, receipt.made))

        await Act(End(number), f"the end of fault {number} ({fault.verb})", record)

    def on(self, *links: Link) -> list[int]:
        """The faults that are on, or those which touch one of these links: what others are made of comes first."""
        rhythms = [n for n, (of, _) in self._rhythms.items() if not links or not set(links).isdisjoint(of)]
        touching = {n: True for link in links for n in self.table.numbers(link=link)}
        return [*rhythms, *(sorted(touching) if links else self.table.active)]

    def end_all_in(self, node: str) -> None:
        """A process that ends takes the faults inside it along."""
        for number in self.table.end_all_of(node):
            self._world.record(FaultEnded(number, f"the process of {node} is gone"))

    def is_filter(self, number: int) -> bool:
        """It acts on single messages, by their kind, or on datagrams."""
        fault = self._asked.get(number)
        return fault is not None and fault.kind.comes_upon in (MESSAGE, DATAGRAM)

    def healed(self, number: int) -> bool:
        return number in self._healed

    def pauses_of(self, node: str) -> list[int]:
        """Also those that took no effect."""
        pauses = [n for n, f in self._asked.items() if isinstance(f, Pause) and f.node == node]
        return [n for n in pauses if not self.healed(n)]

    def finish(self) -> None:
        """The script has ended: a filter that caught nothing and a hold that held nobody took no effect after all."""
        seen = self._world.observed
        told = {n: seen.faults[n] for n in self._asked if n in seen.faults and n not in self._may_miss}
        took = {n: self._asked[n] for n, fault in told.items() if not fault.missed}
        for number, fault in took.items():
            if fault.kind.comes_upon and not seen.faults[number].fired:
                self._world.record(FaultWithoutEffect(number, came_upon_nothing(fault), Missed.CAME_UPON_NOTHING))

    def _ask(
        self,
        kind: FaultKind,
        nodes: tuple[str, ...],
        links: tuple[Link, ...],
        *,
        verb: str = "",
        by: FaultKind | None = None,
        silences: bool = False,
        detail: str = "",
        to: tuple[str, ...] = (),
        values: tuple[tuple[str, int], ...] = (),
        part_of: int | None = None,
    ) -> int:
        """`verb`: as the history tells it, where that is more than its kind."""
        self._last += 1
        kinds = (kind.verb,) if by is None else (kind.verb, by.verb)
        told = verb or kind.spoken
        asked = FaultAsked(
            self._last, told, nodes, arrows(links), detail, kind.lasts, silences, kinds, to, values, part_of
        )
        self._world.record(asked)
        return self._last

    async def _take_effect(self, number: int, action: Action, words: str) -> None:
        def record(receipt: Receipt | NoEffect, how: Missed = Missed.UNSEEN) -> None:
            if isinstance(receipt, NoEffect):
                self.table.end(number)
                self._world.record(FaultWithoutEffect(number, str(receipt), how))
                return
            self._world.record(FaultTook(number, receipt.how, receipt.made))
            if isinstance(action, Kill | Leave | Restart):
                self.end_all_in(action.node)

        refusal = self._refusal(action)
        if refusal:
            record(NoEffect(refusal), Missed.REFUSED)
        else:
            await Act(action, words, record)

    def _refusal(self, action: Action) -> str:
        """What cannot be done to a node as it is: this reads the same in both worlds."""
        match action:
            case Kill(node=node) | Leave(node=node):
                pass
            case Begin(fault=fault) if isinstance(fault, NodeFault):
                node = fault.node
                if fault.kind.inside and self._world.observed.paused(node):
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
