"""A few real members in virtual time that are cut apart, disturbed and left in peace, and what has to hold meanwhile.

Everything is drawn by one generator of chance: who is cut from whom and for how long, whose messages are lost or late,
whose clock jumps, who sleeps, crashes, starts again or is told to leave."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from shaketable.harness.faults.actions import Action, Begin, End, Kill, Leave, Restart, Start
from shaketable.harness.faults.link_kinds import CUT
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.node_kinds import DELAY, DROP
from shaketable.harness.faults.table import ClockFault, LinkFault, MessageFault, Pause
from shaketable.harness.faults.verb import Fault
from shaketable.harness.records import Record
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node import events as e
from shaketable.node.config import FAST
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.legacy import make_member

SETTINGS = FAST.with_values(
    {
        "merging": True,
        "merge_first_run_delay_seconds": 4,
        "merge_next_run_delay_seconds": 4,
        "max_join_merge_target_seconds": 3,
        "join_patience_seconds": 1,
        "max_join_seconds": 6,
        "partition_count": 3,
    }
)
MERGING = "mergevalidation", "mergevalidationanswer", "mergeclusters", "mergeclustersanswer"
KINDS = *MERGING, "masterresponse", "finalizejoin"
LINKS = LinkState(cut=True), LinkState(blackhole=True), LinkState(latency=800 * MILLISECOND)


@dataclass
class Going:
    """A part that goes over: who was in it, and who of them is on the way."""

    master: str
    into: str
    members: tuple[str, ...]
    on_the_way: dict[str, bool] = field(default_factory=dict)
    """by name of the node; its master as long as it has not told all"""


class Watch:
    """Holds every step to the rules."""

    def __init__(self) -> None:
        self.going: list[Going] = []
        self.merges = self.failed = 0
        self.uuids: dict[str, str] = {}

    def see(self, record: Record) -> None:
        name, event = record.node, record.event
        match event:
            case e.Started(member=member):
                assert member.uuid not in self.uuids.values(), "an identity is new"
                self.uuids[name] = member.uuid
            case e.MergeBegan(peer=peer, members=members):
                self.merges += 1
                mine = tuple(member.uuid for member in members)
                for other in self.going:
                    into_each_other = other.into in mine and peer.uuid in other.members
                    assert not into_each_other, f"{other} while {name} goes to {peer}"
                self.going.append(Going(self.uuids[name], peer.uuid, mine, {name: True}))
            case e.Merging(peer=peer):
                for going in self.going:
                    if going.into == peer.uuid and self.uuids[name] in going.members:
                        going.on_the_way[name] = True
            case e.Joined() | e.MergeFailed() | e.Stopped():
                self.arrived(name)
                self.failed += isinstance(event, e.MergeFailed)

    def arrived(self, name: str) -> None:
        for going in self.going:
            going.on_the_way.pop(name, None)
        self.going = [going for going in self.going if going.on_the_way]


class Parts:
    def __init__(self, seed: int, nodes: int) -> None:
        self.chance = random.Random(seed)
        self.world = SimWorld(seed, SETTINGS, make_member)
        self.names = [f"n{number}" for number in range(1, nodes + 1)]
        self.watch = Watch()
        self._seen = 0
        self._number = 0
        self.left: dict[str, bool] = {}

    def begin(self) -> None:
        """Cut into two or three parts from the start; each founds its own cluster."""
        place = {name: self.chance.randrange(self.chance.choice([1, 2, 3])) for name in self.names}
        apart = [(a, b) for a in self.names for b in self.names if a != b and place[a] != place[b]]
        self.act(Start(tuple(self.names), tuple(self.names), run=False))
        if apart:
            self._for(self.chance.randrange(4, 25) * SECOND, LinkFault(CUT, tuple(apart), LINKS[0]))
        self.act(Start(tuple(self.names), tuple(self.names)))

    def disturb(self) -> None:
        """For a minute, something every second or so."""
        end = self.world.time + 60 * SECOND
        while self.world.time < end:
            self._one()
            self.run(self.chance.randrange(50, 3000) * MILLISECOND)

    def _one(self) -> None:
        chance, some = self.chance, self.chance.randrange(100, 9000) * MILLISECOND
        a, b = chance.sample(self.names, 2)
        match chance.randrange(11):
            case 0 | 1 | 2:
                both = ((a, b), (b, a))[: chance.choice([1, 2, 2])]
                self._for(some, LinkFault(CUT, both, chance.choice(LINKS)))
            case 3:
                others = [n for n in self.names if n != a]
                some_of_them = chance.sample(others, chance.randrange(1, len(others) + 1))
                group = tuple(link for n in some_of_them for link in ((a, n), (n, a)))
                self._for(some, LinkFault(CUT, group, LINKS[0]))
            case 4 | 5:
                self._for(some, MessageFault(a, DROP, (chance.choice(KINDS),)))
            case 6 | 7:
                late = chance.randrange(50, 4000) * MILLISECOND
                self._for(some, MessageFault(a, DELAY, (chance.choice(KINDS),), delay=late))
            case 8:
                self._for(some, Pause(a))
            case 9:
                jump = chance.randrange(10) * SECOND // 2
                self._for(some, ClockFault(a, jump, chance.randrange(-300_000, 300_000)))
            case 10 if sum(self._runs(n) for n in self.names) > 2:
                self._end(a)
        for name in self.names:
            if not self._runs(name) and name not in self.left and chance.randrange(6) == 0:
                self.act(Restart(name))

    def _end(self, name: str) -> None:
        if not self._runs(name):
            return
        if self.chance.randrange(3) == 0 and name not in self.left:
            self.left[name] = True
            self.act(Leave(name))
        else:
            self.left.pop(name, None)
            self.act(Kill(name))
            self.watch.arrived(name)

    def _runs(self, name: str) -> bool:
        node = self.world.nodes.get(name)
        return node is not None and node.listening

    def _for(self, time: Micros, fault: Fault) -> None:
        node = getattr(fault, "node", None)
        if node is not None and not self._runs(node):
            return
        self._number += 1
        number = self._number
        self.act(Begin(number, fault))
        self.world.call_later(time, lambda: self.act(End(number)))

    def act(self, action: Action) -> None:
        self.world.act(action, lambda receipt: None)

    def run(self, time: Micros) -> None:
        end = self.world.time + time
        woken: list[bool] = []
        self.world.call_later(time, lambda: woken.append(True))
        self.world.run(lambda: bool(woken))
        assert self.world.time >= end
        assert not self.world.failures, self.world.failures
        records = self.world.records
        for record in records[self._seen :]:
            self.watch.see(record)
        self._seen = len(records)

    def end(self) -> None:
        """All is whole again, and all run."""
        for number in list(self.world.table.active):
            self.act(End(number))
        for name in self.names:
            if not self._runs(name) and name not in self.left:
                self.act(Restart(name))

    def clusters(self) -> dict[tuple[str, ...], list[str]]:
        """The nodes that run, by what each takes for its cluster; nobody is in none."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name in self.names:
            if self._runs(name):
                ms = self.world.nodes[name].member.membership
                found.setdefault(tuple(m.address for m in ms.view.members) if ms.joined else (), []).append(name)
        return found


def story(seed: int, nodes: int) -> Parts:
    parts = Parts(seed, nodes)
    parts.begin()
    parts.disturb()
    parts.end()
    for _ in range(16):
        parts.run(10 * SECOND)
        if len(parts.clusters()) == 1 and not parts.watch.going:
            break
    return parts
