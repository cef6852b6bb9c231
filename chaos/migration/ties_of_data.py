"""Two answers to a partial disconnection that are equally large and have as many data members: more replicas stay.

The text on partial member disconnection prefers the answer with likely more data; a member that has just joined holds
none yet, and age decides only between those that hold as many. Five nodes; n1 is the master, and hears all."""

from __future__ import annotations

from itertools import combinations

from shaketable import Cluster, script
from shaketable.chaos import RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all, noticed
from shaketable.chaos.helpers.migrating import ABOUT as OF_MIGRATIONS
from shaketable.chaos.helpers.migrating import all_is_well
from shaketable.chaos.helpers.migrating_on import fill
from shaketable.chaos.helpers.one_decision import told

ABOUT = (*OF_MIGRATIONS, "best clique")
SETTINGS = {**RESOLVING, "partition_count": 7, "maps": "data=1 precious=2"}
"""Up to seven members hold a replica of each partition"""
RACKS = {**SETTINGS, "partition_groups": "127.0.0.1:5701; 127.0.0.1:5702 127.0.0.1:5703; 127.0.0.1:5704 127.0.0.1:5705"}
"""n1, n2 and n3, n4 and n5: of those who share a rack one holds three, the other four"""
OLDER, YOUNGER = ("n2", "n5"), ("n3", "n4")


@script(about=ABOUT, settings=SETTINGS, unless="any_best")
async def the_emptier_two_have_to_go(cluster: Cluster) -> None:
    """n2 and the joiner n5, which holds hardly anything, are cut off from n3 and n4: n2, the oldest, and n5 go."""
    await n5_is_emptier(cluster, CUT)


@script(about=ABOUT, settings=SETTINGS, unless="any_best")
async def the_emptier_two_have_to_go_after_a_silence(cluster: Cluster) -> None:
    """n2 and the emptier n5 fall silent to n3 and n4, and these to them: a timeout later n2 and n5 have to go."""
    await n5_is_emptier(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=SETTINGS, unless="any_best")
async def the_emptier_two_have_to_go_one_way(cluster: Cluster) -> None:
    """n2 and the emptier n5 cannot reach n3 and n4: n2 and n5 alone complain, and have to go."""
    await n5_is_emptier(cluster, CUT, one_way=True)


@script(about=ABOUT, settings=SETTINGS, unless="any_best")
async def the_older_two_stay_when_all_hold_as_many(cluster: Cluster) -> None:
    """n2 and n5 are cut off from n3 and n4, and all hold equally many replicas: age decides, and n3 and n4 go."""
    await n5_is_filled(cluster, CUT)


@script(about=ABOUT, settings=SETTINGS, unless="any_best")
async def the_older_two_stay_after_a_silence(cluster: Cluster) -> None:
    """n2, n5 and n3, n4 fall silent to each other, and all hold equally many replicas: a timeout later n3 and n4 go."""
    await n5_is_filled(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=RACKS, unless="any_best")
async def the_fuller_of_two_stays(cluster: Cluster) -> None:
    """In racks of one, two and two a pair lose each other: the younger stays, for it holds one replica more."""
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await fill(cluster, "n1")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    fewer = [(a, b) for a, b in combinations(("n2", "n3", "n4", "n5"), 2) if held(cluster, a) < held(cluster, b)]
    older, younger = cluster.rng.choice(fewer)
    await begin_all(cluster, CUT, (older, younger))
    await parts_without(cluster, CUT, [name for name in cluster.seen.members() if name != older], (older,))


async def n5_is_emptier(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form("n1", "n2", "n3", "n4")
    await fill(cluster, "n1")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    work = await cluster.work(["n1", "n3"], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    nothing_moves = await cluster.drop("migrationrequest", sender="n1")  # but what n1 owns itself
    await cluster.join("n5")
    await cluster.until(cluster.that.caught(nothing_moves), within=cluster.bounds.silence)
    assert held(cluster, "n5") < held(cluster, "n2") == held(cluster, "n3") == held(cluster, "n4")
    await begin_all(cluster, how, *[(a, b) for a in OLDER for b in YOUNGER], one_way=one_way)
    await until_parted(cluster, how, ["n1", *YOUNGER], OLDER)
    await cluster.heal(nothing_moves)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.stop_work(work)
    await all_is_well(cluster, 1, ["n1", "n2"])


async def n5_is_filled(cluster: Cluster, how: str) -> None:
    await cluster.form("n1", "n2", "n3", "n4", "n5")
    await fill(cluster, "n1")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    now = [held(cluster, name) for name in (*OLDER, *YOUNGER)]
    assert now == [7, 7, 7, 7], now
    await begin_all(cluster, how, *[(a, b) for a in OLDER for b in YOUNGER])
    await parts_without(cluster, how, ["n1", *OLDER], YOUNGER)


async def parts_without(cluster: Cluster, how: str, staying: list[str], leaving: tuple[str, ...]) -> None:
    await until_parted(cluster, how, staying, leaving)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await all_is_well(cluster, 1, ["n1", leaving[0]])


async def until_parted(cluster: Cluster, how: str, staying: list[str], leaving: tuple[str, ...]) -> None:
    await cluster.until(cluster.that.agree(*staying), within=noticed(cluster, how) + cluster.bounds.resolution)
    await cluster.until(cluster.that.agree(*leaving), within=told(cluster))


def held(cluster: Cluster, name: str) -> int:
    """So many replicas, of all partitions."""
    return sum(name in cluster.seen.row(partition) for partition in range(cluster.settings.partition_count))
