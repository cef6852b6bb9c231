"""What a link does, seen by the nodes at its two ends: their own probes pass it or do not.

A cut shows in the sender's own report that its link went down; a heal in its report that it came up; a black hole in a
probe that does not arrive; all else in probes that arrive as late as they should. Where no probe can go, as one end
does not run, the receipt says so. A link that its node has hung up has nothing to lose; a probe opens it to see it
healed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import Link, arrow
from shaketable.harness.worlds.real.evidence import EVIDENCE_LIMIT, READ_BACK, Ask
from shaketable.harness.worlds.real.nodes import RealNode
from shaketable.harness.worlds.real.probes import FOR_EVER, LOOK_AGAIN, Probes
from shaketable.node.core.env import MILLISECOND, SECOND, Micros

HUNG_UP: Final = "its node has hung it up"
SILENCE: Final[Micros] = 100 * MILLISECOND
"""a probe that has not come by then, beyond the latency of its link, was swallowed"""
NOTICEABLE: Final[Micros] = 20 * MILLISECOND
"""a shorter delay is not told from a busy machine's own"""
PADDED: Final[Micros] = 200 * MILLISECOND
"""for so long a probe may keep a thin link busy"""


@dataclass(frozen=True, slots=True)
class Passage:
    """How long a probe must take, and may take at most, when the link is as it should be."""

    padding: int
    least: Micros
    most: Micros
    narrow: bool
    """the link lets so little through that probes would queue up before what the nodes have to say"""
    words: str
    """what a probe that took so long shows, and no more than that"""


class Sight(NamedTuple):
    """Whether the nodes showed it, or the link server alone says so; and the words for it."""

    seen: bool
    words: str


class Mark(NamedTuple):
    """What was known of a link just before it was changed."""

    turn: int
    up: bool
    ups: int
    downs: int


