"""What is done to nodes and links that run: faults begin and end here, each with the evidence that it did."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.faults.actions import NoEffect
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import FaultTable, Link, NodeFault
from shaketable.harness.faults.verb import Fault
from shaketable.harness.records import Ending
from shaketable.harness.worlds.real.acts import ACTS
from shaketable.harness.worlds.real.cast import Cast
from shaketable.harness.worlds.real.datagram_relay import DatagramRelay
from shaketable.harness.worlds.real.evidence import Seen
from shaketable.harness.worlds.real.links import RealLinks
from shaketable.harness.worlds.real.load import BusyProcesses
from shaketable.harness.worlds.real.nodes import RealNode
from shaketable.harness.worlds.real.probes import Probes
from shaketable.node.core.commands import DataCommand, GroupCommand
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.process import control

DRAINED_WITHIN: Final[Micros] = SECOND
LOOK_AT_LEAVER: Final[Micros] = SECOND // 4
STOPPED_WITHIN: Final = 5.0
"""seconds"""


class Shaking:
    def __init__(
        self,
        cast: Cast,
        links: RealLinks,
        probes: Probes,
        table: FaultTable,
        busy: BusyProcesses,
        datagrams: DatagramRelay,
    ) -> None:
        self.cast = cast
        self.datagrams = datagrams
        self.busy = busy
        self._links = links
        self._probes = probes
        self.table = table

    # Ends of nodes

    async def kill(self, name: str) -> str:
        node = self.cast.running(name)
        if node.killed:
            raise NoEffect(f"{name} is being killed already")
        node.killed = True
        try:
            how = await self._drain(node) if node.held is not None and node.held.handed_over else ""
        except BaseException:
            node.killed = False
            raise
        self.cast.end(name)
        end = await asyncio.shield(node.ended)
        if end is not Ending.KILLED:
            raise NoEffect(f"it ended otherwise: {end}")
        return f"the process is reaped{how}"

    async def _drain(self, node: RealNode) -> str:
        """All messages that a held node has handed over must have left: a probe behind them on each link shows it."""
        others = [n for n in self.cast.nodes if n != node.name]
        drained = await asyncio.gather(*(self._links.drained((node.name, n), DRAINED_WITHIN) for n in others))
        return f"; before that {sum(drained)} of its {len(drained)} links were seen to be drained"

    async def leave(self, name: str) -> str:
        node = self.cast.running(name)
        if node.killed or node.leaving:
            raise NoEffect(f"{name} is {'being killed' if node.killed else 'leaving'} already")
        node.leaving = True
        node.tell(control.LeaveGracefully(0))
        end = await self._end_of_leaving(node)
        if end is not Ending.LEFT:
            raise NoEffect(f"it ended otherwise: {end}")
        return "it said so and its process ended"

    async def _end_of_leaving(self, node: RealNode) -> Ending:
        """A member that has not ended by its own limit, and the time for an answer, hangs. While it is paused or holds
        it cannot go on, and that time does not count."""
        limit = left = self.cast.leaves_within(node.name)
        while left > 0:
            ended, _ = await asyncio.wait([node.ended], timeout=min(left, LOOK_AT_LEAVER) / SECOND)
            if ended:
                return await asyncio.shield(node.ended)
            if not node.paused and node.held is None:
                left -= LOOK_AT_LEAVER
        node.killed = True
        self.cast.end(node.name)
        await asyncio.shield(node.ended)
        raise NoEffect(f"it had not ended {limit / SECOND:g} s after it was asked to, and the harness killed it")

    # What its member is to do, no fault

    async def command(self, name: str, command: DataCommand | GroupCommand) -> str:
        node = self.cast.running(name)
        if node.paused:
            node.tell(control.Command(0, command))
            return "handed over; it takes it up when it goes on"
        await node.ask(lambda order: control.Command(order, command))
        return "handed over"

    # Faults

    async def begin(self, number: int, fault: Fault) -> str | Seen:
        if isinstance(fault, NodeFault):
            self.cast.running(fault.node)
        changed = self.table.begin(number, fault)
        try:
            return await ACTS[type(fault)].begin(self, number, fault, changed)
        except (NoEffect, UserError):
            # A fault that is not there cannot be ended: the links go back to what else is done to them.
            await self._undo(number)
            raise

    async def end(self, number: int) -> str | Seen:
        fault = self.table.active.get(number)
        if fault is None:
            return "it ended with its node"
        changed = self.table.end(number)
        if isinstance(fault, NodeFault) and not self.cast.nodes[fault.node].running:
            return f"{fault.node} is not running any more"
        return await ACTS[type(fault)].end(self, number, fault, changed)

    async def _undo(self, number: int) -> None:
        changed = self.table.end(number)
        try:
            if changed:
                await self.move(changed)
        except NoEffect:
            return

    async def move(self, states: Mapping[Link, LinkState]) -> str | Seen:
        if not states:
            return "another fault keeps the links as they are"
        slowest = max(state.latency + state.jitter for state in states.values())
        if slowest:
            # A handshake takes twice the latency there and back.
            await self.cast.allow_handshakes(4 * slowest + SECOND // 2)
        return await self._links.move(states)

    async def pause(self, name: str) -> str:
        node = self.cast.nodes[name]
        assert node.process is not None
        if node.paused:
            return "its process is stopped already"
        node.paused = True
        self._probes.wake()
        node.process.signal(signal.SIGSTOP)
        ends = asyncio.get_running_loop().time() + STOPPED_WITHIN
        while node.process.vitals().status != "stopped":
            if not node.alive or asyncio.get_running_loop().time() > ends:
                node.paused = False
                raise NoEffect(f"the process of {node.name} did not stop")
            await asyncio.sleep(2 * MILLISECOND / SECOND)
        return "its process is stopped"

    async def resume(self, name: str) -> str:
        node = self.cast.nodes[name]
        assert node.process is not None
        if self.table.paused(node.name):
            return "another fault keeps it paused"
        node.process.signal(signal.SIGCONT)
        await node.ask(control.TakeSnapshot)
        node.paused = False
        return "its process answers again"
