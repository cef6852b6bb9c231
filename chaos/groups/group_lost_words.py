"""One word of a group is lost on its way: the order to start or to stop, a report of a suspect, what a witness says.

Nobody says any of these again. From text 5.2.1 and 5.2.2.1, and rulings 5.3: a member that gives an order sees whether
it is obeyed, one that shuts down waits only so long, and one that gets no answer turns to the next one. Five members or
six; n1 is the master."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster, Condition
from shaketable.chaos.helpers.groups import (
    ABOUT,
    BY_HEARTBEATS,
    BY_SENIORITY,
    CALM,
    CRASHES,
    LEADERSHIP,
    ONE_ELECTION,
    SHUTDOWN,
    all_of,
    follow,
    form,
    has_started_the_group_without,
    have_failed,
    have_not_failed,
    in_line,
    scripts_under,
)

ALL: Final = ("n1", "n2", "n3", "n4", "n5")
SIX: Final = (*ALL, "n6")
FIRST_ONE: Final = {"discovery_uri_list": ""}
"""A node that is told to look for nobody founds a group."""


def looks_at(cluster: Cluster, *names: str) -> dict[str, str]:
    """GMS_DISCOVERY_URI_LIST, as an administrator writes it."""
    return {"discovery_uri_list": ",".join(f"tcp://{cluster.seen.view(name).address}" for name in names)}


def comes(cluster: Cluster, who: str, *, with_the_group: bool) -> Condition:
    """Its join is told, and that it is ready; as part of the start of the whole group, or on its own."""
    signals = ("JOIN", "JOINED_AND_READY")
    return all_of(cluster.that.is_signalled("n1", each, of=who, whole_group=with_the_group) for each in signals)


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, *CALM], settings={"gms_group_start_limit_seconds": 20})
async def group_order_to_start_is_lost(cluster: Cluster) -> None:
    """The order to start is lost, and given again; one member founds a group of its own, and is missing."""
    await cluster.form("n1", settings=FIRST_ONE, knowing=SIX)
    forming, the_first = cluster.bounds.group.forming, looks_at(cluster, "n1")
    await cluster.join("n2", settings=the_first)
    lost = await cluster.drop("groupstart", sender="n2", to=["n1"], count=1)
    await cluster.start_group("n2", ["n3", "n4", "n5"])
    await cluster.until(cluster.that.caught(lost), within=forming)
    await cluster.heal(lost)
    await cluster.join("n3", settings=the_first)
    await cluster.until(comes(cluster, "n3", with_the_group=False), within=forming)
    begins = await cluster.hold("n1", "GroupStartBegan")
    await cluster.start_group("n2", ["n3", "n4", "n5"])
    await cluster.until_held("n1", "GroupStartBegan", within=forming)
    await cluster.heal(begins)
    await cluster.start("n4", settings=the_first)
    await cluster.start("n5", settings=FIRST_ONE)
    await cluster.until(cluster.that.agree(*ALL[:4]) & cluster.that.agree("n5"), within=forming)
    limit = cluster.settings.gms_group_start_limit
    await cluster.until(has_started_the_group_without(cluster, "n1", "n5"), within=limit)
    await cluster.until(cluster.that.agree(*ALL[:4]) & cluster.that.agree("n5"), within=0)
    await cluster.start("n6", settings=looks_at(cluster, "n1", "n5"))  # who knows both makes them known to each other
    await cluster.expect(cluster.that.agree(*SIX) & follow(cluster, SIX, "n1"), within=forming)
    late = comes(cluster, "n5", with_the_group=False) & comes(cluster, "n6", with_the_group=False)
    await cluster.until(comes(cluster, "n4", with_the_group=True) & late, within=forming)
    await cluster.calm()


@scripts_under(about=[*ABOUT, *CALM, SHUTDOWN, LEADERSHIP])
async def group_order_to_stop_is_lost(cluster: Cluster) -> None:
    """Two members miss the order to stop: the master waits for them in vain, and then one of them leads.

    A member that comes meanwhile is added by that one, and not by the master that stops."""
    await form(cluster, *ALL)
    stay, go = ("n3", "n5"), ("n1", "n2", "n4")
    await cluster.sleep(2 * cluster.settings.detection_window)
    lost = await cluster.drop("groupshutdown", sender="n1", to=stay, count=2)
    await cluster.stop_group("n1")
    for name in go:
        cluster.always(have_not_failed(cluster, name, told=stay))
    await cluster.until(cluster.that.caught(lost), within=cluster.settings.gms_heartbeat_period)
    await cluster.heal(lost)
    await cluster.start("n6", knowing=ALL)
    waits = follow(cluster, stay, "n1")
    await cluster.until(
        all_of(cluster.that.ended(name) for name in go[1:]) & waits, within=cluster.bounds.group.shutdown
    )
    gone = all_of(cluster.that.ended(name) for name in go)
    leads = next(name for name in in_line(cluster, *ALL) if name in stay)
    within = cluster.bounds.group.shutdown
    await cluster.until(gone, within=within)
    # How soon after that another one leads is judged by "leadership agrees".
    within += cluster.settings.gms_heartbeat_period
    here = (*stay, "n6")
    await cluster.expect(cluster.that.agree(*here) & follow(cluster, here, leads), within=within)
    for name in stay:
        for other in go:
            await cluster.until(
                cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", of=other, whole_group=True), within=0
            )
        await cluster.until(cluster.that.is_signalled(name, "GROUP_LEADERSHIP", of=leads), within=0)
    await cluster.calm()


@scripts_under(["ring", "ring with inferred"], about=[*CRASHES, *CALM, "no false failure"])
async def group_report_is_lost(cluster: Cluster) -> None:
    """A report of a missed neighbour is lost: its sender asks after the silent master, which is there."""
    await form(cluster, *ALL)
    rest = ["n1", "n2", "n3", "n5"]
    cluster.always(have_not_failed(cluster, "n1", told=rest))
    lost = await cluster.drop("suspectreport", sender="n5", to=["n1"], count=1)
    await cluster.kill("n4")
    group = cluster.bounds.group
    await cluster.expect(
        cluster.that.agree(*rest) & have_failed(cluster, ["n4"], told=rest), within=2 * group.failure()
    )
    await cluster.until(cluster.that.caught(lost), within=0)
    await cluster.heal(lost)
    # The next in line doubts the master itself; any other member tells the next in line, which finds the master there.
    doubted = int(cluster.settings.gms_election == BY_SENIORITY)
    for name in rest[1:]:
        for signal in ("FAILURE_SUSPECTED", "NO_LONGER_SUSPECTED"):
            await cluster.until(
                cluster.that.is_signalled(name, signal, of="n1", times=doubted), within=group.verification
            )
    await cluster.until(follow(cluster, rest, "n1"), within=0)
    await cluster.calm()


@scripts_under(BY_HEARTBEATS, about=[*ABOUT, *CALM, LEADERSHIP, "suspected first"])
async def group_witness_is_not_heard(cluster: Cluster) -> None:
    """The next in line misses the master; a witness hears it, but its answer is lost: a new master comes."""
    await form(cluster, *ALL)
    master, successor, witness, *_ = in_line(cluster, *ALL)
    rest = [name for name in ALL if name != master]
    silence = await cluster.blackhole(master, successor, one_way=True)
    lost = await cluster.drop("stillheardanswer", sender=witness, to=[successor], count=1)
    group = cluster.bounds.group
    within = group.unheard_master + group.take_over()
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, successor), within=within)
    # A member that hears the deposed master ask for a master before the new one's word has come asks to be added again
    # as well. It is told no more than that.
    await cluster.until(cluster.that.caught(lost) & have_failed(cluster, [master], told=[successor]), within=0)
    await cluster.heal(lost)
    await cluster.heal(silence)
    await cluster.expect(cluster.that.agree(*ALL) & follow(cluster, ALL, successor), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_newcomer_shuts_down_without_a_view(cluster: Cluster) -> None:
    """The first word of its master is lost to a newcomer, which is told to shut down: it founds no group of its own.

    It follows its master by a later word. It is cut off then, and waits in vain to be taken off."""
    await form(cluster, *ALL)
    forming, here = cluster.bounds.group.forming, ("n1", "n2", "n3", "n4", "n6")
    await cluster.kill("n5")
    unheard = await cluster.drop("notified", sender="n1", to=["n5"])
    await cluster.restart("n5")
    joins = cluster.that.is_signalled("n1", "JOIN", of="n5", rejoin=True)
    await cluster.until(joins & cluster.that.caught(unheard), within=forming)
    unasked = [
        await cluster.drop("masterquery", sender="n5", to=["n1"]),
        await cluster.drop("notificationswanted", sender="n5", to=["n1"]),
    ]
    await cluster.heal(unheard)
    await cluster.start("n6", knowing=ALL)
    await cluster.until(follow(cluster, ["n5"], "n1"), within=forming)
    away = await cluster.isolate("n5", how="blackhole")
    await cluster.leave("n5", wait=False)
    patience = cluster.settings.gms_shutdown_patience + cluster.settings.gms_heartbeat_period
    await cluster.until(cluster.that.ended("n5"), within=patience)
    await cluster.until(all_of(cluster.that.caught(each) for each in unasked), within=0)
    await cluster.together(*[cluster.heal(each) for each in (*unasked, away)])
    await cluster.expect(cluster.that.agree(*here) & follow(cluster, here, "n1"), within=cluster.bounds.settle())
    await cluster.calm()
