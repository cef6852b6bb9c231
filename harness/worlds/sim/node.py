"""One simulated node: the same member and the same shell as in a real process, in virtual time.

The heap hands a node one thing at a time, a message or a call; each is one step. Things for a paused or held node wait,
and run in order when it goes on. A step that raises kills the node, as it does a real process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, Protocol

from shaketable.harness.records import Ending, Record
from shaketable.harness.worlds.sim.datagrams import SimDatagrams
from shaketable.harness.worlds.sim.env import SimEnv
from shaketable.harness.worlds.sim.heap import Call, Heap, Notice, What, begun_by
from shaketable.harness.worlds.sim.network import SimLink, SimNetwork
from shaketable.node.cluster.identities import Identities
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import MessagesLost, Stopped
from shaketable.node.events.base import Mark
from shaketable.node.gms.datagrams import Kinds, by_datagram, datagram_kinds
from shaketable.node.messages import Address, Uuid
from shaketable.node.nodes import MakeMember, Node, node_of
from shaketable.node.rest import Rest, rest_of
from shaketable.node.shaking.filters import FilterAct
from shaketable.node.shaking.holds import Where
from shaketable.node.shaking.shell import Report, Sent

STOPPED: Final = ("paused", "held")
"""The states in which a node does not run at all. A node that only waits for its turn to run still shakes hands."""


class Owner(Protocol):
    """The world, as far as a node knows of it."""

    seed: int
    heap: Heap
    network: SimNetwork
    datagrams: SimDatagrams

    def add(self, record: Record) -> None: ...

    def end_soon(self, node: SimNode) -> None:
        """It ended by itself, in the middle of its step: it is gone when the step has ended."""

    def failed(self, node: SimNode, error: BaseException) -> None: ...


class SimNode:
    """What its shell has of the world, and what chaos does to it."""

    def __init__(self, world: Owner, name: str, address: Address, life: int) -> None:
        self._world = world
        self._heap = world.heap
        self._network = world.network
        self._datagrams = world.datagrams
        self.name = name
        self.address = address
        self.life = life
        """0 for the first incarnation, 1 after a restart ..."""
        self.links: dict[Address, SimLink] = {}
        self.env = SimEnv(
            self,
            f"{world.seed}/node {name}/{life}",
            name=name,
            timers=self,
            heap=world.heap,
            links=self.links,
            add=world.add,
        )
        self.identities: Node
        self.rest: Rest | None = None
        """None: it answers no HTTP requests"""
        self.listening = False
        self.ended = False
        self.said_last_words = False
        """its process comes to its end in this microsecond"""
        self.ending = Ending.LEFT
        """how it ends by itself: a step that says that it has stopped and then raises has failed"""
        self._datagram_kinds: Kinds = ()
        """what it sends so, and not over its links"""
        self._with_care = False
        """a hold was armed, or it sends datagrams: what a step reports and sends waits for its end"""
        self._asleep: dict[str, bool] = {}
        """why it executes nothing: "paused", "held", "load 3" """
        self._backlog: list[tuple[What, Mark]] = []
        self._released: list[int] = []
        """holds that were ended while it did not run"""
        self.take: Callable[[What], None] = self._take

    def start(
        self, make: MakeMember, addresses: Sequence[Address], settings: Settings, read_file: Callable[[], str]
    ) -> None:
        self.listening = True
        self._datagram_kinds = datagram_kinds(settings)
        self._with_care |= bool(self._datagram_kinds)
        self._choose_way()
        try:
            self.identities = node_of(self.env, make, self.address, addresses, settings)
        except Exception as error:
            self.env.fail(error)
            return
        self.rest = rest_of(self.identities, settings, read_file)
        self.env.incarnation = self.identities.me.uuid
        self.take(Call(self.identities.start, 0))

    def end(self) -> None:
        self.ended, self.listening = True, False
        self.take = self._ignore
        self._backlog.clear()

    @property
    def member(self) -> ClusterMember:
        """What it is now: a merge makes it another one."""
        assert isinstance(self.identities, Identities)
        return self.identities.member

    @property
    def incarnation(self) -> Uuid:
        return self.env.incarnation

    def state(self) -> list[object]:
        """All of it that decides what it does next."""
        if not self.listening:
            return [self.life, self.ended]
        links = [link.facts() for link in self.links.values()]
        own = [self.life, self.identities, self.rest, self.env.state(), links]
        return [*own, self._backlog, [*self._asleep], self._released]

    # Steps

    def _take(self, what: Any) -> None:
        """The short way of a step: nothing that it sends waits for its end."""
        before = self._heap.pushed
        try:
            kind = type(what)
            if kind is Call or kind is Notice:
                if what.callback is not None:
                    what.callback()
            else:
                self.identities.receive(what)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._heap.take_back(before)
            self.env.cause = begun_by(self._heap.entry)
            self.env.fail(error)

    def _take_with_care(self, what: What) -> None:
        if not isinstance(what, Call):
            self.env.step(partial(self.identities.receive, what), begun_by(self._heap.entry))
        elif what.callback is not None:
            self.env.step(what.callback, begun_by(self._heap.entry))

    def _ignore(self, what: What) -> None:
        pass

    def _keep(self, what: What) -> None:
        self._backlog.append((what, self._heap.entry[4]))

    def _choose_way(self) -> None:
        """Crash points or filters were armed or taken back."""
        for link in self.links.values():
            link.refresh()
        if not self._asleep and not self.env.over and not self.ended:
            self.take = self._take_with_care if self._with_care or self.env.filters.armed else self._take

    # What its shell has of the world

    def true_now(self) -> Micros:
        return self._heap.time

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Call:
        return self.env.call_later(delay, callback)

    def timers_anew(self) -> None:
        self._heap.timers_anew(self, self.env.clock.true_time_of)

    def forget_timers(self) -> None:
        self._heap.forget_timers(self)

    def tell(self, reports: Sequence[Report]) -> None:
        time = self._heap.time
        for incarnation, sequence, event, cause in reports:
            self._world.add(Record(time, self.name, incarnation, sequence, event, cause))

    def put(self, to: Address, messages: Sequence[Sent]) -> None:
        link = self.links.get(to)
        if link is None:
            return
        for message, mark in messages:
            if self._datagram_kinds and by_datagram(self._datagram_kinds, message):
                self._datagrams.send(link, message, mark)
            else:
                self._network.send(link, message, mark)

    def put_later(self, delay: Micros, to: Address, message: Sent) -> None:
        self._heap.later(delay, self, partial(self.put, to, (message,)))

    def disconnect(self, to: Address) -> None:
        link = self.links.get(to)
        if link is not None:
            self._network.disconnect(link)

    def hold(self) -> None:
        self._sleep("held")

    def stopped(self, event: Stopped) -> None:
        self.take, self.said_last_words = self._ignore, True
        self.ending = Ending.REFUSED if event.refused else Ending.LEFT
        self._world.end_soon(self)

    def failed(self, error: BaseException) -> None:
        self.take, self.said_last_words = self._ignore, True
        self.ending = Ending.FAILED
        self._world.failed(self, error)

    # What the network asks and tells

    @property
    def paused(self) -> bool:
        return "paused" in self._asleep

    @property
    def waits_for_its_turn(self) -> bool:
        """A load has the CPU, and nothing else keeps it from running."""
        return bool(self._asleep) and not self.ended and not any(why in STOPPED for why in self._asleep)

    @property
    def looks_at_each_message(self) -> bool:
        return bool(self._datagram_kinds) or self.env.filters.armed or self._with_care

    def link_changed(self, to: Address, up: bool) -> None:
        if up:
            self.identities.link_up(to)
        else:
            self.identities.link_down(to)

    def lacks(self, sender: Address, count: int, before: Micros) -> None:
        self.env.report(MessagesLost(sender, count, before))

    # What chaos does to a node

    def pause(self) -> None:
        self._sleep("paused")

    def resume(self) -> None:
        self._wake("paused")
        self._release_later()

    def starve(self, load: int) -> None:
        """This load has the CPU, and the node waits for its turn."""
        self._sleep(f"load {load}")

    def feed(self, load: int) -> None:
        if f"load {load}" in self._asleep:
            self._wake(f"load {load}")
            self._release_later()

    def arm_filter(
        self,
        number: int,
        does: FilterAct,
        kinds: Iterable[str],
        to: Iterable[Address],
        count: int | None,
        delay: Micros,
    ) -> None:
        self.env.filters.arm(number, does, kinds, to, count, delay)
        self._choose_way()

    def disarm_filter(self, number: int) -> None:
        for to, message, mark in self.env.filters.disarm(number):
            self.put_later(0, to, (message, mark))
        self._choose_way()

    def arm_hold(self, number: int, event: str, after: int | None, nth: int, where: Where) -> None:
        self._with_care = True
        self.env.arm_hold(number, event, after, nth, where)
        self._choose_way()

    def release(self, number: int) -> None:
        """It goes on if it holds there, and will not hold there any more. One that does not run hears of it later."""
        if any(why != "held" for why in self._asleep):
            self._released.append(number)
            return
        held = self.env.held is not None
        self.env.release(number)
        if held and self.env.held is None:
            self._wake("held")
            self.env.go_on()

    def _release_later(self) -> None:
        released, self._released = self._released, []
        for number in released:
            self.release(number)

    def set_clock(self, jump: Micros, rate_ppm: int) -> None:
        self.env.set_clock(jump, rate_ppm)

    def _sleep(self, why: str) -> None:
        self._asleep[why] = True
        self.take = self._keep

    def _wake(self, why: str) -> None:
        """Runs what waited now, in order, each as a step of its own."""
        self._asleep.pop(why, None)
        if self.ended:
            return
        if not self._asleep:
            if self.env.over:
                self.take = self._ignore
                return
            self._choose_way()
            for what, mark in self._backlog:
                self._heap.push(self._heap.time, self, what, mark)
            self._backlog = []
        if why in STOPPED and not any(each in self._asleep for each in STOPPED):
            self._network.wake(self)
