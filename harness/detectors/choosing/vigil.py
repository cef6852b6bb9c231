"""One run in which no member crashes: whoever is removed was removed falsely.

The losses go on all the time. First each member sleeps in its turn, as long as was asked: a tenth of all at a time.
Then, if it is wanted, each member is silenced in its turn: its heartbeats are lost for a window and a period, and it
is well. A quarter of all is silent at a time. So more of them do so together than in a life in which that is rare.
Small groups do all that several times. But where a detector learns, each member sleeps once: it has been heard as
regularly as it is in that life. A part of the run ends with its first false removal: what comes after it is no longer
the group that was asked about.

Under SWIM a silence counts if somebody has suspected the member meanwhile. Under Lifeguard members that missed answers
suspect others less: one sleeps at a time, and the others have time to become sure of themselves again."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import msgspec

from shaketable.harness.detectors.choosing.question import Faults
from shaketable.harness.detectors.members import Members
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.faults.table import Pause
from shaketable.harness.records import Record
from shaketable.node.config import ALL_TO_ALL, DEADLINE, GMS, INFERRED, LIFEGUARD, MASTER_AND_LIKELY, RING, SWIM
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Suspected, ViewInstalled
from shaketable.node.messages import Address, Uuid

ASLEEP: Final = 10
"""one of so many members sleeps at a time, or one in a smaller group"""
SILENT: Final = 4
"""the same for those that are silenced"""
BEFORE: Final = 20
"""periods, in which all members hear each other before anything is watched"""
WITHOUT_SLEEPS: Final[Micros] = 1800 * SECOND
"""so long a run without sleeps is watched"""


PORTION: Final = 100
"""sleeps, and silences: fewer of them would be over sooner than a group is formed"""
TURNS: Final = 4
"""periods: of fifty members that are silent for so long all but one are pinged by somebody meanwhile"""
DO_NOT_LEARN: Final = (ALL_TO_ALL, MASTER_AND_LIKELY, RING, INFERRED, SWIM, LIFEGUARD)


class Seen(msgspec.Struct):
    """Of one run, or of several together."""

    runs: int = 0
    portions: int = 0
    removals: int = 0
    """members that ran and were taken off a list, while others slept"""
    sleeps: int = 0
    watched: Micros = 0
    """so long in all"""
    heartbeats: int = 0
    """meanwhile"""
    messages: int = 0
    removals_of_silenced: int = 0
    silenced: int = 0
    took: Micros = 0
    """in virtual time, with all that is not watched"""

    def add(self, other: Seen) -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Vigil:
    def __init__(
        self, variant: Variant, members: int, seed: int, faults: Faults, *, silences: bool, portions: int = 1
    ) -> None:
        self.members = Members(variant, members, seed)
        self.chance = random.Random(f"{seed}/{faults.name} for {members}")
        self._faults = faults
        self._silences = silences
        self._portions = portions
        self._settings = variant.settings
        self._world = self.members.world
        self._lanes = random.Random(f"{seed}/sleeps for {members}")
        self._began: list[Micros] = []
        """when each member fell asleep or was silenced"""
        self._silenced: dict[str, bool] = {}
        self._suspected: dict[Uuid, bool] = {}
        """by anybody, since it was silenced last"""
        self._silences_that_count = 0
        self._lists: dict[str, list[Uuid]] = {}
        self._removed_at: Micros | None = None

    def run(self) -> Seen:
        members, world, traffic, seen = self.members, self._world, self._world.traffic, Seen(1, self._portions)
        members.form()
        self._lists = {name: [each.uuid for each in held.members] for name, held in world.lists.items()}
        known(self._faults.always).begin(self)
        world.kept = []
        self._pass(BEFORE * members.period)
        begin = world.time
        traffic.begin()
        if self._faults.asleep:
            self._one_after_the_other(self._fall_asleep, self._faults.asleep, self._often, self._lanes_of(ASLEEP))
        else:
            self._pass(WITHOUT_SLEEPS)
        seen.removals, seen.sleeps = int(self._removed_at is not None), self._begun
        seen.watched = max(1, self._end - begin)
        seen.heartbeats, seen.messages = traffic.heartbeats, traffic.messages.total()
        if self._silences and self._removed_at is None:
            self._silence_what_is_sent()
            s = self._settings
            lasts = TURNS * members.period + 3 * s.swim_ping_timeout if s.swims else members.window + members.period
            self._one_after_the_other(self._silence, lasts, self._often, self._lanes_of(SILENT))
            seen.removals_of_silenced = int(self._removed_at is not None)
            seen.silenced = self._silences_that_count if s.swims else self._begun
        seen.took = world.time
        return seen

    # For a condition

    def followers(self) -> Sequence[str]:
        world = self._world
        master = world.lists[self.members.names[0]].master.uuid
        return [name for name in self.members.names if world.nodes[name].incarnation != master]

    def is_ill(self, name: str) -> None:
        """All removals count alike here."""

    def crash(self, name: str) -> None:
        raise NotImplementedError("nobody crashes here")

    def start_again(self, name: str) -> None:
        raise NotImplementedError("nobody crashes here")

    # Deeds to each member

    @property
    def _often(self) -> int:
        return 1 if self._learns else self._portions * max(1, PORTION // len(self.members.names))

    @property
    def _learns(self) -> bool:
        s = self._settings
        return s.gms_detection not in DO_NOT_LEARN if s.family == GMS else s.failure_detector != DEADLINE

    def _lanes_of(self, share: int) -> int:
        return 1 if self._settings.worst_health else max(1, len(self.members.names) // share)

    def _one_after_the_other(
        self, begin: Callable[[str], Callable[[], None]], lasts: Micros, often: int, lanes: int
    ) -> None:
        """`begin` returns what ends it. After each a member has a quiet window, or the time of two pings of the slowest
        member. `often`: so many rounds. `lanes`: so many members at a time."""
        members, world, s = self.members, self._world, self._settings
        quiet = max(members.window, 2 * (1 + s.worst_health) * members.period)
        waiting = list[str]()
        for _ in range(often):
            waiting += self._lanes.sample(members.names, len(members.names))
        self._began = []
        under_way: dict[int, str] = {}
        """by the lane, whose turn it is"""

        def next_one(lane: int) -> None:
            if not waiting:
                del under_way[lane]
                return
            name = next((each for each in waiting if each not in under_way.values()), None)
            if name is None:
                world.call_later(members.period, lambda: next_one(lane))
                return
            waiting.remove(name)
            under_way[lane] = name
            self._began.append(world.time)
            end = begin(name)

            def over() -> None:
                end()
                under_way[lane] = ""
                rest = quiet + members.period + self._lanes.randrange(members.period)
                world.call_later(rest, lambda: next_one(lane))

            world.call_later(lasts, over)

        for lane in range(lanes):
            under_way[lane] = ""
            first = 1 + self._lanes.randrange(lasts + members.window + members.period)
            world.call_later(first, partial(next_one, lane))
        while under_way and self._removed_at is None:
            self._pass(members.window)
        asked = s.suspicion_wait(len(members.names)) if s.swims else s.gms_verify_timeout
        self._pass(2 * members.window + 2 * s.gms_probe_timeout + asked)

    def _fall_asleep(self, name: str) -> Callable[[], None]:
        number = self.members.begin(Pause(name))
        return lambda: self.members.end([number])

    def _silence(self, name: str) -> Callable[[], None]:
        uuid = self._world.nodes[name].incarnation
        self._look()
        self._suspected.pop(uuid, None)
        self._silenced[name] = True

        def over() -> None:
            self._look()
            self._silences_that_count += uuid in self._suspected
            del self._silenced[name]

        return over

    def _silence_what_is_sent(self) -> None:
        traffic, silenced = self._world.traffic, self._silenced
        loses = traffic.loses

        def lost(name: str, to: Address) -> bool:
            return name in silenced or (loses is not None and loses(name, to))

        traffic.loses = lost

    @property
    def _begun(self) -> int:
        """So many before the false removal."""
        return sum(each <= self._end for each in self._began)

    @property
    def _end(self) -> Micros:
        return self._world.time if self._removed_at is None else self._removed_at

    # False removals

    def _pass(self, time: Micros) -> None:
        """Looks once a window, and stops when it has seen enough."""
        end = self._world.time + time
        while self._removed_at is None and self._world.time < end:
            self._world.pass_time(min(self.members.window, end - self._world.time))
            self._look()

    def _look(self) -> None:
        kept = self._world.kept
        assert kept is not None
        for record in kept:
            if isinstance(record.event, ViewInstalled):
                self._installed(record, record.event)
            elif isinstance(record.event, Suspected):
                self._suspected[record.event.peer.uuid] = True
        kept.clear()

    def _installed(self, record: Record, event: ViewInstalled) -> None:
        now = [member.uuid for member in event.members]
        if self._removed_at is None and any(uuid not in now for uuid in self._lists.get(record.node, ())):
            self._removed_at = record.time
        self._lists[record.node] = now
