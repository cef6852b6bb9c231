"""Racks A, B and C of the text on partial member disconnection: B and C cannot talk to each other, and A to both.

One of them has to go, the smaller one; where they are equally large the one of younger members. Who leaves together,
and can talk to each other, goes on together. The master is of rack A."""

from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.one_decision import in_one_list, they_hang_up, they_part
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import script

ABOUT = (*LISTS, "claims", "detection", "best clique")
A, B, C = ("n1", "n2"), ("n3", "n4"), ("n5", "n6")
LARGE_C = (*C, "n7", "n8")


@script(about=ABOUT, settings=RESOLVING)
async def racks_cut(cluster: Cluster) -> None:
    """n1 to n6 are A1, A2, B1, B2, C1, C2; racks B and C are cut off from each other: [A1, A2, B1, B2] stays.

    Either answer has four members; this one keeps the oldest in which they differ. C1 and C2 leave by one list; told so
    by all whom they still hear, they go on as a cluster of two."""
    await cluster.form(*A, *B, *C)
    cluster.always(in_one_list(cluster, (*A, *B, *C), C))
    await cluster.split(B, C)
    await they_part(cluster, (*A, *B), C, noticed=cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def racks_black_hole(cluster: Cluster) -> None:
    """Racks B and C, n3, n4 and n5, n6, fall silent to each other: the same a timeout later."""
    await cluster.form(*A, *B, *C)
    cluster.always(in_one_list(cluster, (*A, *B, *C), C))
    await cluster.split(B, C, how="blackhole")
    await they_part(cluster, (*A, *B), C, noticed=cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def racks_one_way(cluster: Cluster) -> None:
    """What rack C sends to rack B is cut, and C hears all: the same. C knows it at once, and B has not noticed.

    It is C that complains, and C that has to go; were it B that complains, it would be C as well."""
    await cluster.form(*A, *B, *C)
    cluster.always(in_one_list(cluster, (*A, *B, *C), C))
    await cluster.together(*(cluster.cut(c, b, one_way=True) for c in C for b in B))
    await they_part(cluster, (*A, *B), C, noticed=cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def the_larger_rack_cut(cluster: Cluster) -> None:
    """Rack C has two members more, n7 and n8: B, which is older, has to go, for fewer leave with it."""
    await cluster.form(*A, *B, *LARGE_C)
    cluster.always(in_one_list(cluster, (*A, *B, *LARGE_C), B))
    await cluster.split(B, LARGE_C)
    await they_part(cluster, (*A, *LARGE_C), B, noticed=cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def the_larger_rack_black_hole(cluster: Cluster) -> None:
    """The older and smaller rack B and the larger C, n5 to n8, fall silent to each other: the same a timeout later."""
    await cluster.form(*A, *B, *LARGE_C)
    cluster.always(in_one_list(cluster, (*A, *B, *LARGE_C), B))
    await cluster.split(B, LARGE_C, how="blackhole")
    await they_part(cluster, (*A, *LARGE_C), B, noticed=cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def the_larger_rack_one_way(cluster: Cluster) -> None:
    """What the larger rack C, n5 to n8, sends to B is cut: its four members complain of B, which has to go.

    B1 claims and asks B2 and all of C; what C answers cannot reach it, so that takes until it misses C's heartbeats."""
    await cluster.form(*A, *B, *LARGE_C)
    cluster.always(in_one_list(cluster, (*A, *B, *LARGE_C), B))
    await cluster.together(*(cluster.cut(c, b, one_way=True) for c in LARGE_C for b in B))
    staying = cluster.agree(*A, *LARGE_C)
    await cluster.until(staying, within=cluster.bounds.crash + cluster.bounds.resolution)
    await cluster.expect(staying & cluster.agree(*B), within=cluster.bounds.take_over)
    await they_hang_up(cluster, (*A, *LARGE_C), B)
