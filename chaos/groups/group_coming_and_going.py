"""A group starts and stops as a whole, shrinks by its oldest, and many come and go at once; two groups know each other.

From text 5.2.2.3.2, many that join or leave at the same time; text 5.2.4, who stops the oldest first and elects the
oldest has another master with each step; text 5.2.1, the same group name in another domain."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable import SECOND, Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    BY_SENIORITY,
    CALM,
    ELECTED,
    LEADERSHIP,
    ONE_ELECTION,
    SHUTDOWN,
    all_of,
    follow,
    form,
    have_failed,
    in_line,
    scripts_under,
)

SIX = ("n1", "n2", "n3", "n4", "n5", "n6")


@scripts_under(about=[*ABOUT, SHUTDOWN, LEADERSHIP])
async def group_shrinks_by_its_oldest(cluster: Cluster) -> None:
    """The oldest member is stopped, again and again, and order is the reverse of age: masters are counted"""
    await form(cluster, *SIX)
    oldest = ["n1", "n6", "n5", "n4"]
    rest = list(SIX)
    for name in oldest:
        rest.remove(name)
        await cluster.leave(name)
        await cluster.until(cluster.that.agree(*rest), within=cluster.bounds.group.shutdown)
    by_age = cluster.settings.gms_election == BY_SENIORITY
    changes = len(oldest) if by_age else 1  # by their order the second is the last to go
    await cluster.expect(follow(cluster, rest, "n3" if by_age else "n2"), within=0)
    for name in rest:
        await cluster.until(cluster.that.is_signalled(name, "GROUP_LEADERSHIP", times=changes), within=0)
        await cluster.until(cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", times=len(oldest)), within=0)
        await cluster.until(cluster.that.is_signalled(name, "FAILURE", times=0), within=0)
    await cluster.calm()


@scripts_under(about=[*ELECTED, *CALM, SHUTDOWN])
async def group_many_come_and_go(cluster: Cluster) -> None:
    """At once four members start, the master and another member shut down, and one crashes."""
    await form(cluster, *SIX)
    master, successor, *others = in_line(cluster, *SIX)
    gone, crashed = others[1], others[2]
    newcomers = ("n7", "n8", "n9", "n10")
    rest = [name for name in SIX if name not in (master, gone, crashed)]
    await cluster.together(
        cluster.start(*newcomers, knowing=SIX), cluster.leave(master), cluster.leave(gone), cluster.kill(crashed)
    )
    within = cluster.bounds.group.forming + cluster.bounds.group.failure()
    await cluster.expect(cluster.that.agree(*rest, *newcomers), within=within)
    await cluster.until(follow(cluster, [*rest, *newcomers], successor), within=0)
    await cluster.until(have_failed(cluster, [crashed], told=rest), within=0)
    for name in rest:
        for other in (master, gone):
            await cluster.until(cluster.that.is_signalled(name, "PLANNED_SHUTDOWN", of=other), within=0)
    await cluster.sleep(cluster.bounds.settle(2))
    await cluster.calm()


@scripts_under(elections=ONE_ELECTION, about=[*ABOUT, SHUTDOWN])
async def group_starts_and_stops_as_a_whole(cluster: Cluster) -> None:
    """The start of all is announced, and so is their stop: joins and shutdowns say that they are part of it."""
    first, *others = SIX
    await cluster.form(first, settings={"gms_member_type": "spectator"}, knowing=SIX)
    await cluster.start_group(first, others)
    await cluster.start(*others, knowing=SIX)
    forming = cluster.bounds.group.forming
    await cluster.until(cluster.that.agree(*SIX), within=forming)
    until_over = forming + cluster.settings.gms_group_start_delay
    await cluster.until(cluster.that.has_started_the_group(first), within=until_over)
    whole = [
        cluster.that.is_signalled(first, signal, of=name, whole_group=True)
        for name in others
        for signal in ("JOIN", "JOINED_AND_READY")
    ]
    await cluster.until(all_of(whole), within=0)
    await cluster.stop_group(first)
    within = len(others) * cluster.settings.discovery_retry + cluster.bounds.group.shutdown
    await cluster.expect(cluster.that.agree(first), within=within)
    stopped = [cluster.that.is_signalled(first, "PLANNED_SHUTDOWN", of=name, whole_group=True) for name in others]
    await cluster.until(all_of(stopped), within=0)
    await cluster.until(all_of(cluster.that.ended(name) for name in others), within=within)


@scripts_under(elections=ONE_ELECTION, detections=["all to all"], about=CALM)
async def group_starts_again_with_its_first_one_late(cluster: Cluster) -> None:
    """All have crashed, and the last one starts first: it hears of one that comes before it, and lets that one lead."""
    both = ("n1", "n2")
    await form(cluster, *both)
    await cluster.together(cluster.kill("n1"), cluster.kill("n2"))
    await cluster.restart("n2")
    await cluster.sleep(cluster.settings.discovery_timeout // 2)
    await cluster.restart("n1")
    await cluster.expect(cluster.that.agree(*both) & follow(cluster, both, "n1"), within=cluster.bounds.group.forming)
    await cluster.calm()


@scripts_under(elections=ONE_ELECTION, detections=["all to all"], about=[*ELECTED, *CALM])
async def group_of_another_domain(cluster: Cluster) -> None:
    """Two groups of one name in two domains, with one list of addresses: neither ever has a member of the other."""
    ours, theirs = ("n1", "n3", "n5"), ("n2", "n4", "n6")
    await cluster.form("n1", knowing=SIX)
    await cluster.start("n3", "n5", knowing=SIX)
    await cluster.start(*theirs, settings={"gms_domain": "another"}, knowing=SIX)
    forming = cluster.bounds.group.forming
    await cluster.until(cluster.that.agree(*ours) & cluster.that.agree(*theirs), within=forming)
    await cluster.until(all_of(cluster.that.drops_foreign_messages(name) for name in ("n1", *theirs)), within=forming)
    cluster.always(cluster.that.agree(*ours))
    master = cluster.seen.view("n2").master
    assert master is not None
    dead = next(name for name in theirs if cluster.seen.view(name).incarnation == master.uuid)
    rest = [name for name in theirs if name != dead]
    await cluster.kill(dead)
    await cluster.expect(cluster.that.agree(*rest), within=cluster.bounds.group.take_over())
    await cluster.until(have_failed(cluster, [dead], told=rest), within=0)
    for name in ours:
        await cluster.until(cluster.that.is_signalled(name, "FAILURE", times=0), within=0)
    await cluster.calm()


STARTING_AS_A_WHOLE = scripts_under(
    ["all to all", "ring"],
    elections=ONE_ELECTION,
    settings={"gms_group_start_limit_seconds": 20},
    about=[*ABOUT, *CALM],
)


async def start_the_whole_group(cluster: Cluster, master: str, others: Sequence[str]) -> None:
    """And no member is waited for."""
    await cluster.start_group(master, others)
    within = cluster.settings.gms_group_start_delay + cluster.settings.gms_heartbeat_period
    await cluster.until(cluster.that.has_started_the_group(master), within=within)


@STARTING_AS_A_WHOLE
async def group_starts_when_its_master_is_ready_last(cluster: Cluster) -> None:
    """All others are ready before the master is: when the whole group starts, nobody waits for them."""
    await cluster.form("n1", settings={"gms_ready_after_seconds": 10}, knowing=SIX)
    await cluster.join("n2", "n3", knowing=SIX)
    ready = all_of(cluster.that.is_signalled("n1", "JOINED_AND_READY", of=name) for name in ("n1", "n2", "n3"))
    await cluster.until(ready, within=cluster.bounds.group.forming + 10 * SECOND)
    await start_the_whole_group(cluster, "n1", ["n2", "n3"])
    await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=0)
    await cluster.calm()


@STARTING_AS_A_WHOLE
async def group_starts_under_a_new_master(cluster: Cluster) -> None:
    """A master that came when the others were ready does not know that they are: it asks them, and waits for none."""
    await form(cluster, "n1", "n2", "n3", "n4")  # n2 comes last
    await cluster.kill("n1")
    rest = ["n2", "n3", "n4"]
    await cluster.until(follow(cluster, rest, "n2"), within=cluster.bounds.group.take_over())
    await cluster.expect(cluster.that.agree(*rest), within=cluster.bounds.settle())
    ready = all_of(cluster.that.is_signalled(name, "JOINED_AND_READY", of="n2") for name in rest)
    await cluster.until(ready, within=2 * cluster.settings.gms_heartbeat_period)
    await start_the_whole_group(cluster, "n2", ["n3", "n4"])
    await cluster.calm()
