"""The simulated world: virtual time, a heap of events and direct calls. The same seed gives the same history.

Nothing here sleeps and nothing is concurrent: the world takes the next thing from the heap, hands it to its node, and
looks whether a condition of the script has changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any

from shaketable.harness.actions import (
    Action,
    Begin,
    Command,
    End,
    Http,
    Kill,
    Leave,
    NoEffect,
    Receipt,
    Reset,
    Restart,
    Start,
    WriteFile,
)
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
from shaketable.harness.observed import Observed
from shaketable.harness.records import HARNESS, NodeEnded, NodeNamed, NodeSpawned, Record
from shaketable.harness.sim.datagrams import SimDatagrams
from shaketable.harness.sim.files import Files
from shaketable.harness.sim.load import Loads
from shaketable.harness.sim.network import NOTICE, RECONNECT, SimLink, SimNetwork
from shaketable.harness.sim.node import Call, SimNode
from shaketable.harness.sim.requests import Requests
from shaketable.node.clock import NodeClock
from shaketable.node.commands import LeaveCommand
from shaketable.node.config import Settings
from shaketable.node.env import MILLISECOND, Micros
from shaketable.node.events import Event
from shaketable.node.filters import MessageFilters
from shaketable.node.legacy import make_member
from shaketable.node.messages import Address
from shaketable.node.nodes import MakeMember

FIRST_PORT = 5701
Done = Callable[[Receipt | NoEffect], None]


class SimWorld:
    name = "sim"
    fabric = "simulated"
    allowance: Micros = 50 * MILLISECOND

    def __init__(self, seed: int, settings: Settings, make_member: MakeMember = make_member) -> None:
        self.seed = seed
        self.settings = settings
        self.time: Micros = 0
        self.heap: list[tuple[Micros, int, Any, Any]] = []
        self.sequence = 0
        """of heap entries: what was pushed first is first among equals"""
        self.records: list[Record] = []
        self.observed = Observed()
        self.on_change: Callable[[], None] = _nothing
        self.table = FaultTable()
        self.network = SimNetwork(seed, self.later, self.table.link)
        self.datagrams = SimDatagrams(self)
        self.loads = Loads(seed, settings.heartbeat_interval, self.call_later)
        self.nodes: dict[str, SimNode] = {}
        self.failures: list[tuple[str, Exception]] = []
        self.events = 0
        """heap events taken so far"""
        self._make_member = make_member
        self._configured: dict[str, tuple[tuple[Address, ...], Settings]] = {}
        self._addresses: dict[str, Address] = {}
        self._harness_sequence = 0
        self._changed = False
        self._ended: dict[str, Micros] = {}
        """when each node's last process did"""
        self._leaving: dict[str, Done] = {}
        self._requests = Requests(self)
        self._files = Files()

    # World

    def now(self) -> Micros:
        return self.time

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Call:
        self.sequence += 1
        call = Call(callback, self.time + delay)
        heappush(self.heap, (self.time + delay, self.sequence, _SCRIPT, call))
        return call

    def record(self, event: Event) -> None:
        self._harness_sequence += 1
        self.add(Record(self.time, HARNESS, "", self._harness_sequence, event))

    def add(self, record: Record) -> None:
        self.records.append(record)
        if self.observed.apply(record):
            self._changed = True

    def run(self, until: Callable[[], bool], most: int | None = None) -> None:
        """Until that is so, or nothing is left to do; at most so many events.

        It is asked only where it can have become so: after a call of the script's, or when something has changed."""
        heap = self.heap
        taken = 0
        if until():
            return
        for taken in count(1) if most is None else range(1, most + 1):
            if not heap:
                taken -= 1
                break
            self.time, _, node, what = heappop(heap)
            node.take(what)
            if self._changed or node is _SCRIPT:
                while self._changed:
                    self._changed = False
                    self.on_change()
                if until():
                    break
        self.events += taken

    # Acting

    def act(self, action: Action, done: Done) -> None:
        """Takes effect at once; the receipt comes when whoever must see it has seen it."""
        try:
            match action:
                case Start():
                    self._start_all(action)
                    self._soon(done, 0, "started")
                case Kill(node=name):
                    self._end(self._running(name), "killed")
                    self._soon(done, 0, "the process is gone")
                case Leave(node=name):
                    node = self._running(name)
                    if name in self._leaving:
                        raise NoEffect(f"{name} is leaving already")
                    self._leaving[name] = done
                    self.later(0, node, lambda: node.identities.command(LeaveCommand()))
                case Command(node=name, command=command):
                    node = self._running(name)
                    self.later(0, node, partial(node.identities.command, command))
                    self._soon(done, 0, "handed over")
                case Http(node=name):
                    self._requests.ask(self._running(name), action, done)
                case WriteFile(node=name, text=text):
                    self._files.write(name, text)
                    self._soon(done, 0, "written")
                case Restart(node=name):
                    if name in self.nodes and self.nodes[name].listening:
                        raise NoEffect(f"{name} still runs")
                    if self._ended.get(name) == self.time:
                        # In one and the same microsecond a history could not tell the two lives apart.
                        self.call_later(1, lambda: self.act(action, done))
                        return
                    self._spawn(name)
                    self._start(name)
                    self._soon(done, 0, "a new process runs")
                case Begin(number=number, fault=fault):
                    self._check(fault)
                    changed = self.table.begin(number, fault)
                    how, delay = self._begin(number, fault, changed)
                    self._soon(done, delay, how)
                case End(number=number):
                    ending = self.table.active.get(number)
                    if ending is None:
                        raise NoEffect("it has ended already")
                    changed = self.table.end(number)
                    how, delay = self._begin_end(number, ending, changed)
                    self._soon(done, delay, how)
                case Reset(links=links):
                    for link in links:
                        sim_link = self.network.link(link)
                        if sim_link is None or sim_link.up is not True:
                            hung_up = ": its node has hung it up" if sim_link and sim_link.disconnected else ""
                            raise NoEffect(f"the link {link[0]}->{link[1]} is not up{hung_up}")
                    for link in links:
                        sim_link = self.network.link(link)
                        assert sim_link is not None
                        self.network.reset(sim_link)
                    self._soon(done, NOTICE + RECONNECT[1], "the senders' links went down and came back")
        except NoEffect as no_effect:
            refusal = no_effect
            self.call_later(0, lambda: done(refusal))

    def _soon(self, done: Done, delay: Micros, how: str) -> None:
        self.call_later(delay, lambda: done(Receipt(self.time, how)))

    def _running(self, name: str) -> SimNode:
        node = self.nodes.get(name)
        if node is None or not node.listening:
            raise NoEffect(f"{name} is not running")
        return node

    def _listening(self) -> list[SimNode]:
        return [node for node in self.nodes.values() if node.listening]

    # Nodes

    def _start_all(self, action: Start) -> None:
        for name in action.addresses + action.nodes:
            if name not in self._addresses:
                self._addresses[name] = f"127.0.0.1:{FIRST_PORT + len(self._addresses)}"
                self.record(NodeNamed(name, self._addresses[name]))
        addresses = tuple(self._addresses[n] for n in action.addresses)
        for name in action.nodes:
            if name not in self.nodes:
                settings = self.settings.with_values(action.settings)
                self._configured[name] = addresses, settings
                self._files.add(name, settings, addresses)
                self._spawn(name)
        if action.run:
            for name in action.nodes:
                self._start(name)

    def _spawn(self, name: str) -> None:
        life = self.nodes[name].life + 1 if name in self.nodes else 0
        self.nodes[name] = SimNode(self, name, self._addresses[name], life)
        self.record(NodeSpawned(name))

    def _start(self, name: str) -> None:
        node = self.nodes[name]
        addresses, settings = self._configured[name]
        addresses = self._files.addresses(name, settings, addresses)
        node.start(self._make_member, addresses, settings, partial(self._files.read, name))
        self.network.start(node, [n for n in self.nodes.values() if n is not node])
        self.loads.started(node)

    def end_soon(self, node: SimNode, reason: str) -> None:
        """It stopped by itself, in the middle of its step: it is gone when the step has ended."""
        self.call_later(0, lambda: self._end(node, reason))

    def _end(self, node: SimNode, reason: str) -> None:
        if node.ended:
            return
        node.end()
        self._ended[node.name] = self.time
        self.table.end_all_of(node.name)
        self.network.stop(node)
        self.record(NodeEnded(node.name, reason))
        self._requests.node_ended(node.name, reason)
        done = self._leaving.pop(node.name, None)
        if done is not None:
            gone = Receipt(self.time, "it said so and its process ended")
            self.call_later(0, lambda: done(gone if reason == "left" else NoEffect(f"it ended otherwise: {reason}")))

    # Faults

    def _check(self, fault: Fault) -> None:
        if isinstance(fault, NodeFault):
            self._running(fault.node)

    def _begin(self, number: int, fault: Fault, changed: Mapping[Link, LinkState]) -> tuple[str, Micros]:
        match fault:
            case LinkFault():
                for link, state in changed.items():
                    self.network.set_state(link, state)
                if fault.state.slices:
                    return "pieces make no difference in virtual time", 0
                return "the simulated links changed", 2 * MILLISECOND
            case DatagramFault():
                return self.datagrams.begin(number, fault), 0
            case Load(busy=busy):
                self.loads.begin(number, busy, self._listening())
                return "the simulated nodes wait for their turns", 0
            case Pause(node=name):
                self.nodes[name].pause()
            case ClockFault(node=name, jump=jump):
                self.nodes[name].set_clock(jump, self.table.rate_ppm(name))
            case MessageFault(node=name):
                node = self.nodes[name]
                if node.filters is None:
                    node.filters = MessageFilters()
                to = [self._addresses[n] for n in fault.to]
                node.filters.arm(number, fault.does, fault.kinds, to, fault.count, fault.delay)
            case Hold(node=name):
                self.nodes[name].arm_hold(number, fault.event, fault.after, fault.nth, fault.where)
        return "the simulated node does it", 0

    def _begin_end(self, number: int, fault: Fault, changed: Mapping[Link, LinkState]) -> tuple[str, Micros]:
        match fault:
            case LinkFault():
                for link, state in changed.items():
                    self.network.set_state(link, state)
                return "the simulated links changed", RECONNECT[1]
            case DatagramFault():
                return self.datagrams.end(number), 0
            case Load():
                self.loads.end(number, self._listening())
                return "the simulated nodes run again", 0
            case Pause(node=name):
                if not self.table.paused(name):
                    self.nodes[name].resume()
            case ClockFault(node=name):
                self.nodes[name].set_clock(0, self.table.rate_ppm(name))
            case MessageFault(node=name):
                node = self.nodes[name]
                assert node.filters is not None
                for to, message in node.filters.disarm(number):
                    self.later(0, node, partial(node.put_on, node.links[to], message))
            case Hold(node=name):
                self.nodes[name].release(number)
        return "the simulated node does it no longer", 0

    # The heap

    def later(self, delay: Micros, node: SimNode, callback: Callable[[], None]) -> None:
        """For this node, in true time, in its turn."""
        self.sequence += 1
        heappush(self.heap, (self.time + delay, self.sequence, node, _Notice(callback)))

    def forget_under_way(self, link: SimLink) -> None:
        under_way = self._under_way(link)
        if under_way:
            gone = {e[1]: True for e in under_way}
            self.heap[:] = [e for e in self.heap if e[1] not in gone]
            heapify(self.heap)

    def hurry(self, link: SimLink) -> None:
        """Nothing slows the link down any more: what waited on it arrives now, in order."""
        under_way = sorted(self._under_way(link), key=lambda e: e[:2])
        sound = link.sound_arrivals(self.time, len(under_way))
        sooner = {e[1]: min(e[0], at) for e, at in zip(under_way, sound, strict=True)}
        self.heap[:] = [(sooner.get(e[1], e[0]), *e[1:]) for e in self.heap]
        heapify(self.heap)

    def _under_way(self, link: SimLink) -> list[tuple[Micros, int, Any, Any]]:
        target, source = link.target, link.source.address
        return [e for e in self.heap if e[2] is target and not isinstance(e[3], Call) and e[3].sender.address == source]

    def forget_timers(self, node: SimNode) -> None:
        for _, _, owner, what in self.heap:
            if owner is node and type(what) is Call:
                what.cancel()

    def timers_anew(self, node: SimNode, clock: NodeClock) -> None:
        """The node's clock was set: each of its timers is due when the new clock says so."""
        for i, (_, sequence, owner, what) in enumerate(self.heap):
            if owner is node and type(what) is Call:
                self.heap[i] = (max(self.time, clock.true_time_of(what.due)), sequence, node, what)
        heapify(self.heap)


class _Script:
    """Takes the script's own calls from the heap, in the place of a node."""

    def take(self, what: Call) -> None:
        if what.callback is not None:
            what.callback()


class _Notice(Call):
    """Comes to a node by the network or the harness: the node's clock has no part in it."""

    __slots__ = ()

    def __init__(self, callback: Callable[[], None]) -> None:
        super().__init__(callback, 0)


_SCRIPT = _Script()


def _nothing() -> None:
    pass
