"""Data migrate over a long way, many chunks at once, and one of them is overtaken.

From the text on avoiding data loss on migration: a destination commits what its owner has, whatever became of the
messages. Here chunks are taken in their order and once each; what is out of order is refused, the owner asks how far
the stream is, and goes on from there."""

from __future__ import annotations

from collections.abc import Mapping

from shaketable import MILLISECOND, SECOND, Cluster, Condition, Micros, Observed, Settings, script
from shaketable.chaos.helpers.keeping import ABOUT, all_is_kept
from shaketable.chaos.helpers.migrating_on import (
    UNDER_A_LITE_MASTER,
    first_requested,
    held_with_the_plan_for,
    under_a_lite_master,
)

LARGE = 250_000
"""bytes of a value: of each partition two such"""
MANY = 3


def unhurried(run: Settings) -> Mapping[str, object]:
    """The amount under way on a link falls when answers are late by a small part of a heartbeat interval. With longer
    ones a busy machine is no reason for that."""
    return {
        **UNDER_A_LITE_MASTER,
        "partition_count": 3,
        "heartbeat_interval_seconds": 8 * run.heartbeat_interval / SECOND,
        "heartbeat_timeout_seconds": 2 * run.heartbeat_timeout / SECOND,
    }


@script(about=ABOUT, settings=unhurried)
async def a_chunk_that_is_overtaken_and_then_comes_twice(cluster: Cluster) -> None:
    """Of many chunks on their way one is held back: later ones are refused, and so is that one when it comes late.

    n2 has sent it once more by then, when n3 had told how far it was. The committed data are whole."""
    await under_a_lite_master(cluster, "n2", size=LARGE)
    planned = await held_with_the_plan_for(cluster, "n3")
    stream, _ = first_requested(cluster)
    await cluster.slow("n2", "n3", a_long_way(cluster))
    await cluster.heal(planned)
    await cluster.until(many_on_their_way(stream), within=cluster.bounds.safe())
    late = await cluster.hold_back("chunk", sender="n2", to=["n3"], count=1)
    overtaken = await cluster.hold("n3", "ChunkRefused", where={"stream": stream})
    await cluster.until_held("n3", "ChunkRefused", within=cluster.bounds.silence)
    sent_again = await cluster.hold("n3", "ChunkArrived", where={"stream": stream})
    await cluster.heal(overtaken)
    await cluster.until_held("n3", "ChunkArrived", within=cluster.bounds.silence)
    twice = await cluster.hold("n3", "ChunkRefused", where={"stream": stream, "why": "has-come"})
    await cluster.heal(late)
    await cluster.heal(sent_again)
    await cluster.until_held("n3", "ChunkRefused", within=cluster.bounds.silence)
    await cluster.heal(twice)
    await all_is_kept(cluster, within=2 * cluster.bounds.safe())


def a_long_way(cluster: Cluster) -> Micros:
    """There and back it takes an eighth of a heartbeat interval."""
    return cluster.settings.heartbeat_interval // 16 // MILLISECOND * MILLISECOND


def many_on_their_way(stream: str) -> Condition:
    """Sent by n2, and not yet at n3."""

    def why_not(seen: Observed) -> str | None:
        sent, come = (seen.nodes[name].partitions.streams.get(stream) for name in ("n2", "n3"))
        if sent is None or come is None:
            return f"{stream} is not on its way"
        under_way = sent.chunks - come.chunks
        return None if under_way >= MANY else f"{under_way} chunks are on their way"

    return Condition(f"{MANY} chunks are on their way", why_not)
