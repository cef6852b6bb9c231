"""The workload of `shaketable compare-detectors`: one list of faults that every policy gets, by one seed.

Whom a fault hits is drawn by place: the same places for every policy, where the master is in one of them the next one.
After each the group is whole again before the next begins: who crashed, or was wrongly removed, is restarted."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.actions import Begin, Command, End, Kill, Leave, Restart, Start
from shaketable.harness.command.compare_detectors_variants import Variant
from shaketable.harness.command.compare_detectors_world import MeasuredWorld, Watched
from shaketable.harness.faults import LinkFault, Pause
from shaketable.harness.links import LinkState
from shaketable.node.commands import TalkCommand
from shaketable.node.env import MILLISECOND, SECOND, Micros

GONE: Final = "a member's machine is gone"
KILLED: Final = "a member is killed"
MASTER_GONE: Final = "the master's machine is gone"
MASTER_KILLED: Final = "the master is killed"
NEIGHBOURS_GONE: Final = "two neighbours' machines are gone"
CRASHES: Final = (GONE, KILLED, MASTER_GONE, MASTER_KILLED, NEIGHBOURS_GONE)
SLEPT: Final = "a member sleeps, and wakes before it can be declared dead"
SLOW: Final = "all that a member sends is late"

LEAST: Final = 5
"""members: a master, two neighbours, and others who see what comes of them"""
APART: Final[Micros] = 20 * MILLISECOND
"""they start one after the other, so that their ages have the order of their names"""
PERIODS: Final = 6
"""a steady time is counted over so many"""
SHUT_DOWN: Final = 3
"""of the oldest, one after the other"""
LONG: Final = 40
"""detection windows, and as many probes: by then a fault has come to its end, or never does"""


class NotWhole(Exception):
    """The members did not come to one list in all the time that they had: nothing can be said of them."""


@dataclass(frozen=True, slots=True)
class Crash:
    """One fault of `CRASHES`, and what came of it. Times are since the last heartbeat that the victim sent before."""

    kind: str
    noticed: Sequence[Micros]
    """once a victim: who watches it, or decides about it, held it to be suspect"""
    suspected: Sequence[Micros]
    """once a victim and survivor: this one heard of that"""
    verified: Sequence[Micros]
    """and from then on until it held a list without the victim"""
    announced: Sequence[Micros]
    unseen: int
    """victims, once a survivor, that were still on its list at the end"""


@dataclass(slots=True)
class Result:
    """Of one variant, size and seed."""

    crashes: list[Crash] = field(default_factory=list)
    heartbeats: int = 0
    """in `PERIODS` quiet periods"""
    messages: int = 0
    bytes: int = 0
    talking: int | None = None
    """heartbeats in as many periods in which all applications talk; a cluster has none that could"""
    false_suspicions: int = 0
    false_removals: int = 0
    masters: int = 0
    """how often somebody came to lead while members crashed and slept"""
    masters_in_scale_down: int = 0


class Workload:
    def __init__(self, variant: Variant, members: int, seed: int) -> None:
        settings = variant.settings
        self._variant = variant
        self._settings = settings
        self._period = settings.gms_heartbeat_period
        self._window = settings.detection_window
        self._world = MeasuredWorld(seed, settings)
        self._names = tuple(f"n{number}" for number in range(1, members + 1))
        self._random = random.Random(f"{seed}/faults for {members}")
        self._faults = 0
        self._long = LONG * (self._window + settings.gms_probe_timeout + settings.gms_verify_timeout)
        self.result = Result()

    def run(self) -> Result:
        self._form()
        self._count_quietly()
        led = self._world.came_to_lead
        for kind in CRASHES:
            self._crash(kind)
        self._sleep()
        self._slow()
        self.result.masters = self._world.came_to_lead - led
        if self._variant.is_group:
            self._talk()
        self._scale_down()
        return self.result

    # Quiet times

    def _form(self) -> None:
        world, names = self._world, self._names
        world.do(Start(names, names, {}, run=False))
        world.do(Start(names[:1], names, {}))
        world.until(lambda: names[0] in world.lists, within=self._long, every=self._period)
        for name in names[1:]:
            world.do(Start((name,), names, {}))
            world.pass_time(APART)
        self._until_whole(names)

    def _count_quietly(self) -> None:
        world, traffic = self._world, self._world.traffic
        world.pass_time(2 * self._window + self._phase())
        traffic.begin(weighs=True)
        world.pass_time(PERIODS * self._period)
        result = self.result
        result.heartbeats, result.messages, result.bytes = traffic.heartbeats, traffic.messages.total(), traffic.bytes
        traffic.begin()

    def _talk(self) -> None:
        """Each application says something to all, twice a period."""
        world, traffic = self._world, self._world.traffic
        for name in self._names:
            world.do(Command(name, TalkCommand(self._period // 2)))
        world.pass_time(2 * self._window + self._phase())
        traffic.begin()
        world.pass_time(PERIODS * self._period)
        self.result.talking = traffic.heartbeats
        for name in self._names:
            world.do(Command(name, TalkCommand(0)))

    def _scale_down(self) -> None:
        """The oldest first; names have the order of ages, but for those who were restarted."""
        world, left = self._world, list(self._names)
        self._quiet()
        led = world.came_to_lead
        for _ in range(min(SHUT_DOWN, len(left) - 2)):
            oldest = min(left, key=lambda name: world.started[name])
            left.remove(oldest)
            world.watch([])
            world.do(Leave(oldest))
            self._until_whole(left)
            self._judge_suspicions()
        self.result.masters_in_scale_down = world.came_to_lead - led

    # Crashes

    def _crash(self, kind: str) -> None:
        self._quiet()
        world = self._world
        victims = self._victims(kind)
        watched = world.watch(victims)
        heard = {name: world.traffic.last_heartbeat[name] for name in victims}
        gone = kind not in (KILLED, MASTER_KILLED)
        faults = [number for name in victims for number in self._lose(name)] if gone else []
        for name in victims if not gone else ():
            world.do(Kill(name))
        survivors = [name for name in self._names if name not in victims]
        whole = world.until(lambda: self._agree(survivors), within=self._long, every=self._period)
        self.result.crashes.append(_outcome(kind, watched, heard, survivors))
        for name in victims if gone else ():
            world.do(Kill(name))
        for number in faults:
            if number in world.table.active:  # a pause ends with its process
                world.do(End(number))
        self._judge_suspicions()
        if not whole:
            raise NotWhole(f"{kind}: the others came to no common list")
        self._bring_back(victims)

    def _victims(self, kind: str) -> Sequence[str]:
        """By place, in the members' order, which the ring has."""
        names, master = self._names, self._master()
        if kind in (MASTER_GONE, MASTER_KILLED):
            return (master,)
        place = self._random.randrange(len(names))
        many = 2 if kind == NEIGHBOURS_GONE else 1
        while True:
            victims = [names[(place + each) % len(names)] for each in range(many)]
            if master not in victims:
                return victims
            place += 1

    def _lose(self, name: str) -> Sequence[int]:
        """Its machine is gone: nothing runs there any more, and its links do not say so."""
        links = tuple((a, b) for a in self._names for b in self._names if a != b and name in (a, b))
        silent = LinkFault("isolate by blackhole", links, LinkState(blackhole=True))
        return self._begin(silent), self._begin(Pause(name))

    # What must not end in a removal

    def _sleep(self) -> None:
        """Longer than it takes to be suspected, shorter than it takes to be declared dead."""
        self._quiet()
        s = self._settings
        suspected = self._window + self._period + s.gms_probe_timeout
        dead = self._window + 2 * s.gms_probe_timeout + s.gms_verify_timeout - self._period
        self._disturb(lambda name: [self._begin(Pause(name))], lasts=(suspected + dead) // 2)

    def _slow(self) -> None:
        """By a whole detection window: whoever asks it gets an answer, late."""
        self._quiet()
        state = LinkState(latency=self._window)

        def slow(name: str) -> Sequence[int]:
            links = tuple((name, other) for other in self._names if other != name)
            return [self._begin(LinkFault("slow", links, state))]

        self._disturb(slow, lasts=3 * self._window)

    def _disturb(self, begin: Callable[[str], Sequence[int]], lasts: Micros) -> None:
        world = self._world
        (name,) = self._victims(SLEPT)
        watched = world.watch([name])
        faults = begin(name)
        world.pass_time(lasts)
        for number in faults:
            world.do(End(number))
        world.pass_time(2 * self._window)
        self._judge_suspicions(also=name)
        if watched.off_the_list:
            self.result.false_removals += 1
            world.do(Kill(name))
            self._bring_back([name])
        else:
            self._until_whole(self._names)

    def _judge_suspicions(self, also: str = "") -> None:
        """Whom anybody suspected though its process runs; `also`: the one that was disturbed."""
        world = self._world
        victims = [name for name in world.watched.uuids.values() if name != also]
        wrong = {world.name_of[uuid] for uuid in world.suspects} - set(victims)
        self.result.false_suspicions += len(wrong)
        world.watch([])

    # Parts

    def _quiet(self) -> None:
        """All silences are short again, and the next fault comes at any time of a period."""
        self._world.pass_time(self._window + self._period + self._phase())

    def _phase(self) -> Micros:
        return self._random.randrange(self._period)

    def _begin(self, fault: LinkFault | Pause) -> int:
        self._faults += 1
        self._world.do(Begin(self._faults, fault))
        return self._faults

    def _bring_back(self, names: Sequence[str]) -> None:
        for name in names:
            self._world.do(Restart(name))
            self._world.pass_time(APART)
        self._until_whole(self._names)

    def _master(self) -> str:
        world = self._world
        return world.name_of[world.lists[self._names[0]].master.uuid]

    def _until_whole(self, names: Sequence[str]) -> None:
        if not self._world.until(lambda: self._agree(names), within=self._long, every=SECOND):
            raise NotWhole("the members came to no common list")

    def _agree(self, names: Sequence[str]) -> bool:
        """These have one list, of themselves as they are now."""
        world = self._world
        lists = world.lists
        first = lists.get(names[0])
        if first is None or len(first.members) != len(names):
            return False
        key = first.author, first.version
        if any(name not in lists or (lists[name].author, lists[name].version) != key for name in names):
            return False
        members = {member.uuid for member in first.members}
        return all(world.nodes[name].incarnation in members for name in names)


def _outcome(kind: str, watched: Watched, heard: dict[str, Micros], survivors: Sequence[str]) -> Crash:
    noticed, suspected, verified, announced, unseen = [], [], [], [], 0
    for uuid, name in watched.uuids.items():
        since = heard[name]
        if uuid in watched.noticed:
            noticed.append(watched.noticed[uuid] - since)
        for survivor in survivors:
            doubted, off = watched.suspected.get((survivor, uuid)), watched.off_the_list.get((survivor, uuid))
            if doubted is not None:
                suspected.append(doubted - since)
            if off is None:
                unseen += 1
            else:
                announced.append(off - since)
            if doubted is not None and off is not None:
                verified.append(off - doubted)
    return Crash(kind, noticed, suspected, verified, announced, unseen)
