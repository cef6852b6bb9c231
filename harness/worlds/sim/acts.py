"""What each fault does to the simulated world when it begins, and when it ends: by its class.

An act says how we know that the fault took effect, or is over, and after how long that is so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    Pause,
)
from shaketable.harness.faults.verb import Fault
from shaketable.harness.worlds.sim.datagrams import SimDatagrams
from shaketable.harness.worlds.sim.load import Loads
from shaketable.harness.worlds.sim.network import RECONNECT, SimNetwork
from shaketable.harness.worlds.sim.node import SimNode
from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.messages import Address

DOES: Final = "the simulated node does it", 0
DOES_NO_LONGER: Final = "the simulated node does it no longer", 0
Known = tuple[str, Micros]
Changed = Mapping[Link, LinkState]
"""the links whose state is another one now"""


class Stage(Protocol):
    """Of the simulated world, what an act needs."""

    table: FaultTable
    network: SimNetwork
    datagrams: SimDatagrams
    loads: Loads
    nodes: dict[str, SimNode]

    def address_of(self, name: str) -> Address: ...

    def listening(self) -> list[SimNode]: ...


class Act(NamedTuple):
    """With the number of the fault and what changed with it on the links."""

    begin: Callable[[Stage, int, Any, Changed], Known]
    end: Callable[[Stage, int, Any, Changed], Known]


def _set(stage: Stage, changed: Changed) -> None:
    for link, state in changed.items():
        stage.network.set_state(link, state)


def _shake_links(stage: Stage, number: int, fault: LinkFault, changed: Changed) -> Known:
    _set(stage, changed)
    if fault.state.slices:
        return "pieces make no difference in virtual time", 0
    return "the simulated links changed", 2 * MILLISECOND


def _spare_links(stage: Stage, number: int, fault: LinkFault, changed: Changed) -> Known:
    _set(stage, changed)
    return "the simulated links changed", RECONNECT[1]


def _shake_datagrams(stage: Stage, number: int, fault: DatagramFault, changed: Changed) -> Known:
    return stage.datagrams.begin(number, fault), 0


def _spare_datagrams(stage: Stage, number: int, fault: DatagramFault, changed: Changed) -> Known:
    return stage.datagrams.end(number), 0


def _load(stage: Stage, number: int, fault: Load, changed: Changed) -> Known:
    stage.loads.begin(number, fault.busy, stage.listening())
    return "the simulated nodes wait for their turns", 0


def _unload(stage: Stage, number: int, fault: Load, changed: Changed) -> Known:
    stage.loads.end(number, stage.listening())
    return "the simulated nodes run again", 0


def _pause(stage: Stage, number: int, fault: Pause, changed: Changed) -> Known:
    stage.nodes[fault.node].pause()
    return DOES


def _resume(stage: Stage, number: int, fault: Pause, changed: Changed) -> Known:
    if not stage.table.paused(fault.node):
        stage.nodes[fault.node].resume()
    return DOES_NO_LONGER


def _set_clock(stage: Stage, number: int, fault: ClockFault, changed: Changed) -> Known:
    stage.nodes[fault.node].set_clock(fault.jump, stage.table.rate_ppm(fault.node))
    return DOES


def _mend_clock(stage: Stage, number: int, fault: ClockFault, changed: Changed) -> Known:
    stage.nodes[fault.node].set_clock(0, stage.table.rate_ppm(fault.node))
    return DOES_NO_LONGER


def _arm_filter(stage: Stage, number: int, fault: MessageFault, changed: Changed) -> Known:
    to = [stage.address_of(name) for name in fault.to]
    stage.nodes[fault.node].arm_filter(number, fault.does, fault.kinds, to, fault.count, fault.delay)
    return DOES


def _disarm_filter(stage: Stage, number: int, fault: MessageFault, changed: Changed) -> Known:
    stage.nodes[fault.node].disarm_filter(number)
    return DOES_NO_LONGER


def _arm_hold(stage: Stage, number: int, fault: Hold, changed: Changed) -> Known:
    stage.nodes[fault.node].arm_hold(number, fault.event, fault.after, fault.nth, fault.where)
    return DOES


def _release(stage: Stage, number: int, fault: Hold, changed: Changed) -> Known:
    stage.nodes[fault.node].release(number)
    return DOES_NO_LONGER


ACTS: Final[dict[type[Fault], Act]] = {
    LinkFault: Act(_shake_links, _spare_links),
    DatagramFault: Act(_shake_datagrams, _spare_datagrams),
    Load: Act(_load, _unload),
    Pause: Act(_pause, _resume),
    ClockFault: Act(_set_clock, _mend_clock),
    MessageFault: Act(_arm_filter, _disarm_filter),
    Hold: Act(_arm_hold, _release),
}
