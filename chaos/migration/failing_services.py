"""A service of one's own fails while its data migrate: the owner has none to send, or the destination cannot read them.

The master hears it when it commits: the destination refuses for good, nothing has changed anywhere, and it is rolled
back. It is planned once more, after those of other partitions; what fails once in each of them delays all, and loses
nothing. docs/partition-services.md says how such a service is made."""

from __future__ import annotations

from shaketable import Cluster, Injected, script
from shaketable.chaos.helpers.keeping import ABOUT, all_is_kept
from shaketable.chaos.helpers.migrating_on import (
    UNDER_A_LITE_MASTER,
    first_requested,
    held_with_the_plan_for,
    under_a_lite_master,
)

GIVES_LATE = {**UNDER_A_LITE_MASTER, "partition_services": "shaketable.chaos.helpers.own_services:GivesLate"}
READS_LATE = {**UNDER_A_LITE_MASTER, "partition_services": "shaketable.chaos.helpers.own_services:ReadsLate"}


@script(about=ABOUT, settings=GIVES_LATE)
async def a_service_cannot_give_its_data_at_first(cluster: Cluster) -> None:
    """A service gives n4 no data at the first try: each migration is rolled back, planned anew, and then committed."""
    planned = await a_joiner_is_to_get_its_share(cluster)
    _, partition = first_requested(cluster)
    owner = cluster.seen.owner(partition)
    await each_partition_fails_once(cluster, planned, owner, "ServiceFailed")


@script(about=ABOUT, settings=READS_LATE)
async def a_service_cannot_read_its_data_at_first(cluster: Cluster) -> None:
    """n4's service cannot read its data at the first try: n4 refuses each commit until it can."""
    planned = await a_joiner_is_to_get_its_share(cluster)
    await each_partition_fails_once(cluster, planned, "n4", "MigrationRefused")


async def a_joiner_is_to_get_its_share(cluster: Cluster) -> Injected:
    await under_a_lite_master(cluster, "n2", "n3")
    return await held_with_the_plan_for(cluster, "n4")


async def each_partition_fails_once(cluster: Cluster, planned: Injected, who_tells: str, event: str) -> None:
    """The first is watched, from the member at whose service it fails to the master's decision."""
    share = len(cluster.seen.plan())
    work = await cluster.work(["n3"], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    told = await cluster.hold(who_tells, event)
    rolled_back = await cluster.hold("n1", "TableChanged", where={"change": "rolled back"})
    await cluster.heal(planned)
    await cluster.until_held(who_tells, event, within=cluster.bounds.safe())
    await cluster.heal(told)
    await cluster.until_held("n1", "TableChanged", within=cluster.bounds.safe())
    await cluster.heal(rolled_back)
    await all_is_kept(cluster, work)
    failed = cluster.seen.view("n1").partitions.done[False]
    assert failed >= share, f"{failed} migrations were rolled back, of {share} partitions"
