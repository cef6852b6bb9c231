"""A dying master has told one member alone of a rejoin. Its successor never hears of that, and knows the one before.

Its message to the successor is lost. The application of that member knows that the first incarnation is
gone, and that the second one has come: it hears of the end of that one if it comes, and only then (rulings 5.9, S5).
Five members; n1 is the master, n3 is told, and n5 rejoins."""

from __future__ import annotations

from shaketable import Cluster, Injected
from shaketable.chaos.helpers.groups import (
    ABOUT,
    ALL,
    CALM,
    CRASHES,
    LEADERSHIP,
    ONE_ELECTION,
    SHUTDOWN,
    all_of,
    follow,
    form,
    have_failed,
    have_not_failed,
    scripts_under,
)

REST = ("n2", "n3", "n4")


async def n3_alone_is_told_of_the_rejoin(cluster: Cluster) -> Injected:
    """The fault that comes back: the others' notifications are lost."""
    await form(cluster, *ALL)
    lost = await cluster.drop("notified", sender="n1", to=["n2", "n4"])
    await cluster.kill("n5")
    await cluster.restart("n5")
    told = cluster.that.is_signalled("n3", "JOIN", of="n5", rejoin=True)
    await cluster.until(told & follow(cluster, ["n5"], "n1"), within=cluster.bounds.group.forming)
    return lost


async def n3_alone_hears_of_the_rejoin(cluster: Cluster) -> Injected:
    """The fault that comes back: its message to a successor is lost."""
    await n3_alone_is_told_of_the_rejoin(cluster)
    return await cluster.drop("lastnotifications", sender="n3")


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*CRASHES, *CALM, LEADERSHIP])
async def group_successor_misses_a_rejoin_that_is_over(cluster: Cluster) -> None:
    """The second incarnation dies with the master: the application that was told of it hears that it has failed."""
    lost = await n3_alone_hears_of_the_rejoin(cluster)
    await cluster.together(cluster.kill("n1"), cluster.kill("n5"))
    within = cluster.bounds.group.take_over_and_failures(1, 1)
    await cluster.until(cluster.that.caught(lost) & follow(cluster, REST, "n2"), within=within)
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree(*REST), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*CRASHES, *CALM, LEADERSHIP])
async def group_successor_hears_of_a_rejoin_that_is_over(cluster: Cluster) -> None:
    """The second incarnation dies with the master, and n3 tells the successor of it: all hear of both."""
    lost = await n3_alone_is_told_of_the_rejoin(cluster)
    await cluster.together(cluster.kill("n1"), cluster.kill("n5"))
    within = cluster.bounds.group.take_over_and_failures(1, 1)
    await cluster.until(cluster.that.caught(lost) & follow(cluster, REST, "n2"), within=within)
    rejoins = [cluster.that.is_signalled(name, "JOIN", of="n5", rejoin=True) for name in REST]
    await cluster.until(all_of(rejoins), within=cluster.settings.gms_heartbeat_period)
    within = cluster.bounds.settle()
    await cluster.expect(cluster.that.agree(*REST) & have_failed(cluster, ["n5"], told=REST), within=within)
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*CRASHES, *CALM, LEADERSHIP])
async def group_successor_misses_a_rejoin_and_hears_of_the_next(cluster: Cluster) -> None:
    """It dies with the master, and a third one comes before the successor finds that out: the second one has failed."""
    lost = await n3_alone_hears_of_the_rejoin(cluster)
    await cluster.together(cluster.kill("n1"), cluster.kill("n5"))
    within = cluster.bounds.group.take_over(1)
    await cluster.until(cluster.that.caught(lost) & follow(cluster, REST, "n2"), within=within)
    await cluster.restart("n5")
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree(*REST, "n5"), within=cluster.bounds.settle())
    await cluster.calm()


@scripts_under(["all to all"], elections=ONE_ELECTION, about=[*ABOUT, *CALM, LEADERSHIP, SHUTDOWN])
async def group_successor_misses_a_rejoin_that_lasts(cluster: Cluster) -> None:
    """The second incarnation lives, and asks to be added again: nobody's application hears that it has failed.

    Nor does any when it shuts down at last."""
    lost = await n3_alone_hears_of_the_rejoin(cluster)
    cluster.always(have_not_failed(cluster, "n5", told=["n3"]))
    await cluster.kill("n1")
    await cluster.until(
        cluster.that.caught(lost) & follow(cluster, REST, "n2"), within=cluster.bounds.group.take_over()
    )
    await cluster.heal(lost)
    await cluster.expect(cluster.that.agree(*REST, "n5"), within=cluster.bounds.settle())
    await cluster.leave("n5")
    planned = all_of(cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", of="n5") for name in REST)
    await cluster.expect(cluster.that.agree(*REST) & planned, within=cluster.bounds.group.shutdown)
    await cluster.calm()


@scripts_under(
    ["all to all"],
    elections=ONE_ELECTION,
    settings={"gms_resend_history_seconds": 0.5},
    about=[*ABOUT, *CALM, LEADERSHIP],
)
async def group_rejoin_is_seen_by_its_view_alone(cluster: Cluster) -> None:
    """No word of a rejoin has come to a member when its master keeps none any more: it sees that by the view.

    Then the master dies, and its successor has the one before in its view, and tells its end: that is no news."""
    await form(cluster, *ALL)
    lost = await cluster.drop("notified", sender="n1", to=["n2", "n4"])
    missed = await cluster.drop("notified", sender="n1", to=["n3"])
    await cluster.kill("n5")
    await cluster.restart("n5")
    await cluster.until(follow(cluster, ["n5"], "n1"), within=cluster.bounds.group.forming)
    await cluster.sleep(2 * cluster.settings.gms_resend_history)
    await cluster.heal(missed)
    told = cluster.that.is_signalled("n3", "JOIN", of="n5", rejoin=True)
    await cluster.until(told, within=2 * cluster.settings.detection_window)
    late = await cluster.drop("lastnotifications", sender="n3")
    await cluster.kill("n1")
    cluster.always(have_not_failed(cluster, "n5", told=["n3"]))
    within = cluster.bounds.group.take_over()
    await cluster.until(follow(cluster, REST, "n2") & cluster.that.caught(late), within=within)
    await cluster.heal(late)
    await cluster.expect(cluster.that.agree(*REST, "n5"), within=cluster.bounds.settle())
    await cluster.until(cluster.that.caught(lost), within=0)
    await cluster.calm()
