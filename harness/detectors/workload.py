"""The workload of `shaketable compare-detectors`: one list of faults that every policy gets, by one seed.

After each the group is whole again before the next begins: who crashed, or was wrongly removed, is restarted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.detectors.members import Members, NotWhole
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.detectors.world import Watched
from shaketable.harness.faults.actions import Command, Leave
from shaketable.harness.faults.table import Pause
from shaketable.node.config import Settings
from shaketable.node.core.commands import TalkCommand
from shaketable.node.core.env import Micros

GONE: Final = "a member's machine is gone"
KILLED: Final = "a member is killed"
MASTER_GONE: Final = "the master's machine is gone"
MASTER_KILLED: Final = "the master is killed"
NEIGHBOURS_GONE: Final = "two neighbours' machines are gone"
CRASHES: Final = (GONE, KILLED, MASTER_GONE, MASTER_KILLED, NEIGHBOURS_GONE)

PERIODS: Final = 6
"""a steady time is counted over so many"""
SHUT_DOWN: Final = 3
"""of the oldest, one after the other"""


@dataclass(frozen=True, slots=True)
class Crash:
    """One fault of `CRASHES`, and what came of it, once a victim and survivor. Times are since the last heartbeat that
    the victim sent before."""

    kind: str
    suspected: Sequence[Micros]
    """this one heard that it is suspect; also once a victim: who watches it, or decides about it, held it to be so"""
    verified: Sequence[Micros]
    """and from then on until it held a list without the victim"""
    announced: Sequence[Micros]
    unseen: int
    """victims that were still on its list at the end"""


@dataclass(slots=True)
class Result:
    crashes: list[Crash] = field(default_factory=list)
    heartbeats: int = 0
    """in `PERIODS` quiet periods"""
    messages: int = 0
    """in a whole cycle of quiet periods"""
    bytes: int = 0
    most_sent: int = 0
    most_received: int = 0
    """by the member that has sent most, and by the one that has received most, in that cycle"""
    talking: int | None = None
    """heartbeats in as many periods in which all applications talk; a cluster has none that could"""
    false_suspicions: int = 0
    false_removals: int = 0
    masters: int = 0
    """how often somebody came to lead while members crashed and slept"""
    masters_in_scale_down: int = 0


class Workload:
    def __init__(self, variant: Variant, members: int, seed: int) -> None:
        self._variant = variant
        self._members = Members(variant, members, seed)
        self._world = self._members.world
        self._result = Result()

    def run(self) -> Result:
        world, result = self._world, self._result
        self._members.form()
        self._count_quietly()
        led = world.came_to_lead
        for kind in CRASHES:
            self._crash(kind)
        self._sleep()
        self._slow()
        result.masters = world.came_to_lead - led
        if self._variant.is_group:
            self._talk()
        self._scale_down()
        return result

    # Steady times

    def _count_quietly(self) -> None:
        world, traffic, result = self._world, self._world.traffic, self._result
        self._let_a_steady_time_pass(weighs=True)
        result.heartbeats = traffic.heartbeats
        world.pass_time((cycle(self._variant.settings) - PERIODS) * self._members.period)
        result.messages, result.bytes = traffic.messages.total(), traffic.bytes
        result.most_sent, result.most_received = max(traffic.sent.values()), max(traffic.received.values())
        traffic.begin()

    def _talk(self) -> None:
        """Each application says something to all, twice a period."""
        self._let_all_say_something(every=self._members.period // 2)
        self._let_a_steady_time_pass()
        self._result.talking = self._world.traffic.heartbeats
        self._let_all_say_something(every=0)

    def _let_all_say_something(self, every: Micros) -> None:
        for name in self._members.names:
            self._world.do(Command(name, TalkCommand(every)))

    def _let_a_steady_time_pass(self, *, weighs: bool = False) -> None:
        world, members = self._world, self._members
        world.pass_time(2 * members.window + members.phase())
        world.traffic.begin(weighs=weighs)
        world.pass_time(PERIODS * members.period)

    # Crashes

    def _crash(self, kind: str) -> None:
        members, world = self._members, self._world
        members.be_quiet()
        victims = self._victims(kind)
        watched = world.watch(victims)
        heard = {name: world.traffic.last_heartbeat[name] for name in victims}
        faults: list[int] = []
        if kind in (KILLED, MASTER_KILLED):
            members.kill(victims)
        else:
            faults = [number for name in victims for number in members.lose(name)]
        survivors = [name for name in members.names if name not in victims]
        whole = members.come_to_agree(survivors, every=members.period)
        self._result.crashes.append(_outcome(kind, watched, heard, survivors))
        if faults:
            members.kill(victims)
            members.end(faults)
        self._judge_suspicions()
        if not whole:
            raise NotWhole(f"{kind}: the others came to no common list")
        members.bring_back(victims)

    def _victims(self, kind: str) -> Sequence[str]:
        if kind in (MASTER_GONE, MASTER_KILLED):
            return self._members.the_master()
        return self._members.some(2 if kind == NEIGHBOURS_GONE else 1)

    # What must not end in a removal

    def _sleep(self) -> None:
        """Longer than it takes to be suspected, shorter than it takes to be declared dead."""
        members, s = self._members, self._variant.settings
        suspected = members.window + members.period + s.gms_probe_timeout
        dead = members.window + 2 * s.gms_probe_timeout + s.gms_verify_timeout - members.period
        self._disturb(lambda name: (members.begin(Pause(name)),), lasts=(suspected + dead) // 2)

    def _slow(self) -> None:
        """By a whole detection window: whoever asks it gets an answer, late."""
        members = self._members
        self._disturb(lambda name: members.slow_down(name, members.window), lasts=3 * members.window)

    def _disturb(self, begin: Callable[[str], Sequence[int]], lasts: Micros) -> None:
        members, world = self._members, self._world
        members.be_quiet()
        (name,) = members.some()
        watched = world.watch([name])
        faults = begin(name)
        world.pass_time(lasts)
        members.end(faults)
        world.pass_time(2 * members.window)
        self._judge_suspicions(also=name)
        if watched.off_the_list:
            self._result.false_removals += 1
            members.kill([name])
            members.bring_back([name])
        else:
            members.until_whole(members.names)

    # Shutdowns

    def _scale_down(self) -> None:
        """The oldest first; names have the order of ages, but for those who were restarted."""
        members, world = self._members, self._world
        left = list(members.names)
        members.be_quiet()
        led = world.came_to_lead
        for _ in range(min(SHUT_DOWN, len(left) - 2)):
            oldest = min(left, key=lambda name: world.started[name])
            left.remove(oldest)
            world.watch([])
            world.do(Leave(oldest))
            members.until_whole(left)
            self._judge_suspicions()
        self._result.masters_in_scale_down = world.came_to_lead - led

    def _judge_suspicions(self, also: str = "") -> None:
        """Collects the members that anybody suspected although their process runs. `also`: the member that was
        disturbed."""
        world = self._world
        victims = [name for name in world.watched.uuids.values() if name != also]
        wrong = {world.name_of[uuid] for uuid in world.suspects} - set(victims)
        self._result.false_suspicions += len(wrong)
        world.watch([])


def cycle(settings: Settings) -> int:
    """So many periods, and all that members do in a quiet time has been done whole times: each K periods a master does
    what it does once a window, and each 2K + 1 a member asks a master for a sign that it gets no heartbeat from. Not
    fewer than `PERIODS`."""
    whole = settings.gms_max_missed * (2 * settings.gms_max_missed + 1)
    return whole * -(-PERIODS // whole)


def _outcome(kind: str, watched: Watched, heard: dict[str, Micros], survivors: Sequence[str]) -> Crash:
    suspected, verified, announced, unseen = list[Micros](), list[Micros](), list[Micros](), 0
    for uuid, name in watched.uuids.items():
        since = heard[name]
        if uuid in watched.noticed:
            suspected.append(watched.noticed[uuid] - since)
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
    return Crash(kind, suspected, verified, announced, unseen)
