"""The last words of a master count for the one that follows it, if they are of now, and of this incarnation.

A new master repeats what its predecessor told of late (rulings 5.9), and hears from it how long a member has been
silent (text 5.2.2.2). A member that is heard while it is probed is not missed. Five members; n1 is the master."""

from __future__ import annotations

from shaketable import MILLISECOND, SECOND, Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    CALM,
    CRASHES,
    LEADERSHIP,
    ONE_ELECTION,
    SHUTDOWN,
    SILENT,
    all_of,
    follow,
    form,
    have_failed,
    have_not_failed,
    scripts_under,
)

ALL = ("n1", "n2", "n3", "n4", "n5")
RINGS = ["ring", "ring with inferred"]


@scripts_under(RINGS, elections=ONE_ELECTION, about=[*CRASHES, *CALM, LEADERSHIP, SHUTDOWN])
async def group_master_shuts_down_after_its_neighbour_crashes(cluster: Cluster) -> None:
    """The member that the master watches crashes just before it shuts down: its successor misses that one in time.

    It knows from the master since when that one has been silent: neither sooner nor later."""
    await form(cluster, *ALL)
    await cluster.sleep(2 * cluster.settings.detection_window)
    await cluster.kill("n5")
    await cluster.leave("n1")
    rest = ["n2", "n3", "n4"]
    await cluster.until(have_failed(cluster, ["n5"], told=rest), within=cluster.bounds.group.failure())
    within = cluster.bounds.group.shutdown + cluster.bounds.group.failure()
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, "n2"), within=within)
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, "no false failure"])
async def group_member_is_heard_while_it_is_probed(cluster: Cluster) -> None:
    """Heartbeats of a silent member come again while a probe of it waits for an answer in vain: nobody misses it."""
    await form(cluster, *ALL)
    cluster.always(cluster.that.trusts("n1", "n3"))
    silence = await cluster.blackhole("n3", "n1", one_way=True)
    lost = await cluster.drop("ping", sender="n1", to=["n3"])
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.group.suspicion)
    await cluster.together(cluster.heal(lost), cluster.heal(silence))
    await cluster.sleep(cluster.settings.gms_probe_timeout)
    await cluster.calm()


@scripts_under(["ring"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, "no false failure"])
async def group_master_is_heard_while_it_is_probed(cluster: Cluster) -> None:
    """A member asks its master for a sign, which does not hear it, and gets a notification meanwhile: that is one."""
    await form(cluster, *ALL)
    cluster.always(cluster.that.trusts("n2", "n1") & cluster.that.trusts("n3", "n1"))
    lost = await cluster.drop("ping", sender="n3", to=["n1"])
    await cluster.until(cluster.that.caught(lost), within=cluster.bounds.group.unheard_master)
    await cluster.heal(lost)
    await cluster.start("n6", knowing=ALL)
    await cluster.sleep(cluster.settings.gms_probe_timeout)
    await cluster.expect(cluster.that.agree(*ALL, "n6"), within=cluster.bounds.group.forming)
    await cluster.calm()


@scripts_under(["all to all", "ring"], elections=ONE_ELECTION, about=[*CRASHES, *CALM, LEADERSHIP])
async def group_successor_repeats_no_old_failure(cluster: Cluster) -> None:
    """A member has failed long before the master does: its successor tells of the master alone."""
    await form(cluster, *ALL)
    await cluster.kill("n5")
    await cluster.until(
        have_failed(cluster, ["n5"], told=["n1", "n2", "n3", "n4"]), within=cluster.bounds.group.failure()
    )
    settings = cluster.settings
    await cluster.sleep(settings.gms_resend_history + settings.longest_interregnum(len(ALL)))
    await cluster.kill("n1")
    rest = ["n2", "n3", "n4"]
    await cluster.until(have_failed(cluster, ["n1"], told=rest), within=cluster.bounds.group.take_over())
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, "n2"), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*SILENT, *CALM, LEADERSHIP])
async def group_successor_hears_too_late_of_a_failure(cluster: Cluster) -> None:
    """A dying master has told one member alone of a failure; its successor hears that when another one is there.

    The failure was of the incarnation before. The one that has started at that address meanwhile is not doubted."""
    await form(cluster, *ALL)
    rest = ["n2", "n3", "n4", "n5"]
    lost = await cluster.drop("notified", sender="n1", to=["n2", "n4"])
    await cluster.kill("n5")
    await cluster.until(have_failed(cluster, ["n5"], told=["n3"]), within=cluster.bounds.group.failure())
    late = await cluster.hold_back("lastnotifications", sender="n3")
    await cluster.kill("n1")
    await cluster.until(follow(cluster, ["n2", "n3"], "n2"), within=cluster.bounds.group.take_over())
    await cluster.restart("n5")
    await cluster.until(follow(cluster, ["n5"], "n2"), within=cluster.bounds.group.forming)
    cluster.always(cluster.that.trusts("n2", "n5") & have_not_failed(cluster, "n1", told=["n5"]))
    await cluster.heal(late)
    await cluster.sleep(SECOND)
    await cluster.expect(cluster.that.agree(*rest) & cluster.that.caught(lost), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*CRASHES, *CALM, LEADERSHIP])
