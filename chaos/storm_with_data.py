"""A storm of broken links, splits, sleeps and crashes over members that hold data, while clients write and read on.

What storm.py does to lists and data_storm.py to data, together: parts come about that nothing merges, and each is to
agree with itself, to have its partitions in place, and to hold what it can hold. What one side alone has written is
not asked of the other; a partition that a side has lost is told."""

from shaketable.chaos import MERGING_OFF, RESOLVING
from shaketable.chaos.migrating import ABOUT
from shaketable.chaos.storm import NODES, BetweenFollowers, Weather, rage
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import script

DATA = {"partition_count": 9, "maps": "data=1 precious=2"}


@script(about=ABOUT, settings={**MERGING_OFF, **DATA})
async def storm_with_data(cluster: Cluster) -> None:
    """Twelve random faults of links and nodes overlap on six members with two maps: each part is safe in the end."""
    await data_in(cluster, Weather(cluster))


@script(about=ABOUT, settings={**RESOLVING, **DATA})
async def storm_between_followers_with_data(cluster: Cluster) -> None:
    """Most of them are breaks between followers that the master alone can mend; some never end."""
    await data_in(cluster, BetweenFollowers(cluster))


async def data_in(cluster: Cluster, weather: Weather) -> None:
    *first, last = NODES
    await cluster.form(*first)
    pause = cluster.settings.heartbeat_interval // 5
    loads = [await cluster.work(["n1", "n4", "n5"], keys=6, size=100, pause=pause)]
    await cluster.get("n2", "k")
    await cluster.join(last)  # into a cluster that has its table: partitions move, however mild the storm
    loads.append(await cluster.work(["n2", "n3", last], map="precious", keys=6, size=2000, pause=pause))
    await rage(cluster, weather)
    await cluster.calm()
    await cluster.expect(cluster.settled(), within=cluster.bounds.settle())
    for master in masters(cluster):
        # A part of nobody but those who have come back has not used any data yet.
        await cluster.get(master, "k")
    await cluster.expect(cluster.is_safe(), within=2 * cluster.bounds.safe())
    for load in loads:
        await cluster.stop_work(load)
    for name in cluster.settings.backup_counts:
        for master in masters(cluster):
            reading = await cluster.read_back(master, map=name)
            assert reading.complete, f"{reading.outcomes} of {reading.keys} keys of {name} at {master}"
    await cluster.take_stock()


def masters(cluster: Cluster) -> list[str]:
    """One of each part."""
    views = {name: cluster.view(name) for name in NODES}
    return [name for name, seen in views.items() if seen.members and seen.members[0].uuid == seen.incarnation]
