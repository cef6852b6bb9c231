"""A storm of broken links, splits, sleeps and crashes over members that hold data, while clients write and read on.

It is storm.py for lists and data_storm.py for data, together: parts come about that nothing merges, and each is to
agree with itself, to have its partitions in place, and to hold what it can hold. A side is not asked for writes of the
other alone; a partition that a side has lost is told."""

from shaketable import Cluster, endings, script
from shaketable.chaos import MERGING_OFF, RESOLVING
from shaketable.chaos.helpers.migrating import ABOUT
from shaketable.chaos.helpers.weather import NODES, BetweenFollowers, Weather, rage

DATA = {"partition_count": 9, "maps": "data=1 precious=2"}


@script(about=ABOUT, settings={**MERGING_OFF, **DATA})
async def storm_with_data(cluster: Cluster) -> None:
    """Twelve random faults of links and nodes overlap on six members with two maps: each part is safe in the end."""
    await data_in(cluster, Weather(cluster))


@script(about=ABOUT, settings={**RESOLVING, **DATA})
async def storm_between_followers_with_data(cluster: Cluster) -> None:
    """Random faults over members with data, most of them breaks between followers that the master alone can mend."""
    await data_in(cluster, BetweenFollowers(cluster))


async def data_in(cluster: Cluster, weather: Weather) -> None:
    *first, last = NODES
    await cluster.form(*first)
    pause = cluster.settings.heartbeat_interval // 5
    works = [await cluster.work(["n1", "n4", "n5"], keys=6, size=100, pause=pause)]
    await cluster.get("n2", "k")
    await cluster.join(last)  # into a cluster that has its table: partitions move, however mild the storm
    works.append(await cluster.work(["n2", "n3", last], map="precious", keys=6, size=2000, pause=pause))
    await rage(cluster, weather)
    await endings.each_part_is_safe(cluster, works)
