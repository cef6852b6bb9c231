"""Faults of links: cut, blackhole, slow, thin, slice, reset, flap, isolate, split.

A cut is noticed by the sender at once, a black hole by nothing but silence: a script says which it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, overload

from shaketable.harness.errors import ScriptError
from shaketable.harness.faults import FLAP, FLAPS_CUT, Link, LinkFault
from shaketable.harness.links import LinkState, Slices
from shaketable.harness.records import FaultWithoutEffect
from shaketable.harness.scripting.fault_book import Injected, between
from shaketable.harness.scripting.steps import Cancelled
from shaketable.harness.scripting.verbs.base import whole
from shaketable.harness.scripting.verbs.datagrams import DatagramVerbs
from shaketable.node.env import MILLISECOND, Micros

LEAST_RATE: Final = 1000
"""bytes a second, and every rate is a multiple of it"""
SILENCES: Final = {"cut": LinkState(cut=True), "blackhole": LinkState(blackhole=True)}


class LinkVerbs(DatagramVerbs):
    async def cut(self, a: str, b: str, *, one_way: bool = False) -> Injected:
        """Connections drop, new ones are refused: the sender knows it at once."""
        return await self._on_link("cut", a, b, one_way, LinkState(cut=True))

    async def blackhole(self, a: str, b: str, *, one_way: bool = False) -> Injected:
        """Bytes vanish, connections look alive: only silence tells."""
        return await self._on_link("blackhole", a, b, one_way, LinkState(blackhole=True))

    async def slow(self, a: str, b: str, latency: Micros, *, jitter: Micros = 0, one_way: bool = False) -> Injected:
        """Everything takes `latency` longer, give or take `jitter`; both in whole milliseconds."""
        if whole(jitter, "the jitter") > whole(latency, "the latency", least=1):
            raise ScriptError("slow needs a jitter that is no larger than the latency")
        if latency % MILLISECOND or jitter % MILLISECOND:
            raise ScriptError("slow takes whole milliseconds: the real proxy knows no others")
        return await self._on_link("slow", a, b, one_way, LinkState(latency=latency, jitter=jitter))

    async def thin(self, a: str, b: str, rate: int, *, one_way: bool = False) -> Injected:
        """At most `rate` bytes a second."""
        rate = whole(rate, "the rate in bytes a second", least=LEAST_RATE)
        if rate % LEAST_RATE:
            raise ScriptError(f"thin takes multiples of {LEAST_RATE} bytes a second: the real proxy knows no others")
        return await self._on_link("thin", a, b, one_way, LinkState(rate=rate))

    async def slice(self, a: str, b: str, slices: Slices | None = None, *, one_way: bool = False) -> Injected:
        """Data arrives in small pieces."""
        slices = slices or Slices()
        if not 0 <= slices.variation < slices.size or slices.pause < 0:
            raise ScriptError("slices need a size above 0, a variation below the size and a pause that is not negative")
        return await self._on_link("slice", a, b, one_way, LinkState(slices=slices))

    async def reset(self, a: str, b: str, *, one_way: bool = False) -> None:
        """Connections drop once and may come back at once."""
        await self._faults.reset(self._between(a, b, one_way))

    @overload
    async def flap(self, a: str, b: str, *, down: Micros, up: Micros, times: int, one_way: bool = False) -> None: ...

    @overload
    async def flap(self, a: str, b: str, *, down: Micros, up: Micros, one_way: bool = False) -> Injected: ...

    async def flap(
        self, a: str, b: str, *, down: Micros, up: Micros, times: int | None = None, one_way: bool = False
    ) -> Injected | None:
        """Cut and heal on a rhythm: so many times, and then it returns; to go on meanwhile, run it `together` with the
        rest. Or without `times` until it is healed."""
        whole(down, "the time down")
        whole(up, "the time up")
        if times is None:
            return await self._flap_on(self._between(a, b, one_way), down, up)
        for _ in range(whole(times, "the number of times", least=1)):
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
        faults, cut = self._faults, LinkFault(FLAPS_CUT, links, SILENCES["cut"])
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
                self._world.record(FaultWithoutEffect(number, f"it has stopped: {error}"))

        self._driver.also(rhythm(), over)
        return Injected(number, FLAP)

    async def isolate(self, name: str, *, how: str = "cut") -> Injected:
        """All links of this node, in both directions."""
        self._known(name)
        return await self._split("isolate", [[name], [n for n in self._formed if n != name]], how)

    async def split(self, *groups: Sequence[str], how: str = "cut") -> Injected:
        """All links between members of different groups."""
        return await self._split("split", [self._all_known(group) for group in groups], how)

    async def _split(self, verb: str, groups: Sequence[Sequence[str]], how: str) -> Injected:
        if how not in SILENCES:
            raise ScriptError(f"how is {' or '.join(SILENCES)}, not {how}")
        links = between(groups)
        if not links:
            raise ScriptError(f"there is no link to {verb}: it takes at least two groups with a node each")
        return await self._faults.begin(LinkFault(f"{verb} by {how}", links, SILENCES[how]))

    async def _on_link(self, verb: str, a: str, b: str, one_way: bool, state: LinkState) -> Injected:
        return await self._faults.begin(LinkFault(verb, self._between(a, b, one_way), state))
