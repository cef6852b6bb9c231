"""The bounds of data say what their docstrings say, and crashes with little data keep within them."""

from __future__ import annotations

import pytest
from tests.harness.scripting.staging import play

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.scripting.cluster import Cluster
from shaketable.node.config import DEFAULT, FAST, PRESETS
from shaketable.node.core.env import MILLISECOND, SECOND


def test_they_are_computed_from_the_settings() -> None:
    bounds = Bounds(FAST, allowance=2 * SECOND)
    assert bounds.operation == (10_000 + 500 + 250 + 2_000) * MILLISECOND
    assert bounds.migrations(40) == 40 * 25 * MILLISECOND + 2 * SECOND
    table = (150 + 2000 + 2 * 1500) * MILLISECOND
    assert bounds.safe(migrations=0) == bounds.settle() + table
    assert bounds.safe(1, migrations=40) == bounds.settle(1) + table + 40 * 25 * MILLISECOND
    assert bounds.safe() == bounds.safe(migrations=4 * 271)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_who_crashes_among_five_with_all_partitions_leaves_them_safe_in_time(preset: str, seed: int) -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3", "n4", "n5")
        work = await cluster.work("n2")
        await cluster.until(cluster.that.is_safe(), within=SECOND)
        await cluster.kill(cluster.rng.choice(["n1", "n3", "n5"]))
        await cluster.expect(cluster.that.is_safe(), within=cluster.bounds.safe())
        await cluster.stop_work(work)

    settings = PRESETS[preset]
    assert settings.partition_count == DEFAULT.partition_count == 271
    outcome = play(script, seed=seed, settings=settings).outcome
    assert outcome.kind == "done", outcome.reason
