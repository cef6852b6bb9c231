"""The conditions under which failure detectors are measured, as data: what is done to the members all the while.

Times are parts of the detection window, so that they fit all settings. Each run draws the faults from a generator of
their own: they are the same for every policy, as far as the members that they hit run.

Real links carry what they carry, and a real CPU belongs to all: losses of one kind of message, and a member that waits
for the CPU, are for the simulated world alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from shaketable.harness.detectors.members import Members
from shaketable.harness.faults.link_kinds import BLACKHOLE, SLOW
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.table import LinkFault, Pause
from shaketable.harness.worlds.sim.load import Loads
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import Address

BETWEEN: Final = 4
"""windows between two faults of a kind that comes and goes, on the average"""
BUSY: Final = 10
"""an overloaded member runs for one part in so many of the time that it waited before"""


class Hands(Protocol):
    """Those that do something to the members."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def window(self) -> Micros: ...
    def begin(self, fault: LinkFault | Pause) -> int: ...
    def end(self, faults: Sequence[int]) -> None: ...
    def later(self, delay: Micros, call: Callable[[], None]) -> object: ...


class Stage(Protocol):
    """What a condition finds, in either world."""

    chance: random.Random

    @property
    def members(self) -> Hands: ...

    def followers(self) -> Sequence[str]:
        """Those that run and are on the master's list, but for the master."""

    def is_ill(self, name: str) -> None:
        """Something is done to it all the while, and not to others."""

    def crash(self, name: str) -> None: ...

    def start_again(self, name: str) -> None: ...


class SimulatedStage(Stage, Protocol):
    @property
    def members(self) -> Members: ...


@dataclass(frozen=True, slots=True)
class Condition:
    says: str
    begin: Callable[[SimulatedStage], Loads | None]
    """returns what a member that is started again has to bear again"""
    really: Callable[[Stage], object] | None = None
    """the same to real processes; None: it cannot be done there"""


def _anywhere(says: str, begin: Callable[[Stage], None]) -> Condition:
    return Condition(says, begin, begin)


def _nothing(stage: Stage) -> None:
    pass


def _lose(share: float, stage: SimulatedStage) -> None:
    """Heartbeats go by datagrams. All other messages go over connections, which repeat what is lost."""
    seed, draws = stage.chance.random(), dict[tuple[str, Address], random.Random]()

    def loses(name: str, to: Address) -> bool:
        if (name, to) not in draws:
            draws[name, to] = random.Random(f"{seed}/{name}/{to}")
        return draws[name, to].random() < share

    stage.members.world.traffic.loses = loses


def _late(members: Hands, senders: Sequence[str]) -> None:
    links = tuple((a, b) for a in senders for b in members.names if a != b)
    half = members.window // 2
    members.begin(LinkFault(SLOW, links, LinkState(latency=half, jitter=half)))


def _jitter(stage: Stage) -> None:
    _late(stage.members, stage.members.names)


def _lagging(stage: Stage) -> None:
    name = stage.chance.choice(stage.members.names[1:])
    _lag(stage, [name])


def _lagging_of_some(stage: Stage) -> None:
    """A third of them, as in the paper on Lifeguard: slow members meet others that are slow."""
    names = stage.members.names
    _lag(stage, stage.chance.sample(names[1:], len(names) // 3))


def _lag(stage: Stage, names: Sequence[str]) -> None:
    for name in names:
        stage.is_ill(name)
    _late(stage.members, names)


def _overload(stage: SimulatedStage) -> Loads:
    members = stage.members
    return _overloaded(stage, Loads(stage.chance.randrange(2**32), members.world.heap, 2 * members.window), 1)


def _overload_of_some(stage: SimulatedStage) -> Loads:
    members = stage.members
    loads = Loads(stage.chance.randrange(2**32), members.world.heap, 2 * members.window)
    return _overloaded(stage, loads, len(members.names) // 3)


def _overloaded(stage: SimulatedStage, loads: Loads, many: int) -> Loads:
    names = stage.chance.sample(stage.members.names[1:], many)
    for name in names:
        stage.is_ill(name)
    loads.begin(0, BUSY, [stage.members.world.nodes[name] for name in names])
    return loads


def _pauses(stage: Stage) -> None:
    """From half a window to two windows."""
    window = stage.members.window
    _sleep_now_and_then(stage, lambda: stage.chance.randint(window // 2, 2 * window))


def _sleep_now_and_then(stage: Stage, drawn: Callable[[], Micros]) -> None:
    def pause() -> None:
        members, names = stage.members, stage.followers()
        lasts = drawn()
        place = stage.chance.random()
        if names:
            number = members.begin(Pause(names[int(place * len(names))]))
            members.later(lasts, lambda: members.end([number]))

    _now_and_then(stage, pause)


def _one_way(stage: Stage) -> None:
    """For one to three windows nothing comes from a member to half of the others, which it hears."""

    def silence() -> None:
        members, chance = stage.members, stage.chance
        name = chance.choice(members.names)
        others = [each for each in members.names if each != name]
        links = tuple((name, other) for other in chance.sample(others, -(-len(others) // 2)))
        number = members.begin(LinkFault(BLACKHOLE, links, LinkState(blackhole=True)))
        members.later(chance.randint(members.window, 3 * members.window), lambda: members.end([number]))

    _now_and_then(stage, silence)


def _churn(stage: Stage) -> None:
    """Members are killed and come back after one to three windows."""

    def kill() -> None:
        members, names = stage.members, stage.followers()
        away, place = stage.chance.randint(members.window, 3 * members.window), stage.chance.random()
        if names:
            name = names[int(place * len(names))]
            stage.crash(name)
            members.later(away, lambda: stage.start_again(name))

    _now_and_then(stage, kill)


def _now_and_then(stage: Stage, do: Callable[[], None]) -> None:
    """Each time after a drawn while, without a memory."""
    mean: Micros = BETWEEN * stage.members.window

    def again() -> None:
        do()
        wait()

    def wait() -> None:
        stage.members.later(1 + int(stage.chance.expovariate(1 / mean)), again)

    wait()


def loss_of(percent: float) -> Condition:
    return Condition(f"{percent:g} % of the heartbeats are lost", partial(_lose, percent / 100))


def sleeps_of(seconds: float) -> Condition:
    """Each as long as any other, whatever the settings are."""
    lasts = round(seconds * SECOND)
    return _anywhere(
        f"now and then a member sleeps for {seconds:g} s", lambda stage: _sleep_now_and_then(stage, lambda: lasts)
    )


CONDITIONS: Final[Mapping[str, Condition]] = {
    "none": _anywhere("no fault", _nothing),
    **{f"loss-{percent}": loss_of(percent) for percent in (1, 5, 10, 30)},
    "jitter": _anywhere("each message is late by up to a window", _jitter),
    "pauses": _anywhere("now and then a member sleeps, for up to two windows", _pauses),
    "lagging": _anywhere("all that one member sends is late by up to a window", _lagging),
    "lagging-some": _anywhere("all that a third of the members send is late so", _lagging_of_some),
    "overload": Condition("one member waits for the CPU, for up to a window each time", _overload),
    "overload-some": Condition("a third of the members wait so for the CPU", _overload_of_some),
    "one-way": _anywhere("now and then half of the others get nothing from a member", _one_way),
    "churn": _anywhere("now and then a member is killed, and comes back", _churn),
}
