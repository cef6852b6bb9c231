"""The process's side of a shell: sockets, the event loop's timers, the line to the harness.

A hold blocks the whole process on its control socket, at the step's own messages. A step that raises is the node's
end."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from shaketable.node.cluster.service.views import describe
from shaketable.node.config import GMS, Settings
from shaketable.node.core.commands import Command
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event, Failed, Stopped, ViewInstalled
from shaketable.node.events.base import Mark, cause_of
from shaketable.node.gms.datagrams import datagram_kinds
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
from shaketable.node.shaking.shell import Report, Sent, Shell

LEFT: Final = 0
FAILED: Final = 1
"""exit codes of a node"""
LINGER_MILLIS: Final = 100
"""for so long what was sent before a hang-up may still leave"""


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
    """What the shell has of its world, and the handler of its transport."""

    def __init__(self, start: Start, line: Line, end: Callable[[int], None], make: MakeMember) -> None:
        """`end` ends the process, with this exit code, when the driver has nothing more to say."""
        self._loop = asyncio.get_running_loop()
        self._line = line
        self._end = end
        self.shell = Shell(self, start.seed)
        self._timers = Timers(self._loop, self.shell.clock, monotonic, self.shell.step)
        me = Self(
            start.address, start.process, start.token, start.settings.heartbeat_interval, frozenset(start.addresses)
        )
        self.transport = Transport(me, self, self._loop)
        self._datagrams: Datagrams | None = None
        """a member of a group takes them, whether or not it sends any"""
        if start.settings.family == GMS:
            kinds = datagram_kinds(start.settings)
            self._datagrams = Datagrams(me, kinds, self.received, self.transport.drop, self._loop)
        self._legacy_format = start.settings.legacy_member_list_format
        self.carry_out: Callable[[control.Order | control.NotUnderstood], None]
        """what to do with orders that come while the node holds: set by `Orders`, before the first step"""
        self._member: Node = node_of(self.shell, make, start.address, start.addresses, start.settings)
        self.shell.incarnation = self._member.me.uuid
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
        self.shell.step(self._member.start)

    def close(self, linger_millis: int = 0) -> None:
        if self._datagrams is not None:
            self._datagrams.close()
        self.transport.close(linger_millis)

    # What comes to the member

    def command(self, command: Command) -> None:
        self.shell.step(partial(self._member.command, command))

    def handle(self, request: Request, respond: Callable[[Response], None]) -> None:
        """An HTTP request that was understood."""
        rest = self._rest
        assert rest is not None, "nobody listens for requests where REST is not enabled"
        self.shell.step(partial(rest.handle, request, respond))

    def received(self, message: Message, mark: Mark) -> None:
        cause = cause_of(type(message).__name__, mark, message.sender.uuid)
        self.shell.step(lambda: self._member.receive(message), cause)

    def link_changed(self, to: Address, up: bool) -> None:
        self.shell.step(lambda: self._member.link_up(to) if up else self._member.link_down(to))

    def probe_heard(self, nonce: int, sender: Address, sent: Micros, heard: Micros) -> None:
        self._line.say(control.ProbeHeard(nonce, sender, sent, heard))

    def report(self, event: Event) -> None:
        """Of the transport."""
        self.shell.report(event)

    # What the shell has of its world

    def true_now(self) -> Micros:
        return monotonic()

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> NodeTimer:
        return self._timers.call_later(delay, callback, self.shell.mark)

    def timers_anew(self) -> None:
        self._timers.look_again()

    def forget_timers(self) -> None:
        self._timers.stop()

    def tell(self, reports: Sequence[Report]) -> None:
        now = monotonic()
        said = []
        for incarnation, sequence, event, cause in reports:
            said.append(control.Reported(now, incarnation, sequence, control.raw_event(event), cause))
            # Logged first: who hears of it may end this process at once.
            if isinstance(event, ViewInstalled):
                self._log(event)
            elif isinstance(event, Failed):
                traceback.print_exc()
        self._line.say(*said)

    def _log(self, event: ViewInstalled) -> None:
        """Each list that is installed, as the text writes it. A full disk is no reason to fail."""
        view = MemberList(event.version, event.author, event.members)
        with contextlib.suppress(OSError):
            sys.stdout.write(f"\n{describe(view, self._member.me, legacy=self._legacy_format)}\n")

    def put(self, to: Address, messages: Sequence[Sent]) -> None:
        """Each by a datagram or by the link."""
        datagrams = self._datagrams
        rest = messages if datagrams is None else [each for each in messages if not datagrams.send(to, *each)]
        if rest:
            self.transport.send(to, *rest)

    def put_later(self, delay: Micros, to: Address, message: Sent) -> None:
        self._loop.call_later(delay / SECOND, self.put, to, (message,))

    def disconnect(self, to: Address) -> None:
        self.transport.disconnect(to, LINGER_MILLIS)

    def hold(self) -> None:
        """Nothing but the control socket is looked at; what was handed over leaves meanwhile by libzmq's own thread."""
        while self._holds_on():
            if not self._line.orders:
                self._line.wait()
            while self._line.orders and self._holds_on():
                self.carry_out(self._line.orders.popleft())

    def _holds_on(self) -> bool:
        return self.shell.held is not None

    def stopped(self, event: Stopped) -> None:
        self._finish(LEFT)

    def failed(self, error: BaseException) -> None:
        self._finish(FAILED)

    def _finish(self, code: int) -> None:
        self._timers.stop()
        self._end(code)