async def group_two_masters_miss_a_newcomer(cluster: Cluster) -> None:
    """A dying master has told one member alone of a newcomer, which dies with it: nobody who leads later adds that one.

    The word of it to the first successor is lost. The second one is the member that was told."""
    await form(cluster, *ALL)
    lost = await cluster.drop("notified", sender="n1", to=["n2", "n4", "n5"])
    late = await cluster.drop("lastnotifications", sender="n3")
    await cluster.start("n6", knowing=ALL)
    await cluster.until(follow(cluster, ["n6"], "n1"), within=cluster.bounds.group.forming)
    await cluster.together(cluster.kill("n6"), cluster.kill("n1"))
    await cluster.until(follow(cluster, ["n2", "n3"], "n2"), within=cluster.bounds.group.take_over(1))
    await cluster.kill("n2")
    rest = ["n3", "n4", "n5"]
    caught = cluster.that.caught(lost) & cluster.that.caught(late)
    await cluster.until(follow(cluster, rest, "n3") & caught, within=cluster.bounds.group.take_over(1))
    await cluster.heal(late)
    await cluster.expect(cluster.that.agree(*rest), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(
    ["all to all"], elections=ONE_ELECTION, settings={"gms_max_missed": 10}, about=[*ABOUT, *CALM, LEADERSHIP]
)
async def group_first_question_comes_late(cluster: Cluster) -> None:
    """A newcomer's question reaches a member later than the word that it is added. Then the master is started again.

    That one question says nothing: the newcomer is next in line, and takes over."""
    await form(cluster, *ALL)
    rest = ["n2", "n3", "n4", "n5"]
    await cluster.kill("n2")
    slow = await cluster.slow("n2", "n3", 300 * MILLISECOND, one_way=True)
    await cluster.restart("n2")
    await cluster.until(follow(cluster, ["n2"], "n1"), within=cluster.bounds.group.forming)
    await cluster.sleep(400 * MILLISECOND)
    await cluster.heal(slow)
    cluster.always(cluster.that.is_signalled("n3", "GROUP_LEADERSHIP", of="n3", times=0))
    await cluster.kill("n1")
    await cluster.restart("n1")
    within = cluster.bounds.group.take_over() + cluster.bounds.group.forming
    await cluster.expect(cluster.that.agree(*ALL) & follow(cluster, ALL, "n2"), within=within)
    await cluster.until(follow(cluster, rest, "n2"), within=0)
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*CRASHES, *CALM, LEADERSHIP, SHUTDOWN])
async def group_successor_hears_of_a_shutdown(cluster: Cluster) -> None:
    """A dying master has told one member alone of a shutdown: its successor hears that from it, and tells it as one.

    The word of the one that shut down was lost on its way to the successor too."""
    await form(cluster, *ALL)
    unheard = await cluster.drop("healthannounced", sender="n5", to=["n2", "n4"])
    lost = await cluster.drop("notified", sender="n1", to=["n2", "n4"])
    await cluster.leave("n5")
    within = cluster.bounds.group.shutdown
    await cluster.until(cluster.that.is_signalled("n3", "PLANNED_SHUTDOWN", of="n5"), within=within)
    await cluster.kill("n1")
    rest = ["n2", "n3", "n4"]
    cluster.always(have_not_failed(cluster, "n5", told=rest))
    planned = all_of(cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", of="n5") for name in rest)
    within = cluster.bounds.group.take_over()
    await cluster.expect(planned & cluster.that.agree(*rest) & follow(cluster, rest, "n2"), within=within)
    await cluster.until(cluster.that.caught(unheard) & cluster.that.caught(lost), within=0)
    await cluster.heal(unheard)
    await cluster.calm()


@scripts_under(["all to all", "ring"], elections=ONE_ELECTION, about=[*CRASHES, *CALM, LEADERSHIP])
async def group_successor_repeats_no_end_of_one_that_is_back(cluster: Cluster) -> None:
    """A member fails and comes back just before the master dies: the successor does not tell that failure again."""
    await form(cluster, *ALL)
    await cluster.kill("n5")
    others = ["n1", "n2", "n3", "n4"]
    await cluster.until(have_failed(cluster, ["n5"], told=others), within=cluster.bounds.group.failure())
    await cluster.restart("n5")
    await cluster.until(follow(cluster, ["n5"], "n1"), within=cluster.bounds.group.forming)
    await cluster.kill("n1")
    rest = ["n2", "n3", "n4", "n5"]
    cluster.always(have_not_failed(cluster, "n5", told=["n5"]))
    within = cluster.bounds.group.take_over()
    await cluster.expect(cluster.that.agree(*rest) & follow(cluster, rest, "n2"), within=within)
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, LEADERSHIP])
async def group_successor_hears_too_late_that_one_is_ready(cluster: Cluster) -> None:
    """A dying master told one member alone that another is ready; it is back before its successor hears that: not told.

    The application of its next incarnation is not ready yet."""
    await form(cluster, "n1", "n2", "n3", "n4")
    lost = await cluster.drop("notified", sender="n1", to=["n2", "n4"])
    await cluster.start("n5", settings={"gms_ready_after_seconds": 20}, knowing=ALL)
    soon = cluster.bounds.group.forming + 20 * SECOND
    await cluster.until(cluster.that.is_signalled("n3", "JOINED_AND_READY", of="n5"), within=soon)
    late = await cluster.hold_back("lastnotifications", sender="n3")
    await cluster.together(cluster.kill("n1"), cluster.kill("n5"))
    within = cluster.bounds.group.take_over(1)
    await cluster.until(follow(cluster, ["n2", "n3", "n4"], "n2") & cluster.that.caught(lost), within=within)
    await cluster.restart("n5")
    await cluster.until(follow(cluster, ["n5"], "n2"), within=cluster.bounds.group.forming)
    await cluster.heal(late)
    await cluster.sleep(SECOND)
    told = cluster.that.is_signalled("n2", "JOINED_AND_READY", of="n5", times=0)
    rest = ["n2", "n3", "n4", "n5"]
    await cluster.expect(cluster.that.agree(*rest) & told, within=cluster.bounds.settle())
    await cluster.sleep(20 * SECOND)
    await cluster.calm()
