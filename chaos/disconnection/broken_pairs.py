"""Pairs of followers, here and there, that cannot talk to each other: the text's random disconnections, and larger.

The text's six members A1, A2, B1, B2, C1, C2, where A1 cannot talk to B1, and B2 not to C1. Four lists of four members
remain possible. Under a seventh member as master it is the rule for ties that picks one of them; where A1 itself is
master, A1 sees its own break and stays."""

from shaketable import Cluster, Micros, script
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all, noticed
from shaketable.chaos.helpers.equal_lists import Parts, one_list_stays, one_of_each
from shaketable.chaos.helpers.one_decision import in_one_list, it_stays_so, they_hang_up, they_part, told

ABOUT = (*LISTS, "claims", "detection", "best clique")
SEVEN = tuple(f"n{i}" for i in range(1, 8))
SIX = SEVEN[:6]
TWENTY = tuple(f"n{i}" for i in range(1, 21))


@script(about=[*ABOUT, "fully connected"], settings=RESOLVING)
async def random_breaks_cut(cluster: Cluster) -> None:
    """n1 is M, n2 to n7 are A1, A2, B1, B2, C1, C2; A1-B1 and B2-C1 are cut: [M, A1, A2, B2, C2] stays.

    Of the text's four answers, each with M: of either pair the older one stays. B1 and C1 leave by one list, and go on
    as a cluster of two: they can talk to each other."""
    await it_stays_so(cluster, *await b1_and_c1_have_to_go(cluster, CUT, ("n4", "n2"), ("n6", "n5")))


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_black_hole(cluster: Cluster) -> None:
    """Of seven, n2 and n4 (A1, B1), n5 and n6 (B2, C1) fall silent to each other: a timeout later n4 and n6 go."""
    await b1_and_c1_have_to_go(cluster, BLACK_HOLE, ("n4", "n2"), ("n6", "n5"))


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_one_way(cluster: Cluster) -> None:
    """Of seven, n4 (B1) cannot reach n2 (A1), nor n6 (C1) n5 (B2): n4 and n6 know it at once, and have to go."""
    await b1_and_c1_have_to_go(cluster, CUT, ("n4", "n2"), ("n6", "n5"), one_way=True)


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_one_way_black_hole(cluster: Cluster) -> None:
    """Of seven, n4 (B1) hears nothing of n2 (A1), nor n6 (C1) of n5 (B2): n4 and n6 complain, and have to go.

    These two alone miss anybody, and complain a timeout later; they have to go, the younger ones."""
    await b1_and_c1_have_to_go(cluster, BLACK_HOLE, ("n2", "n4"), ("n5", "n6"), one_way=True)


