"""`cluster.calm()`: how long it lasts, and that this is enough for the checks where the settle bound alone is not."""

from __future__ import annotations

import pytest
from tests.harness.scripting.staging import play

from shaketable.chaos import MERGING_OFF
from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.config import PRESETS
from shaketable.node.core.env import SECOND


def test_it_is_as_long_as_the_checks_take_it_and_counts_from_the_last_fault() -> None:
    times: list[int] = []

    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        await cluster.cut("n2", "n3")
        times.append(cluster.seen.now())
        await cluster.sleep(100 * SECOND)
        await cluster.calm()
        times.append(cluster.seen.now())
        await cluster.calm()
        times.append(cluster.seen.now())

    played = play(body)
    world, settings = played.world, played.cluster.settings
    enough = Bounds(settings, world.allowance).settle() + settings.heartbeat_interval
    cut, once, twice = times
    assert (once - cut, twice) == (enough, once)


def test_with_data_it_is_as_long_as_the_checks_of_the_last_tables_take_it() -> None:
    times: list[int] = []

    async def body(cluster: Cluster) -> None:
        await cluster.form("n1", "n2", "n3")
        await cluster.put("n1", "k", "v")
        await cluster.cut("n2", "n3")
        times.append(cluster.seen.now())
        await cluster.calm()
        times.append(cluster.seen.now())

    played = play(body)
    bounds, settings = Bounds(played.cluster.settings, played.world.allowance), played.cluster.settings
    patience = settings.migration_pause + 2 * settings.heartbeat_interval + bounds.allowance
    assert times[1] - times[0] == bounds.settle() + patience


@script(about=["fully connected"], expects_violation="fully connected", settings=MERGING_OFF)
async def it_is_calm(cluster: Cluster) -> None:
    await cluster.form("n1", "n2", "n3")
    await cluster.cut("n2", "n3")
    await cluster.calm()


@script(about=["fully connected"], expects_violation="fully connected", settings=MERGING_OFF)
async def the_settle_bound_passes(cluster: Cluster) -> None:
    await cluster.form("n1", "n2", "n3")
    await cluster.cut("n2", "n3")
    await cluster.sleep(cluster.bounds.settle())


@pytest.mark.parametrize("preset", PRESETS)
def test_a_script_that_waits_for_it_is_judged(preset: str) -> None:
    outcomes = [
        judged(run_simulated(each, Options(preset=preset))).outcome for each in (it_is_calm, the_settle_bound_passes)
    ]
    assert outcomes == ["passed", "unknown"]


SEVEN = ("n1", "n2", "n3", "n4", "n5", "n6", "n7")
OF_A_RING = {"family": "gms", "gms_detection": "ring"}


async def three_crash(cluster: Cluster) -> None:
    await cluster.form(*SEVEN)
    await cluster.together(*[cluster.kill(name) for name in ("n3", "n5", "n7")])


@script(about=["one master", "one view"], settings=OF_A_RING)
async def a_group_is_calm(cluster: Cluster) -> None:
    await three_crash(cluster)
    await cluster.calm()


@script(about=["one master", "one view"], settings=OF_A_RING)
async def a_group_s_settle_bound_passes(cluster: Cluster) -> None:
    await three_crash(cluster)
    await cluster.sleep(cluster.bounds.settle() + 2 * cluster.settings.heartbeat_interval)


@script(about=["one master", "one view"], settings=OF_A_RING)
async def a_group_s_parts_are_calm(cluster: Cluster) -> None:
    await cluster.form(*SEVEN)
    await cluster.split(SEVEN[:3], SEVEN[3:])
    await cluster.calm()


def test_a_ring_that_misses_three_members_is_calm_for_longer() -> None:
    outcomes = [
        judged(run_simulated(each, Options())).outcome
        for each in (a_group_is_calm, a_group_s_settle_bound_passes, a_group_s_parts_are_calm)
    ]
    assert outcomes == ["passed", "unknown", "passed"]
