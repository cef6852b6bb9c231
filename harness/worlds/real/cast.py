"""The cast: names, addresses and ports of the nodes, and how their processes start and end."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from shaketable.harness.faults.actions import NoEffect, Start, no_file
from shaketable.harness.faults.table import FaultTable
from shaketable.harness.records import NodeEnded, NodeNamed, NodeSpawned
from shaketable.harness.systems.system import Members, Place, System
from shaketable.harness.whole_files import write_whole
from shaketable.harness.worlds.real.counted import LOOK_EVERY
from shaketable.harness.worlds.real.kept_ports import KeptPorts
from shaketable.harness.worlds.real.launcher import Launcher
from shaketable.harness.worlds.real.nodes import RealNode
from shaketable.harness.worlds.real.tcp_counts import sockets
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event
from shaketable.node.gms.datagrams import datagram_kinds
from shaketable.node.messages import Address
from shaketable.node.process import control
from shaketable.node.process.control import LOOPBACK
from shaketable.node.rest import document_of

if TYPE_CHECKING:
    from shaketable.harness.worlds.real.links import RealLinks

LAST_WORDS: Final = 2.0
"""seconds in which the last events of a process that has ended are read"""
SHORTEST_HANDSHAKE: Final[Micros] = SECOND


class Cast:
    def __init__(
        self,
        seed: int,
        settings: Settings,
        launcher: Launcher,
        table: FaultTable,
        gone: Callable[[str], None],
        record: Callable[[Event], None],
        folder: Path,
        system: System,
        members: Members,
    ) -> None:
        self._system = system
        self._members = members
        self._seed = seed
        self._folder = folder
        self._settings = settings
        self._launcher = launcher
        self._table = table
        self._gone = gone
        self._record = record
        self.links: RealLinks
        self.ports = KeptPorts()
        self.nodes: dict[str, RealNode] = {}
        self.handshake_limit: Micros = SHORTEST_HANDSHAKE
        self._configured: dict[str, tuple[tuple[Address, ...], Settings]] = {}
        self._watching: set[asyncio.Task[None]] = set()

    def running(self, name: str) -> RealNode:
        node = self.nodes.get(name)
        if node is None or not node.running or not node.alive:
            raise NoEffect(f"{name} is not running")
        return node

    async def start(self, action: Start) -> str:
        for name in action.addresses + action.nodes:
            if name not in self.nodes:
                self._name(name)
        addresses = tuple(self.nodes[n].address for n in action.addresses)
        for name in action.nodes:
            if name not in self._configured:
                self._configured[name] = (addresses, self._settings.with_values(action.settings))
                self._open_rest(name)
                self._spawn(name)
        await self.links.open(self._configured)
        self._write_hosts()
        senders = {
            name: True
            for name, (_, settings) in self._configured.items()
            if self._system.udp or datagram_kinds(settings)
        }
        if senders:
            await self.links.open_for_datagrams(senders)
        if action.run:
            await asyncio.gather(*(self._run(name) for name in action.nodes))
            return "each node says that it runs"
        return "spawned"

    def leaves_within(self, name: str) -> Micros:
        """From when it is asked to."""
        _, settings = self._configured[name]
        return settings.graceful_shutdown_max_wait + self._system.patience

    async def restart(self, name: str) -> str:
        node = self.nodes.get(name)
        if node is None or node.process is None:
            raise NoEffect(f"{name} was never started")
        if (node.running or node.alive) and not node.said_last_words:
            raise NoEffect(f"{name} still runs")
        process = node.process
        await node.is_gone()
        if node.process is not process:
            raise NoEffect(f"{name} runs again already")
        self._spawn(name)
        await self._run(name)
        return "the new process says that it runs"

    def _name(self, name: str) -> None:
        number, port = len(self.nodes) + 1, self.ports.one_more(self._system.ports)
        place = Place(name, number, port, self._folder, self._folder / f"{name}.hosts")
        address = self._members.address(place)
        self.nodes[name] = RealNode(place, address, self._system.patience)
        self._record(NodeNamed(name, address))

    def _write_hosts(self) -> None:
        """By these names nodes reach each other, if their system goes by names."""
        if self._system.both_ways:
            for name, node in self.nodes.items():
                hosts = {name: LOOPBACK, **self.links.hosts_from(name)}
                write_whole(node.place.hosts, "".join(f"{host} {other}\n" for other, host in hosts.items()))

    def _open_rest(self, name: str) -> None:
        """Where it will answer HTTP requests, and the file of its configuration."""
        node, (addresses, settings) = self.nodes[name], self._configured[name]
        if settings.rest_enabled:
            number = node.number - 1
            node.rest_host = settings.rest_host
            node.rest_port = settings.rest_port + number if settings.rest_port else self.ports.one_more()
            node.file = self._folder / f"{name}.yaml"
            self.write_file(name, document_of(settings, addresses))

    def write_file(self, name: str, text: str) -> str:
        """All at once: who reads it meanwhile reads what it was."""
        file = self.nodes[name].file
        if file is None:
            raise no_file(name)
        try:
            write_whole(file, text)
        except OSError as error:
            raise NoEffect(f"{file}, its configuration, cannot be written: {error.strerror}") from None
        return "written"

    def _spawn(self, name: str) -> None:
        node = self.nodes[name]
        process = self._launcher.spawn(name, lambda birth: self._members.process(node.place, birth))
        node.spawned(process)
        self._record(NodeSpawned(name))
        self._meanwhile(self._watch(node))

    def _meanwhile(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._watching.add(task)
        task.add_done_callback(self._watching.discard)

    async def _run(self, name: str) -> None:
        node = self.nodes[name]
        addresses, settings = self._configured[name]
        order = control.Run(
            address=node.address,
            addresses=addresses,
            settings=settings.with_secrets(),
            seed=f"{self._seed}/node {name}/{node.life}",
            process=node.life,
            port=node.port,
            links=self.links.ports_from(name),
            hosts=self._hosts_from(name),
            handshake_limit=self.handshake_limit,
            rest_port=node.rest_port,
            file=str(node.file.resolve()) if node.file is not None else "",
        )
        await node.run(order)
        await self._listens(node)
        # Only now, when it listens: nobody's first attempt to reach it shall be in vain.
        for other in self.nodes.values():
            port = self.links.port((other.name, name))
            if other.running and port is not None:
                hosts = self._hosts_from(other.name)
                other.tell(control.AddLinks(0, {node.address: port}, self.handshake_limit, hosts))

    def _hosts_from(self, name: str) -> dict[Address, str]:
        hosts = self.links.hosts_from(name)
        return {self.nodes[other].address: host for other, host in hosts.items() if host != LOOPBACK}

    async def _listens(self, node: RealNode) -> None:
        """Ours does so when it says that it runs. Of others the kernel tells it."""
        if self._system.both_ways:
            ports, links = range(node.port, node.port + self._system.ports), self.links.ends_to(node.name)
            now = asyncio.get_running_loop().time
            until = now() + self._system.patience / SECOND
            while not {port for host, port in sockets(ports).listen if host not in links}.issuperset(ports):
                if not node.alive:
                    raise NoEffect(f"{node.name} ended before it listened")
                if now() > until:
                    at = f"{LOOPBACK}:{node.port}"
                    raise NoEffect(f"{node.name} says that it runs, and does not listen at {at}")
                await asyncio.sleep(LOOK_EVERY)
        node.listens = True
        await self.links.receiver_changed(node.name)

    async def _close_links_to(self, name: str) -> None:
        with suppress(NoEffect):  # the fabric has told of its own trouble
            await self.links.receiver_changed(name)

    async def allow_handshakes(self, limit: Micros) -> None:
        """Connections over slow links take longer to come up; from now on on every link."""
        if limit > self.handshake_limit:
            self.handshake_limit = limit
            for node in self.nodes.values():
                if node.running:
                    node.tell(control.AddLinks(0, {}, limit))

    async def _watch(self, node: RealNode) -> None:
        """From the spawning of a process to the last of what it said."""
        assert node.process is not None
        await asyncio.shield(node.process.ended)
        if node.peer is not None:
            try:
                await asyncio.wait_for(asyncio.shield(node.peer.last_word), LAST_WORDS)
            except TimeoutError:
                node.peer.hang_up()
        node.listens = False
        await self._close_links_to(node.name)
        end = node.how_it_ended()
        self._table.end_all_of(node.name)
        self._record(NodeEnded(node.name, node.in_words(end), end, node.more_of(end)))
        node.gone(end)
        self._gone(node.name)

    def end(self, name: str) -> None:
        process = self.nodes[name].process
        if process is not None:
            process.signal(signal.SIGKILL)
