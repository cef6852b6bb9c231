"""Plays a script in the simulated world, for tests of the driver, the verbs and the world."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.scripting.cluster import Cluster, finish
from shaketable.harness.scripting.driver import Driver
from shaketable.harness.scripting.outcome import Outcome
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node import legacy
from shaketable.node.cluster.identities import MakeMember
from shaketable.node.config import PRESETS, Settings
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event

Body = Callable[[Cluster], Coroutine[Any, Any, Any]]
E = TypeVar("E", bound=Event)

HERE = "# here"
"""marks the line of a script that its failure has to name"""


@dataclass
class Played:
    world: SimWorld
    driver: Driver
    cluster: Cluster

    @property
    def outcome(self) -> Outcome:
        assert self.driver.outcome is not None, self.driver.position()
        return self.driver.outcome

    def told(self, kind: type[E], node: str | None = None) -> list[E]:
        return [r.event for r in self.world.records if isinstance(r.event, kind) and node in (None, r.node)]

    def times(self, kind: type[Event], node: str | None = None) -> list[Micros]:
        return [r.time for r in self.world.records if isinstance(r.event, kind) and node in (None, r.node)]


def set_up(
    body: Body,
    *,
    seed: int = 1,
    preset: str = "default",
    limit: Micros | None = 3600 * SECOND,
    make_member: MakeMember | None = None,
    settings: Settings | None = None,
) -> Played:
    settings = settings or PRESETS[preset]
    world = SimWorld(seed, settings, make_member or legacy.make_member)
    driver = Driver(world)
    cluster = Cluster(world, driver, settings, seed)
    driver.start(body(cluster))
    if limit is not None:
        driver.end_at_limit(limit)
    return Played(world, driver, cluster)


def play(
    body: Body,
    *,
    seed: int = 1,
    preset: str = "default",
    limit: Micros | None = 3600 * SECOND,
    make_member: MakeMember | None = None,
    settings: Settings | None = None,
) -> Played:
    played = set_up(body, seed=seed, preset=preset, limit=limit, make_member=make_member, settings=settings)
    played.world.run(lambda: played.driver.outcome is not None)
    finish(played.cluster)
    return played


def here(body: Callable[..., Any]) -> str:
    """The place that the marked line of this function has in a sentence."""
    lines, first = inspect.getsourcelines(body)
    (number,) = [first + i for i, line in enumerate(lines) if HERE in line]
    file = Path(inspect.getsourcefile(body) or "")
    return f"{file.parent.name}/{file.name}:{number}"


def never(label: str = "the moon falls") -> Condition:
    return Condition(label, lambda seen: "it is still up")
