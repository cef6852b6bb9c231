"""Two answers to a partial disconnection that are equally large: more data members, and only then the older ones.

The text assumes that there are no lite members, which hold no data, and prefers the answer with likely more data. Four
or five nodes; n1 is the master, and hears all."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin, begin_all, noticed
from shaketable.chaos.helpers.one_decision import in_one_list, it_stays_so, they_hang_up, they_part

ABOUT = (*LISTS, "claims", "detection", "best clique")
LITE = {"lite_member": True}
FOUR = ("n1", "n2", "n3", "n4")
FIVE = (*FOUR, "n5")


@script(about=[*ABOUT, "fully connected"], settings=RESOLVING, unless="any_best")
async def the_older_stays(cluster: Cluster) -> None:
    """n2 and n3 are cut off from each other, and hold data both: n2 stays, for it is older."""
    await n3_has_to_go(cluster, CUT)
    await it_stays_so(cluster, ("n1", "n2", "n4"), ["n3"])


@script(about=ABOUT, settings=RESOLVING, unless="any_best")
async def the_older_stays_after_a_silence(cluster: Cluster) -> None:
    """n2 and n3 fall silent to each other, and hold data both: a timeout later n2 stays, for it is older."""
    await n3_has_to_go(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=RESOLVING, unless="any_best")
async def the_older_stays_one_way(cluster: Cluster) -> None:
    """n3 cannot reach n2, and both hold data: n3 alone knows it, complains, and has to go."""
    await n3_has_to_go(cluster, CUT, one_way=True)


async def n3_has_to_go(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form(*FOUR)
    cluster.always(in_one_list(cluster, FOUR, ["n3"]))
    await begin(cluster, how, "n3", "n2", one_way=one_way)
    await they_part(cluster, FOUR, ["n3"], noticed=noticed(cluster, how))


@script(about=ABOUT, settings=RESOLVING, unless="any_best")
async def a_lite_member_has_to_go(cluster: Cluster) -> None:
    """n2, a lite member, and n3 are cut off from each other: n3 stays, though it is younger, for it holds data."""
    await the_lite_n2_has_to_go(cluster, CUT)


@script(about=ABOUT, settings=RESOLVING, unless="any_best")
async def a_lite_member_has_to_go_after_a_silence(cluster: Cluster) -> None:
    """n2, a lite member, and n3 fall silent to each other: a timeout later n3 stays, for it holds data."""
    await the_lite_n2_has_to_go(cluster, BLACK_HOLE)


async def the_lite_n2_has_to_go(cluster: Cluster, how: str) -> None:
    await n2_is_lite(cluster)
    cluster.always(in_one_list(cluster, FOUR, ["n2"]))
    await begin(cluster, how, "n2", "n3")
    await they_part(cluster, FOUR, ["n2"], noticed=noticed(cluster, how))


@script(about=ABOUT, settings=RESOLVING, unless="any_best")
async def a_lite_member_has_to_go_one_way(cluster: Cluster) -> None:
    """n3 cannot reach n2, a lite member: n3 complains, and n2, which suspects nobody, has to go."""
    await n2_is_lite(cluster)
    cluster.always(in_one_list(cluster, FOUR, ["n2"]))
    await begin(cluster, CUT, "n3", "n2", one_way=True)
    staying = cluster.that.agree("n1", "n3", "n4")
    await cluster.until(staying, within=cluster.bounds.crash + cluster.bounds.resolution)
    await cluster.until(cluster.that.trusts("n2", "n3"), within=0)
    await cluster.expect(staying & cluster.that.agree("n2"), within=cluster.bounds.take_over)
    await they_hang_up(cluster, ("n1", "n3", "n4"), ["n2"])


async def n2_is_lite(cluster: Cluster) -> None:
    await cluster.form("n1")
    await cluster.join("n2", settings=LITE)
    await cluster.join("n3", "n4")


@script(about=ABOUT, settings=RESOLVING, unless="any_best")
async def more_data_before_older(cluster: Cluster) -> None:
    """n2 and n3 are cut off from n4 and n5: the lite n3 holds no data, so the older two have to go."""
    await the_older_two_have_to_go(cluster, CUT)


@script(about=ABOUT, settings=RESOLVING, unless="any_best")
async def more_data_before_older_after_a_silence(cluster: Cluster) -> None:
    """n2, the lite n3 and the younger n4, n5 fall silent to each other: a timeout later n2 and n3 have to go."""
    await the_older_two_have_to_go(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=RESOLVING, unless="any_best")
async def more_data_before_older_one_way(cluster: Cluster) -> None:
    """n2 and the lite n3 cannot reach n4 and n5: n2 and n3 know it at once, complain, and have to go."""
    await the_older_two_have_to_go(cluster, CUT, one_way=True)


async def the_older_two_have_to_go(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form("n1", "n2")
    await cluster.join("n3", settings=LITE)
    await cluster.join("n4", "n5")
    cluster.always(in_one_list(cluster, FIVE, ["n2", "n3"]))
    links = [(a, b) for a in ("n2", "n3") for b in ("n4", "n5")]
    await begin_all(cluster, how, *links, one_way=one_way)
    await they_part(cluster, FIVE, ["n2", "n3"], noticed=noticed(cluster, how))


@script(about=ABOUT, settings=RESOLVING)
async def more_members_before_more_data(cluster: Cluster) -> None:
    """n2 is cut off from n3 and n4, which are lite members: these stay all the same, for they are two.

    The text's figure 5: the fewest members leave, and it is among equally large answers that data decides."""
    await the_data_member_has_to_go(cluster, CUT)


@script(about=ABOUT, settings=RESOLVING)
async def more_members_before_more_data_after_a_silence(cluster: Cluster) -> None:
    """n2 and two lite members fall silent to each other: a timeout later n2 has to go, for they are two."""
    await the_data_member_has_to_go(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=RESOLVING)
async def more_members_before_more_data_one_way(cluster: Cluster) -> None:
    """n2 cannot reach two lite members: it knows it at once, complains, and has to go."""
    await the_data_member_has_to_go(cluster, CUT, one_way=True)


async def the_data_member_has_to_go(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form("n1", "n2")
    await cluster.join("n3", "n4", settings=LITE)
    cluster.always(in_one_list(cluster, FOUR, ["n2"]))
    await begin_all(cluster, how, ("n2", "n3"), ("n2", "n4"), one_way=one_way)
    await they_part(cluster, FOUR, ["n2"], noticed=noticed(cluster, how))
