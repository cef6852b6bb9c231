"""The link fabric as the launcher sees it: links are opened, moved from one state to another, and stay as they were
put whatever happens to the server behind them (DESIGN.md section 5).

Every call waits until the server did it and was asked whether it is so. A server that stops answering is noticed
within two or three seconds, even if nobody asks it anything; ours is then killed and started again, its links and
what they suffer are put back from our own table, and what was going on is done over. Every such event is told to the
launcher: the run goes on, but its verdict has to say so."""

import asyncio
import resource
import socket
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from shaketable.harness.errors import UserError
from shaketable.harness.links import SOUND, LinkState
from shaketable.harness.real.ports import free_ports
from shaketable.harness.real.relay import VERSION as RELAY_VERSION
from shaketable.harness.real.server_process import ServerProcess, server_command
from shaketable.harness.real.switchboard import LinkPorts, Switchboard
from shaketable.harness.real.toxiproxy import Client, FabricError, ServerSilent
from shaketable.harness.real.toxiproxy_server import Found, ensure_server, parse_url

__all__ = ["FabricError", "LinkFabric", "LinkPorts", "free_ports"]

T = TypeVar("T")

START_PATIENCE = 10.0
FOREIGN_PATIENCE = 30.0
"""Seconds in which a server that is not ours may come back."""

LOOK_EVERY = 1.0
"""Seconds between two looks at a server that nobody asks anything."""


