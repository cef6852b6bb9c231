"""Nodes under trial: their processes and lines, and the links between them. Nothing is broken here but the nodes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import psutil

from shaketable.harness.check_node.told import LISTENS, ORDERS, THE_LINE, Broken, Told
from shaketable.harness.systems.contract.described import Described, words
from shaketable.harness.systems.program import OWN_LINE
from shaketable.harness.worlds.real.datagram_relay import DatagramRelay, Ports
from shaketable.harness.worlds.real.ports import free_ports
from shaketable.node.config import Settings
from shaketable.node.messages import Address
from shaketable.node.process import contract, control

PATIENCE: Final = 20.0
"""seconds, for all that has to come about: much longer than it takes. Counted in looks, so that a machine which is too
busy for the nodes, and so for these looks, gives more."""
LOOK_EVERY: Final = 0.02
LOOKS: Final = round(PATIENCE / LOOK_EVERY)


class Trial:
    """So many nodes, which can reach each other by links."""

    def __init__(self, described: Described, folder: Path, settings: Settings, count: int, logs: Path) -> None:
        self.described, self.folder, self.settings, self.logs = described, folder, settings, logs
        ports = free_ports(count)
        self.nodes = [Node(self, number, port) for number, port in enumerate(ports, 1)]
        self.known = frozenset(node.address for node in self.nodes)
        self.links: dict[tuple[Node, Node], tuple[str, int]] = {}
        self._open_links: list[Link] = []
        self._datagrams = DatagramRelay(1, lambda fault, link: None)

    async def open(self) -> None:
        for a in self.nodes:
            for b in self.nodes:
                if a is not b:
                    await self._open(a, b)

    async def _open(self, a: Node, b: Node) -> None:
        if self.described.transport == "both ways":
            host, port = f"127.1.{a.number}.{b.number}", b.port
        else:
            host, port = control.LOOPBACK, free_ports(1)[0]
        self.links[a, b] = host, port
        link = Link(b.port)
        self._open_links.append(link)
        await link.open(host, port)
        if self.described.udp:
            await self._datagrams.open({(a.name, b.name): Ports(host, port, b.port)})

    def dial(self, a: Node) -> dict[Address, str]:
        return {b.address: f"{host}:{port}" for (sender, b), (host, port) in self.links.items() if sender is a}

    async def close(self) -> None:
        for node in self.nodes:
            node.kill()
        await asyncio.gather(*(link.close() for link in self._open_links))
        self._datagrams.close()

    async def until(self, holds: Callable[[], bool], broken: Callable[[], Broken]) -> None:
        """Broken: one of the nodes has broken the contract, or it does not hold in time."""
        looks = 0
        while not holds():
            for node in self.nodes:
                node.check()
            if looks == LOOKS:
                raise broken()
            looks += 1
            await asyncio.sleep(LOOK_EVERY)
        for node in self.nodes:
            node.check()

    async def lets_pass(self, seconds: float) -> float:
        """By how much the latest look of this time was late: as long, at least, nobody got a core of this machine."""
        loop = asyncio.get_running_loop()
        until, late = loop.time() + seconds, 0.0
        while (due := loop.time() + LOOK_EVERY) < until:
            await asyncio.sleep(LOOK_EVERY)
            late = max(late, loop.time() - due)
        return late


class Node:
    def __init__(self, trial: Trial, number: int, port: int) -> None:
        self._trial = trial
        self.number, self.port = number, port
        self.name = f"n{number}"
        self.address = trial.described.address(self.name, number)
        self.told: Told | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self.lives = 0
        self._line: socket.socket | None = None
        self._rest = bytearray()
        self._broken: Broken | None = None
        self._may_end = False
        self._line_ended = False
        self._orders = 0

    # Its process

    def spawn(self) -> Told:
        trial = self._trial
        ours, theirs = socket.socketpair()
        self.lives += 1
        self._may_end, self._line_ended, self._broken, self._rest = False, False, None, bytearray()
        self.told = told = Told(self.name, self.address, trial.known)
        environment = {**os.environ, contract.DESCRIPTOR: str(OWN_LINE)}

        def third() -> None:
            os.dup2(theirs.fileno(), OWN_LINE)
            os.set_inheritable(OWN_LINE, True)

        with (trial.logs / f"{self.name}.log").open("ab") as log:
            try:
                self.process = subprocess.Popen(
                    words(trial.described.command), cwd=trial.folder, env=environment, stdin=subprocess.DEVNULL,
                    stdout=log, stderr=log, close_fds=False, preexec_fn=third, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise Broken(f"{trial.described.command} cannot be started: {error.strerror}", THE_LINE) from None
        theirs.close()
        ours.setblocking(False)
        self._line = ours
        self.listen_to_it()
        return told

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.hang_up()

    def stop_for_a_while(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def gone(self) -> bool:
        """It has ended, and all that it said before is heard."""
        return not self.alive and self._line_ended

    # Its line

    def listen_to_it(self) -> None:
        assert self._line is not None
        asyncio.get_running_loop().add_reader(self._line, self._read)

    def turn_away(self) -> None:
        """Nothing that it says is read."""
        assert self._line is not None
        asyncio.get_running_loop().remove_reader(self._line)

    def hang_up(self) -> None:
        if self._line is not None:
            self.turn_away()
            self._line.close()
            self._line = None
        self._may_end = True

    def _read(self) -> None:
        assert self._line is not None
        try:
            data = self._line.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self._line_ended = True
            self.turn_away()
            return
        self._rest += data
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            if self._broken is None:
                self._hear(bytes(line))
        if len(self._rest) > contract.LONGEST_LINE and self._broken is None:
            self._broken = Broken(f"a line of {self.name} is longer than {contract.LONGEST_LINE:,} bytes", THE_LINE)
            self.turn_away()

    def _hear(self, line: bytes) -> None:
        assert self.told is not None
        try:
            self.told.hear(line)
        except Broken as broken:
            self._broken = broken

    def check(self) -> None:
        """Broken: it has broken the contract, or has ended by itself."""
        if self._broken is not None:
            raise self._broken
        if self.process is not None and not self._may_end and not self.alive:
            how = self.process.returncode
            rule = ORDERS if self.told is not None and self.told.ready else THE_LINE
            raise Broken(f"{self.name} ended by itself, with {f'signal {-how}' if how < 0 else f'code {how}'}", rule)

    def order(self, form: contract.HarnessSays | bytes) -> None:
        assert self._line is not None
        data = form if isinstance(form, bytes) else contract.line_of(form)
        self._line.setblocking(True)
        try:
            self._line.sendall(data)
        except OSError:  # what is wrong with it is found by `check`
            pass
        finally:
            self._line.setblocking(False)

    def number_of_an_order(self) -> int:
        self._orders += 1
        return self._orders

    def may_end(self) -> None:
        self._may_end = True

    # What it is told

    async def is_ready(self) -> None:
        told = self.spawn()
        await self._trial.until(
            lambda: told.ready,
            lambda: Broken(f"{self.name} says nothing within {PATIENCE:g} s of its start", THE_LINE),
        )

    async def run(self) -> None:
        """Broken: it does not run, or does not listen where it should."""
        trial, told = self._trial, self.told
        assert told is not None
        self.order(
            contract.Run(
                contract=contract.VERSION,
                node=self.name,
                address=self.address,
                listen=f"{control.LOOPBACK}:{self.port}",
                join=tuple(node.address for node in trial.nodes),
                dial=trial.dial(self),
                settings=trial.settings.with_secrets(),
                seed=f"1/node {self.name}/{self.lives}",
                secret="7e57ab1e",
                life=self.lives,
            )
        )
        answered = (control.Running, control.CannotRun)
        await trial.until(
            lambda: any(isinstance(each, answered) for each in told.answers),
            lambda: Broken(f"{self.name} does not say whether it runs", ORDERS),
        )
        if refused := next((each for each in told.answers if isinstance(each, control.CannotRun)), None):
            raise Broken(f"{self.name} cannot run: {refused.reason}", ORDERS)
        if not await _listens(self.port):
            at = f"{control.LOOPBACK}:{self.port}"
            raise Broken(f"{self.name} says that it runs, and nobody listens at {at}", LISTENS)

    async def start(self) -> None:
        await self.is_ready()
        await self.run()

    async def snapshot(self) -> None:
        """Broken: it does not answer."""
        told, number = self.told, self.number_of_an_order()
        assert told is not None
        self.order(control.TakeSnapshot(number))
        await self._trial.until(
            lambda: isinstance(told.done(number), contract.Snapshot),
            lambda: Broken(f"{self.name} does not answer takesnapshot, order {number}", ORDERS),
        )

    def connections(self) -> list[tuple[str, int]]:
        """Where it has connected to, it and its children."""
        assert self.process is not None
        found = list[tuple[str, int]]()
        with contextlib.suppress(psutil.Error):
            me = psutil.Process(self.process.pid)
            for process in (me, *me.children(recursive=True)):
                found += [(each.raddr.ip, each.raddr.port) for each in process.net_connections("tcp4") if each.raddr]
        return found


class Link:
    """From here to this port, and back."""

    def __init__(self, to: int) -> None:
        self._to = to
        self._server: asyncio.Server | None = None
        self._passing: set[asyncio.Task[None]] = set()

    async def open(self, host: str, port: int) -> None:
        self._server = await asyncio.start_server(self._accepted, host, port)

    def _accepted(self, here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        passing = asyncio.get_running_loop().create_task(self._passed_on(here, back))
        self._passing.add(passing)
        passing.add_done_callback(self._passing.discard)

    async def _passed_on(self, here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        try:
            there, on = await asyncio.open_connection(control.LOOPBACK, self._to)
        except OSError:
            back.transport.abort()
            return
        try:
            await asyncio.gather(_pump(here, on), _pump(there, back))
        finally:
            on.close()
            back.close()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        passing = tuple(self._passing)
        for each in passing:
            each.cancel()
        await asyncio.gather(*passing, return_exceptions=True)


async def _pump(source: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(1 << 16):
            to.write(data)
            await to.drain()
    to.close()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(control.LOOPBACK, port)
    except OSError:
        return False
    writer.close()
    return True
