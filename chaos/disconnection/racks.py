"""Racks A, B and C of the text on partial member disconnection: B and C cannot talk to each other, and A to both.

One of them has to go: the smaller one, or the one of younger members if both are equally large. Members that leave
together, and can talk to each other, go on together. The master is in rack A."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all, noticed
from shaketable.chaos.helpers.equal_lists import Parts, one_list_stays
from shaketable.chaos.helpers.one_decision import have_parted, in_one_list, it_stays_so, they_hang_up, they_part

ABOUT = (*LISTS, "claims", "detection", "best clique")
A, B, C = ("n1", "n2"), ("n3", "n4"), ("n5", "n6")
LARGE_C = (*C, "n7", "n8")


@script(about=[*ABOUT, "fully connected"], settings=RESOLVING)
async def racks_cut(cluster: Cluster) -> None:
    """n1 to n6 are A1, A2, B1, B2, C1, C2; racks B and C are cut off from each other: [A1, A2, B1, B2] stays.

    Either answer has four members; this one keeps the oldest in which they differ. C1 and C2 leave by one list; told so
    by all whom they still hear, they go on as a cluster of two."""
    await it_stays_so(cluster, *await c_has_to_go(cluster, CUT))


@script(about=ABOUT, settings=RESOLVING)
async def racks_black_hole(cluster: Cluster) -> None:
    """Racks B and C, n3, n4 and n5, n6, fall silent to each other: a timeout later C has to go."""
    await c_has_to_go(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=RESOLVING)
async def racks_one_way(cluster: Cluster) -> None:
    """Rack C cannot reach rack B, and hears all: C knows it at once, B does not notice, and C has to go.

    It is C that complains, and C that has to go; were it B that complains, it would be C as well."""
    await c_has_to_go(cluster, CUT, one_way=True)


@script(about=ABOUT, settings=RESOLVING)
async def racks_one_way_black_hole(cluster: Cluster) -> None:
    """Rack B does not hear rack C: it misses C a timeout later, and it is B that complains. C has to go.

    B sends C no more heartbeats: when C, removed, claims and asks B in vain, it misses them too."""
    await cluster.form(*A, *B, *C)
    cluster.always(in_one_list(cluster, (*A, *B, *C), C, B))
    await begin_all(cluster, BLACK_HOLE, *links(C, B), one_way=True)
    within = cluster.bounds.silence + cluster.bounds.resolution
    parts = await one_list_stays(cluster, (*A, *B, *C), C, B, within=within)
    await cluster.until(cluster.that.trusts("n5", "n3") & cluster.that.trusts("n6", "n4"), within=0)
    await cluster.expect(have_parted(cluster, parts), within=2 * cluster.bounds.silence)
    await they_hang_up(cluster, *parts)


async def c_has_to_go(cluster: Cluster, how: str, *, one_way: bool = False) -> Parts:
    await cluster.form(*A, *B, *C)
    cluster.always(in_one_list(cluster, (*A, *B, *C), C, B))
    await begin_all(cluster, how, *links(C, B), one_way=one_way)
    return await they_part(cluster, (*A, *B, *C), C, B, noticed=noticed(cluster, how))


@script(about=ABOUT, settings=RESOLVING)
async def the_larger_rack_cut(cluster: Cluster) -> None:
    """Racks B and C are cut off, and C has two members more: B, though older, has to go, for fewer leave with it."""
    await b_has_to_go(cluster, CUT)


@script(about=ABOUT, settings=RESOLVING)
async def the_larger_rack_black_hole(cluster: Cluster) -> None:
    """The older, smaller rack B and the larger C, n5 to n8, fall silent to each other: a timeout later B has to go."""
    await b_has_to_go(cluster, BLACK_HOLE)


@script(about=ABOUT, settings=RESOLVING)
async def the_larger_rack_one_way_black_hole(cluster: Cluster) -> None:
    """Rack B does not hear the larger rack C, n5 to n8: B alone misses anybody and complains, and has to go."""
    await b_has_to_go(cluster, BLACK_HOLE, one_way=True)


async def b_has_to_go(cluster: Cluster, how: str, *, one_way: bool = False) -> None:
    await cluster.form(*A, *B, *LARGE_C)
    cluster.always(in_one_list(cluster, (*A, *B, *LARGE_C), B))
    await begin_all(cluster, how, *links(LARGE_C, B), one_way=one_way)
    await they_part(cluster, (*A, *B, *LARGE_C), B, noticed=noticed(cluster, how))


@script(about=ABOUT, settings=RESOLVING)
async def the_larger_rack_one_way(cluster: Cluster) -> None:
    """The larger rack C, n5 to n8, cannot reach B: its four members complain of B, which has to go.

    B1 claims and asks B2 and all of C; what C answers cannot reach it, so that takes until it misses C's heartbeats."""
    await cluster.form(*A, *B, *LARGE_C)
    cluster.always(in_one_list(cluster, (*A, *B, *LARGE_C), B))
    await begin_all(cluster, CUT, *links(LARGE_C, B), one_way=True)
    within = cluster.bounds.crash + cluster.bounds.resolution
    parts = await one_list_stays(cluster, (*A, *B, *LARGE_C), B, within=within)
    await cluster.expect(have_parted(cluster, parts), within=cluster.bounds.take_over)
    await they_hang_up(cluster, *parts)


def links(rack: tuple[str, ...], other: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(a, b) for a in rack for b in other]