def passage(before: LinkState, now: LinkState) -> Passage:
    rate = before.rate if now.rate is None else now.rate
    # A slicer lets a few bytes pass at a time; and on a thin link nothing else passes before the padding has.
    padding = min(16_384, rate * PADDED // SECOND) if rate is not None and now.slices is None else 0
    least, was = _least_delay(now, padding), _least_delay(before, padding)
    # Nobody waits for a probe that comes sooner than any could before, if the link as it is now lets none come so soon:
    # where it stays thin and is slow no longer, the padding alone may take longer than that.
    least, better = least if least >= NOTICEABLE else 0, was >= _delay(now, padding) + NOTICEABLE
    if least:
        words = f"a probe took {least / MILLISECOND:.0f} ms or more"
    elif better or (before.silent and now.sound):
        words = "a probe arrived in time"
    else:
        words = "read back; a probe passed"  # as it would have before
    return Passage(
        padding, least, was if better else FOR_EVER - 1, now.rate is not None or now.slices is not None, words
    )


def _least_delay(state: LinkState, padding: int) -> Micros:
    """Three quarters of what it should be: what a probe that was sent in a burst of others still has to wait."""
    return (_delay(state, padding) - min(state.jitter, state.latency)) * 3 // 4


def _delay(state: LinkState, padding: int) -> Micros:
    """Of a probe with nothing before it, and no jitter."""
    return state.latency + (padding * SECOND // state.rate if state.rate is not None else 0)


class Probed:
    waits = False

    def __init__(self, nodes: Mapping[str, RealNode], probes: Probes) -> None:
        self._nodes = nodes
        self._probes = probes
        self._turn: dict[Link, int] = {}
        """how often each link was changed: evidence of a state that was overtaken by the next is not waited for"""

    async def of(
        self, links: Iterable[Link], before: Mapping[Link, LinkState], now: Mapping[Link, LinkState], change: Ask
    ) -> list[str]:
        marks = {link: self._mark(link) for link in links}
        await change()
        seen = (self._evidence(link, before[link], now[link], mark) for link, mark in marks.items())
        return await asyncio.gather(*seen)

    async def of_resets(self, links: Iterable[Link], change: Ask) -> list[str]:
        marks = {}
        for link in links:
            seen = self._probes.link(link)
            if not seen.up:
                raise NoEffect(f"the link {arrow(link)} is not up{f': {HUNG_UP}' if seen.hung_up else ''}")
            marks[link] = self._mark(link)
        await change()
        return await asyncio.gather(*(self._went_down_and_up(link, mark) for link, mark in marks.items()))

    async def drained(self, link: Link, state: LinkState, limit: Micros) -> bool:
        """Whether all that was sent over this link has arrived, as far as a probe behind it tells."""
        a, b = self._ends(link)
        if self._hindrance(link) or state.silent or not self._probes.link(link).up:
            return False
        delay = await self._probes.send(a, b, 0, limit)
        return delay is not None and delay != FOR_EVER

    def _ends(self, link: Link) -> tuple[RealNode, RealNode]:
        return self._nodes[link[0]], self._nodes[link[1]]

    def _hindrance(self, link: Link) -> str:
        a, b = self._ends(link)
        return a.cannot_probe() or b.cannot_probe() or (f"{b.name} holds" if b.held else "")

    def _mark(self, link: Link) -> Mark:
        turn = self._turn[link] = self._turn.get(link, 0) + 1
        seen = self._probes.link(link)
        return Mark(turn, seen.up, seen.ups, seen.downs)

    async def _evidence(self, link: Link, before: LinkState, now: LinkState, mark: Mark) -> str:
        try:
            return await asyncio.wait_for(self._see(link, before, now, mark), EVIDENCE_LIMIT)
        except TimeoutError:
            raise NoEffect(f"{arrow(link)} was set {_words(now)}, but nothing shows it: {self._stands(link)}") from None

    def _stands(self, link: Link) -> str:
        return "its sender has it up" if self._probes.link(link).up else "its sender has it down"

    async def _see(self, link: Link, before: LinkState, now: LinkState, mark: Mark) -> str:
        if now.cut:
            if before.cut:
                return "it is cut already"
            return (await self._down(link, mark)).words
        if before.cut and not now.blackhole:
            up = await self._up(link, mark)
            if not up.seen or now.sound:
                return up.words
        if now.blackhole:
            return await self._swallowed(link, now, mark)
        return await self._passed(link, passage(before, now), mark)

    async def _down(self, link: Link, mark: Mark) -> Sight:
        a, _ = self._ends(link)
        seen = self._probes.link(link)
        while seen.downs == mark.downs:
            if seen.hung_up:
                return _read_back(HUNG_UP)
            if not mark.up:
                return _read_back("it was not up" + (f", {why}" if (why := self._hindrance(link)) else ""))
            if why := a.cannot_probe() or self._overtaken(link, mark) or (f"{a.name} holds" if a.held else ""):
                return _read_back(why)
            await self._probes.news(LOOK_AGAIN)
        return Sight(True, "its sender's link went down")

    async def _up(self, link: Link, mark: Mark) -> Sight:
        a, b = self._ends(link)
        seen = self._probes.link(link)
        now = asyncio.get_running_loop().time
        probed = -LOOK_AGAIN
        while seen.ups == mark.ups:
            if why := self._hindrance(link) or self._overtaken(link, mark) or (f"{a.name} holds" if a.held else ""):
                return _read_back(why)
            if now() >= probed + LOOK_AGAIN:
                # Nothing else would open what its node has hung up; and a node that does so while it is down tells
                # nobody.
                await self._probes.send(a, b, 0, SILENCE)
                probed = now()
            else:
                await self._probes.news(LOOK_AGAIN)
        return Sight(True, "its sender has its link up again")

    async def _went_down_and_up(self, link: Link, mark: Mark) -> str:
        async def see() -> str:
            down = await self._down(link, mark)
            if not down.seen:
                return down.words
            up = await self._up(link, mark)
            return "it went down and came back" if up.seen else up.words

        try:
            return await asyncio.wait_for(see(), EVIDENCE_LIMIT)
        except TimeoutError:
            raise NoEffect(f"{arrow(link)} was reset, but nothing shows it: {self._stands(link)}") from None

    async def _swallowed(self, link: Link, now: LinkState, mark: Mark) -> str:
        a, b = self._ends(link)
        patience = SILENCE + now.latency + now.jitter
        while not (why := self._hindrance(link) or self._overtaken(link, mark)):
            if self._probes.link(link).hung_up:
                return _read_back(HUNG_UP).words
            delay = await self._probes.send(a, b, 0, patience)
            if delay is None:
                return _read_back("its connection is not up").words
            if delay == FOR_EVER:
                return "a probe was sent and did not arrive"
        return _read_back(why).words

    async def _passed(self, link: Link, wanted: Passage, mark: Mark) -> str:
        a, b = self._ends(link)
        seen = self._probes.link(link)
        # Over a narrow link no probe is sent while one is on its way, however long that takes.
        patience = round(EVIDENCE_LIMIT * SECOND) if wanted.narrow else max(SECOND // 4, 2 * wanted.least)
        while not (why := self._hindrance(link) or self._overtaken(link, mark)):
            ends = seen.ends

            def lost(ends: int = ends) -> bool:
                return bool(seen.ends != ends or self._hindrance(link) or self._overtaken(link, mark))

            delay = await self._probes.send(a, b, wanted.padding, patience, lost)
            if delay is None:
                await self._probes.news(0.02)
            elif delay == FOR_EVER:
                patience = min(2 * patience, 4 * SECOND)
            elif wanted.least <= delay <= wanted.most:
                return wanted.words
        return _read_back(why).words

    def _overtaken(self, link: Link, mark: Mark) -> str:
        return "" if self._turn[link] == mark.turn else "the next change came first"


def _read_back(why: str) -> Sight:
    return Sight(False, f"{READ_BACK}: {why}")


def _words(state: LinkState) -> str:
    return "sound" if state.sound else "as asked"
