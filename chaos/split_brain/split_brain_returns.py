"""Parts become one although not all links heal at once: after a sleep, a removal, or half a heal.

From rulings 4.1, 4.7, 4.9: parts whose lists share a member have not come apart yet, so masters first expel each other;
and where one direction of the links is missing nobody goes anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaketable import SECOND, Cluster, Injected, Settings, script
from shaketable.chaos import merging_soon, resolving_and_merging
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all
from shaketable.chaos.helpers.merging import ABOUT, ON_THE_WAY, become_one, come_apart, have_gone_over

FOUR, FIVE = ("n1", "n2", "n3", "n4"), ("n1", "n2", "n3", "n4", "n5")
LARGE, SMALL = FIVE[:3], FIVE[3:]


def merging_at_once(run: Settings) -> Mapping[str, object]:
    """A part is found before those that still have it on their list have missed it."""
    often = run.heartbeat_timeout / 4 / SECOND
    return {"merge_first_run_delay_seconds": often, "merge_next_run_delay_seconds": often}


@script(about=ABOUT, settings=merging_soon)
async def a_sleeping_master_returns(cluster: Cluster) -> None:
    """The master sleeps until another has taken over; it wakes as one whom nobody follows, and comes back."""
    await cluster.form(*FOUR)
    sleep = await cluster.pause("n1")
    await cluster.until(cluster.that.agree(*FOUR[1:]), within=cluster.bounds.take_over)
    await cluster.heal(sleep)
    await become_one(cluster, FOUR[1:], FOUR[:1])


@script(about=ABOUT, settings=merging_soon)
async def a_sleeping_follower_returns(cluster: Cluster) -> None:
    """A follower sleeps until it has been removed; it wakes, learns that it is no member, and comes back."""
    await cluster.form(*FOUR)
    sleep = await cluster.pause("n3")
    staying = ("n1", "n2", "n4")
    await cluster.until(cluster.that.agree(*staying), within=cluster.bounds.silence)
    await cluster.heal(sleep)
    await become_one(cluster, staying, ["n3"])


@script(about=ON_THE_WAY, settings=merging_soon)
async def two_sleepers_return_one_by_one(cluster: Cluster) -> None:
    """The master and a follower sleep until the three others have gone on, and wake one after the other.

    The first that wakes has the other on its list, and leads two until it has missed it. It may go over before."""
    await cluster.form(*FIVE)
    staying = FIVE[2:]
    first, second = await cluster.together(cluster.pause("n1"), cluster.pause("n2"))
    await cluster.until(cluster.that.agree(*staying), within=2 * cluster.bounds.take_over)
    await cluster.heal(first)
    await cluster.until(cluster.that.agree("n1", *staying), within=cluster.bounds.converge())
    await cluster.heal(second)
    await become_one(cluster, staying, FIVE[:2])


@script(about=[*ABOUT, "best clique"], settings=resolving_and_merging)
async def a_partial_disconnection_heals(cluster: Cluster) -> None:
    """Figure 5 of the text on partial disconnection: N2 has to go, the links heal, and it comes back."""
    await cluster.form(*FOUR)
    await begin_all(cluster, CUT, ("n2", "n3"), ("n2", "n4"))
    staying = ("n1", "n3", "n4")
    removed = cluster.that.agree(*staying) & cluster.that.agree("n2")
    await cluster.until(removed, within=cluster.bounds.crash + cluster.bounds.resolution + cluster.bounds.crash)
    await cluster.heal_all()
    await cluster.expect(cluster.that.agree(*FOUR), within=cluster.bounds.converge())
    await cluster.until(have_gone_over(cluster, staying, 0) & cluster.that.has_merged_into("n2", "n1"), within=0)


@script(about=ABOUT, settings=merging_at_once)
async def issue_8137(cluster: Cluster) -> None:
    """One side has not noticed the split: the younger come back to a master that still has them on its list.

    Lists that share a member are not merged; the master that is asked by theirs expels that one, at once. It expels its
    follower when that one is silent for too long. Then they go over to it."""
    await cluster.form(*FOUR)
    silent = [(a, b) for a in FOUR[:2] for b in FOUR[2:]]
    broken = await begin_all(cluster, BLACK_HOLE, *silent, one_way=True)
    await cluster.until(cluster.that.agree(*FOUR[2:]), within=2 * cluster.bounds.silence)
    await cluster.until(cluster.that.has_list("n1", version=4, members=FOUR), within=0)
    # Or they would tell who still sends them heartbeats and lists to go its own way.
    said = [("heartbeat", "n1"), ("heartbeat", "n2"), ("membersupdate", "n1")]
    unheard = await cluster.together(*[cluster.drop(kind, sender=name, to=FOUR[2:]) for kind, name in said])
    await cluster.together(*map(cluster.heal, broken))
    asked = 2 * cluster.settings.merge_next_run_delay
    await cluster.until(cluster.that.has_list("n1", version=5, members=["n1", "n2", "n4"]), within=asked)
    await cluster.together(*map(cluster.heal, unheard))
    await become_one(cluster, FOUR[:2], FOUR[2:])


@script(about=ABOUT, settings=merging_at_once)
async def issue_8137_the_other_way(cluster: Cluster) -> None:
    """The master has removed the younger, and these have not noticed when the links heal: they are told so."""
    await cluster.form(*FOUR)
    silent = [(a, b) for a in FOUR[2:] for b in FOUR[:2]]
    await begin_all(cluster, BLACK_HOLE, *silent, one_way=True)
    await cluster.until(cluster.that.has_list("n1", version=6, members=FOUR[:2]), within=2 * cluster.bounds.silence)
    await cluster.until(cluster.that.follows("n3", "n1") & cluster.that.follows("n4", "n1"), within=0)
    await cluster.heal_all()
    await become_one(cluster, FOUR[:2], FOUR[2:], clusters=3)


@script(about=ABOUT, settings=merging_soon)
async def the_larger_part_s_links_heal_later(cluster: Cluster) -> None:
    """The larger part hears the smaller one again, and not the reverse: for a while nobody goes over."""
    await one_direction_heals_first(cluster, SMALL, LARGE)


@script(about=ABOUT, settings=merging_soon)
async def the_smaller_part_s_links_heal_later(cluster: Cluster) -> None:
    """The smaller part hears the larger one again, and not the reverse: it knows where to go, and cannot yet."""
    await one_direction_heals_first(cluster, LARGE, SMALL)


async def one_direction_heals_first(cluster: Cluster, first: Sequence[str], later: Sequence[str]) -> None:
    """For three searches of each master; then the other direction heals as well."""
    await cluster.form(*FIVE)
    forth, back = await both_ways(cluster, first, later)
    apart = cluster.that.agree(*LARGE) & cluster.that.agree(*SMALL)
    await cluster.until(apart, within=cluster.bounds.settle())
    await cluster.together(*map(cluster.heal, forth))
    await cluster.sleep(cluster.settings.merge_first_run_delay + 3 * cluster.settings.merge_next_run_delay)
    await cluster.until(apart & have_gone_over(cluster, FIVE, 0), within=0)
    await cluster.together(*map(cluster.heal, back))
    await become_one(cluster, LARGE, SMALL)


@script(about=ABOUT, settings=merging_at_once)
async def a_deaf_one_asks_again_and_again(cluster: Cluster) -> None:
    """Two parts find each other, and both hear a third one that cannot hear them: it asks, and never comes.

    It asks oftener than a part that has to come is waited for; the others become one all the same."""
    ones, others, deaf = FIVE[:2], FIVE[2:4], FIVE[4:]
    await cluster.form(*FIVE)
    forth, back = await both_ways(cluster, deaf, FIVE[:4])
    apart = await come_apart(cluster, ones, others, within=2 * cluster.bounds.settle())
    await cluster.together(*map(cluster.heal, forth))
    await cluster.sleep(2 * cluster.settings.merge_next_run_delay)
    await cluster.heal(apart)
    await cluster.expect(cluster.that.agree(*FIVE[:4]), within=cluster.bounds.converge())
    await cluster.together(*map(cluster.heal, back))
    await become_one(cluster, ones, [*others, *deaf])


async def both_ways(
    cluster: Cluster, these: Sequence[str], those: Sequence[str]
) -> tuple[Sequence[Injected], Sequence[Injected]]:
    """The links from these to those are cut, and the reverse, each to be healed by itself."""
    links = [(a, b) for a in these for b in those]
    forth = [cluster.cut(a, b, one_way=True) for a, b in links]
    back = [cluster.cut(b, a, one_way=True) for a, b in links]
    faults = await cluster.together(*forth, *back)
    return faults[: len(links)], faults[len(links) :]


@script(about=ON_THE_WAY, settings=merging_soon)
async def the_masters_links_heal_first(cluster: Cluster) -> None:
    """The masters can talk again, their followers cannot yet: who goes over cannot reach all, and no member is lost."""
    await cluster.form(*FIVE)
    apart = await come_apart(cluster, LARGE, SMALL)
    others = [(a, b) for a in LARGE for b in SMALL if (a, b) != ("n1", "n4")]
    await begin_all(cluster, CUT, *others)
    await cluster.heal(apart)
    await cluster.sleep(cluster.settings.merge_first_run_delay + 2 * cluster.settings.merge_next_run_delay)
    await cluster.heal_all()
    await cluster.expect(cluster.that.agree(*FIVE), within=cluster.bounds.converge(3) + cluster.bounds.forming)
    cluster.always(cluster.that.agree(*FIVE) & have_gone_over(cluster, LARGE, 0))
    await cluster.sleep(3 * cluster.settings.merge_next_run_delay)
