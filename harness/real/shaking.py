"""What is done to nodes and links that run: faults begin and end here, each with the evidence that it did."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from typing import Final

from shaketable.harness.actions import NoEffect
from shaketable.harness.errors import UserError
from shaketable.harness.faults import (
    ClockFault,
    DatagramFault,
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
from shaketable.harness.real.cast import Cast
from shaketable.harness.real.datagram_relay import DatagramRelay
from shaketable.harness.real.links import RealLinks
from shaketable.harness.real.load import BusyProcesses
from shaketable.harness.real.nodes import RealNode
from shaketable.harness.real.probes import Probes
from shaketable.node.commands import DataCommand, GroupCommand
from shaketable.node.env import MILLISECOND, SECOND, Micros
from shaketable.node.process import control

DRAINED_WITHIN: Final[Micros] = SECOND
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
        self._cast = cast
        self._datagrams = datagrams
        self._busy = busy
        self._links = links
        self._probes = probes
        self._table = table

    # Ends of nodes

    async def kill(self, name: str) -> str:
        node = self._cast.running(name)
        if node.killed:
            raise NoEffect(f"{name} is being killed already")
        node.killed = True
        try:
            how = await self._drain(node) if node.held is not None and node.held.handed_over else ""
        except BaseException:
            node.killed = False
            raise
        self._cast.end(name)
        reason = await asyncio.shield(node.ended)
        if reason != "killed":
            raise NoEffect(f"it ended otherwise: {reason}")
        return f"the process is reaped{how}"

    async def _drain(self, node: RealNode) -> str:
        """What a held node has handed over must have left: a probe behind it on each link shows that it has."""
        others = [n for n in self._cast.nodes if n != node.name]
        drained = await asyncio.gather(*(self._links.drained((node.name, n), DRAINED_WITHIN) for n in others))
        return f"; before that {sum(drained)} of its {len(drained)} links were seen to be drained"

    async def leave(self, name: str) -> str:
        node = self._cast.running(name)
        if node.killed or node.leaving:
            raise NoEffect(f"{name} is {'being killed' if node.killed else 'leaving'} already")
        node.leaving = True
        node.tell(control.LeaveGracefully(0))
        reason = await asyncio.shield(node.ended)
        if reason != "left":
            raise NoEffect(f"it ended otherwise: {reason}")
        return "it said so and its process ended"

    # What its member is to do, no fault

    async def command(self, name: str, command: DataCommand | GroupCommand) -> str:
        node = self._cast.running(name)
        if node.paused:
            node.tell(control.Command(0, command))
            return "handed over; it takes it up when it goes on"
        await node.ask(lambda order: control.Command(order, command))
        return "handed over"

    # Faults

    async def begin(self, number: int, fault: Fault) -> str:
        node = self._cast.running(fault.node) if isinstance(fault, NodeFault) else None
        changed = self._table.begin(number, fault)
        try:
            match fault:
                case LinkFault():
                    return await self._move(changed)
                case DatagramFault():
                    await self._datagrams.begin(number, fault)
                    return "the relay draws for each datagram of its links"
                case Load(busy=busy):
                    return await self._busy.begin(number, busy)
            assert node is not None
            return await self._begin_in(node, number, fault)
        except (NoEffect, UserError):
            # What is not there can not be ended: the links go back to what else is done to them.
            await self._undo(number)
            raise

    async def end(self, number: int) -> str:
        fault = self._table.active.get(number)
        if fault is None:
            return "it ended with its node"
        changed = self._table.end(number)
        match fault:
            case LinkFault():
                return await self._move(changed)
            case DatagramFault():
                return (await self._datagrams.end(number)).words()
            case Load():
                return await self._busy.end(number)
        node = self._cast.nodes[fault.node]
        if not node.running:
            return f"{fault.node} is not running any more"
        return await self._end_in(node, number, fault)

    async def _undo(self, number: int) -> None:
        changed = self._table.end(number)
        try:
            if changed:
                await self._move(changed)
        except NoEffect:
            return

    async def _move(self, states: Mapping[Link, LinkState]) -> str:
        if not states:
            return "another fault keeps the links as they are"
        slowest = max(state.latency + state.jitter for state in states.values())
        if slowest:
            # A handshake takes twice the latency there and back.
            await self._cast.allow_handshakes(4 * slowest + SECOND // 2)
        return await self._links.move(states)

    async def _begin_in(self, node: RealNode, number: int, fault: NodeFault) -> str:
        match fault:
            case Pause():
                return await self._pause(node)
            case ClockFault(jump=jump):
                rate = self._table.rate_ppm(node.name)
                await node.ask(lambda order: control.SetClock(order, jump, rate))
            case MessageFault() as f:
                to = tuple(self._cast.nodes[n].address for n in f.to)
                await node.ask(lambda order: control.ArmFilter(order, number, f.does, f.kinds, to, f.count, f.delay))
            case Hold() as h:
                await node.ask(lambda order: control.ArmHold(order, number, h.event, h.after, h.nth, h.where))
        return f"{node.name} says that it does so"

    async def _end_in(self, node: RealNode, number: int, fault: NodeFault) -> str:
        match fault:
            case Pause():
                return await self._resume(node)
            case ClockFault():
                rate = self._table.rate_ppm(node.name)
                await node.ask(lambda order: control.SetClock(order, 0, rate))
            case MessageFault():
                await node.ask(lambda order: control.DisarmFilter(order, number))
            case Hold():
                await node.ask(lambda order: control.Release(order, number))
        return f"{node.name} says that it does so no longer"

    async def _pause(self, node: RealNode) -> str:
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

    async def _resume(self, node: RealNode) -> str:
        assert node.process is not None
        if self._table.paused(node.name):
            return "another fault keeps it paused"
        node.process.signal(signal.SIGCONT)
        await node.ask(control.TakeSnapshot)
        node.paused = False
        return "its process answers again"
