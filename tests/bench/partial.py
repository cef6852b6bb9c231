"""How soon a broken pair is dealt with: from the break until all who stay hold the list without the one that left.

The same story in both worlds: five members, of which the second and the third fall silent to each other. Measured as
the real Hazelcast was (an interval of 1 s, a timeout of 5 s, five rounds), and less what is only waited for, the
timeout and the rounds."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.bench.failures import INTERVAL, TIMEOUT, form_at_all_hours
from tests.bench.figure import Figure, median_of

from shaketable.harness.records import FaultAsked
from shaketable.harness.runs.run import Finished, Options, run_real, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script
from shaketable.node.core.env import SECOND
from shaketable.node.events import ViewInstalled

NAMES: Final = ("n1", "n2", "n3", "n4", "n5")
COUNT: Final = 5
VALUES: Final = {
    "heartbeat_interval_seconds": INTERVAL,
    "heartbeat_timeout_seconds": TIMEOUT,
    "partial_disconnection_heartbeat_count": COUNT,
    "merging": False,
}
WAITED: Final = TIMEOUT + COUNT * INTERVAL
SLOWEST: Final = 1.92
"""seconds: the most that the real one took"""


def in_real_world(seed: int, options: Options | None = None) -> float:
    stay: list[str] = []
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        return _settled(stay, run_real(_story(stay), options or _options("real", seed), folder=Path(folder)))


def simulated(seed: int) -> float:
    stay: list[str] = []
    return _settled(stay, run_simulated(_story(stay), _options("sim", seed)))


def _options(world: str, seed: int) -> Options:
    return Options(world, seed=seed, preset="fast", values=VALUES)


def _story(stay: list[str]) -> Script:
    """It writes down who stays."""

    async def body(cluster: Cluster) -> None:
        interval = cluster.settings.heartbeat_interval
        if cluster.world == "real":
            await cluster.form(*NAMES)
        else:
            await form_at_all_hours(cluster, NAMES, interval)
        await cluster.sleep(interval + cluster.rng.randrange(interval))
        first, second, third, *others = cluster.seen.members()
        await cluster.blackhole(second, third)
        either = cluster.that.agree(first, second, *others) | cluster.that.agree(first, third, *others)
        await cluster.expect(either, within=cluster.bounds.silence + cluster.bounds.resolution)
        stay[:] = cluster.seen.members()

    name = "a black hole between the second and the third of 5"
    return Script(name, name, __file__, body, about=("settled",))


def _settled(stay: Sequence[str], finished: Finished) -> float:
    """Seconds, less what was waited for."""
    assert finished.outcome.kind == "done", finished.outcome
    records = finished.records
    struck = min(r.time for r in records if isinstance(r.event, FaultAsked))
    done = max(r.time for r in records if r.time > struck and r.node in stay and isinstance(r.event, ViewInstalled))
    return (done - struck) / SECOND - WAITED


def figures_of(world: str, settled: Sequence[float]) -> Iterator[Figure]:
    """When the three members have their heartbeat rounds is chance: the real one's most is the aim."""
    what = f"{world}, 5 members: a broken pair, until all who stay agree, less timeout and rounds"
    yield median_of(what, settled, "s", at_most=SLOWEST)
