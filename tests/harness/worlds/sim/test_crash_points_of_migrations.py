"""A crash at every event of the partition service while partitions migrate, and a second one while the first is mended.

Each stage of the matrix of crashes is played once to see which events happen, and again with one member that is held at
one of them, with none or the first few of that step's messages out, and killed there; then once more, with another one
killed in what comes of that. At no points does a rule break or anything get lost, and all gets safe by itself."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest
from tests.lengths import mostly_by_night, one_in

from shaketable.chaos.helpers import migrating as at
from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.history.history import History
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster, Injected
from shaketable.harness.scripting.scripts import Script, script
from shaketable.node.events import Held, SafetyChanged, partition

STAGES = (
    at.BACKUP_MOVE, at.OWNER_MOVE, at.SHIFT_DOWN, at.COPY, at.SHIFT_UP, at.BY_A_MASTER_THAT_OWNS, at.FROM_THE_MASTER,
    at.TO_THE_MASTER,
)  # fmt: skip
POINTS_OF_A_KIND = 4
SECOND_CRASHES = 24
AFTER_A_CRASH = {
    "TableSearchBegan", "TableFetched", "TableHandedOver", "TableSearchEnded", "PlanCancelled", "PartitionsPlanned",
}  # fmt: skip
NOT_HERE = {
    # nothing is lost on the way, or comes when it is not expected
    *("TableRefused", "MigrationRefused", "ChunkRefused", "BackupMissed", "BackupHadMore", "BackupNotHeard"),
    # two backups, and the script's own looking
    *("PartitionLost", "StockTaken"),
    # the maps alone, whose data are sound
    "ServiceFailed",
}
EVENTS = {name for name, kind in vars(partition).items() if getattr(kind, "__module__", "") == partition.__name__}


class Point(NamedTuple):
    node: str
    event: str
    nth: int
    after: int | None = None


def struck(stage: at.Stage, first: Point | None = None, second: Point | None = None) -> Script:
    """The first is counted from when all go on, the second from when the first is held."""

    async def drama(cluster: Cluster, it: at.Migrating, planned: Injected) -> None:
        if first is None:
            await cluster.heal(planned)
            return
        await cluster.hold(first.node, first.event, nth=first.nth, after=first.after)
        await cluster.heal(planned)
        await cluster.until_held(first.node, first.event, within=cluster.bounds.safe())
        if second is not None:
            await cluster.hold(second.node, second.event, nth=second.nth, after=second.after)
        await cluster.kill(first.node)
        if second is not None:
            await cluster.until_held(second.node, second.event, within=cluster.bounds.safe())
            await cluster.kill(second.node)

    @script(about=[], settings=stage.settings)
    async def story(cluster: Cluster) -> None:
        """Members are killed at these points."""
        await at.while_migrating(cluster, stage, drama, crashes=1 if second is None else 2)

    return story


def play(stage: at.Stage, *points: Point) -> Finished:
    return run_simulated(struck(stage, *points), Options(seed=STAGES.index(stage)))


def points_of(run: Finished, *, but: str = "") -> list[Point]:
    """What the others tell after the last hold, and before the script looks at what has come of it."""
    since = max(r.time for r in run.records if isinstance(r.event, Held))
    over = max(r.time for r in run.records if isinstance(r.event, SafetyChanged))
    counts: Counter[tuple[str, str]] = Counter()
    found = []
    for record in run.records:
        kind = type(record.event).__name__
        if kind in EVENTS and since < record.time <= over and record.node != but:
            counts[record.node, kind] += 1
            if getattr(record.event, "client", "load").startswith("load"):  # else the script itself looks
                found.append(Point(record.node, kind, counts[record.node, kind]))
    return found


@cache
def all_points() -> dict[str, list[tuple[at.Stage, Point]]]:
    found: dict[str, list[tuple[at.Stage, Point]]] = {}
    for stage in STAGES:
        for point in points_of(play(stage)):
            found.setdefault(point.event, []).append((stage, point))
    return found


def wrong_with(run: Finished) -> list[str]:
    results = run_checks(History(run.records), Bounds(run.settings, run.allowance))
    broken = [f"{each.name}: {each.violations[0].sentence}" for each in results if each.violations]
    return broken if run.outcome.kind == "done" else [run.outcome.reason, *broken]


def test_every_event_of_the_partition_service_is_struck_or_said_not_to_be() -> None:
    assert EVENTS - set(all_points()) == NOT_HERE | AFTER_A_CRASH


@pytest.mark.parametrize(
    ("event", "after"), mostly_by_night(3, one_in(20, product(sorted(EVENTS - NOT_HERE - AFTER_A_CRASH), (None, 1, 2))))
)
def test_a_crash_there_breaks_no_rule_and_all_gets_safe(event: str, after: int | None) -> None:
    points = all_points()[event]
    wrong = {}
    for stage, point in points[:: max(1, len(points) // POINTS_OF_A_KIND)][:POINTS_OF_A_KIND]:
        run = play(stage, where := point._replace(after=after))
        assert [r.event.event for r in run.records if isinstance(r.event, Held)][1:] == [event], where
        if found := wrong_with(run):
            wrong[STAGES.index(stage), where] = found
    assert wrong == {}


@pytest.mark.parametrize("stage", mostly_by_night(3, one_in(len(STAGES), range(len(STAGES)))))
def test_a_second_crash_in_what_comes_of_the_first_breaks_no_rule(stage: int) -> None:
    rng = random.Random(stage)
    struck_twice, seen, wrong = 0, Counter[str](), {}
    candidates = [point for points in all_points().values() for of, point in points if of is STAGES[stage]]
    for _ in range(SECOND_CRASHES):
        first = one_of(candidates, rng)
        then = points_of(play(STAGES[stage], first), but=first.node)
        if not then:
            continue
        second = one_of(then, rng)
        run = play(STAGES[stage], first, second)
        if [r.event.event for r in run.records if isinstance(r.event, Held)][1:] != [first.event, second.event]:
            continue  # by the time of the first that one was on its way already
        struck_twice += 1
        seen[second.event] += 1
        if found := wrong_with(run):
            wrong[first, second] = found
    assert wrong == {}
    assert struck_twice > SECOND_CRASHES // 2
    assert seen & Counter(AFTER_A_CRASH)


def one_of(points: list[Point], rng: random.Random) -> Point:
    """Each kind alike, however often it happens."""
    kind = rng.choice(sorted({point.event for point in points}))
    return rng.choice([point for point in points if point.event == kind])._replace(after=rng.choice([None, 1, 2]))
