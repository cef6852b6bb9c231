"""Pairs of followers, here and there, that cannot talk to each other: the text's random disconnections, and larger.

The text's six members A1, A2, B1, B2, C1, C2, where A1 cannot talk to B1, and B2 not to C1. Four lists of four members
remain possible. Under a seventh member as master it is the rule for ties that picks one of them; where A1 itself is
master, A1 sees its own break and stays."""

from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.one_decision import in_one_list, they_hang_up, they_part, told
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import script
from shaketable.node.env import Micros

ABOUT = (*LISTS, "claims", "detection", "best clique")
SEVEN = tuple(f"n{i}" for i in range(1, 8))
SIX = SEVEN[:6]
WITHOUT_B1_AND_C1 = ("n1", "n2", "n3", "n5", "n7")
TWENTY = tuple(f"n{i}" for i in range(1, 21))


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_cut(cluster: Cluster) -> None:
    """n1 is the master M, n2 to n7 are A1, A2, B1, B2, C1, C2; A1-B1 and B2-C1 are cut: [M, A1, A2, B2, C2] stays.

    Of the text's four answers, each with M: of either pair the older one stays. B1 and C1 leave by one list, and go on
    as a cluster of two: they can talk to each other."""
    await cluster.form(*SEVEN)
    cluster.always(in_one_list(cluster, SEVEN, ["n4", "n6"]))
    await cluster.together(cluster.cut("n2", "n4"), cluster.cut("n5", "n6"))
    await they_part(cluster, WITHOUT_B1_AND_C1, ["n4", "n6"], noticed=cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_black_hole(cluster: Cluster) -> None:
    """The same seven: n2 and n4 (A1, B1), n5 and n6 (B2, C1) fall silent to each other: the same a timeout later."""
    await cluster.form(*SEVEN)
    cluster.always(in_one_list(cluster, SEVEN, ["n4", "n6"]))
    await cluster.together(cluster.blackhole("n2", "n4"), cluster.blackhole("n5", "n6"))
    await they_part(cluster, WITHOUT_B1_AND_C1, ["n4", "n6"], noticed=cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_one_way(cluster: Cluster) -> None:
    """The same seven: n4 (B1) cannot reach n2 (A1), and n6 (C1) not n5 (B2); they know it at once, and have to go."""
    await cluster.form(*SEVEN)
    cluster.always(in_one_list(cluster, SEVEN, ["n4", "n6"]) & cluster.trusts("n2", "n4") & cluster.trusts("n5", "n6"))
    await cluster.together(cluster.cut("n4", "n2", one_way=True), cluster.cut("n6", "n5", one_way=True))
    await they_part(cluster, WITHOUT_B1_AND_C1, ["n4", "n6"], noticed=cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_of_the_master_cut(cluster: Cluster) -> None:
    """n1 to n6 are A1, A2, B1, B2, C1, C2, as in the text, so A1 is master; A1-B1 and B2-C1 are cut.

    A1 removes B1 itself, at once. [A1, A2, B2, C2] and [A1, A2, C1, C2] remain possible, and B2 is older than C1: that
    is decided when all reports are in. Each victim ends alone: when C1 has to go, B1 is long gone for it."""
    await cluster.form(*SIX)
    await cluster.together(cluster.cut("n1", "n3"), cluster.cut("n4", "n5"))
    await b1_goes_before_c1(cluster, cluster.bounds.crash)
    await each_is_alone(cluster, cluster.bounds.crash + cluster.bounds.resolution + told(cluster))


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_of_the_master_black_hole(cluster: Cluster) -> None:
    """The same six: n1 and n3 (A1, B1) fall silent to each other, and n4 and n5 (B2, C1): the same a timeout later."""
    await cluster.form(*SIX)
    await cluster.together(cluster.blackhole("n1", "n3"), cluster.blackhole("n4", "n5"))
    await b1_goes_before_c1(cluster, cluster.bounds.silence)
    await each_is_alone(cluster, cluster.bounds.silence + cluster.bounds.resolution + told(cluster))


@script(about=ABOUT, settings=RESOLVING)
async def random_breaks_of_the_master_one_way(cluster: Cluster) -> None:
    """The same six: what n1 (A1) sends to n3 (B1) is cut, and what n4 (B2) sends to n5 (C1): they know it at once.

    B1 and C1 hear from others that they are out, but not from the master, and not from B2: those they have to miss."""
    await cluster.form(*SIX)
    await cluster.together(cluster.cut("n1", "n3", one_way=True), cluster.cut("n4", "n5", one_way=True))
    await b1_goes_before_c1(cluster, cluster.bounds.crash)
    await cluster.until(cluster.trusts("n3", "n1") & cluster.trusts("n5", "n4"), within=0)
    await each_is_alone(cluster, cluster.bounds.silence)


async def b1_goes_before_c1(cluster: Cluster, noticed: Micros) -> None:
    without_b1 = ["n1", "n2", "n4", "n5", "n6"]
    await cluster.until(cluster.agree(*without_b1), within=noticed)
    cluster.always(in_one_list(cluster, without_b1, ["n5"], version=7))
    await cluster.until(cluster.agree("n1", "n2", "n4", "n6"), within=noticed + cluster.bounds.resolution)


async def each_is_alone(cluster: Cluster, within: Micros) -> None:
    ends = cluster.agree("n1", "n2", "n4", "n6") & cluster.agree("n3") & cluster.agree("n5")
    await cluster.expect(ends, within=within)
    await they_hang_up(cluster, ("n1", "n2", "n4", "n6"), ["n3"], ["n5"])


@script(about=ABOUT, settings=RESOLVING)
async def six_pairs_of_twenty_cut(cluster: Cluster) -> None:
    """Of twenty members six pairs are cut off from each other: the younger of each pair has to go, six by one list.

    They can talk to each other, and go on as a cluster of six."""
    staying, pairs = await twenty(cluster)
    await cluster.together(*(cluster.cut(younger, older) for older, younger in pairs))
    await the_younger_go(cluster, staying, pairs, cluster.bounds.crash)


@script(about=ABOUT, settings=RESOLVING)
async def six_pairs_of_twenty_black_hole(cluster: Cluster) -> None:
    """Of twenty members six pairs fall silent to each other: the same a timeout later."""
    staying, pairs = await twenty(cluster)
    await cluster.together(*(cluster.blackhole(younger, older) for older, younger in pairs))
    await the_younger_go(cluster, staying, pairs, cluster.bounds.silence)


@script(about=ABOUT, settings=RESOLVING)
async def six_pairs_of_twenty_one_way(cluster: Cluster) -> None:
    """Of twenty members six cannot reach an older one: they know it at once, and tell it; and it is they who leave."""
    staying, pairs = await twenty(cluster)
    await cluster.together(*(cluster.cut(younger, older, one_way=True) for older, younger in pairs))
    await the_younger_go(cluster, staying, pairs, cluster.bounds.crash)


Pairs = list[tuple[str, str]]


async def twenty(cluster: Cluster) -> tuple[list[str], Pairs]:
    """Who will stay, and the pairs, the older one first. Twenty that start at once have their ages by chance."""
    await cluster.form_at_once(*TWENTY)
    by_age = cluster.members()
    older, younger = by_age[1:7], by_age[12:18]
    cluster.always(in_one_list(cluster, by_age, younger, version=cluster.view(by_age[0]).version))
    return [name for name in by_age if name not in younger], list(zip(older, younger, strict=True))


async def the_younger_go(cluster: Cluster, staying: list[str], pairs: Pairs, noticed: Micros) -> None:
    await they_part(cluster, staying, [younger for _, younger in pairs], noticed=noticed)
