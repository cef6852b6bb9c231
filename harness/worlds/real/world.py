"""The real world: acts with processes, ZeroMQ and the link fabric, and answers with receipts.

Everything happens on one event loop. A script is resumed by callbacks of that loop, never in the middle of the handling
of what a node said."""

from __future__ import annotations

import asyncio
import secrets
import traceback
from collections.abc import Callable, Container, Mapping
from pathlib import Path

from shaketable.harness.errors import SystemRefused, UserError, shortened
from shaketable.harness.faults.actions import (
    Action,
    Begin,
    Command,
    End,
    Http,
    Kill,
    Leave,
    NoEffect,
    Receipt,
    Reset,
    Restart,
    Start,
    WriteFile,
)
from shaketable.harness.faults.table import FaultTable, Link, arrow
from shaketable.harness.faults.verb import Fault
from shaketable.harness.records import (
    HARNESS,
    DatagramCaught,
    FabricRestored,
    FabricTrouble,
    HarnessLate,
    NotUnderstood,
    Record,
    UnderTest,
)
from shaketable.harness.seen.run import Observed
from shaketable.harness.systems.dialogue import Dialogue
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.harness.systems.system import System
from shaketable.harness.worlds.real.acts import ACTS
from shaketable.harness.worlds.real.cast import Cast
from shaketable.harness.worlds.real.counted import Counted
from shaketable.harness.worlds.real.datagram_relay import DatagramRelay
from shaketable.harness.worlds.real.evidence import Seen
from shaketable.harness.worlds.real.fabric import LinkFabric
from shaketable.harness.worlds.real.launcher import Launcher, NodeVitals
from shaketable.harness.worlds.real.links import BothWays, OneWay, RealLinks
from shaketable.harness.worlds.real.load import BusyProcesses
from shaketable.harness.worlds.real.meeting_point import MeetingPoint
from shaketable.harness.worlds.real.observer import Observer, Peer
from shaketable.harness.worlds.real.probed import Probed
from shaketable.harness.worlds.real.probes import Probes
from shaketable.harness.worlds.real.pulse import Pulse
from shaketable.harness.worlds.real.rest_client import asked
from shaketable.harness.worlds.real.shaking import Shaking
from shaketable.harness.worlds.real.tcp_counts import why_not_counted
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND, Micros, Timer
from shaketable.node.events import Event, LinkClosed, LinkDown, LinkUp
from shaketable.node.process import control
from shaketable.node.process.frames import TOKEN_BYTES
from shaketable.node.process.outlink import monotonic
from shaketable.node.rest import Response

Done = Callable[[Receipt | NoEffect], None]


