"""The real `Env`: runs one member in one process, step by step (docs/architecture.md, "A member and its Env").

What a step reports leaves before what it sends. A hold blocks the whole process on its control socket, at the step's
own messages. A step that raises is the node's end."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from shaketable.node.clock import NodeClock
from shaketable.node.cluster.views import describe
from shaketable.node.commands import Command
from shaketable.node.config import GMS, Settings
from shaketable.node.env import SECOND, Micros
from shaketable.node.events import Event, Failed, Held, Released, Started, Stopped, ViewInstalled
from shaketable.node.filters import MessageFilters
from shaketable.node.gms.datagrams import datagram_kinds
from shaketable.node.holds import Due, Holds, Where
from shaketable.node.legacy import make_member
from shaketable.node.messages import Address, MemberList, Message
from shaketable.node.nodes import MakeMember, Node, node_of
from shaketable.node.process import control
from shaketable.node.process.datagrams import Datagrams
from shaketable.node.process.line import Line
from shaketable.node.process.outlink import monotonic
from shaketable.node.process.own_file import OwnFile
from shaketable.node.process.timers import NodeTimer, Timers
from shaketable.node.process.transport import Self, Transport
from shaketable.node.rest import Request, Response, rest_of

LEFT: Final = 0
FAILED: Final = 1
"""exit codes of a node"""


@dataclass(frozen=True, slots=True)
class Start:
    """What the harness said in `Run`, in our words."""

    address: Address
    addresses: tuple[Address, ...]
    settings: Settings
    seed: str
    process: int
    token: bytes
    read_file: Callable[[], str] = OwnFile("").read
    """what is now in the file of its configuration"""


class Driver:
    """Is the `Env` of its member, and the handler of its transport."""

    def __init__(self, start: Start, line: Line, end: Callable[[int], None], make: MakeMember = make_member) -> None:
        """`end` ends the process, with this exit code, when the driver has nothing more to say."""
        self.rng = random.Random(start.seed)
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._end = end
        self.clock = NodeClock(monotonic)
        self._timers = Timers(self._loop, self.clock, monotonic, self.step)
        me = Self(
            start.address, start.process, start.token, start.settings.heartbeat_interval, frozenset(start.addresses)
        )
        self.transport = Transport(me, self, self._loop)
        self._datagrams: Datagrams | None = None
        """a member of a group takes them, whether or not it sends any"""
        if start.settings.family == GMS:
            kinds = datagram_kinds(start.settings)
            self._datagrams = Datagrams(me, kinds, self.received, self.transport.drop, self._loop)
        self.filters = MessageFilters()
        self._holds = Holds()
        self._held: Due | None = None
        self._came_to: list[int] = []
        """the faults of the holds that have fired"""
        self._legacy_format = start.settings.legacy_member_list_format
        self._sequence = 0
        self._reports: list[Event] = []
        self._outbox: list[tuple[Address, Message]] = []
        self._steps: deque[Callable[[], None]] = deque()
        self._stepping = False
        self._over = False
        self.carry_out: Callable[[control.Order], None] = lambda order: None
        """what to do with orders that come while the node holds"""
        self._member: Node = node_of(self, make, start.address, start.addresses, start.settings)
        self._identity = self._member.me.uuid
        self._rest = rest_of(self._member, start.settings, start.read_file)

    def listen(self, port: int) -> None:
        self.transport.bind(port)
        if self._datagrams is not None:
            self._datagrams.bind(port)

    def add_links(self, links: Mapping[Address, int], handshake_limit: Micros) -> None:
        self.transport.add_links(links, handshake_limit)
        if self._datagrams is not None:
            self._datagrams.add_links(links)

    def run(self, links: Mapping[Address, int], handshake_limit: Micros) -> None:
        self.add_links(links, handshake_limit)
        self.step(self._member.start)

    def close(self, linger_millis: int = 0) -> None:
        if self._datagrams is not None:
            self._datagrams.close()
        self.transport.close(linger_millis)

    def command(self, command: Command) -> None:
        self.step(lambda: self._member.command(command))

    def handle(self, request: Request, respond: Callable[[Response], None]) -> None:
        """An HTTP request that was understood."""
        rest = self._rest
        assert rest is not None, "nobody listens for requests where REST is not enabled"
        self.step(lambda: rest.handle(request, respond))

    # Env

    def now(self) -> Micros:
        return self.clock.now()

    def send(self, to: Address, message: Message) -> None:
        self._outbox.append((to, message))

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> NodeTimer:
        return self._timers.call_later(delay, callback)

    def report(self, event: Event) -> None:
        """What the transport reports between two steps is a step of its own."""
        if self._stepping:
            self._reports.append(event)
        else:
            self.step(lambda: self._reports.append(event))

    def forget_timers(self) -> None:
        self._timers.stop()

    def disconnect(self, to: Address) -> None:
        self.transport.disconnect(to)

    # What the transport tells

    def received(self, message: Message) -> None:
        self.step(lambda: self._member.receive(message))

    def link_changed(self, to: Address, up: bool) -> None:
        self.step(lambda: self._member.link_up(to) if up else self._member.link_down(to))

    def probe_heard(self, nonce: int, sender: Address, sent: Micros, heard: Micros) -> None:
        self._line.say(control.ProbeHeard(nonce, sender, sent, heard))

    # What the harness does to a node

    def set_clock(self, jump: Micros, rate_ppm: int) -> None:
        self.clock.jump(jump)
        self.clock.set_rate(rate_ppm)
        self._timers.look_again()

    def disarm_filter(self, fault: int) -> None:
        for to, message in self.filters.disarm(fault):
            self._put(to, message)

    def arm_hold(self, fault: int, event: str, after: int | None, nth: int, where: Where) -> None:
        self._holds.arm(fault, event, after, nth, where)

    def release(self, fault: int) -> bool:
        """Whether it ever came to hold there."""
        self._holds.disarm(fault)
        if self._held is not None and self._held.number == fault:
            self._held = None
        return fault in self._came_to

    # Steps

    def step(self, act: Callable[[], None]) -> None:
        """One thing after the other: what comes in the middle of a step waits for its end."""
        self._steps.append(act)
        if self._stepping:
            return
        self._stepping = True
        try:
            while self._steps and not self._over:
                self._one_step(self._steps.popleft())
        finally:
            self._stepping = False

    def _one_step(self, act: Callable[[], None]) -> None:
        try:
            act()
            stopped = any(isinstance(event, Stopped) for event in self._reports)
            self._let_out_reports()
            self._let_out_messages()
        except Exception as error:
            traceback.print_exc()
            self._outbox.clear()
            self._reports.append(Failed(f"{type(error).__name__}: {error}"))
            self._finish(FAILED)
            return
        if stopped:
            self._finish(LEFT)

    def _finish(self, code: int) -> None:
        self._let_out_reports()
        self._over = True
        self._timers.stop()
        self._end(code)

    def _let_out_reports(self) -> None:
        if not self._reports:
            return
        reports, self._reports = self._reports, []
        said = []
        for event in reports:
            self._sequence += 1
            if isinstance(event, Started):
                self._identity = event.member.uuid
            self._holds.see(event)
            body = control.raw_event(event)
            said.append(control.Reported(monotonic(), self._identity, self._sequence, body))
            if isinstance(event, ViewInstalled):
                self._log(event)  # first: who hears of it may end this process at once
        # All at once: for an operation on the data this is one half of what it costs to tell of it.
        self._line.say(*said)

    def _log(self, event: ViewInstalled) -> None:
        """Each list that is installed, as the text writes it. A full disk is no reason to fail."""
        view = MemberList(event.version, event.author, event.members)
        with contextlib.suppress(OSError):
            sys.stdout.write(f"\n{describe(view, self._member.me, legacy=self._legacy_format)}\n")

    def _let_out_messages(self) -> None:
        outbox, self._outbox = self._outbox, []
        handed_over = 0
        for due in self._holds.due():
            until = min(due.after, len(outbox))
            self._hand_over(outbox[handed_over:until])
            handed_over = max(handed_over, until)
            self._hold(due, handed_over)
        self._hand_over(outbox[handed_over:])

    def _hand_over(self, messages: Sequence[tuple[Address, Message]]) -> None:
        """In their order; to the same address, one after the other, in one go."""
        for to, several in groupby(messages, itemgetter(0)):
            at_once = [message for _, message in several if self._leaves_at_once(to, message)]
            if at_once:
                self._put(to, *at_once)

    def _put(self, to: Address, *messages: Message) -> None:
        """Each by a datagram or by the link."""
        datagrams = self._datagrams
        rest = messages if datagrams is None else [each for each in messages if not datagrams.send(to, each)]
        if rest:
            self.transport.send(to, *rest)

    def _leaves_at_once(self, to: Address, message: Message) -> bool:
        route = self.filters.route(to, message)
        if route.first:
            self._reports.extend(route.first)
            self._let_out_reports()
        if route.hand_over and route.delay:
            self._loop.call_later(route.delay / SECOND, self._put, to, message)
        return route.hand_over and not route.delay

    def _holds_on(self) -> bool:
        return self._held is not None

    def _hold(self, due: Due, handed_over: int) -> None:
        """Nothing but the control socket is looked at; what was handed over leaves meanwhile by libzmq's own thread."""
        self._held = due
        self._came_to.append(due.number)
        self._reports.append(Held(due.number, due.event, handed_over))
        self._let_out_reports()
        while self._holds_on():
            if not self._line.orders:
                self._line.wait()
            while self._line.orders and self._holds_on():
                self.carry_out(self._line.orders.popleft())
        self._reports.append(Released(due.number, due.event))
        self._let_out_reports()
