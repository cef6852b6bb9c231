"""The simulated world: virtual time, a heap of events and direct calls. The same seed gives the same history.

Nothing here sleeps and nothing is concurrent: the world takes the next thing from the heap, hands it to its node, and
looks whether a condition of the script has changed."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import Final

from shaketable.harness.faults.actions import (
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
from shaketable.harness.faults.table import FaultTable, Link, NodeFault
from shaketable.harness.faults.verb import Fault
from shaketable.harness.records import HARNESS, Ending, NodeEnded, NodeNamed, NodeSpawned, Record
from shaketable.harness.seen.run import Observed
from shaketable.harness.worlds.sim.acts import ACTS
from shaketable.harness.worlds.sim.datagrams import SimDatagrams
from shaketable.harness.worlds.sim.files import Files
from shaketable.harness.worlds.sim.heap import Call, Heap
from shaketable.harness.worlds.sim.load import Loads
from shaketable.harness.worlds.sim.network import NOTICE, RECONNECT, SimLink, SimNetwork
from shaketable.harness.worlds.sim.node import SimNode
from shaketable.harness.worlds.sim.requests import Requests
from shaketable.harness.worlds.sim.schedules import Schedule
from shaketable.node.config import Settings
from shaketable.node.core.commands import LeaveCommand
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import Event
from shaketable.node.events.base import Mark
from shaketable.node.messages import Address, Message
from shaketable.node.nodes import MakeMember

FIRST_PORT = 5701
INSTANT: Final[Micros] = MILLISECOND
MOST_AT_ONE_INSTANT: Final = 300_000
"""things that happen; three hundred members that all send to all at once have a third of that"""
Done = Callable[[Receipt | NoEffect], None]


class SimWorld:
    name = "sim"
    fabric = "simulated"
    allowance: Micros = 50 * MILLISECOND

    def __init__(self, seed: int, settings: Settings, make_member: MakeMember, heap: Heap | None = None) -> None:
        self.seed = seed
        self.settings = settings
        self.heap = heap = Heap() if heap is None else heap
        self.records: list[Record] = []
        self.observed = Observed()
        self.on_change: Callable[[], None] = _nothing
        self.on_endless: Callable[[str], None] = _ignored
        """called, with a sentence, when so much happens that no time passes any more"""
        self.table = FaultTable()
        self.network = SimNetwork(seed, heap, self.table.link, Schedule(seed, settings))
        self.datagrams = SimDatagrams(seed, heap, self.record, self._datagram_arrives)
        self.loads = Loads(seed, heap, settings.heartbeat_interval)
        self.nodes: dict[str, SimNode] = {}
        self.failures: list[tuple[str, BaseException]] = []
        self.events = 0
        """heap events taken so far"""
        self._instant: Micros = 0
        """when the instant began of which things are counted"""
        self._at_once = 0
        self._make_member = make_member
        self._configured: dict[str, tuple[tuple[Address, ...], Settings]] = {}
        self._addresses: dict[str, Address] = {}
        self.names: dict[Address, str] = {}
        """of the nodes, by their addresses"""
        self._harness_sequence = 0
        self._ended: dict[str, Micros] = {}
        """when each node's last process did"""
        self._leaving: dict[str, Done] = {}
        self._requests = Requests(heap)
        self._files = Files()

    # World

    @property
    def acts(self) -> Container[type[Fault]]:
        return ACTS

    @property
    def time(self) -> Micros:
        return self.heap.time

    def now(self) -> Micros:
        return self.heap.time

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Call:
        return self.heap.call_later(delay, callback)

    def record(self, event: Event) -> None:
        self._harness_sequence += 1
        self.add(Record(self.heap.time, HARNESS, "", self._harness_sequence, event))

    def add(self, record: Record) -> None:
        self.records.append(record)
        if self.observed.apply(record):
            self.heap.stirred = True

    def run(self, until: Callable[[], bool], most: int | None = None) -> None:
        """Until that is so, or nothing is left to do; at most so many events."""
        self.heap.take_nothing()
        if until():
            return
        heap = self.heap

        def look() -> bool:
            while heap.stirred:
                heap.stirred = False
                self.on_change()
            return until()

        taken = heap.run(look, most)
        self.events += taken
        if heap.time - self._instant >= INSTANT:
            self._instant, self._at_once = heap.time, 0
            return
        self._at_once += taken
        if self._at_once > MOST_AT_ONE_INSTANT:
            self._at_once = 0
            self.on_endless(self._endless())

    def _endless(self) -> str:
        _, _, taker, what, _ = self.heap.entries[0] if self.heap else self.heap.entry
        kind = "a timer" if isinstance(what, Call) else f"a {type(what).__name__}"
        whose = f" for {taker.name}" if isinstance(taker, SimNode) else ""
        at = f"{self.heap.time / SECOND:.3f} s"
        return (
            f"at {at} no time passes any more: more than {MOST_AT_ONE_INSTANT:,} things happened within "
            f"{INSTANT / SECOND:g} s, and the next one was to be {kind}{whose}"
        )

    # Acting

    def act(self, action: Action, done: Done) -> None:
        """Takes effect at once; the receipt comes when the node that must see it has seen it."""
        try:
            match action:
                case Start():
                    self._start_all(action)
                    self._soon(done, 0, "started")
                case Kill(node=name):
                    self._end(self._running(name), Ending.KILLED)
                    self._soon(done, 0, "the process is gone")
                case Leave(node=name):
                    node = self._running(name)
                    if name in self._leaving:
                        raise NoEffect(f"{name} is leaving already")
                    self._leaving[name] = done
                    self.heap.later(0, node, lambda: node.identities.command(LeaveCommand()))
                case Command(node=name, command=command):
                    node = self._running(name)
                    self.heap.later(0, node, partial(node.identities.command, command))
                    self._soon(done, 0, "handed over")
                case Http(node=name):
                    self._requests.ask(self._running(name), action, done)
                case WriteFile(node=name, text=text):
                    self._files.write(name, text)
                    self._soon(done, 0, "written")
                case Restart(node=name):
                    runs = name in self.nodes and self.nodes[name].listening
                    if runs and not self.nodes[name].said_last_words:
                        raise NoEffect(f"{name} still runs")
                    if runs or self._ended.get(name) == self.heap.time:
                        # In one and the same microsecond a history could not tell the two lives apart.
                        self.heap.call_later(1, lambda: self.act(action, done))
                        return
                    self._spawn(name)
                    self._start(name)
                    self._soon(done, 0, "a new process runs")
                case Begin(number=number, fault=fault):
                    if isinstance(fault, NodeFault):
                        self._running(fault.node)
                    changed = self.table.begin(number, fault)
                    how, delay = ACTS[type(fault)].begin(self, number, fault, changed)
                    self._soon(done, delay, how)
                case End(number=number):
                    ending = self.table.active.get(number)
                    if ending is None:
                        raise NoEffect("it has ended already")
                    changed = self.table.end(number)
                    how, delay = ACTS[type(ending)].end(self, number, ending, changed)
                    self._soon(done, delay, how)
                case Reset(links=links):
                    sim_links = [self._up(link) for link in links]
                    for each in sim_links:
                        self.network.reset(each)
                    self.heap.call_later(NOTICE + RECONNECT[1], lambda: self._came_back(sim_links, done))
        except NoEffect as no_effect:
            refusal = no_effect
            self.heap.call_later(0, lambda: done(refusal))

    def _up(self, name: Link) -> SimLink:
        link = self.network.link(name)
        if link is None or link.up is not True:
            hung_up = ": its node has hung it up" if link and link.disconnected else ""
            raise NoEffect(f"the link {name[0]}->{name[1]} is not up{hung_up}")
        return link

    def _came_back(self, links: Sequence[SimLink], done: Done) -> None:
        """Under load a sender notices that in its next turn. One that is paused, held or gone is not waited for."""
        senders = dict.fromkeys(link.name[0] for link in links if link.up is not True)
        late = [self.nodes[name] for name in senders if self.nodes[name].waits_for_its_turn]
        had_turn: list[SimNode] = []
        for node in late:
            self.heap.later(0, node, partial(had_turn.append, node))

        def look() -> None:
            if any(node.waits_for_its_turn and node not in had_turn for node in late):
                self.heap.call_later(RECONNECT[1], look)
            else:
                done(Receipt(self.heap.time, "the senders' links went down and came back"))

        look()

    def _soon(self, done: Done, delay: Micros, how: str) -> None:
        self.heap.call_later(delay, lambda: done(Receipt(self.heap.time, how)))

    def _running(self, name: str) -> SimNode:
        node = self.nodes.get(name)
        if node is None or not node.listening:
            raise NoEffect(f"{name} is not running")
        return node

    def listening(self) -> list[SimNode]:
        return [node for node in self.nodes.values() if node.listening]

    # Nodes

    def _start_all(self, action: Start) -> None:
        for name in action.addresses + action.nodes:
            if name not in self._addresses:
                self._addresses[name] = f"127.0.0.1:{FIRST_PORT + len(self._addresses)}"
                self.names[self._addresses[name]] = name
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

    def _datagram_arrives(self, name: str, message: Message, mark: Mark) -> None:
        node = self.nodes.get(name)
        if node is not None and node.listening:
            self.heap.entry = (*self.heap.entry[:2], node, message, mark)
            node.take(message)

    def failed(self, node: SimNode, error: BaseException) -> None:
        self.failures.append((node.name, error))
        self.end_soon(node)

    def end_soon(self, node: SimNode) -> None:
        self.heap.call_later(0, lambda: self._end(node, node.ending))

    def _end(self, node: SimNode, end: Ending) -> None:
        if node.ended:
            return
        node.end()
        self._ended[node.name] = self.heap.time
        self.table.end_all_of(node.name)
        self.network.stop(node)
        self.record(NodeEnded(node.name, end.value, end))
        self._requests.node_ended(node.name, end)
        done = self._leaving.pop(node.name, None)
        if done is not None:
            gone = Receipt(self.heap.time, "it said so and its process ended")
            self.heap.call_later(
                0, lambda: done(gone if end is Ending.LEFT else NoEffect(f"it ended otherwise: {end}"))
            )

    def address_of(self, name: str) -> Address:
        return self._addresses[name]


def _nothing() -> None:
    pass


def _ignored(sentence: str) -> None:
    pass
