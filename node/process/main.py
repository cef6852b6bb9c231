"""A node's process, from its first line to its exit. The launcher starts it, and the control socket tells it what to
be.

It ends when its harness ends, however that happens. Until it is told to run it listens nowhere, so that its peers see
no process at all."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Final

import msgspec

from shaketable.node.cluster.splitbrain.member_list import ROUNDS
from shaketable.node.config import DEFAULT, SettingError, Settings
from shaketable.node.legacy import make_member
from shaketable.node.process import control
from shaketable.node.process.driver import LINGER_MILLIS, Driver, Start
from shaketable.node.process.line import Line
from shaketable.node.process.orders import Orders
from shaketable.node.process.own_file import OwnFile, UnreadableFile
from shaketable.node.process.rest_server import AddressTaken, RestServer
from shaketable.node.process.tied import PARENT_LOST, be_called, die_with
from shaketable.node.process.transport import PortTaken

HARNESS: Final = "SHAKETABLE_HARNESS"
"""the environment variable that tells the server process, from which nodes are forked, its harness's process"""
HARNESS_LOST: Final = PARENT_LOST
LAST_WORDS: Final = 1.0
"""seconds in which a harness that is behind can take what an ending node has said"""


class Birth(msgspec.Struct, frozen=True):
    """What a process is given by the launcher that starts it."""

    node: str
    token: bytes
    control: str
    """the harness's control socket: a path, or after a zero byte a name in no file system"""
    log: str
    parent: int


def run(birth: bytes) -> None:
    """Never returns."""
    _live(msgspec.msgpack.decode(birth, type=Birth))


def _live(birth: Birth) -> None:
    # Ctrl-C reaches every process of the terminal; what becomes of the nodes is for the harness to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    die_with(birth.parent)
    be_called(f"shaketable-{birth.node}")
    _log_to(birth.log)
    try:
        line = Line(birth.control, lost=harness_lost)
        asyncio.run(Process(line, control.Ready(birth.token, birth.node, os.getpid())).run())
    except OSError as error:
        print(f"the harness cannot be reached: {error}", file=sys.stderr, flush=True)  # noqa: T201
        os._exit(HARNESS_LOST)


def harness_lost() -> None:
    os._exit(HARNESS_LOST)


def _log_to(path: str) -> None:
    """A log that cannot be opened is no reason to fail: then nothing is written."""
    try:
        log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError:
        log = os.open(os.devnull, os.O_WRONLY)
    for standard in (1, 2):
        os.dup2(log, standard)
    os.close(log)
    sys.stdout = sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115 - the rest of its life


class Process:
    def __init__(self, line: Line, ready: control.Ready) -> None:
        self._ready = ready
        self._line = line
        self._driver: Driver | None = None
        self._orders: Orders | None = None
        self._serving: asyncio.Task[None] | None = None

    async def run(self) -> None:
        self._line.say(self._ready)
        self._line.attach(asyncio.get_running_loop(), self._look_at_orders)
        await asyncio.Event().wait()

    def _look_at_orders(self) -> None:
        while self._line.orders:
            order = self._line.orders.popleft()
            if self._orders is not None:
                self._orders.carry_out(order)
            elif isinstance(order, control.Run):
                self._start(order)
            elif isinstance(order, control.Stop):
                self._end(0)

    def _start(self, run: control.Run) -> None:
        settings = DEFAULT.with_values(run.settings)
        file = OwnFile(run.file)
        try:
            addresses = file.addresses(settings) if run.file else run.addresses
        except UnreadableFile as unreadable:
            self._line.say(control.CannotRun(str(unreadable)))
            return
        token = bytes.fromhex(run.secret) or self._ready.token
        start = Start(run.address, addresses, settings, run.seed, run.process, token, file.read)
        try:
            driver = Driver(start, self._line, self._end, make_member)
        except SettingError as unplugged:  # what the harness could make, and this process cannot
            self._line.say(control.CannotRun(str(unplugged)))
            return
        try:
            driver.listen(run.port)
            if settings.rest_enabled:
                self._listen(driver, settings, run.rest_port)
        except (PortTaken, AddressTaken) as taken:
            driver.close()
            self._line.say(control.CannotRun(str(taken)))
            return
        for warning in settings.warnings():
            print(f"warning: {warning}", flush=True)  # noqa: T201 - to the node's log
        self._driver = driver
        self._orders = Orders(driver, self._line, lambda: self._end(0))
        self._line.say(control.Running())
        driver.run(run.links, run.handshake_limit)

    def _listen(self, driver: Driver, settings: Settings, port: int) -> None:
        # Each round of a change and the master's own answer may take that long.
        answer_timeout = (ROUNDS + 2) * settings.member_list_change_timeout
        server = RestServer(driver.handle, settings.rest_request_timeout, answer_timeout)
        server.bind(settings.rest_host, port)
        self._serving = asyncio.get_running_loop().create_task(server.serve())
        print(f"HTTP requests: http://{settings.rest_host}:{server.port}", flush=True)  # noqa: T201 - to the node's log

    def _end(self, code: int) -> None:
        if self._driver is not None:
            self._driver.close(LINGER_MILLIS)
        self._line.flush(LAST_WORDS)
        os._exit(code)
