"""What a link does, seen in the bytes that went into it and came out of it: for nodes that send no probes of ours.

The kernel counts them for the link server's own sockets. Nobody can tell which of a server's connections belongs to
which of its listening ports, so what comes out of a link goes through a second proxy that does nothing: the sockets
that this one accepts have what came out. A connection of such nodes carries both directions, so that a link has the
connections that its sender has opened, and those that its receiver has.

Where nothing is sent nothing can be seen, and the receipt says so."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import Link, arrow
from shaketable.harness.worlds.real.evidence import EVIDENCE_LIMIT, READ_BACK, Ask
from shaketable.harness.worlds.real.tcp_counts import Port, Sockets, sockets
from shaketable.node.core.env import MILLISECOND, SECOND, Micros

LOOK_EVERY: Final = 0.02
"""seconds"""
ON_ITS_WAY: Final = 0.1
"""seconds in which what was inside of a link when it was changed comes out"""
NOTICEABLE: Final[Micros] = 20 * MILLISECOND
NOTHING_SENT: Final = f"{READ_BACK}: nothing was sent over it"


class Ends(NamedTuple):
    """Where the connections of a link are accepted."""

    doors: tuple[Port, ...]
    """before it does anything to them: one for each port that its receiver listens at"""
    mouths: tuple[Port, ...]
    """afterwards, in the same order"""


class Flow(NamedTuple):
    """Bytes of one link, since some moment."""

    into: int
    out: int


class _Entered(NamedTuple):
    """So many bytes had gone into a link by a look at it, some of them only since the look before."""

    into: int
    not_before: float
    by: float


class Counted:
    waits = True

    def __init__(self, ends: Callable[[Link], Ends], hindrance: Callable[[str], str]) -> None:
        """`hindrance`: why this node sends nothing now, "" if it may."""
        self._ends = ends
        self._hindrance = hindrance
        self._looked_at = 0.0
        self._looked: Sockets | None = None
        self._ports: dict[int, None] = {}
        self._turn: dict[Link, int] = {}

    async def of(
        self, links: Iterable[Link], before: Mapping[Link, LinkState], now: Mapping[Link, LinkState], change: Ask
    ) -> list[str]:
        turns = {link: self._next_turn(link) for link in links}
        await change()
        return await asyncio.gather(*(self._see(link, before[link], now[link], turns[link]) for link in turns))

    async def of_resets(self, links: Iterable[Link], change: Ask) -> list[str]:
        links = list(links)
        for link in links:
            self._next_turn(link)
        there = {link: self._connections(link, self._look(afresh=True)) for link in links}
        for link in links:
            if not there[link] and not there.get(link[::-1]):
                raise NoEffect(f"the link {arrow(link)} is not up")
        await change()
        return await asyncio.gather(*(self._gone(link, there[link]) for link in links))

    async def drained(self, link: Link, state: LinkState, limit: Micros) -> bool:
        """No count shows that nothing more is to come."""
        return False

    def _next_turn(self, link: Link) -> int:
        self._turn[link] = self._turn.get(link, 0) + 1
        for each in (link, link[::-1]):
            self._ports.update(dict.fromkeys(port for _, port in self._ends(each).doors))
        return self._turn[link]

    # What is seen at a moment

    def _look(self, afresh: bool = False) -> Sockets:
        """One look for all links that are waited for."""
        now = asyncio.get_running_loop().time()
        if self._looked is None or afresh or now >= self._looked_at + LOOK_EVERY / 2:
            self._looked, self._looked_at = sockets(self._ports), now
        return self._looked

    def _connections(self, link: Link, seen: Sockets) -> frozenset[tuple[Port, Port]]:
        """Through its own proxy."""
        doors = self._ends(link).doors
        return frozenset(ends for ends in seen.connections if ends[0] in doors)

    def _flow(self, link: Link, since: Sockets, now: Sockets) -> Flow:
        """The bytes of this direction: of connections that its sender opened, and of those that its receiver did."""
        there, back = self._ends(link), self._ends(link[::-1])
        into = out = 0
        for ends, counts in now.connections.items():
            was = since.connections.get(ends, (0, 0))
            sent, received = counts.sent - was[0], counts.received - was[1]
            into += received * (ends[0] in there.doors) + sent * (ends[0] in back.mouths)
            out += received * (ends[0] in there.mouths) + sent * (ends[0] in back.doors)
        return Flow(into, out)

    # Evidence

    async def _see(self, link: Link, before: LinkState, now: LinkState, turn: int) -> str:
        if now.cut:
            if before.cut:
                return f"{READ_BACK}: {self.why_nothing(link) or 'it is cut already'}"
            return await self._closed(link)
        if before.cut:
            return await self._open(link)
        watch = _Watch(self, link, turn)
        if now.blackhole and before.blackhole:
            return f"{READ_BACK}: it swallows everything already"
        if now.blackhole:
            inside = max(before.latency + before.jitter, now.latency + now.jitter)
            return await self._swallowed(watch, ON_ITS_WAY + inside / SECOND)
        if before.blackhole:
            return await self._passed(watch)
        least = (now.latency - now.jitter) * 3 // 4
        if least >= NOTICEABLE and now.latency != before.latency:
            return await self._delayed(watch, least, now.latency + now.jitter)
        return f"{READ_BACK}: no count shows it"

    async def _closed(self, link: Link) -> str:
        doors = self._ends(link).doors

        def closed() -> bool:
            seen = self._look()
            return seen.listen.isdisjoint(doors) and not self._connections(link, seen)

        await self._comes(closed, f"{arrow(link)} was cut, and its port still takes connections or has some")
        return "its port takes no connection, and none is left"

    async def _open(self, link: Link) -> str:
        doors = self._ends(link).doors
        await self._comes(
            lambda: self._look().listen.issuperset(doors), f"{arrow(link)} was healed, and its port is closed"
        )
        return "its port takes connections again"

    async def _gone(self, link: Link, there: frozenset[tuple[Port, Port]]) -> str:
        def gone() -> bool:
            return not there & self._connections(link, self._look())

        await self._comes(gone, f"{arrow(link)} was reset, and its connections are still there")
        return "the connections that it had are gone"

    async def _comes(self, true: Callable[[], bool], otherwise: str) -> None:
        ends = asyncio.get_running_loop().time() + EVIDENCE_LIMIT
        while not true():
            if asyncio.get_running_loop().time() > ends:
                raise NoEffect(otherwise)
            await asyncio.sleep(LOOK_EVERY)

    async def _swallowed(self, watch: _Watch, on_its_way: float) -> str:
        """`on_its_way`: seconds after which all that had gone in before must be out."""
        late = False
        await asyncio.sleep(on_its_way)
        watch.begin()
        while not (why := watch.over()):
            await asyncio.sleep(LOOK_EVERY)
            if watch.flow().into and not watch.flow().out:
                await asyncio.sleep(on_its_way)
                flow = watch.flow()
                if not flow.out:
                    return f"{flow.into} bytes went in and none came out"
            if watch.flow().out:
                late = watch.half_over
                watch.begin()
        if late and watch.in_vain:
            raise NoEffect(f"{arrow(watch.link)} was to swallow everything, and bytes come out of it")
        return why

    async def _passed(self, watch: _Watch) -> str:
        watch.begin()
        while not (why := watch.over()):
            await asyncio.sleep(LOOK_EVERY)
            if watch.flow().out:
                return "bytes come out again"
        if watch.in_vain and watch.flow().into:
            raise NoEffect(f"{arrow(watch.link)} was healed, and bytes go in and none come out")
        return why

    async def _delayed(self, watch: _Watch, least: Micros, quiet: Micros) -> str:
        """Bytes that have gone in by some look, and were not all out so much later. All that was in it before comes
        out first, and can only make that time look shorter. It is empty if all that went in is out after a silence."""
        now = asyncio.get_running_loop().time
        watch.begin()
        entered: deque[_Entered] = deque()
        before = at = now()
        into = 0
        empty = refuted = False
        while not (why := watch.over()):
            await asyncio.sleep(LOOK_EVERY / 4)
            flow, looked = watch.flow(), now()
            if not empty and looked - at >= quiet / SECOND:
                empty = flow.into == flow.out
                if not empty:
                    watch.begin()
                    entered.clear()
                    into, at = 0, looked
                    continue
            if flow.into > into:
                into, at = flow.into, looked
                entered.append(_Entered(into, not_before=before, by=looked))
            while entered and flow.out >= entered[0].into:
                first = entered.popleft()
                if before - first.by >= least / SECOND:
                    return f"bytes took {least / MILLISECOND:.0f} ms or more"
                refuted |= empty and looked - first.not_before < least / SECOND
            before = looked
        if refuted:
            raise NoEffect(f"{arrow(watch.link)} was to be slow, and bytes come out of it too soon")
        return why

    def overtaken(self, link: Link, turn: int) -> bool:
        return self._turn[link] != turn

    def why_nothing(self, link: Link) -> str:
        return self._hindrance(link[0]) or self._hindrance(link[1])


class _Watch:
    """Over one link, until something is seen, or nothing can be any more."""

    def __init__(self, counted: Counted, link: Link, turn: int) -> None:
        self.link = link
        self._counted = counted
        self._turn = turn
        self._ends = asyncio.get_running_loop().time() + EVIDENCE_LIMIT
        self._since: Sockets
        self.in_vain = False
        """its time is up, and nothing hindered its two ends"""

    def begin(self) -> None:
        self._since = self._counted._look(afresh=True)

    def flow(self) -> Flow:
        return self._counted._flow(self.link, self._since, self._counted._look())

    @property
    def half_over(self) -> bool:
        return asyncio.get_running_loop().time() > self._ends - EVIDENCE_LIMIT / 2

    def over(self) -> str:
        if self._counted.overtaken(self.link, self._turn):
            return f"{READ_BACK}: the next change came first"
        if why := self._counted.why_nothing(self.link):
            return f"{READ_BACK}: {why}"
        self.in_vain = asyncio.get_running_loop().time() > self._ends
        return NOTHING_SENT if self.in_vain else ""
