"""Decisions that come too early, or not at all: what the two settings of partial member disconnection are for.

The count of heartbeat rounds is how long the master lets others report their problems as well. The text advises at
least 3 or 5: "Otherwise, the master member can make sub-optimal decisions." The algorithm has a timeout."""

from shaketable import MILLISECOND, Cluster, Micros, script
from shaketable.chaos import LISTS, RESOLVING
from shaketable.chaos.helpers.collecting import PATIENT, two_have_left
from shaketable.chaos.helpers.one_decision import they_hang_up

ABOUT = (*LISTS, "detection", "best clique")
ALL = ("n1", "n2", "n3", "n4")
HASTY = {**RESOLVING, "partial_disconnection_heartbeat_count": 1}
LEAST_WORK = {**RESOLVING, "partial_disconnection_algorithm_timeout_seconds": 0.001}


@script(about=ABOUT, settings=HASTY, unless="any_best")
async def a_count_of_1_is_too_early(cluster: Cluster) -> None:
    """Figure 5 with late reports of n2 and n4: by a count of 1 the master decides on n3's alone; n3 and n4 go.

    It removes n3, the younger of n2 and n3. Then it learns that n4 cannot hear n2 either, and removes n4 as well: two
    leave, where one would have been enough."""
    await figure_5_with_late_reports(cluster)
    await cluster.until(
        cluster.that.has_list("n1", version=5, members=["n1", "n2", "n4"]), within=cluster.bounds.resolution
    )
    await cluster.until(cluster.that.agree("n1", "n2"), within=late(cluster) + cluster.bounds.resolution)
    await cluster.sleep(late(cluster))
    await two_have_left(cluster, ["n1", "n2"], ["n3"], ["n4"])


@script(about=ABOUT, settings=PATIENT)
async def a_count_of_10_is_not(cluster: Cluster) -> None:
    """Figure 5 with late reports of n2 and n4: a count of 10 waits for them; n2 alone leaves, n3 and n4 stay."""
    await figure_5_with_late_reports(cluster)
    await cluster.until(cluster.that.agree("n1", "n3", "n4"), within=late(cluster) + cluster.bounds.resolution)
    await cluster.expect(cluster.that.has_resolved("n1") & cluster.that.agree("n2"), within=2 * cluster.bounds.silence)
    # Messages still on their way are answered, and that opens a link again; so may the answer to them.
    await cluster.sleep(2 * late(cluster))
    await they_hang_up(cluster, ["n1", "n3", "n4"], ["n2"])


async def figure_5_with_late_reports(cluster: Cluster) -> None:
    """Links that are slow, and less so than would make a heartbeat too old."""
    await cluster.form(*ALL)
    await cluster.together(*[cluster.slow(name, "n1", late(cluster), one_way=True) for name in ("n2", "n4")])
    # Where heartbeats have just begun to be late, the master hears nothing for a while, and waits for the members that
    # send them.
    await cluster.sleep(late(cluster) + 2 * cluster.settings.heartbeat_interval)
    await cluster.together(cluster.cut("n2", "n3"), cluster.cut("n2", "n4"))
    first = cluster.that.is_told("n1", by="n3", of="n2") & cluster.that.is_not_told("n1", by="n4", of="n2")
    await cluster.until(first, within=cluster.bounds.crash + cluster.settings.heartbeat_interval)


def late(cluster: Cluster) -> Micros:
    """In whole milliseconds: the real proxy knows no others."""
    return 5 * cluster.settings.heartbeat_interval // MILLISECOND * MILLISECOND


@script(about=ABOUT, settings=LEAST_WORK, worlds=["sim"])
async def too_much_to_search(cluster: Cluster) -> None:
    """Of thirty in a ring none can send to the next or the sixth: a search of a millisecond finds no answer.

    Nobody is removed, an event says so, and the master collects anew. Then all but one of the links heal, and that one
    is little work: n3 leaves. In virtual time alone: 31 processes and their links are too much for one machine."""
    names = [f"n{i}" for i in range(1, 32)]
    await cluster.form(*names)
    ring = names[1:]
    pairs = [(ring[i], ring[(i + step) % len(ring)]) for i in range(len(ring)) for step in (1, 6)]
    cuts = await cluster.together(*[cluster.cut(a, b, one_way=True) for a, b in pairs])
    in_vain = cluster.that.has_not_resolved("n1") & cluster.that.has_resolved("n1", times=0)
    await cluster.until(in_vain & cluster.that.agree(*names), within=cluster.bounds.crash + cluster.bounds.resolution)
    told = cluster.that.is_told("n1", by="n2", of="n3") & cluster.that.is_told("n1", by="n2", of="n8")
    await cluster.until(told, within=cluster.settings.heartbeat_interval)
    await cluster.together(*[cluster.heal(cut) for cut, pair in zip(cuts, pairs, strict=True) if pair != ("n2", "n3")])
    staying = [name for name in names if name != "n3"]
    cluster.always(
        cluster.that.has_list("n1", version=31, members=names)
        | cluster.that.has_list("n1", version=32, members=staying)
    )
    # The others' suspicions end by the next heartbeat, are taken back with one more, and that is the last news.
    heard = 2 * cluster.settings.heartbeat_interval
    await cluster.until(cluster.that.agree(*staying), within=heard + cluster.bounds.resolution)
    await cluster.expect(cluster.that.has_resolved("n1") & cluster.that.agree("n3"), within=2 * cluster.bounds.silence)
    await they_hang_up(cluster, staying, ["n3"])
