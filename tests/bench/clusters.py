"""What the benches of the data share: a story in a world, as it is recorded, and when something happened in it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from shaketable.harness.records import Record
from shaketable.harness.runs.run import Finished, Options, run_real, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.driver import Driver
from shaketable.harness.scripting.scripts import Body, Script
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import FAST
from shaketable.node.core.env import SECOND
from shaketable.node.events import OperationCalled, OperationReturned
from shaketable.node.legacy import make_member

HEARTBEATS: Final = {"heartbeat_interval_seconds": 5, "heartbeat_timeout_seconds": 60}
"""the text's: how much may be under way on a link at once depends on how late they may be"""

Took = tuple[int, int]
"""when an operation was called and when it returned, in microseconds of the run"""


def in_real_world(
    name: str, body: Body, values: Mapping[str, object] | None = None, options: Options | None = None
) -> Finished:
    script = Script(name, name, __file__, body, about=("settled",))
    options = options or Options("real", preset="fast", values=values or {})
    with tempfile.TemporaryDirectory(prefix="shaketable-bench-") as folder:
        return _done(run_real(script, options, folder=Path(folder)))


def simulated(name: str, body: Body, values: Mapping[str, object] | None = None) -> Finished:
    script = Script(name, name, __file__, body, about=("settled",))
    return _done(run_simulated(script, Options("sim", preset="fast", values=values or {})))


def events_a_second(body: Body) -> float:
    """Heap events, by CPU time, with the recorder on."""
    world = SimWorld(1, FAST, make_member)
    driver = Driver(world)
    driver.start(body(Cluster(world, driver, FAST, 1)))
    began = time.process_time()
    world.run(lambda: driver.outcome is not None)
    assert driver.outcome is not None
    assert driver.outcome.kind == "done", driver.outcome
    return world.events / (time.process_time() - began)


def _done(finished: Finished) -> Finished:
    assert finished.outcome.kind == "done", finished.outcome
    return finished


def operations(finished: Finished) -> Iterator[tuple[OperationCalled, Took]]:
    """All that have returned well, in the order in which they did."""
    under_way: dict[str, Record] = {}
    for record in finished.records:
        match record.event:
            case OperationCalled(client=client):
                under_way[client] = record
            case OperationReturned(client=client) as returned:
                assert returned.outcome == "ok", returned
                called = under_way[client]
                assert isinstance(called.event, OperationCalled)
                yield called.event, (called.time, record.time)


def seconds(micros: float) -> float:
    return micros / SECOND
