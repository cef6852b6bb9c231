"""The server behind the link fabric: one of ours, which is replaced when it fails, or somebody else's, which can only
be waited for. Both are driven from the event loop; what blocks is done in the fabric's thread."""

import asyncio
import socket
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from shaketable.harness.errors import UserError
from shaketable.harness.worlds.real.ports import free_ports
from shaketable.harness.worlds.real.relay import VERSION as RELAY_VERSION
from shaketable.harness.worlds.real.server_process import ServerProcess, server_command
from shaketable.harness.worlds.real.toxiproxy import Client, FabricError, ServerSilent
from shaketable.harness.worlds.real.toxiproxy_server import Found, parse_url

START_PATIENCE = 10.0
FOREIGN_PATIENCE = 30.0
"""Seconds in which a server that is not ours may come back."""

InThread = Callable[[Callable[[], Any]], Awaitable[Any]]
PutBack = Callable[[], Awaitable[None]]


class OwnServer:
    ours = True
    prefix = ""
    remedy = "it is killed and started again"

    def __init__(self, found: Found, log: Path, in_thread: InThread) -> None:
        self.command = server_command(found.where or "relay")
        self.port = free_ports(1)[0]
        self.client = Client("127.0.0.1", self.port)
        self._name = found.where or RELAY_VERSION
        self._log = log
        self._in_thread = in_thread
        self._process: ServerProcess | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def start(self) -> str:
        """Returns what to call it."""
        try:
            return fabric_name(await self._spawn())
        except FabricError as error:
            raise UserError(f"{self._name} could not be started: {error}; its output is in {self._log}.") from error

    def ended(self) -> str | None:
        code = self._process.exit_code() if self._process else None
        return None if code is None else f"its process ended (exit code {code})"

    def kill(self) -> None:
        if self._process:
            self._process.kill()

    async def come_back(self, put_back: PutBack) -> None:
        for last in (False, False, True):
            self.kill()
            try:
                await self._spawn()
                await put_back()
                return
            except FabricError:
                if last:
                    raise

    async def _spawn(self) -> str:
        """On the port of before, if it is free. Answers the version."""
        wrong = ""
        for _ in range(5):
            try:
                # Here and not in the thread: the process ends with the thread that starts it.
                self._process = ServerProcess([*self.command, str(self.port)], self._log)
            except OSError as error:
                raise FabricError(f"{error.strerror} ({error.filename})") from error
            try:
                return str(await self._in_thread(self._answers))
            except FabricError as error:
                wrong = str(error)
                self.kill()
            (self.port,) = free_ports(1)
            self.client.move("127.0.0.1", self.port)
        raise FabricError(wrong)

    def _answers(self) -> str:
        assert self._process is not None
        ends = time.monotonic() + START_PATIENCE
        while time.monotonic() < ends:
            if (code := self._process.exit_code()) is not None:
                raise FabricError(f"it ended at once (exit code {code})")
            taken = reachable("127.0.0.1", self.port)
            if self._process.owns(self.port):
                return self.client.version()
            if taken:
                raise FabricError(f"port {self.port} was taken by another process meanwhile")
            time.sleep(0.01)
        raise FabricError(f"it opened no port within {START_PATIENCE:g} s")


class ForeignServer:
    ours = False
    remedy = "waiting for it to come back"

    def __init__(self, found: Found, in_thread: InThread) -> None:
        # Others may use it too: a proxy of theirs with the same name would be replaced by ours.
        self.prefix = f"shaketable-{uuid.uuid4().hex[:8]}-"
        self.client = Client(*parse_url(found.where))
        self._url = found.where
        self._in_thread = in_thread

    async def start(self) -> str:
        try:
            return f"{fabric_name(await self._in_thread(self.client.version))} at {self._url}"
        except FabricError as error:
            raise UserError(f"No Toxiproxy server at {self._url} (--toxiproxy): {error}.") from error

    def ended(self) -> str | None:
        return None

    def kill(self) -> None:
        """It is not ours."""

    async def come_back(self, put_back: PutBack) -> None:
        ends = asyncio.get_running_loop().time() + FOREIGN_PATIENCE
        while True:
            try:
                await put_back()
                # The server may do only now, after we looked, what we asked before the silence: look again.
                await asyncio.sleep(0.5)
                await put_back()
                return
            except ServerSilent:
                if asyncio.get_running_loop().time() > ends:
                    raise
            await asyncio.sleep(0.5)


def fabric_name(version: str) -> str:
    return "built-in relay" if version.startswith("built-in relay") else f"toxiproxy {version}"


def reachable(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=2):
            return True
    except OSError:
        return False