class LinkFabric:
    description: str = "no link fabric yet"
    """"toxiproxy 2.12.0" or "built-in relay"; known once it is started"""

    def __init__(
        self,
        choice: str | None = None,
        *,
        log_dir: Path,
        say: Callable[[str], None],
        on_trouble: Callable[[str], None],
        on_restored: Callable[[str], None],
    ) -> None:
        self._choice = choice
        self._log = log_dir / "toxiproxy.log"
        self._say = say
        self._on_trouble = on_trouble
        self._on_restored = on_restored
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="link-fabric")
        self._stop = threading.Event()
        self._lock = asyncio.Lock()
        self._doing: set[asyncio.Task[None]] = set()
        self._watch: asyncio.Task[None] | None = None
        self._server: ServerProcess | None = None
        self._command: list[str] = []
        self._port = 0
        self._client: Client | None = None
        self._board: Switchboard | None = None
        self._states: dict[str, LinkState] = {}
        self._broken: str | None = None

    # -- what the launcher calls

    async def start(self) -> None:
        """Raises `UserError` when there is no server to be had. May take half a minute, once a machine."""
        loop = asyncio.get_running_loop()

        def say(line: str) -> None:
            loop.call_soon_threadsafe(self._say, line)

        try:
            found = await self._in_thread(lambda: ensure_server(self._choice, say, self._stop))
            if found.kind == "url":
                await self._join(found)
            else:
                await self._start_own(found)
        except BaseException:
            await self.close()
            raise
        self._watch = asyncio.create_task(self._keep_watching())

    async def open(self, links: Sequence[LinkPorts]) -> None:
        """All of them or, with a `FabricError`, none."""
        board = self._started()
        board.check_new(links)
        self._check_limit(len(board) + len(links))
        if not links:
            return

        def work() -> None:
            board.open(links)
            if not self._server and not _reachable(links[0].listen):
                board.drop(links)
                raise FabricError(
                    f"{self.description} opened port {links[0].listen} of its own 127.0.0.1, which is not ours: "
                    "it must run on this machine, and outside of any container."
                )
            self._states.update({link.name: SOUND for link in links})

        await self._do(work)

    async def apply(self, link: str, state: LinkState) -> None:
        await self.apply_all({link: state})

    async def apply_all(self, states: Mapping[str, LinkState]) -> None:
        board = self._started()
        board.check(states)
        if not states:
            return
        wanted = dict(states)

        def work() -> None:
            board.make(wanted)
            self._states.update(wanted)

        await self._do(work)

    async def reset(self, link: str) -> None:
        """The link's connections drop once, and may come back at once."""
        board = self._started()
        board.check({link: SOUND})
        await self._do(lambda: board.reset(link))

    async def close(self) -> None:
        """Our own server dies; on one that was there before, our proxies are deleted and nothing else."""
        self._stop.set()
        tasks = [*self._doing, *([self._watch] if self._watch else [])]
        self._watch = None
        for task in tasks:
            task.cancel()
        if self._server:
            self._server.kill()  # before waiting: a call that hangs ends with it
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._server:
            self._server.kill()
        elif self._board:
            try:
                await self._in_thread(self._board.drop_all)
            except FabricError as error:
                self._say(f"Some of our proxies are left on the Toxiproxy server: {error}.")
        if self._client:
            await self._in_thread(self._client.close)
        self._board = self._client = None
        self._thread.shutdown(wait=False)

    # -- one thing after the other

    def _started(self) -> Switchboard:
        if self._broken:
            raise FabricError(self._broken)
        if self._board is None:
            raise FabricError("the link fabric is not running.")
        return self._board

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _do(self, work: Callable[[], Any]) -> None:
        """To its end even if the caller is cancelled: half of a change would be nobody's state."""
        task = asyncio.create_task(self._done_or_restored(work))
        self._doing.add(task)
        task.add_done_callback(self._doing.discard)
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(lambda done: None if done.cancelled() else done.exception())
            raise

    async def _done_or_restored(self, work: Callable[[], Any]) -> None:
        async with self._lock:
            for _ in range(3):
                self._started()
                code = self._server.exit_code() if self._server else None
                if code is not None:
                    await self._restore(f"its process ended (exit code {code})")
                try:
                    await self._in_thread(work)
                    return
                except ServerSilent as silence:
                    if self._stop.is_set():
                        raise
                    await self._restore(str(silence))
            raise FabricError(f"{self.description} stopped answering three times in a row, over one change.")

    # -- the server

    async def _join(self, found: Found) -> None:
        self._client = Client(*parse_url(found.where))
        try:
            version = await self._in_thread(self._client.version)
        except FabricError as error:
            raise UserError(f"No Toxiproxy server at {found.where} (--toxiproxy): {error}.") from error
        self.description = f"{_fabric_name(version)} at {found.where}"
        # Others may use it too: a proxy of theirs with the same name would be replaced by ours.
        self._board = Switchboard(self._client, prefix=f"shaketable-{uuid.uuid4().hex[:8]}-")

    async def _start_own(self, found: Found) -> None:
        self._command = server_command(found.where or "relay")
        self._port = free_ports(1)[0]
        self._client = Client("127.0.0.1", self._port)
        try:
            version = await self._spawn()
        except FabricError as error:
            name = found.where or RELAY_VERSION
            raise UserError(f"{name} could not be started: {error}; its output is in {self._log}.") from error
        self.description = _fabric_name(version)
        self._board = Switchboard(self._client)

    async def _spawn(self) -> str:
        """Starts our server, on the port of before if it is free, and answers its version."""
        assert self._client is not None
        wrong = "no free port"
        for _ in range(5):
            try:
                self._server = ServerProcess([*self._command, str(self._port)], self._log)
            except OSError as error:
                raise FabricError(f"{error.strerror}: {error.filename}") from error
            try:
                return await self._in_thread(self._answers)
            except FabricError as error:
                wrong = str(error)
                self._server.kill()
            self._port = free_ports(1)[0]
            self._client.move("127.0.0.1", self._port)
        raise FabricError(wrong)

    def _answers(self) -> str:
        assert self._client is not None
        assert self._server is not None
        ends = time.monotonic() + START_PATIENCE
        while time.monotonic() < ends:
            if (code := self._server.exit_code()) is not None:
                raise FabricError(f"it ended at once (exit code {code})")
            taken = _reachable(self._port)
            if self._server.owns(self._port):
                return self._client.version()
            if taken:
                raise FabricError(f"port {self._port} was taken by another process meanwhile")
            time.sleep(0.01)
        raise FabricError(f"it opened no port within {START_PATIENCE:g} s")

    async def _keep_watching(self) -> None:
        while not self._broken:
            for _ in range(10):
                await asyncio.sleep(LOOK_EVERY / 10)
                if self._server and self._server.exit_code() is not None:
                    break
            assert self._client is not None
            with suppress(FabricError):
                await self._do(self._client.version)

    async def _restore(self, reason: str) -> None:
        """Holds the lock. Returns with all links as they were, or raises and leaves the fabric broken."""
        if self._server:
            self._on_trouble(f"{self.description} stopped working: {reason}; it is killed and started again.")
            work = self._restart
        else:
            self._on_trouble(f"{self.description} stopped answering: {reason}; waiting for it to come back.")
            work = self._wait_for_foreign
        try:
            await work()
        except FabricError as error:
            self._broken = f"{self.description} stopped working and could not be brought back: {error}"
            self._on_trouble(self._broken)
            raise FabricError(self._broken) from error
        worse = sum(state != SOUND for state in self._states.values())
        self._on_restored(f"{self.description} works again: {len(self._states)} links put back, {worse} with faults.")

    async def _restart(self) -> None:
        for last in (False, False, True):
            assert self._server is not None
            self._server.kill()
            try:
                await self._spawn()
                await self._put_back()
                return
            except FabricError:
                if last:
                    raise

    async def _wait_for_foreign(self) -> None:
        ends = asyncio.get_running_loop().time() + FOREIGN_PATIENCE
        while True:
            try:
                await self._put_back()
                # What we asked before the silence may be done only now, after we looked: look again.
                await asyncio.sleep(0.5)
                await self._put_back()
                return
            except ServerSilent:
                if asyncio.get_running_loop().time() > ends:
                    raise
            await asyncio.sleep(0.5)

    async def _put_back(self) -> None:
        board = self._started()

        def work() -> None:
            board.survey()
            if self._states:
                board.make(self._states)

        await self._in_thread(work)

    def _check_limit(self, links: int) -> None:
        """A server that runs out of files stops accepting on some links, for good, and says that all is well."""
        needed, hard = 3 * links + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if self._server and hard != resource.RLIM_INFINITY and hard < needed:
            raise UserError(
                f"{links} links need {needed} open files and the hard limit is {hard} (`ulimit -Hn`): "
                "raise it or form a smaller cluster."
            )


def _fabric_name(version: str) -> str:
    return "built-in relay" if version.startswith("built-in relay") else f"toxiproxy {version}"


def _reachable(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2):
            return True
    except OSError:
        return False
