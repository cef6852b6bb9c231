"""The link fabric as the launcher sees it: links are opened, moved from one state to another, and stay as they were
put whatever happens to the server behind them (docs/architecture.md, "The link fabric").

Every call waits until the server did it and was asked whether it is so. A change that somebody else makes is noticed
within two or three seconds, even if nobody asks for anything. So is a server that stops answering: ours is then killed
and started again, its links and what they suffer are put back from our own table, and what was going on is done over.
Every such event is told to the launcher: the run goes on, but its verdict has to say so."""

import asyncio
import resource
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from shaketable.harness.errors import UserError
from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.worlds.real.fabric_server import ForeignServer, OwnServer, reachable
from shaketable.harness.worlds.real.ports import free_ports
from shaketable.harness.worlds.real.switchboard import LinkPorts, Switchboard
from shaketable.harness.worlds.real.toxiproxy import FabricError, ServerSilent
from shaketable.harness.worlds.real.toxiproxy_server import ensure_server
from shaketable.node.core.env import Micros
from shaketable.node.process.outlink import monotonic

__all__ = ["FabricError", "LinkFabric", "LinkPorts", "free_ports"]

LOOK_EVERY = 1.0
"""Seconds between two looks at the server and its links, also where nobody asks it anything."""
MOST_TOLD = 3
"""links that somebody else has changed, of those that are noticed at once"""


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
        on_others: Callable[[str], None] | None = None,
    ) -> None:
        """`on_others` is told what somebody else has changed, once."""
        self._choice = choice
        self._log = log_dir / "toxiproxy.log"
        self._say = say
        self._on_trouble = on_trouble
        self._on_restored = on_restored
        self._on_others = on_others or on_trouble
        self._told_of_others: set[str] = set()
        self.in_order_at: Micros = 0
        """when the server was last seen to answer, and all links to be as they were put"""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="link-fabric")
        self._stop = threading.Event()
        self._lock = asyncio.Lock()
        self._doing: set[asyncio.Task[None]] = set()
        self._watch: asyncio.Task[None] | None = None
        self._server: OwnServer | ForeignServer | None = None
        self._board: Switchboard | None = None
        self._states: dict[str, LinkState] = {}
        self._broken: str | None = None

    # -- what the launcher calls

    async def start(self) -> None:
        """From the thread whose end is the end of the harness. Raises `UserError` when there is no server to be had.
        May take half a minute, once a machine."""
        loop = asyncio.get_running_loop()

        def say(line: str) -> None:
            loop.call_soon_threadsafe(self._say, line)

        try:
            found = await self._in_thread(lambda: ensure_server(self._choice, say, self._stop))
            if found.kind == "url":
                self._server = ForeignServer(found, self._in_thread)
            else:
                self._server = OwnServer(found, self._log, self._in_thread)
            self.description = await self._server.start()
        except BaseException:
            await self.close()
            raise
        self.in_order_at = monotonic()
        self._board = Switchboard(self._server.client, self._server.prefix)
        self._watch = asyncio.create_task(self._keep_watching(self._server))

    async def open(self, links: Sequence[LinkPorts]) -> None:
        """All of them or, with a `FabricError`, none."""
        server, board = self._started()
        board.check_new(links)
        if server.ours:
            _check_limit(len(board) + len(links))

        def work() -> None:
            board.open(links)
            opened = next((link for link in links if not link.closed), None)
            if not server.ours and opened is not None and not reachable(opened.host, opened.listen):
                board.drop(links)
                raise FabricError(
                    f"{self.description} opened port {opened.listen} of its own {opened.host}, which is not ours: "
                    "it must run on this machine, and outside of any container."
                )
            self._states.update({link.name: link.first for link in links})

        if links:
            await self._do(work)

    async def apply(self, link: str, state: LinkState) -> None:
        await self.apply_all({link: state})

    async def apply_all(self, states: Mapping[str, LinkState]) -> None:
        _, board = self._started()
        board.check(states)
        wanted = dict(states)

        def work() -> None:
            board.make(wanted)
            self._states.update(wanted)

        if wanted:
            await self._do(work)

    async def reset(self, link: str) -> None:
        """The link's connections drop once, and may come back at once."""
        _, board = self._started()
        board.check({link: SOUND})
        await self._do(lambda: board.reset(link))

    async def close(self) -> None:
        """Our own server dies; on one that was there before, our proxies are deleted and nothing else."""
        self._stop.set()
        server, board, self._board = self._server, self._board, None
        tasks = [*self._doing, *([self._watch] if self._watch else [])]
        for task in tasks:
            task.cancel()
        if server:
            server.kill()  # before waiting: a call that hangs ends with it
        await asyncio.gather(*tasks, return_exceptions=True)
        if server:
            server.kill()  # a restart may just have been under way
            if board and not server.ours:
                try:
                    await self._in_thread(board.drop_all)
                except FabricError as error:
                    self._say(f"Some of our proxies are left on the Toxiproxy server: {error}.")
            await self._in_thread(server.client.close)
            self._server = None
        self._thread.shutdown(wait=False)

    # -- one thing after the other

    def _started(self) -> tuple[OwnServer | ForeignServer, Switchboard]:
        if self._broken:
            raise FabricError(self._broken)
        if self._server is None or self._board is None:
            raise FabricError("the link fabric is not running.")
        return self._server, self._board

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
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
                server, _ = self._started()
                if reason := server.ended():
                    await self._restore(reason)
                try:
                    await self._in_thread(work)
                    return
                except ServerSilent as silence:
                    if self._stop.is_set():
                        raise
                    await self._restore(str(silence))
            raise FabricError(f"{self.description} stopped answering three times in a row, over one change.")

    # -- when the server fails

    async def _keep_watching(self, server: OwnServer | ForeignServer) -> None:
        while not self._broken:
            for _ in range(10):
                await asyncio.sleep(LOOK_EVERY / 10)
                if server.ended():
                    break
            with suppress(FabricError):
                await self._look(server)

    async def _look(self, server: OwnServer | ForeignServer) -> None:
        """Whether it answers, and whether all links are as they were put: any user of the machine can change them."""
        board, began = self._board, monotonic()
        found: list[str] = []
        if board is None or not len(board):
            await self._do(server.client.version)
            self.in_order_at = began
            return
        await self._do(lambda: found.extend(board.changed_by_others()))
        if not found:
            self.in_order_at = began
        new = [each for each in dict.fromkeys(found) if each not in self._told_of_others]
        self._told_of_others.update(new)
        if new:
            more = f"; and {len(new) - MOST_TOLD} more" if len(new) > MOST_TOLD else ""
            self._on_others(f"{self.description} is not as it was left: {'; '.join(new[:MOST_TOLD])}{more}")

    async def _restore(self, reason: str) -> None:
        """Holds the lock. Returns with all links as they were, or raises and leaves the fabric broken."""
        server, board = self._started()

        def put_back() -> None:
            board.survey()
            if self._states:
                board.make(self._states)

        self._on_trouble(f"{self.description} stopped working: {reason}; {server.remedy}.")
        try:
            await server.come_back(lambda: self._in_thread(put_back))
        except (FabricError, UserError) as error:
            self._broken = f"{self.description} stopped working and could not be brought back: {error}"
            self._on_trouble(self._broken)
            raise FabricError(self._broken) from error
        worse = sum(state != SOUND for state in self._states.values())
        self._on_restored(f"{self.description} works again: {len(self._states)} links put back, {worse} with faults.")


def _check_limit(links: int) -> None:
    """A server that runs out of files stops accepting on some links, for good, and says that all is well."""
    needed, hard = 3 * links + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise UserError(
            f"{links} links need {needed} open files and the hard limit is {hard} (`ulimit -Hn`): "
            "raise it or form a smaller cluster."
        )
