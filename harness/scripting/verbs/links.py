"""Faults of links: cut, blackhole, slow, thin, slice, reset, flap, isolate, split.

The sender notices a cut at once. It notices a black hole only by silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, overload

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.link_kinds import BLACKHOLE, CUT, FLAP, ISOLATE, SLICE, SLOW, SPLIT, THIN
from shaketable.harness.faults.links import LinkState, Slices
from shaketable.harness.faults.table import Link, LinkFault
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.records import FaultWithoutEffect, Missed
from shaketable.harness.scripting.fault_book import Injected, between
from shaketable.harness.scripting.steps import Cancelled
from shaketable.harness.scripting.verbs.base import Names, checked, whole
from shaketable.harness.scripting.verbs.datagrams import DatagramVerbs
from shaketable.node.core.env import MILLISECOND, Micros

SILENCES: Final = {CUT: LinkState(cut=True), BLACKHOLE: LinkState(blackhole=True)}
HOWS: Final = tuple(kind.verb for kind in SILENCES)


class LinkVerbs(DatagramVerbs):
    async def cut(self, a: Names, b: Names, *, one_way: bool = False) -> Injected:
        """Connections drop, and new ones are refused. The sender notices at once.

        `a` and `b` are names or lists of names: one fault lies on all links between those and these. So it is with each
        verb that takes `a` and `b`."""
        return await self._on_link(CUT, a, b, one_way, SILENCES[CUT])

    async def blackhole(self, a: Names, b: Names, *, one_way: bool = False) -> Injected:
        """Bytes vanish while connections look alive. The sender notices only silence."""
        return await self._on_link(BLACKHOLE, a, b, one_way, SILENCES[BLACKHOLE])

    async def slow(self, a: Names, b: Names, latency: Micros, *, jitter: Micros = 0, one_way: bool = False) -> Injected:
        """Everything arrives `latency` later, give or take `jitter`, both in whole milliseconds."""
        checked(SLOW, latency=latency, jitter=jitter)
        return await self._on_link(SLOW, a, b, one_way, LinkState(latency=latency, jitter=jitter))

    async def thin(self, a: Names, b: Names, rate: int, *, one_way: bool = False) -> Injected:
        """At most `rate` bytes a second pass, in thousands. Heartbeats need some of that: below a few thousand with
        `fast` settings the link is practically silent."""
        checked(THIN, rate=rate)
        return await self._on_link(THIN, a, b, one_way, LinkState(rate=rate))

    async def slice(self, a: Names, b: Names, slices: Slices | None = None, *, one_way: bool = False) -> Injected:
        """Data arrives in small pieces with a pause between them."""
        slices = slices or Slices()
        if not 0 <= slices.variation < slices.size or slices.pause < 0:
            raise ScriptError("slices need a size above 0, a variation below the size and a pause that is not negative")
        return await self._on_link(SLICE, a, b, one_way, LinkState(slices=slices))

    async def reset(self, a: Names, b: Names, *, one_way: bool = False) -> None:
        """Connections drop once, and may come back at once."""
        await self._faults.reset(self._between(a, b, one_way))

    @overload
    async def flap(
        self, a: Names, b: Names, *, down: Micros, up: Micros, times: int, one_way: bool = False
    ) -> None: ...

    @overload
    async def flap(self, a: Names, b: Names, *, down: Micros, up: Micros, one_way: bool = False) -> Injected: ...

    async def flap(
        self, a: Names, b: Names, *, down: Micros, up: Micros, times: int | None = None, one_way: bool = False
    ) -> Injected | None:
        """Cuts and heals the link in turn. With `times` it does so that many times, and then returns; run it `together`
        with other steps to go on meanwhile. Without `times` it returns at once, and goes on until it is healed.
        `down` or `up` may be 0 with `times`."""
        whole(down, "the time down")
        whole(up, "the time up")
        if times is None:
            return await self._flap_on(self._between(a, b, one_way), down, up)
        checked(FLAP, times=times)
        for _ in range(times):
            fault = await self.cut(a, b, one_way=one_way)
            try:
                await self._sleep(down)
            finally:
                await self._faults.end(fault.number)
            await self._sleep(up)
        return None

    async def _flap_on(self, links: tuple[Link, ...], down: Micros, up: Micros) -> Injected:
        """Its rhythm goes on beside the script; healed, it does nothing any more when it wakes up."""
        if down < MILLISECOND or up < MILLISECOND:
            raise ScriptError("a flap that goes on until it is healed is down and up for at least a millisecond each")
        faults, cut = self._faults, LinkFault(FLAP, links, SILENCES[CUT], CUT)
        number = faults.begin_rhythm(FLAP, links, f"{down / MILLISECOND:g} ms cut, {up / MILLISECOND:g} ms whole")

        async def rhythm() -> None:
            while faults.goes_on(number):
                await self._sleep(down)
                if faults.goes_on(number):
                    await faults.end(faults.part_of(number))
                    await self._sleep(up)
                if faults.goes_on(number):
                    await faults.beat(number, cut)

        try:
            await faults.beat(number, cut)
        except Cancelled:
            await faults.end(number)  # who asked for it never learns its number
            raise

        def over(result: None, error: BaseException | None) -> None:
            if error is not None:
                self._world.record(FaultWithoutEffect(number, f"it has stopped: {error}", Missed.STOPPED))

        self._driver.also(rhythm(), over)
        return Injected(number, FLAP.spoken)

    async def isolate(self, name: str, *, how: str = CUT.verb) -> Injected:
        """Breaks all links of this node, in both directions."""
        self._known(name)
        return await self._split(ISOLATE, [[name], [n for n in self._formed if n != name]], how)

    async def split(self, *groups: Sequence[str], how: str = CUT.verb) -> Injected:
        """Breaks all links between members of different groups."""
        return await self._split(SPLIT, [self._all_known(group) for group in groups], how)

    async def _split(self, kind: FaultKind, groups: Sequence[Sequence[str]], how: str) -> Injected:
        by = next((each for each in SILENCES if each.verb == how), None)
        if by is None:
            raise ScriptError(f"how is {' or '.join(HOWS)}, not {how}")
        links = between(groups)
        if not links:
            raise ScriptError(f"there is no link to {kind.verb}: it takes at least two groups with a node each")
        return await self._faults.begin(LinkFault(kind, links, SILENCES[by], by))

    async def _on_link(self, kind: FaultKind, a: Names, b: Names, one_way: bool, state: LinkState) -> Injected:
        return await self._faults.begin(LinkFault(kind, self._between(a, b, one_way), state))
