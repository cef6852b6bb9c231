"""The simulated network: one queue for every ordered pair of nodes, seeded delays, and the same faults as the real one.

Bytes wait behind bytes: a link keeps its order. When a link is cut, messages under way are lost; when it turns into a
black hole, they arrive. The first message that comes after some that were lost shows how many, as the numbers of real
frames do; until then the link is not plain, so this costs sound links nothing. Each link draws from a generator of its
own, so that taking one fault away does not change the delays of all other links."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.faults.table import Link
from shaketable.harness.worlds.sim.heap import Heap, Notice, Taker
from shaketable.harness.worlds.sim.schedules import DELAY, Schedule
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events.base import Mark
from shaketable.node.messages import Address, Message, encode

NOTICE: Final[Micros] = 500
"""how soon a sender learns that a connection dropped or was refused"""
CONNECT: Final[Micros] = 400
RECONNECT: Final = (5 * MILLISECOND, 150 * MILLISECOND)
"""a link that was refused tries again after some time between these"""
MOST_PENDING: Final = 16
OLDEST_PENDING: Final[Micros] = 250 * MILLISECOND
"""so many messages, and not for longer, wait for a link that is opened by a send"""
FRAME_OVERHEAD: Final = 80
"""bytes of header and framing that a thin link carries beside the message"""


class Host(Taker, Protocol):
    """A node, as far as the network knows of it."""

    name: str
    address: Address
    life: int
    listening: bool
    ended: bool
    links: dict[Address, SimLink]
    """its outgoing ones"""

    @property
    def paused(self) -> bool: ...

    @property
    def looks_at_each_message(self) -> bool:
        """A message that it sends may have to wait, or goes another way."""

    def link_changed(self, to: Address, up: bool) -> None: ...

    def lacks(self, sender: Address, count: int, before: Micros) -> None:
        """So many messages of that sender never came; the last one before them did so long ago."""


class SimLink:
    """What `source` sends to `target`."""

    __slots__ = (
        "_free_at",
        "base",
        "came",
        "disconnected",
        "drops",
        "last",
        "lost",
        "name",
        "pending",
        "plain_to",
        "random",
        "source",
        "span",
        "state",
        "target",
        "target_address",
        "telling",
        "uniform",
        "up",
    )

    def __init__(self, source: Host, to: Host, state: LinkState, rng: random.Random, schedule: Schedule) -> None:
        self.source = source
        self.name: Link = (source.name, to.name)
        self.target_address = to.address
        self.target = to if to.listening else None
        """the running incarnation at the other end, None: nobody listens there"""
        self.state = state
        self.up: bool | None = None
        """as the source was told; None: it has not been told yet"""
        self.disconnected = False
        """its source has hung up"""
        self.pending: list[tuple[Micros, Message, Mark]] | None = None
        """what was sent, and when, while a send opens it again"""
        self.drops = 0
        """how often it dropped: a handshake from before a drop is lost with it"""
        self.plain_to: Taker | None = None
        """the target, while the link is up and sound and each message goes over it at once"""
        self.last: Micros = 0
        self.lost = 0
        """messages that the target has yet to miss"""
        self.came: Micros | None = None
        """when the last one before them came to this target; None: none has, and it misses nothing"""
        self.telling: tuple[Micros, Notice, int] | None = None
        """when and how it is told last how many it lacks"""
        self.uniform = rng.random
        self.base, self.span, self.random = schedule.pace(rng)
        self._free_at: Micros = 0

    def arrival_under_faults(self, now: Micros, message: Message) -> Micros | None:
        """None: it never arrives. Every fault is an addition to the sound link's own delay."""
        if self.up is not True or self.state.silent or self.target is None:
            return None
        at = now + self.delay()
        if self.state.latency:
            at += self.state.latency + int((2 * self.uniform() - 1) * self.state.jitter)
        if self.state.rate is not None:
            size = len(encode(message)) + FRAME_OVERHEAD
            self._free_at = max(self._free_at, now) + size * SECOND // self.state.rate
            at = max(at, self._free_at)
        if at <= self.last:
            at = self.last + 1
        self.last = at
        return at

    def facts(self) -> list[object]:
        """All of it that decides what becomes of the next message."""
        telling = self.telling and (self.telling[0], self.telling[2])
        drawn = [self.uniform, self.base, self.last, self._free_at]
        return [
            self.name, self.state, self.up, self.disconnected, self.pending, self.drops, self.lost, self.came, telling,
            *drawn,
        ]  # fmt: skip

    def delay(self) -> Micros:
        """Of a message on a sound link."""
        return self.base + int(self.random() * self.span)

    def spread(self) -> Micros:
        return self.base

    def reconnect_delay(self) -> Micros:
        least, most = RECONNECT
        return least + int(self.uniform() * (most - least))

    def refresh(self) -> None:
        sound = self.up is True and self.state is SOUND and self.target is not None and not self.lost
        self.plain_to = self.target if sound and not self.source.looks_at_each_message else None

    def can_connect(self) -> bool:
        """A handshake needs somebody there who is not paused, and bytes that flow."""
        return self.target is not None and not self.target.paused and not self.state.silent

    def lose(self, count: int, now: Micros) -> None:
        """So many messages never come."""
        if self.last and not self.lost:
            self.came = min(self.last, now)
        if self.came is not None:
            self.lost += count

    def has_new_target(self, target: Host) -> None:
        self.target, self.lost, self.came, self.telling = target, 0, None, None

    def empty(self) -> None:
        """All that waited on it is gone: the next message waits behind nothing."""
        self.last = self._free_at = 0

    def sound_arrivals(self, now: Micros, many: int) -> list[Micros]:
        """When what is under way arrives now that nothing slows it down any more."""
        first = now + self.base
        self.last, self._free_at = first + many, 0
        return [first + i for i in range(many)]