class RealWorld:
    name = "real"

    def __init__(
        self,
        seed: int,
        settings: Settings,
        *,
        folder: Path,
        toxiproxy: str | None = None,
        system: System = SHAKETABLE,
        under_test: UnderTest | None = None,
        sink: Callable[[Record], None],
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """UserError: the system cannot be had here."""
        self.seed = seed
        self.settings = settings
        self.observed = Observed()
        self.on_change: Callable[[], None] = lambda: None
        self.table = FaultTable()
        self._sink = sink
        self._folder = folder
        self._sequence = 0
        self._change_told = False
        self._closed = False
        self._loop: asyncio.AbstractEventLoop
        """kept, since for the script's own code no loop seems to run"""
        self._doing: set[asyncio.Task[None]] = set()
        token = secrets.token_bytes(TOKEN_BYTES)
        self._meeting_point = MeetingPoint()
        self._observer = Observer(self._meeting_point.address, token, self)
        self._launcher = Launcher(self._meeting_point.address, token, folder)
        self._fabric = LinkFabric(
            toxiproxy,
            log_dir=folder,
            say=say,
            on_trouble=self._links_failed,
            on_restored=lambda reason: self.record(FabricRestored(reason)),
            on_others=lambda reason: self._links_failed(reason, by_others=True),
        )
        self._pulse = Pulse(self._came_late)
        self._probes = Probes()
        self._system = system
        self._members = system.members(under_test or system.under_test)
        self.allowance = system.allowance
        self._cast = Cast(
            seed, settings, self._launcher, self.table, self._node_gone, self.record, folder, system, self._members
        )
        self._datagrams = DatagramRelay(seed, self._datagram_caught)
        self._links = self._both_ways(system.ports) if system.both_ways else self._one_way()
        self._cast.links = self._links
        busy = BusyProcesses(self._launcher)
        self._shaking = Shaking(self._cast, self._links, self._probes, self.table, busy, self._datagrams)

    def _one_way(self) -> RealLinks:
        nodes = self._cast.nodes
        return RealLinks(self._fabric, nodes, Probed(nodes, self._probes), self._datagrams, OneWay())

    def _both_ways(self, ports: int) -> RealLinks:
        nodes, layout = self._cast.nodes, BothWays(ports)
        evidence = Counted(lambda link: layout.ends(link, nodes), lambda name: nodes[name].cannot_send())
        return RealLinks(self._fabric, nodes, evidence, self._datagrams, layout)

    @property
    def acts(self) -> Container[type[Fault]]:
        return ACTS

    @property
    def fabric(self) -> str:
        return self._fabric.description

    async def start(self) -> None:
        """Needs the main thread. The first time on a machine it may build the Toxiproxy server. UserError: it cannot be
        had here."""
        if self._system.both_ways and (why := why_not_counted()):
            raise SystemRefused(self._system.name, f"it cannot be run here: {why}")
        self._loop = asyncio.get_running_loop()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._launcher.warm_up()
        await self._observer.start()
        await self._fabric.start()
        self._observer.began = monotonic()
        self._pulse.start()

    async def close(self) -> None:
        """No node and no link server of ours is left when this returns; two helpers of the launcher stay with us."""
        self._observer.hear_out()
        self._closed = True
        self._pulse.stop()
        for task in self._doing:
            task.cancel()
        await asyncio.gather(*self._doing, return_exceptions=True)
        try:
            await self._launcher.close()
        finally:
            try:
                await self._observer.close()
                await self._fabric.close()
            finally:
                self._datagrams.close()
                self._cast.ports.close()
                self._meeting_point.remove()

    def vitals(self) -> Mapping[str, NodeVitals]:
        return {name: process.vitals() for name, process in self._launcher.processes.items()}

    # What a script's driver needs

    def now(self) -> Micros:
        return monotonic() - self._observer.began if self._observer.began else 0

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer:
        # Two microseconds more than asked, as both clocks are cut off to whole ones: never early.
        return self._loop.call_later((delay + 2) / SECOND, callback)

    def act(self, action: Action, done: Done) -> None:
        task = self._loop.create_task(self._act(action, done))
        self._doing.add(task)
        task.add_done_callback(self._doing.discard)

    def record(self, event: Event) -> None:
        self._sequence += 1
        self._add(Record(self.now(), HARNESS, "", self._sequence, event))

    def _came_late(self, lateness: Micros) -> None:
        if self._sequence:  # the run has begun
            self.record(HarnessLate(lateness))

    def _add(self, record: Record) -> None:
        if self._closed:
            return
        self._sink(record)
        if self.observed.apply(record) and not self._change_told:
            self._change_told = True
            self._loop.call_soon(self._tell_change)

    def _tell_change(self) -> None:
        self._change_told = False
        if not self._closed:
            self.on_change()

    async def _act(self, action: Action, done: Done) -> None:
        try:
            answer: Receipt | NoEffect = self._receipt(await self._carry_out(action))
        except NoEffect as no_effect:
            answer = no_effect
        except UserError as error:
            answer = NoEffect(str(error))
        except Exception as error:
            traceback.print_exc()
            answer = NoEffect(f"the harness itself failed: {type(error).__name__}: {error}")
        done(answer)

    def _receipt(self, how: str | Seen | Response) -> Receipt:
        match how:
            case Response():
                return Receipt(self.now(), "it answered", how)
            case Seen(said, made):
                return Receipt(self.now(), said, made=None if made is None else made - self._observer.began)
            case said:
                return Receipt(self.now(), said)

    def rest_port(self, name: str) -> int:
        """Where this node answers HTTP requests; 0: nowhere."""
        return self._cast.nodes[name].rest_port

    async def _carry_out(self, action: Action) -> str | Seen | Response:
        if why := self._system.cannot(action):
            raise NoEffect(why)
        match action:
            case Start():
                return await self._cast.start(action)
            case Kill(node=name):
                return await self._shaking.kill(name)
            case Leave(node=name):
                return await self._shaking.leave(name)
            case Command(node=name, command=command):
                return await self._shaking.command(name, command)
            case Http(node=name):
                return await asked(self._cast.running(name), action)
            case WriteFile(node=name, text=text):
                return self._cast.write_file(name, text)
            case Restart(node=name):
                return await self._cast.restart(name)
            case Begin(number=number, fault=fault):
                return await self._shaking.begin(number, fault)
            case End(number=number):
                return await self._shaking.end(number)
            case Reset(links=links):
                return await self._links.reset(links)

    # What the nodes say (the observer's listener)

    def node_ready(self, peer: Peer) -> Dialogue | None:
        node = self._cast.nodes.get(peer.node)
        if node is None or node.process is None or node.process.pid != peer.pid:
            return None
        node.connected(peer)
        return self._members.dialogue(node.place)

    def node_said(self, peer: Peer, said: control.Said) -> None:
        self._probes.said(said)
        node = self._cast.nodes[peer.node]
        if node.peer is peer:
            node.answered(said)

    def reported(self, record: Record) -> None:
        self._cast.nodes[record.node].saw(record.event)
        if isinstance(record.event, LinkUp | LinkDown | LinkClosed):
            other = self.observed.names.get(record.event.address)
            if other is not None:
                self._tell_probes((record.node, other), record.event)
        self._add(record)

    def _datagram_caught(self, fault: int, link: Link) -> None:
        """In the relay's thread."""
        self._loop.call_soon_threadsafe(self.record, DatagramCaught(fault, arrow(link)))

    def _tell_probes(self, link: Link, event: LinkUp | LinkDown | LinkClosed) -> None:
        if isinstance(event, LinkClosed):
            self._probes.hung_up(link)
        else:
            self._probes.changed(link, isinstance(event, LinkUp))

    def not_understood(self, node: str, what: str) -> None:
        self.record(NotUnderstood(node, what))

    def node_broken(self, peer: Peer, reason: str) -> None:
        node = self._cast.nodes[peer.node]
        node.not_understood = True
        self.record(NotUnderstood(peer.node, f"{shortened(reason)}; so the harness kills it"))
        self._cast.end(peer.node)

    def _links_failed(self, reason: str, by_others: bool = False) -> None:
        since = max(0, self._fabric.in_order_at - self._observer.began)
        self.record(FabricTrouble(reason, by_others, since))

    def _node_gone(self, name: str) -> None:
        self._probes.node_gone(name)
