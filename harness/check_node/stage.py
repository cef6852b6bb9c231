"""Nodes under trial: their processes and lines, and the links between them. Nothing is broken here but the nodes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

import psutil

from shaketable.harness.check_node.line import Line
from shaketable.harness.check_node.told import LISTENS, ORDERS, THE_LINE, Broken, Told
from shaketable.harness.errors import UserError, reason_of
from shaketable.harness.systems.contract.described import Described, words
from shaketable.harness.worlds.real.datagram_relay import DatagramRelay, Ports
from shaketable.harness.worlds.real.ports import free_ports
from shaketable.node.config import Settings
from shaketable.node.messages import Address
from shaketable.node.process import contract, control
from shaketable.node.process.tied import die_with

PATIENCE: Final = 20.0
"""seconds, for all that has to come about: much longer than it takes. Counted in looks, so that a machine which is too
busy for the nodes, and so for these looks, gives more."""
LOOK_EVERY: Final = 0.02
V4_IN_V6: Final = "::ffff:"
"""before an address of IPv4 that was reached by a socket of IPv6"""
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

    def dial(self, a: Node, others: Collection[Node]) -> dict[Address, str]:
        places = {b: self.links[a, b] for b in others if b is not a}
        return {b.address: f"{host}:{port}" for b, (host, port) in places.items()}

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
                for node in self.nodes:
                    node.check_reading()
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
        self._line: Line | None = None
        self._may_end = False
        self._orders = 0

    # Its process

    def spawn(self) -> Told:
        """UserError: it cannot be started."""
        trial = self._trial
        ours, theirs = socket.socketpair()
        self.lives += 1
        self._may_end = False
        self.told = told = Told(self.name, self.address, trial.known)
        number, harness = theirs.fileno(), os.getpid()
        with theirs, (trial.logs / f"{self.name}.log").open("ab") as log:
            try:
                self.process = subprocess.Popen(
                    words(trial.described.command), cwd=trial.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    env={**os.environ, contract.DESCRIPTOR: str(number)}, pass_fds=(number,),
                    preexec_fn=lambda: die_with(harness), start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                ours.close()
                raise UserError(f"{trial.described.command} cannot be started: {reason_of(error)}") from None
        self._line = Line(self.name, ours, told.hear)
        self._line.listen()
        return told

    def kill(self) -> None:
        """And all that it has started. Its number is nobody else's yet, as nobody has asked for its exit code."""
        if self.process is not None and self.process.returncode is None:
            for child in self._children():
                with contextlib.suppress(psutil.Error):
                    child.kill()
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.hang_up()

    def stop_for_a_while(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    @property
    def exit_code(self) -> int | None:
        """Negative for a signal; None: it runs. Its number stays its own: by that its children are found."""
        if self.process is None:
            return None
        if self.process.returncode is not None:
            return self.process.returncode
        end = os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if end is None:
            return None
        return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status

    @property
    def alive(self) -> bool:
        return self.process is not None and self.exit_code is None

    @property
    def gone(self) -> bool:
        """It has ended, and all that it said before is heard."""
        return not self.alive and self._line is not None and self._line.ended

    # Its line

    def listen_to_it(self) -> None:
        assert self._line is not None
        self._line.listen()

    def turn_away(self) -> None:
        """Nothing that it says is read."""
        assert self._line is not None
        self._line.turn_away()

    def hang_up(self) -> None:
        if self._line is not None:
            self._line.hang_up()
            self._line = None
        self._may_end = True

    def check(self) -> None:
        """Broken: it has broken the contract, or has ended by itself."""
        if self._line is not None and self._line.broken is not None:
            raise self._line.broken
        how = self.exit_code
        if how is not None and not self._may_end:
            rule = ORDERS if self.told is not None and self.told.ready else THE_LINE
            raise Broken(f"{self.name} ended by itself, with {f'signal {-how}' if how < 0 else f'code {how}'}", rule)

    def check_reading(self) -> None:
        """Broken: it leaves orders unread. Asked where it has had time enough."""
        if self._line is not None and self._line.unsent:
            raise Broken(f"{self.name} leaves orders unread in its line", ORDERS)

    def order(self, form: contract.HarnessSays | bytes) -> None:
        assert self._line is not None
        self._line.say(form if isinstance(form, bytes) else contract.line_of(form))

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

    async def run(self, links: Collection[Node] | None = None) -> None:
        """With links to these; by default to all. Broken: it does not run, or does not listen where it should."""
        trial, told = self._trial, self.told
        assert told is not None
        self.order(
            contract.Run(
                contract=contract.VERSION,
                node=self.name,
                address=self.address,
                listen=f"{control.LOOPBACK}:{self.port}",
                join=tuple(node.address for node in trial.nodes),
                dial=trial.dial(self, trial.nodes if links is None else links),
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

    async def start(self, links: Collection[Node] | None = None) -> None:
        await self.is_ready()
        await self.run(links)

    async def dials(self, other: Node) -> None:
        """From now on. Broken: it does not say so."""
        told, number = self.told, self.number_of_an_order()
        assert told is not None
        self.order(contract.Dial(number, self._trial.dial(self, [other])))
        await self._trial.until(
            lambda: isinstance(told.done(number), control.Done),
            lambda: Broken(f"{self.name} does not answer dial, order {number}", ORDERS),
        )
        if isinstance(done := told.done(number), control.Done) and done.refusal:
            raise Broken(f"{self.name} refuses to dial: {done.refusal}", ORDERS)

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
        found = list[tuple[str, int]]()
        for process in self._children():
            with contextlib.suppress(psutil.Error):
                ends = (each.raddr for each in process.net_connections("tcp") if each.raddr)
                found += [(end.ip.removeprefix(V4_IN_V6), end.port) for end in ends]
        return found

    def _children(self) -> list[psutil.Process]:
        """And itself."""
        assert self.process is not None
        with contextlib.suppress(psutil.Error):
            me = psutil.Process(self.process.pid)
            return [me, *me.children(recursive=True)]
        return []


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