async def b1_and_c1_have_to_go(cluster: Cluster, how: str, *pairs: tuple[str, str], one_way: bool = False) -> Parts:
    """One way it is these two alone who notice anything."""
    await cluster.form(*SEVEN)
    leaving = one_of_each(("n4", "n2"), ("n6", "n5"))
    cluster.always(in_one_list(cluster, SEVEN, *leaving))
    if one_way:
        cluster.always(cluster.that.trusts("n2", "n4") & cluster.that.trusts("n5", "n6"))
    await begin_all(cluster, how, *pairs, one_way=one_way)
    return await they_part(cluster, SEVEN, *leaving, noticed=noticed(cluster, how))


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_of_the_master_cut(cluster: Cluster) -> None:
    """n1 to n6 are A1, A2, B1, B2, C1, C2, and A1 is master; A1-B1 and B2-C1 are cut: B1 and C1 have to go.

    A1 removes B1 itself, at once. [A1, A2, B2, C2] and [A1, A2, C1, C2] remain possible, and B2 is older than C1: that
    is decided when all reports are in. Each victim ends alone: when C1 has to go, B1 is long gone for it."""
    parts = await b1_goes_before_c1(cluster, CUT, ("n1", "n3"), ("n4", "n5"))
    await each_is_alone(cluster, parts, cluster.bounds.crash + cluster.bounds.resolution + told(cluster))


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_of_the_master_black_hole(cluster: Cluster) -> None:
    """Of six, n1 and n3 (A1, B1), n4 and n5 (B2, C1) fall silent to each other: a timeout later n3 and n5 go."""
    parts = await b1_goes_before_c1(cluster, BLACK_HOLE, ("n1", "n3"), ("n4", "n5"))
    await each_is_alone(cluster, parts, cluster.bounds.silence + cluster.bounds.resolution + told(cluster))


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_of_the_master_one_way(cluster: Cluster) -> None:
    """Of six, n1 (A1) cannot reach n3 (B1), nor n4 (B2) n5 (C1): n1 and n4 know it at once; n3 and n5 go.

    B1 and C1 hear from others that they are out, but not from the master, and not from B2: those they have to miss."""
    parts = await b1_goes_before_c1(cluster, CUT, ("n1", "n3"), ("n4", "n5"), one_way=True)
    await cluster.until(cluster.that.trusts("n3", "n1") & cluster.that.trusts("n5", "n4"), within=0)
    await each_is_alone(cluster, parts, cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_of_the_master_one_way_black_hole(cluster: Cluster) -> None:
    """Of six, n1 (A1) hears nothing of n3 (B1), nor n4 (B2) of n5 (C1): n1 and n4 miss them, and they have to go.

    They tell B1 and C1 nothing more, but that they are out: A1 does."""
    parts = await b1_goes_before_c1(cluster, BLACK_HOLE, ("n3", "n1"), ("n5", "n4"), one_way=True)
    await each_is_alone(cluster, parts, 2 * cluster.bounds.silence)


async def b1_goes_before_c1(cluster: Cluster, how: str, *links: tuple[str, str], one_way: bool = False) -> Parts:
    await cluster.form(*SIX)
    await begin_all(cluster, how, *links, one_way=one_way)
    without_b1 = ["n1", "n2", "n4", "n5", "n6"]
    await cluster.until(cluster.that.agree(*without_b1), within=noticed(cluster, how))
    cluster.always(in_one_list(cluster, without_b1, ["n5"], ["n4"], version=7))
    # The last member noticed it at most two rounds after the master.
    decided = 2 * cluster.settings.heartbeat_interval + cluster.bounds.resolution
    return await one_list_stays(cluster, without_b1, ["n5"], ["n4"], within=decided)


async def each_is_alone(cluster: Cluster, parts: Parts, within: Micros) -> None:
    ends = cluster.that.agree(*parts.staying) & cluster.that.agree("n3") & cluster.that.agree(*parts.leaving)
    await cluster.expect(ends, within=within)
    await they_hang_up(cluster, parts.staying, ["n3"], parts.leaving)


@script(about=ABOUT, settings=RESOLVING)
async def six_pairs_of_twenty_cut(cluster: Cluster) -> None:
    """Of twenty members six pairs are cut off from each other: the younger of each pair has to go, six by one list.

    They can talk to each other, and go on as a cluster of six."""
    await six_younger_go(cluster, CUT)


@script(about=ABOUT, settings=RESOLVING)
async def six_pairs_of_twenty_black_hole(cluster: Cluster) -> None:
    """Of twenty members six pairs fall silent to each other: a timeout later the younger of each pair has to go."""
    await six_younger_go(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=RESOLVING)
async def six_pairs_of_twenty_one_way(cluster: Cluster) -> None:
    """Of twenty members six cannot reach an older one: the six know it at once, complain, and leave."""
    await six_younger_go(cluster, CUT, one_way=True)


@script(about=ABOUT, settings=RESOLVING)
async def six_pairs_of_twenty_one_way_black_hole(cluster: Cluster) -> None:
    """Of twenty members six do not hear an older one each: the six miss it, complain, and leave."""
    await six_younger_go(cluster, BLACK_HOLE, one_way=True)


async def six_younger_go(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    """One after the other, their ages by chance: twenty that start at once on a busy machine may find two clusters."""
    await cluster.form(*cluster.rng.sample(TWENTY, len(TWENTY)))
    by_age = cluster.seen.members()
    older, younger = by_age[1:7], by_age[12:18]
    leaving = one_of_each(*zip(younger, older, strict=True))
    cluster.always(in_one_list(cluster, by_age, *leaving, version=cluster.seen.view(by_age[0]).version))
    # One way it is always the younger one that knows: it cannot send, or hears nothing.
    pairs = zip(younger, older, strict=True) if how == CUT else zip(older, younger, strict=True)
    await begin_all(cluster, how, *pairs, one_way=one_way)
    await they_part(cluster, by_age, *leaving, noticed=noticed(cluster, how))


@script(about=[*ABOUT, "fully connected"], settings=RESOLVING, worlds=["sim"])
async def two_cubes_with_one_between(cluster: Cluster) -> None:
    """Members are the corners of two cubes, cut off along the edges, and n2 from every other corner: these eight go.

    No rule makes a cube smaller: once n2 is decided there are two questions that have to be searched. Ages are by
    chance. In virtual time alone: 18 processes and their links are too much for one machine."""
    eighteen = ["n1", *cluster.rng.sample(TWENTY[1:18], 17)]
    await cluster.form(*eighteen)
    corners = [(cube, corner) for cube in ("a", "b") for corner in range(8)]
    at = dict(zip(corners, TWENTY[2:18], strict=True))
    edges = [(cube, corner, corner ^ axis) for cube, corner in corners for axis in (1, 2, 4) if not corner & axis]
    between = [at[cube, corner] for cube, corner in corners if corner.bit_count() % 2 == 0]
    cuts = [(at[cube, one], at[cube, other]) for cube, one, other in edges]
    await begin_all(cluster, CUT, *cuts, *[("n2", name) for name in between])
    staying = [name for name in eighteen if name not in between]
    await cluster.expect(cluster.that.agree(*staying), within=cluster.bounds.crash + cluster.bounds.resolution)
    await cluster.calm()
