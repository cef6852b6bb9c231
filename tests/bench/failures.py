"""How soon a failure is known: from the crash or the silence of members until every survivor holds the new list.

The same stories in both worlds, and what is read off their histories. A silence is measured less the heartbeat timeout,
as that of the real Hazelcast was; what is left depends on where in its interval each member's heartbeat round falls, so
the settings are those of that measurement (an interval of 1 s, a timeout of 5 s) and the moment is drawn by chance."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.figure import Figure, median_of

from shaketable.harness.records import FaultAsked
from shaketable.harness.runs.run import Finished, Options, run_real, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import ClaimStarted, Event, Suspected, ViewInstalled

INTERVAL, TIMEOUT = 1, 5
"""seconds, as the real Hazelcast was measured"""
FOLLOWER: Final = "a follower"
MASTER: Final = "the master"
BOTH: Final = "the master and the next in line"
WHOM: Final = (FOLLOWER, MASTER, BOTH)
CRASH: Final = "crash"
PAUSE: Final = "pause"
BLACK_HOLE: Final = "black hole"


@dataclass(frozen=True, slots=True)
class Case:
    how: str
    whom: str
    count: int
    timeout: float = TIMEOUT
    """seconds; of a silence"""

    @property
    def values(self) -> Mapping[str, object]:
        return {"heartbeat_interval_seconds": INTERVAL, "heartbeat_timeout_seconds": self.timeout}


@dataclass(frozen=True, slots=True)
class Known:
    """Seconds until the last survivor holds the new list."""

    since_fault: float
    """since the harness asked for it, less the heartbeat timeout if it is a silence"""
    since_noticed: float
    """since the last survivor suspected the last victim: what the protocol itself adds"""
    claim: float | None
    """since the first mastership claim started"""


def in_real_world(case: Case, seed: int, options: Options | None = None) -> Known:
    victims: list[str] = []
    options = options or _options(case, "real", seed)
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        return _known(case, victims, run_real(_story(case, victims), options, folder=Path(folder)))


def simulated(case: Case, seed: int) -> Known:
    victims: list[str] = []
    return _known(case, victims, run_simulated(_story(case, victims), _options(case, "sim", seed)))


def _options(case: Case, world: str, seed: int) -> Options:
    """How a cluster forms is not the point: it may do so fast."""
    return Options(world, seed=seed, preset="fast", values=case.values)


def _story(case: Case, victims: list[str]) -> Script:
    """It writes down whom it strikes."""

    async def body(cluster: Cluster) -> None:
        interval = cluster.settings.heartbeat_interval
        names = [f"n{i}" for i in range(1, case.count + 1)]
        if cluster.world == "real":
            await cluster.form(*names)
        else:
            await form_at_all_hours(cluster, names, interval)
        await cluster.sleep(interval + cluster.rng.randrange(interval))
        names = cluster.seen.members()
        victims[:] = {FOLLOWER: names[case.count // 2 :][:1], MASTER: names[:1], BOTH: names[:2]}[case.whom]
        survivors = [name for name in names if name not in victims]
        if case.how == BLACK_HOLE:
            await cluster.split(victims, survivors, how="blackhole")
        else:
            await cluster.together(*map(cluster.kill if case.how == CRASH else cluster.pause, victims))
        await cluster.expect(cluster.that.agree(*survivors), within=cluster.bounds.settle())

    name = f"{case.how} of {case.whom} of {case.count}"
    return Script(name, name, __file__, body, about=("settled",))


async def form_at_all_hours(cluster: Cluster, names: Sequence[str], interval: Micros) -> None:
    """Started at once, all simulated members would have their heartbeat rounds at once."""
    first, *others = names
    await cluster.form(first)
    for name in others:
        await cluster.sleep(cluster.rng.randrange(interval) // max(1, len(names) // 20))
        await cluster.start(name)
    await cluster.until(cluster.that.agree(*names), within=cluster.bounds.forming)


def _known(case: Case, victims: Sequence[str], finished: Finished) -> Known:
    assert finished.outcome.kind == "done", (case, finished.outcome)
    records = finished.records
    struck = min(r.time for r in records if isinstance(r.event, FaultAsked))

    def times(of: type[Event]) -> list[Micros]:
        return [r.time for r in records if r.time > struck and r.node not in victims and isinstance(r.event, of)]

    done, noticed, claims = max(times(ViewInstalled)), max(times(Suspected)), times(ClaimStarted)
    borne = 0.0 if case.how == CRASH else case.timeout
    return Known(
        (done - struck) / SECOND - borne,
        (done - noticed) / SECOND,
        (done - claims[0]) / SECOND if claims else None,
    )


AIM_OF_FIVE: Final = {FOLLOWER: 0.38, MASTER: 0.48, BOTH: 0.49}
AIM_OF_MORE: Final = {FOLLOWER: 0.37, MASTER: 0.54, BOTH: 0.54}
"""seconds until all know of a crash: the medians of the real Hazelcast on two cores, of 5 members and of 10"""
CLAIM: Final = 0.1
"""seconds that a claim adds at most: about as many as the real one's does, among 5"""


EXPLAINED: Final = """\
Crash, pause, black hole: from the failure until the last survivor holds the new list; a silence less the heartbeat
timeout, a broken pair less the rounds for which the master waits as well."""


def figures_of(world: str, case: Case, known: Sequence[Known]) -> Iterator[Figure]:
    """A crash is held against the real one's median. A silence is held against an interval, the lateness of the last
    round, and a claim: where its median lies between is chance, here and there."""
    members = f"{world}, {case.count} members"
    since_fault = [k.since_fault for k in known]
    yield median_of(f"{members}: {case.how} of {case.whom}", since_fault, "s", at_most=_aim(case))
    if case.whom == MASTER and case.how == CRASH:
        claims = [k.claim for k in known if k.claim is not None]
        yield median_of(f"{members}: its claim, since it started", claims, "s", at_most=CLAIM)
    elif case.whom == MASTER:
        claims = [k.since_noticed for k in known]
        yield median_of(f"{members}: its claim, since the last suspicion", claims, "s", at_most=CLAIM)


def _aim(case: Case) -> float:
    if case.how != CRASH:
        return INTERVAL + CLAIM
    return (AIM_OF_FIVE if case.count == 5 else AIM_OF_MORE)[case.whom]
