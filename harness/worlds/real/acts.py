"""What each fault does to real links and processes when it begins, and when it ends: by its class.

An act says how we know that the fault took effect, or is over; it may raise NoEffect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import (
    ClockFault,
    DatagramFault,
    FaultTable,
    Hold,
    Link,
    LinkFault,
    Load,
    MessageFault,
    NodeFault,
    Pause,
)
from shaketable.harness.faults.verb import Fault
from shaketable.harness.worlds.real.cast import Cast
from shaketable.harness.worlds.real.datagram_relay import DatagramRelay
from shaketable.harness.worlds.real.evidence import Seen
from shaketable.harness.worlds.real.load import BusyProcesses
from shaketable.node.process import control

Changed = Mapping[Link, LinkState]
"""the links whose state is another one now"""


class Stage(Protocol):
    """Of the real world, what an act needs."""

    table: FaultTable
    cast: Cast
    datagrams: DatagramRelay
    busy: BusyProcesses

    async def move(self, states: Changed) -> str | Seen: ...

    async def pause(self, name: str) -> str: ...

    async def resume(self, name: str) -> str: ...


class Act(NamedTuple):
    """With the number of the fault and what changed with it on the links. The node of a fault in a node runs."""

    begin: Callable[[Stage, int, Any, Changed], Awaitable[str | Seen]]
    end: Callable[[Stage, int, Any, Changed], Awaitable[str | Seen]]


async def _move(stage: Stage, number: int, fault: LinkFault, changed: Changed) -> str | Seen:
    return await stage.move(changed)


async def _shake_datagrams(stage: Stage, number: int, fault: DatagramFault, changed: Changed) -> str:
    await stage.datagrams.begin(number, fault)
    return "the relay draws for each datagram of its links"


async def _spare_datagrams(stage: Stage, number: int, fault: DatagramFault, changed: Changed) -> str:
    return (await stage.datagrams.end(number)).words()


async def _load(stage: Stage, number: int, fault: Load, changed: Changed) -> str:
    return await stage.busy.begin(number, fault.busy)


async def _unload(stage: Stage, number: int, fault: Load, changed: Changed) -> str:
    return await stage.busy.end(number)


async def _pause(stage: Stage, number: int, fault: Pause, changed: Changed) -> str:
    return await stage.pause(fault.node)


async def _resume(stage: Stage, number: int, fault: Pause, changed: Changed) -> str:
    return await stage.resume(fault.node)


async def _set_clock(stage: Stage, number: int, fault: ClockFault, changed: Changed) -> str:
    rate = stage.table.rate_ppm(fault.node)
    return await _does(stage, fault, lambda order: control.SetClock(order, fault.jump, rate))


async def _mend_clock(stage: Stage, number: int, fault: ClockFault, changed: Changed) -> str:
    rate = stage.table.rate_ppm(fault.node)
    return await _does_no_longer(stage, fault, lambda order: control.SetClock(order, 0, rate))


async def _arm_filter(stage: Stage, number: int, f: MessageFault, changed: Changed) -> str:
    to = tuple(stage.cast.nodes[name].address for name in f.to)
    return await _does(stage, f, lambda order: control.ArmFilter(order, number, f.does, f.kinds, to, f.count, f.delay))


async def _disarm_filter(stage: Stage, number: int, fault: MessageFault, changed: Changed) -> str:
    return await _does_no_longer(stage, fault, lambda order: control.DisarmFilter(order, number))


async def _arm_hold(stage: Stage, number: int, f: Hold, changed: Changed) -> str:
    return await _does(stage, f, lambda order: control.ArmHold(order, number, f.event, f.after, f.nth, f.where))


async def _release(stage: Stage, number: int, fault: Hold, changed: Changed) -> str:
    return await _does_no_longer(stage, fault, lambda order: control.Release(order, number))


async def _does(stage: Stage, fault: NodeFault, order: Callable[[int], control.Order]) -> str:
    await stage.cast.nodes[fault.node].ask(order)
    return f"{fault.node} says that it does so"


async def _does_no_longer(stage: Stage, fault: NodeFault, order: Callable[[int], control.Order]) -> str:
    await stage.cast.nodes[fault.node].ask(order)
    return f"{fault.node} says that it does so no longer"


ACTS: Final[dict[type[Fault], Act]] = {
    LinkFault: Act(_move, _move),
    DatagramFault: Act(_shake_datagrams, _spare_datagrams),
    Load: Act(_load, _unload),
    Pause: Act(_pause, _resume),
    ClockFault: Act(_set_clock, _mend_clock),
    MessageFault: Act(_arm_filter, _disarm_filter),
    Hold: Act(_arm_hold, _release),
}