class SimNetwork:
    """All links, and what the nodes at their ends are told of them."""

    def __init__(
        self,
        seed: int,
        heap: Heap,
        state_of: Callable[[Link], LinkState],
        schedule: Schedule,
    ) -> None:
        self._seed = seed
        self._schedule = schedule
        self._heap = heap
        self._state_of = state_of
        self._links: dict[Link, SimLink] = {}

    def link(self, link: Link) -> SimLink | None:
        return self._links.get(link)

    def start(self, node: Host, others: Iterable[Host]) -> None:
        """A node binds: its own links connect, and every node that runs reaches it."""
        for other in others:
            mine = self._new_link(node, other)
            self._connect(mine, CONNECT + mine.spread())
            theirs = self._links.get((other.name, node.name))
            if theirs is None and other.listening:
                theirs = self._new_link(other, node)
            if theirs is not None:
                theirs.has_new_target(node)
                # A node that hears from a node that it could not reach tries again at once, not at its next turn.
                self._connect(theirs, 2 * CONNECT + DELAY[1] + theirs.spread())

    def _new_link(self, source: Host, to: Host) -> SimLink:
        rng = random.Random(f"{self._seed}/link {source.name}->{to.name}/{source.life}")
        link = SimLink(source, to, self._state_of((source.name, to.name)), rng, self._schedule)
        self._links[source.name, to.name] = link
        source.links[to.address] = link
        return link

    def stop(self, node: Host) -> None:
        """Nobody listens there any more: every other side's connection drops."""
        for link in self._links.values():
            if link.target is node:
                link.target = None
                self._drop(link)

    def set_state(self, name: Link, state: LinkState) -> None:
        link = self._links.get(name)
        if link is None:
            return  # it takes its state from the table of faults when it comes to be
        before, link.state = link.state, SOUND if state == SOUND else state
        if state.cut and not before.cut:
            self._drop(link)
        link.refresh()
        if (before.latency or before.rate) and not (state.latency or state.rate):
            self._hurry(link)
        if link.up is not True and before.silent and not state.silent:
            self._connect(link, link.reconnect_delay())

    def _hurry(self, link: SimLink) -> None:
        """Nothing slows the link down any more: what waited on it arrives now."""
        if link.target is not None:
            now = self._heap.time
            self._heap.hurry(link.target, link.source.address, lambda many: link.sound_arrivals(now, many))

    def send(self, link: SimLink, message: Message, mark: Mark = 0) -> None:
        if link.disconnected:
            self.reopen(link)
        heap = self._heap
        if link.pending is not None:
            if len(link.pending) < MOST_PENDING:
                link.pending.append((heap.time, message, mark))
            else:
                link.lose(1, heap.time)
            return
        at = link.arrival_under_faults(heap.time, message)
        if at is None or link.target is None:
            link.lose(1, heap.time)
            return
        if link.lost and link.came is not None:
            self._tell_lost(link, link.target, at, at - link.came)
        heap.push(at, link.target, message, mark)

    def _tell_lost(self, link: SimLink, target: Host, at: Micros, before: Micros) -> None:
        count, sender = link.lost, link.source.address
        notice = Notice(lambda: target.lacks(sender, count, before), of=link.name[0], with_messages=True)
        self._heap.push(at, target, notice)
        link.telling, link.lost = (at, notice, count), 0
        link.refresh()

    def _send_pending(self, link: SimLink) -> None:
        pending, link.pending = link.pending, None
        for sent, message, mark in pending or ():
            if self._heap.time - sent <= OLDEST_PENDING:
                self.send(link, message, mark)
            else:
                link.lose(1, self._heap.time)

    def reset(self, link: SimLink) -> None:
        self._drop(link)
        self._connect(link, NOTICE + link.reconnect_delay())

    def reopen(self, link: SimLink) -> None:
        link.up, link.disconnected, link.pending = None, False, []
        self._connect(link, CONNECT + 2 * link.state.latency)

    def disconnect(self, link: SimLink) -> None:
        """The source itself hangs up; it is not told what it did, and the next send connects again."""
        self._forget_pending(link)
        link.up, link.disconnected = False, True
        link.drops += 1
        link.refresh()

    def wake(self, node: Host) -> None:
        """Handshakes that hung because this node slept now succeed."""
        for link in self._links.values():
            if (link.target is node or link.source is node) and link.up is not True:
                self._connect(link, link.reconnect_delay())

    def _drop(self, link: SimLink) -> None:
        now = self._heap.time
        if link.telling is not None and link.telling[0] > now:  # the message that it was to come with is lost too
            _, notice, count = link.telling
            notice.cancel()
            link.lost, link.telling = count, None
        if link.target is not None:
            link.lose(self._heap.forget_messages(link.target, link.source.address), now)
        self._forget_pending(link)
        link.empty()
        link.drops += 1
        if link.up is not False:
            link.up = False
            link.refresh()
            self._heap.later(NOTICE + link.spread(), link.source, lambda: self._tell_down(link), link.name[1])

    def _forget_pending(self, link: SimLink) -> None:
        link.lose(len(link.pending or ()), self._heap.time)
        link.pending = None

    def _tell_down(self, link: SimLink) -> None:
        if not link.source.ended and not link.disconnected:
            link.source.link_changed(link.target_address, False)

    def _connect(self, link: SimLink, delay: Micros) -> None:
        if not link.source.ended:
            drops = link.drops
            self._heap.later(delay, link.source, lambda: self._connected(link, drops), link.name[1])

    def _connected(self, link: SimLink, drops: int) -> None:
        if link.up is True or link.disconnected or link.source.ended or link.drops != drops:
            return
        if link.can_connect():
            link.up = True
            link.refresh()
            self._send_pending(link)
            link.source.link_changed(link.target_address, True)
        elif link.up is None and (link.target is None or link.state.cut):
            self._forget_pending(link)
            link.up = False
            link.refresh()
            link.source.link_changed(link.target_address, False)
