"""A hundred members whose masters crash and return, over and over: the "mastership fight" of Hazelcast issue 18582.

There a member that came back claimed the mastership of all 85, and they fought over it for good. In virtual time alone:
a hundred processes and their ten thousand links are too much for one machine."""

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF

ABOUT = (*LISTS, "claims", "detection")


@script(about=ABOUT, settings=MERGING_OFF, worlds=["sim"])
async def mastership_fight(cluster: Cluster) -> None:
    """A hundred members, whose masters crash and return as the youngest or wake from a sleep: nobody fights.

    Two crash together, two return before anybody has noticed that they were gone. One sleeps while its turn comes and
    goes: all who follow another by then tell it so, and its claim finds nobody to ask. One sleeps as the master and
    wakes as one whom nobody follows: it gives up one after the other until it is alone, and moves none of them."""
    names = [f"n{i}" for i in range(1, 101)]
    await cluster.form(*names)

    for crashing in (1, 2):
        masters, names = names[:crashing], names[crashing:]
        await cluster.together(*map(cluster.kill, masters))
        await cluster.until(cluster.that.agree(*names), within=2 * cluster.bounds.crash)
        for master in masters:
            await cluster.restart(master)
        names = await all_agree(cluster, [*names, *masters])

    for _ in range(2):
        hasty = names[0]
        await cluster.kill(hasty)
        await cluster.restart(hasty)
        names = await all_agree(cluster, names)
        await cluster.until(cluster.that.follows(hasty, names[0]), within=0)

    master, late, *names = names
    sleep = await cluster.pause(late)
    await cluster.kill(master)
    await cluster.until(cluster.that.agree(*names), within=cluster.bounds.take_over)
    version = cluster.seen.view(names[0]).version
    await cluster.heal(sleep)
    await cluster.until(cluster.that.agree(late), within=2 * cluster.bounds.silence)
    await cluster.until(
        cluster.that.has_list(names[0], version=version, members=names) & cluster.that.agree(*names), within=0
    )
    await cluster.kill(late)
    await cluster.restart(late)
    names = await all_agree(cluster, [*names, late])

    sleeper, *others = names
    sleep = await cluster.pause(sleeper)
    await cluster.until(cluster.that.agree(*others), within=cluster.bounds.take_over)
    cluster.always(cluster.that.agree(*others))
    await cluster.heal(sleep)
    await cluster.until(cluster.that.agree(sleeper), within=2 * cluster.bounds.silence)
    await cluster.sleep(cluster.settings.member_list_publish_interval + cluster.bounds.silence)
    await cluster.expect(cluster.that.agree(sleeper) & cluster.that.agree(*others), within=cluster.bounds.crash)


async def all_agree(cluster: Cluster, names: list[str]) -> list[str]:
    """Their names by age, when they are one cluster again."""
    await cluster.until(cluster.that.agree(*names), within=cluster.bounds.forming)
    return cluster.seen.members()
