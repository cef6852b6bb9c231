"""A group is split in two, and the split heals: two masters learn of each other, and one rule says which stays.

From rulings 5.2: each master goes on asking the addresses of its list and the members that it declared failed; the
loser's members adopt the winner's view. Of five members the oldest are last in their order, so that the two elections
have different winners."""

from __future__ import annotations

from shaketable import Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    BY_SENIORITY,
    CALM,
    LEADERSHIP,
    ONE_ELECTION,
    follow,
    form,
    scripts_under,
)

LEFT, RIGHT = ("n2", "n3"), ("n4", "n5", "n6")
LOOKS_FOR_NOBODY = {"discovery_uri_list": ""}
HEALS = (*ABOUT, *CALM, "suspected first", "no false failure", LEADERSHIP)


@scripts_under(about=HEALS)
async def group_split_by_cut(cluster: Cluster) -> None:
    """Connections between two sides break and return: each side has a master, and in the end all have one."""
    await a_split_heals(cluster, "cut")


@scripts_under(about=HEALS)
async def group_split_by_black_hole(cluster: Cluster) -> None:
    """Two sides do not hear each other for long: each has a master, in the end all have one."""
    await a_split_heals(cluster, "blackhole")


async def a_split_heals(cluster: Cluster, how: str) -> None:
    await form(cluster, "n1", *LEFT, *RIGHT)
    await cluster.leave("n1")
    group, everybody = cluster.bounds.group, [*LEFT, *RIGHT]
    await cluster.until(cluster.that.agree(*everybody), within=group.shutdown)
    by_age = cluster.settings.gms_election == BY_SENIORITY
    left, right, winner = ("n3", "n6", "n6") if by_age else ("n2", "n4", "n2")
    split = await cluster.split(LEFT, RIGHT, how=how)
    sides = cluster.that.agree(*LEFT) & cluster.that.agree(*RIGHT)
    within = group.take_over_and_failures(candidates=1, others=2)
    await cluster.expect(sides & follow(cluster, LEFT, left) & follow(cluster, RIGHT, right), within=within)
    await cluster.heal(split)
    await cluster.expect(cluster.that.agree(*everybody) & follow(cluster, everybody, winner), within=group.heal)
    await cluster.calm()
    await cluster.until(cluster.that.agree(*everybody) & follow(cluster, everybody, winner), within=0)


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, *CALM, "suspected first"])
async def group_parts_meet_that_no_list_names(cluster: Cluster) -> None:
    """No discovery list names a member of the other side any more: masters ask those that they declared failed."""
    await cluster.form("n1", settings=LOOKS_FOR_NOBODY)
    await cluster.join("n2", settings=looks_for(cluster, "n1"))
    await cluster.join("n3", settings=looks_for(cluster, "n2"))
    await cluster.leave("n2")
    await cluster.until(cluster.that.agree("n1", "n3"), within=cluster.bounds.group.shutdown)
    split = await cluster.split(["n1"], ["n3"], how="cut")
    sides = cluster.that.agree("n1") & cluster.that.agree("n3")
    await cluster.until(sides, within=cluster.bounds.group.take_over_and_failures(others=1))
    await cluster.heal(split)
    await cluster.calm()
    await cluster.expect(cluster.that.agree("n1", "n3"), within=0)


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_master_asks_its_list(cluster: Cluster) -> None:
    """Two groups have never met, and only one master's discovery list names the other one: it goes on asking."""
    await cluster.form("n5", settings=LOOKS_FOR_NOBODY)
    there = looks_for(cluster, "n5")
    await cluster.kill("n5")
    await cluster.form("n1", settings=there)
    await cluster.join("n2", settings=looks_for(cluster, "n1"))
    await cluster.restart("n5")
    await cluster.calm()
    await cluster.expect(cluster.that.agree("n1", "n2", "n5"), within=0)


def looks_for(cluster: Cluster, name: str) -> dict[str, str]:
    """GMS_DISCOVERY_URI_LIST, as an administrator writes it."""
    return {"discovery_uri_list": f"tcp://{cluster.seen.view(name).address}"}


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_master_follows_nobody(cluster: Cluster) -> None:
    """A split heals, and a master that gives way finds no place: the member that has not heard that asks it for a sign.

    It hears that its master follows nobody, and looks for one itself."""
    await form(cluster, "n1", *LEFT, *RIGHT)
    await cluster.leave("n1")
    group, everybody = cluster.bounds.group, [*LEFT, *RIGHT]
    await cluster.until(cluster.that.agree(*everybody), within=group.shutdown)
    split = await cluster.split(LEFT, RIGHT, how="cut")
    sides = cluster.that.agree(*LEFT) & cluster.that.agree(*RIGHT)
    await cluster.expect(sides & follow(cluster, RIGHT, "n4"), within=group.take_over_and_failures(1, 2))
    unheard = [await cluster.drop(word, sender="n4", to=["n6"]) for word in ("followmaster", "masterquery")]
    lost = await cluster.drop("notified", sender="n2", to=["n4"])
    await cluster.heal(split)
    within = group.heal + group.suspicion + group.forming
    await cluster.expect(follow(cluster, ["n6"], "n2") & cluster.that.caught(lost), within=within)
    await cluster.together(*[cluster.heal(each) for each in (*unheard, lost)])
    await cluster.expect(cluster.that.agree(*everybody) & follow(cluster, everybody, "n2"), within=group.heal)
    await cluster.calm()
