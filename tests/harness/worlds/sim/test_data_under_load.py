"""Data on their way while every processor is busy: late is not thin, and the chunks do not stay small."""

from __future__ import annotations

import pytest
from tests.harness.scripting.staging import play

from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.config import FAST
from shaketable.node.core.env import SECOND, Micros

SETTINGS = FAST.with_values({"partition_count": 1, "maps": "data=2"})
VALUE = 250_000
VALUES = 4
BUSY = 16
"""processes a core"""
CLAIMED: Micros = 15 * SECOND
"""with all chunks small after each late one it takes a minute, with some of these seeds"""


@pytest.mark.parametrize("seed", range(9))
def test_a_partition_moves_on_while_all_processors_are_busy(seed: int) -> None:
    took: list[Micros] = []

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        load = await cluster.work("n1", keys=VALUES, size=VALUE, operations=VALUES)
        await cluster.until_worked(load, within=60 * SECOND)
        await cluster.until(cluster.that.is_safe(), within=60 * SECOND)
        await cluster.load(BUSY)
        await cluster.join("n3")
        await cluster.until(cluster.that.migrates(), within=120 * SECOND)
        begun = cluster.seen.now()
        await cluster.until(cluster.that.is_safe(), within=600 * SECOND)
        took.append(cluster.seen.now() - begun)

    played = play(script, seed=seed, settings=SETTINGS)
    assert played.outcome.kind == "done", played.outcome
    assert took[0] < CLAIMED, f"{took[0] / SECOND:g} s"
