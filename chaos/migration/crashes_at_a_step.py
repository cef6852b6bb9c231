"""Somebody who takes part in a migration is killed at one of its steps, and all gets safe again by itself.

The matrix of crashes has all cells of this, and needs a plan that only ours tell. Here a step and its partition are
all that a story asks for, so that members of other systems play it, too."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster, Injected, script
from shaketable.chaos.helpers.keeping import ABOUT, ONE_MAP, all_is_kept, fill

NODES: Final = ("n1", "n2", "n3")
JOINER: Final = "n4"


@script(about=ABOUT, settings=ONE_MAP)
async def the_owner_dies_as_it_begins(cluster: Cluster) -> None:
    """The owner of a partition dies as it begins to send it to a joiner: its backup has all that it had."""
    moves = await a_move_is_asked_for(cluster)
    owner = cluster.seen.owner(moves[0])
    assert owner is not None
    await killed_at(cluster, owner, "MigrationBegan", moves, role="owner")


@script(about=ABOUT, settings=ONE_MAP)
async def the_joiner_dies_as_it_begins(cluster: Cluster) -> None:
    """The joiner dies as the first data of a partition come: nothing is lost, and nobody waits for it."""
    moves = await a_move_is_asked_for(cluster)
    await killed_at(cluster, JOINER, "MigrationBegan", moves, role="destination")


@script(about=ABOUT, settings=ONE_MAP)
async def the_master_dies_when_a_partition_is_copied(cluster: Cluster) -> None:
    """The data are at the joiner, and the master dies before it has committed: the next master plans anew."""
    moves = await a_move_is_asked_for(cluster)
    await killed_at(cluster, "n1", "MigrationCopied", moves)


@script(about=ABOUT, settings=ONE_MAP)
async def the_master_dies_as_it_commits(cluster: Cluster) -> None:
    """The master dies as it sends the commit: the joiner may have it or not, and one table comes of it."""
    moves = await a_move_is_asked_for(cluster)
    await killed_at(cluster, "n1", "CommitSent", moves)


@script(about=ABOUT, settings=ONE_MAP)
async def the_joiner_dies_with_the_commit(cluster: Cluster) -> None:
    """The joiner has committed, and dies before anybody knows it: the partition gets another owner or backup."""
    moves = await a_move_is_asked_for(cluster)
    await killed_at(cluster, JOINER, "MigrationFinished", moves, role="destination", successful=True)


async def a_move_is_asked_for(cluster: Cluster) -> tuple[int, Injected]:
    """The partition that is about to migrate to the joiner: n1 holds, and its request has not left."""
    await cluster.form(*NODES)
    await fill(cluster, "n1", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    asks = await cluster.hold("n1", "MigrationRequested")
    await cluster.start(JOINER)
    await cluster.until_held("n1", "MigrationRequested", within=cluster.bounds.forming + cluster.bounds.safe())
    return next(each.partition for each in cluster.seen.view("n1").partitions.under_way.values()), asks


async def killed_at(
    cluster: Cluster, victim: str, event: str, moves: tuple[int, Injected], **where: str | bool
) -> None:
    partition, asks = moves
    await cluster.hold(victim, event, where={"partition": partition, **where})
    await cluster.heal(asks)
    await cluster.until_held(victim, event, within=cluster.bounds.safe())
    await cluster.kill(victim)
    left = [name for name in (*NODES, JOINER) if name != victim]
    await cluster.until(cluster.that.agree(*left), within=cluster.bounds.take_over + cluster.bounds.crash)
    await all_is_kept(cluster, within=cluster.bounds.safe(1))
