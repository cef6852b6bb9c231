"""One simulated node: the same member as in a real process, and the `Env` that virtual time gives it.

The world hands a node one thing at a time, a message or a call; each is one step. What a paused or held node would
get waits, and runs in order when it goes on. A step that raises kills the node, as it does a real process."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from heapq import heappush
from typing import TYPE_CHECKING, Any, Final

from shaketable.harness.records import Record
from shaketable.harness.sim.network import MOST_PENDING, OLDEST_PENDING, SimLink
from shaketable.node.clock import NodeClock
from shaketable.node.config import Settings
from shaketable.node.env import Micros
from shaketable.node.events import Event, Failed, Held, Released, Started, Stopped
from shaketable.node.filters import MessageFilters
from shaketable.node.gms.datagrams import Kinds, by_datagram, datagram_kinds
from shaketable.node.holds import Due, Holds, Where
from shaketable.node.identities import Identities
from shaketable.node.member import ClusterMember
from shaketable.node.messages import Address, Message
from shaketable.node.nodes import MakeMember, Node, node_of
from shaketable.node.rest import Rest, rest_of

if TYPE_CHECKING:
    from shaketable.harness.sim.world import SimWorld


STOPPED: Final = ("paused", "held")
"""Who does not run at all; who only waits for its turn to run shakes hands all the same."""


class Call:
    """Something to do at a time: a timer of the node, or what the network has to tell it."""

    __slots__ = ("callback", "due")

    def __init__(self, callback: Callable[[], None], due: Micros) -> None:
        self.callback: Callable[[], None] | None = callback
        self.due = due
        """by the node's own clock; only a timer's counts when the clock is set"""

    def cancel(self) -> None:
        self.callback = None


class SimNode:
    """Is the `Env` of its member: one object less between a member and the heap."""

    def __init__(
        self,
        world: SimWorld,
        name: str,
        address: Address,
        life: int,
    ) -> None:
        self._world = world
        self.name = name
        self.address = address
        self.life = life
        """0 for the first incarnation, 1 after a restart ..."""
        self.rng = random.Random(f"{world.seed}/node {name}/{life}")
        self.links: dict[Address, SimLink] = {}
        self.incarnation = ""
        self.identities: Node
        self.rest: Rest | None = None
        """None: it answers no HTTP requests"""
        self.listening = False
        self.ended = False
        self.clock: NodeClock | None = None
        """None: true time"""
        self.datagram_kinds: Kinds = ()
        """what it sends so, and not over its links"""
        self.filters: MessageFilters | None = None
        self.holds: Holds | None = None
        self._sequence = 0
        self._asleep: dict[str, bool] = {}
        """why it executes nothing: "paused", "held", "load 3" """
        self._backlog: list[Any] = []
        self._outbox: list[tuple[Address, Message]] | None = None
        """while holds are armed, the messages of the present step"""
        self._kept: list[tuple[Address, Message]] = []
        self._handed_over = 0
        self._dues: list[Due] = []
        self._released: list[int] = []
        """holds that were ended while it was paused"""
        self._stopped = ""
        """how it ended by itself: "left", "refused" """
        self._failed = False
        self.take: Callable[[Any], None] = self._take

    def start(
        self, make: MakeMember, addresses: Sequence[Address], settings: Settings, read_file: Callable[[], str]
    ) -> None:
        self.listening = True
        self.datagram_kinds = datagram_kinds(settings)
        try:
            self.identities = node_of(self, make, self.address, addresses, settings)
        except Exception as error:
            self.fail(error)
            return
        self.rest = rest_of(self.identities, settings, read_file)
        self.incarnation = self.identities.me.uuid
        self._take(Call(self.identities.start, 0))

    @property
    def member(self) -> ClusterMember:
        """What it is now: a merge makes it another one."""
        assert isinstance(self.identities, Identities)
        return self.identities.member

    # Env

    def now(self) -> Micros:
        return self._world.time if self.clock is None else self.clock.now()

    def send(self, to: Address, message: Message) -> None:
        if self._outbox is not None:
            self._outbox.append((to, message))
            return
        link = self.links.get(to)
        if link is not None and link.plain and self.filters is None:
            world = self._world
            world.sequence = sequence = world.sequence + 1
            # Never before the message in front of it. Written out here: nothing is done more often.
            at = world.time + link.base + int(link.random() * link.span)
            if at <= link.last:
                at = link.last + 1
            link.last = at
            heappush(world.heap, (at, sequence, link.target, message))
        elif link is not None:
            self._send_the_long_way(link, message)

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Call:
        world = self._world
        world.sequence += 1
        if self.clock is None:
            due = at = world.time + delay
        else:
            due = self.clock.now() + delay
            at = self.clock.true_time_of(due)
        call = Call(callback, due)
        heappush(world.heap, (at, world.sequence, self, call))
        return call

    def report(self, event: Event) -> None:
        self._sequence += 1
        if type(event) is Started:
            self.incarnation = event.member.uuid
        self._world.add(Record(self._world.time, self.name, self.incarnation, self._sequence, event))
        if self.holds is not None:
            self.holds.see(event)
        if type(event) is Stopped:
            self._stopped = "refused" if event.refused else "left"
            self.take = self._ignore
            if self._outbox is None:
                self._world.end_soon(self, self._stopped)

    def forget_timers(self) -> None:
        self._world.forget_timers(self)

    def disconnect(self, to: Address) -> None:
        link = self.links.get(to)
        if link is not None:
            self._world.network.disconnect(link)

    # Steps

    def _take(self, what: Any) -> None:
        try:
            if isinstance(what, Call):
                if what.callback is not None:
                    what.callback()
            else:
                self.identities.receive(what)
        except Exception as error:
            self.fail(error)

    def _take_and_hold(self, what: Any) -> None:
        """The way of a step while holds are armed: nothing leaves before the step has ended."""
        assert self.holds is not None
        self._outbox = []
        self._take(what)
        self._kept, self._outbox = self._outbox, None
        if self._failed:
            return
        self._dues = self.holds.due()
        self._hold_or_go_on(handed_over=0)

    def _hold_or_go_on(self, handed_over: int) -> None:
        while self._kept and not (self._dues and self._dues[0].after <= handed_over):
            self._hand_over(self._kept.pop(0))
            handed_over += 1
        if self._dues:
            self._handed_over = handed_over
            self._sleep("held")
            self.report(Held(self._dues[0].number, self._dues[0].event, handed_over))
        elif self._stopped:
            self._world.end_soon(self, self._stopped)

    def _hand_over(self, entry: tuple[Address, Message]) -> None:
        self.send(*entry)

    def _ignore(self, what: Any) -> None:
        pass

    def fail(self, error: Exception) -> None:
        self._failed = True
        self.report(Failed(f"{type(error).__name__}: {error}"))
        self._world.failures.append((self.name, error))
        self._world.end_soon(self, "failed")
        self.take = self._ignore

    def end(self) -> None:
        self.ended, self.listening = True, False
        self.take = self._ignore
        self._backlog.clear()

    # What chaos does to a node

    @property
    def paused(self) -> bool:
        return "paused" in self._asleep

    def pause(self) -> None:
        self._sleep("paused")

    def starve(self, load: int) -> None:
        """This load has the CPU, and the node waits for its turn."""
        self._sleep(f"load {load}")

    def feed(self, load: int) -> None:
        if f"load {load}" in self._asleep:
            self._wake(f"load {load}")

    def resume(self) -> None:
        self._wake("paused")
        released, self._released = self._released, []
        for number in released:
            self.release(number)

    def arm_hold(self, number: int, event: str, after: int | None, nth: int, where: Where) -> None:
        if self.holds is None:
            self.holds = Holds()
        self.holds.arm(number, event, after, nth, where)
        if not self._asleep:
            self.take = self._take_and_hold

    def release(self, number: int) -> None:
        """It goes on if it holds there, and will not hold there any more. A paused node hears of it when it wakes."""
        if self.paused:
            self._released.append(number)
            return
        if self.holds is not None:
            self.holds.disarm(number)
        if not self._dues or self._dues[0].number != number:
            self._dues = [due for due in self._dues if due.number != number]
            return
        due = self._dues.pop(0)
        self._asleep.pop("held", None)
        self.report(Released(due.number, due.event))
        self._asleep["held"] = True
        self._wake("held")
        self._hold_or_go_on(self._handed_over)

    def _sleep(self, why: str) -> None:
        self._asleep[why] = True
        self.take = self._backlog.append

    def _wake(self, why: str) -> None:
        """What waited runs now, in order, each as a step of its own."""
        self._asleep.pop(why, None)
        if self.ended:
            return
        world = self._world
        if not self._asleep:
            if self._stopped:
                self.take = self._ignore
                return
            self.take = self._take if self.holds is None else self._take_and_hold
            for what in self._backlog:
                world.sequence += 1
                heappush(world.heap, (world.time, world.sequence, self, what))
            self._backlog = []
        if why in STOPPED and not any(each in self._asleep for each in STOPPED):
            world.network.wake(self)

    def set_clock(self, jump: Micros, rate_ppm: int) -> None:
        if self.clock is None:
            self.clock = NodeClock(lambda: self._world.time)
        self.clock.jump(jump)
        self.clock.set_rate(rate_ppm)
        self._world.timers_anew(self, self.clock)

    # Sending when something is wrong

    def _send_the_long_way(self, link: SimLink, message: Message) -> None:
        world = self._world
        delay = 0
        if self.filters is not None:
            route = self.filters.route(link.target_address, message)
            for event in route.first:
                self.report(event)
            if not route.hand_over:
                return
            delay = route.delay
        if delay:
            world.later(delay, self, lambda: self.put_on(link, message))
        else:
            self.put_on(link, message)

    def put_on(self, link: SimLink, message: Message) -> None:
        world = self._world
        if self.datagram_kinds and by_datagram(self.datagram_kinds, message):
            world.datagrams.send(link, message)
            return
        if link.disconnected:
            world.network.reopen(link)
        if link.pending is not None:
            if len(link.pending) < MOST_PENDING:
                link.pending.append((world.time, message))
            return
        at = link.arrival_under_faults(world.time, message)
        if at is not None:
            world.sequence += 1
            heappush(world.heap, (at, world.sequence, link.target, message))

    def send_pending(self, link: SimLink) -> None:
        pending, link.pending = link.pending, None
        for sent, message in pending or ():
            if self._world.time - sent <= OLDEST_PENDING:
                self.put_on(link, message)

    def forget_under_way(self, link: SimLink) -> None:
        self._world.forget_under_way(link)

    def hurry(self, link: SimLink) -> None:
        self._world.hurry(link)
