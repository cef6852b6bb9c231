"""A crash at every event of the cluster service: "in the middle of a claim", "after k of n publishes", and all others.

A storm, every other one of them between followers, is run once to see which events happen, and again with one node that
is held at one of them, with none or the first few of that step's messages out, and killed there. At no point does a
rule break, and calm settles it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from types import ModuleType
from typing import NamedTuple

import pytest
from tests.lengths import mostly_by_night, one_in

from shaketable.chaos import RESOLVING
from shaketable.chaos.helpers.weather import FAULTS, NODES, BetweenFollowers, Weather
from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.history.history import History
from shaketable.harness.records import FaultTook, NodeEnded
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, script
from shaketable.harness.scripting.verbs.nodes import EVENT_NAMES
from shaketable.node.events import Held, gms, merging, others, partition, splitbrain

SEEDS = range(40)
NEVER = 1_000_000
POINTS_OF_A_KIND = 4


def of(module: ModuleType) -> set[str]:
    """The events that are defined there."""
    return {name for name, kind in vars(module).items() if getattr(kind, "__module__", "") == module.__name__}


NOT_IN_A_STORM = {
    *of(partition),  # test_crash_points_of_migrations.py
    *of(splitbrain),  # the storm's parts stay apart: merging is off, and nobody is asked for other addresses
    *of(merging),
    *of(gms),  # of the other family
    *of(others),  # ours tell none of them
    # of the node's life, which a storm on running nodes does not touch
    *("Started", "Joined", "Leaving", "Stopped", "JoinRefusedBy", "JoinBatched"),
    # a decision that is too much work, or overtaken in the middle of it: none of six members is (tests/node)
    "DisconnectionUnresolved",
    # of the driver and the transport, not of the cluster service
    *("FilterMatched", "FramesDropped", "LinkHeard", "LinkSilent", "StoodStill", "FramesLate"),
}


class Point(NamedTuple):
    seed: int
    node: str
    event: str
    nth: int


def struck(point: Point, after: int | None) -> Script:
    @script(about=[], settings=RESOLVING)
    async def struck_storm(cluster: Cluster) -> None:
        """A storm in which one node is killed at a crash point."""
        await cluster.form(*NODES)
        weather = BetweenFollowers(cluster) if point.seed % 2 else Weather(cluster)
        await cluster.hold(point.node, point.event, after=after, nth=point.nth)
        if point.nth == NEVER:
            await blow(cluster, weather)
        else:
            await cluster.together(blow(cluster, weather), strike(cluster, weather))
        await weather.clear_up()
        await cluster.sleep(cluster.bounds.settle())
        await cluster.expect(cluster.that.settled(), within=cluster.bounds.settle())

    async def blow(cluster: Cluster, weather: Weather) -> None:
        for _ in range(FAULTS):
            await cluster.sleep(weather.pause())
            await weather.relieve()
            await weather.strike()
        await cluster.sleep(weather.pause())

    async def strike(cluster: Cluster, weather: Weather) -> None:
        longest = (FAULTS + 1) * cluster.settings.heartbeat_timeout
        await cluster.until_held(point.node, point.event, within=longest)
        await weather.lose(point.node)

    return struck_storm


def unstruck(seed: int) -> Finished:
    return run_simulated(struck(Point(seed, NODES[0], EVENT_NAMES[0], NEVER), None), Options(seed=seed))


def points_of(seed: int) -> Iterator[Point]:
    """The events of a storm, of each node up to its first death."""
    run = unstruck(seed)
    armed = next(r.time for r in run.records if isinstance(r.event, FaultTook))
    calm = max(r.time for r in run.records if isinstance(r.event, FaultTook))
    over: set[str] = set()
    counts: Counter[tuple[str, str]] = Counter()
    for record in run.records:
        if isinstance(record.event, NodeEnded):
            over.add(record.event.peer)
        if record.incarnation and armed < record.time < calm and record.node not in over:
            kind = type(record.event).__name__
            counts[record.node, kind] += 1
            yield Point(seed, record.node, kind, counts[record.node, kind])


@cache
def all_points() -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for seed in SEEDS:
        for point in points_of(seed):
            found.setdefault(point.event, []).append(point)
    return found


def test_a_storm_has_every_event_of_the_cluster_service() -> None:
    assert set(EVENT_NAMES) - set(all_points()) <= NOT_IN_A_STORM


@pytest.mark.parametrize(
    ("event", "after"), mostly_by_night(3, one_in(20, product(sorted(set(EVENT_NAMES) - NOT_IN_A_STORM), (None, 1, 2))))
)
def test_a_crash_there_breaks_no_rule_and_calm_settles_it(event: str, after: int | None) -> None:
    points = all_points()[event]
    wrong = []
    for point in points[:: max(1, len(points) // POINTS_OF_A_KIND)][:POINTS_OF_A_KIND]:
        run = run_simulated(struck(point, after), Options(seed=point.seed))
        held = [r for r in run.records if isinstance(r.event, Held)]
        assert [(r.node, r.event.event) for r in held if isinstance(r.event, Held)] == [(point.node, event)], point
        if run.outcome.kind != "done":
            wrong.append(f"{point}: {run.outcome.reason}")
        for result in run_checks(History(run.records), Bounds(run.settings, run.allowance)):
            if result.status not in ("held", "vacuous"):
                wrong.append(f"{point}: {result.name} {result.status}: {result.violations or result.notes}")
    assert not wrong, "\n".join(wrong)
