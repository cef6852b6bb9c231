"""The members of one run of `shaketable compare-detectors`: they form, lose a member, and are whole again.

Each member's rounds begin when it starts. So all start at drawn times of a period, and neighbours in the ring do not
beat together. The member that a fault hits is drawn by its place. Places and times are the same for every policy. If
the master has that place, the next one is taken."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from shaketable.harness.detectors.variants import Variant
from shaketable.harness.detectors.world import MeasuredWorld
from shaketable.harness.faults.actions import Begin, End, Kill, Restart, Start
from shaketable.harness.faults.link_kinds import BLACKHOLE, ISOLATE, SLOW
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import LinkFault, Pause
from shaketable.node.core.env import SECOND, Micros

LEAST: Final = 5
"""a master, two neighbours, and others who see what comes of them"""
ELDEST: Final = 7
"""of those who may come to lead by their age each starts in a period of its own: its age says nothing of its beat"""
LONG: Final = 40
"""detection windows, and as many probes: by then a fault has come to its end, or never does"""


class NotWhole(Exception):
    """The members did not come to one list in all the time that they had: nothing can be said of them."""


class Members:
    def __init__(self, variant: Variant, many: int, seed: int) -> None:
        settings = variant.settings
        self.world = MeasuredWorld(seed, settings)
        self.names = tuple(f"n{number}" for number in range(1, many + 1))
        self.period = settings.gms_heartbeat_period
        self.window = settings.detection_window
        self._long = LONG * (self.window + settings.gms_probe_timeout + settings.gms_verify_timeout)
        self._random = random.Random(f"{seed}/faults for {many}")
        self._starts = random.Random(f"{seed}/starts for {many}")
        self.begun = 0
        """so many faults"""

    def form(self) -> None:
        world, names = self.world, self.names
        world.do(Start(names, names, {}, run=False))
        world.do(Start(names[:1], names, {}))
        world.until(lambda: names[0] in world.lists, within=self._long, every=self.period)
        others = self._starts.sample(names[1:], len(names) - 1)
        for name in others[:ELDEST]:
            self._start_in_a_period(name)
        self._start_in_a_period(*others[ELDEST:])
        self.until_whole(names)

    def _start_in_a_period(self, *names: str) -> None:
        now: Micros = 0
        for begin, name in sorted((self._starts.randrange(self.period), name) for name in names):
            self.world.pass_time(begin - now)
            self.world.do(Start((name,), self.names, {}))
            now = begin
        self.world.pass_time(self.period - now)

    def be_quiet(self) -> None:
        """All silences are short again, and the next fault comes at any time of a period."""
        self.world.pass_time(self.window + self.period + self.phase())

    def phase(self) -> Micros:
        return self._random.randrange(self.period)

    # Victims

    def the_master(self) -> Sequence[str]:
        return (self._master,)

    def some(self, many: int = 1) -> Sequence[str]:
        """Neighbours in the members' order, which the ring has; none is the master."""
        names, master = self.names, self._master
        place = self._random.randrange(len(names))
        while True:
            found = [names[(place + each) % len(names)] for each in range(many)]
            if master not in found:
                return found
            place += 1

    @property
    def _master(self) -> str:
        world = self.world
        return world.name_of[world.lists[self.names[0]].master.uuid]

    # Faults

    def begin(self, fault: LinkFault | Pause) -> int:
        self.begun += 1
        self.world.do(Begin(self.begun, fault))
        return self.begun

    def later(self, delay: Micros, call: Callable[[], None]) -> object:
        return self.world.call_later(delay, call)

    def lose(self, name: str) -> Sequence[int]:
        """Its machine is gone: nothing runs there any more, and its links do not say so."""
        links = tuple((a, b) for a in self.names for b in self.names if a != b and name in (a, b))
        silent = LinkFault(ISOLATE, links, LinkState(blackhole=True), BLACKHOLE)
        return self.begin(silent), self.begin(Pause(name))

    def slow_down(self, name: str, latency: Micros) -> Sequence[int]:
        """All that it sends."""
        links = tuple((name, other) for other in self.names if other != name)
        return (self.begin(LinkFault(SLOW, links, LinkState(latency=latency))),)

    def end(self, faults: Sequence[int]) -> None:
        for number in faults:
            if number in self.world.table.active:  # a pause ends with its process
                self.world.do(End(number))

    def kill(self, names: Sequence[str]) -> None:
        for name in names:
            self.world.do(Kill(name))

    def bring_back(self, names: Sequence[str]) -> None:
        for name in names:
            self.world.pass_time(self._starts.randrange(self.period))
            self.world.do(Restart(name))
        self.until_whole(self.names)

    # One list

    def until_whole(self, names: Sequence[str]) -> None:
        if not self.come_to_agree(names, every=SECOND):
            raise NotWhole("the members came to no common list")

    def come_to_agree(self, names: Sequence[str], *, every: Micros) -> bool:
        """In all the time that they may need."""
        return self.world.until(lambda: self._agree(names), within=self._long, every=every)

    def _agree(self, names: Sequence[str]) -> bool:
        """These have one list, of themselves as they are now."""
        world = self.world
        lists = world.lists
        first = lists.get(names[0])
        if first is None or len(first.members) != len(names):
            return False
        key = first.author, first.version
        if any(name not in lists or (lists[name].author, lists[name].version) != key for name in names):
            return False
        members = {member.uuid for member in first.members}
        return all(world.nodes[name].incarnation in members for name in names)
