"""Faults of single datagrams, in a group with `gms_udp`: a share of them is lost, late or comes twice, by the seed.

Only a group with `gms_udp` sends datagrams. All other messages go over links, which lose nothing while they are up. No
datagram passes a cut link or a black hole. Each verb takes names of nodes or lists of them: one fault lies on all links
between the nodes of one side and those of the other."""

from __future__ import annotations

from typing import Final

from shaketable.harness.faults.link_kinds import DELAY_DATAGRAMS, LOSE_DATAGRAMS, REPEAT_DATAGRAMS
from shaketable.harness.faults.table import DatagramFault
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.scripting.fault_book import Injected
from shaketable.harness.scripting.verbs.base import Names, Verbs, checked
from shaketable.node.core.env import MILLISECOND, Micros

ALL: Final = 100
"""percent"""


class DatagramVerbs(Verbs):
    async def lose_datagrams(
        self, a: Names, b: Names, *, percent: int, one_way: bool = False, perhaps: bool = False
    ) -> Injected:
        """This share never arrives, and nobody is told. If it hits no datagram the verdict is unknown, except with
        `perhaps`."""
        checked(LOSE_DATAGRAMS, percent=percent)
        return await self._on_datagrams(LOSE_DATAGRAMS, a, b, percent, 0, one_way, perhaps)

    async def delay_datagrams(
        self, a: Names, b: Names, by: Micros, *, percent: int = ALL, one_way: bool = False, perhaps: bool = False
    ) -> Injected:
        """This share comes later, each by its own time, at most `by`. A datagram that left later may arrive first."""
        checked(DELAY_DATAGRAMS, percent=percent, by=by)
        return await self._on_datagrams(DELAY_DATAGRAMS, a, b, percent, by, one_way, perhaps)

    async def repeat_datagrams(
        self,
        a: Names,
        b: Names,
        *,
        percent: int = ALL,
        later: Micros = 10 * MILLISECOND,
        one_way: bool = False,
        perhaps: bool = False,
    ) -> Injected:
        """This share comes twice, the second time at most `later` after the first."""
        checked(REPEAT_DATAGRAMS, percent=percent, later=later)
        return await self._on_datagrams(REPEAT_DATAGRAMS, a, b, percent, later, one_way, perhaps)

    async def _on_datagrams(
        self, kind: FaultKind, a: Names, b: Names, percent: int, most: Micros, one_way: bool, perhaps: bool
    ) -> Injected:
        links = self._links_between(kind, a, b, one_way)
        return await self._faults.begin(DatagramFault(kind, links, percent, most), perhaps=perhaps)
