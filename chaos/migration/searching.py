"""A new master looks for the most recent table, and somebody does not answer, dies, or joins meanwhile.

From text 3.1.2: it publishes nothing before every other member has returned its table or left the cluster. A second
crash begins the search anew, and a joiner gets no table meanwhile. Migrations that the old master had completed, and
not all had acknowledged, are found with the tables."""

from __future__ import annotations

from shaketable import Cluster, Condition, Injected, Observed, Work, script
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin
from shaketable.chaos.helpers.fates import three_fates, until_caught
from shaketable.chaos.helpers.migrating import ABOUT, LARGE, SHIFT_DOWN, all_is_well
from shaketable.chaos.helpers.migrating_on import PATIENT, fill

SETTINGS = SHIFT_DOWN.settings
FIVE = ("n1", "n2", "n3", "n4", "n5")


@script(about=ABOUT, settings=SETTINGS)
async def three_masters_in_a_row(cluster: Cluster) -> None:
    """n2 dies before it has asked anybody for a table, n3 with the first answer; n4 finds the newest, and goes on."""
    work = await in_use(cluster)
    await cluster.hold("n2", "TableSearchBegan")
    await cluster.hold("n3", "TableFetched")
    await cluster.kill("n1")
    await cluster.until_held("n2", "TableSearchBegan", within=cluster.bounds.crash + cluster.bounds.claim)
    await cluster.kill("n2")
    await cluster.until_held("n3", "TableFetched", within=cluster.bounds.crash + cluster.bounds.claim)
    await cluster.kill("n3")
    await cluster.expect(cluster.that.agree("n4", "n5"), within=cluster.bounds.crash)
    await it_ends_well(cluster, work, crashes=3)


@script(about=ABOUT, settings=SETTINGS)
async def a_silent_member(cluster: Cluster) -> None:
    """n4 hears nothing of the new master n2, and n2 nothing of it: the search lasts until n4 is off the list."""
    work = await in_use(cluster)
    await search_in_vain(cluster, BLACK_HOLE)
    await until_it_is_off(cluster, work)


@script(about=ABOUT, settings=SETTINGS)
async def a_member_that_does_not_hear(cluster: Cluster) -> None:
    """n4 hears no more of n2 once it has agreed to its claim: it never learns that its table is wanted."""
    work = await in_use(cluster)
    await search_in_vain(cluster, BLACK_HOLE, "n2", "n4")
    await until_it_is_off(cluster, work)


@script(about=ABOUT, settings=SETTINGS)
async def a_member_that_is_not_heard(cluster: Cluster) -> None:
    """The new master n2 hears nothing of n4, which hands its table over, in vain, until it is off the list."""
    work = await in_use(cluster)
    await search_in_vain(cluster, BLACK_HOLE, "n4", "n2")
    await until_it_is_off(cluster, work)


@script(about=ABOUT, settings={**SETTINGS, **PATIENT})
async def a_member_that_is_cut_off_and_back(cluster: Cluster) -> None:
    """n4 is cut off from the new master n2 for less than the grace: n2 asks it again for its table, and it answers."""
    work = await in_use(cluster)
    await search_in_vain(cluster, CUT)
    await cluster.sleep(cluster.bounds.shortest_grace // 8)
    await cluster.until(cluster.that.searches("n2"), within=0)
    await cluster.heal_link("n2", "n4")
    # The list that n2 published went astray, too.
    within = cluster.bounds.crash + cluster.bounds.lost_publish
    await cluster.expect(cluster.that.agree("n2", "n3", "n4", "n5"), within=within)
    await it_ends_well(cluster, work)


@script(about=ABOUT, settings=SETTINGS)
async def a_joiner_meanwhile(cluster: Cluster) -> None:
    """n6 joins while n4 does not answer the search: it is on the list, and has no table until n4 is off it."""
    work = await in_use(cluster)
    await search_in_vain(cluster, BLACK_HOLE)
    cluster.always(no_table_meanwhile("n2", "n6"))
    await cluster.start("n6")
    await cluster.until(cluster.that.follows("n6", "n2"), within=cluster.bounds.forming)
    await cluster.until(cluster.that.searches("n2"), within=0)
    await until_it_is_off(cluster, work, "n6")
    await cluster.until(cluster.that.has_table("n6"), within=0)


@script(about=ABOUT, settings=SETTINGS)
async def the_new_master_dies_waiting(cluster: Cluster) -> None:
    """The new master n2 crashes while it waits for n4's table: n3, which hears n4 well, searches anew."""
    work = await in_use(cluster)
    await search_in_vain(cluster, BLACK_HOLE)
    await cluster.sleep(cluster.settings.heartbeat_timeout // 3)
    await cluster.until(cluster.that.searches("n2"), within=0)
    await cluster.kill("n2")
    await cluster.expect(cluster.that.agree("n3", "n4", "n5"), within=cluster.bounds.crash)
    await it_ends_well(cluster, work, crashes=2)


@script(about=ABOUT, settings=SETTINGS)
async def the_silent_member_dies(cluster: Cluster) -> None:
    """n4 does not answer, and then crashes: the search need not wait for the timeout."""
    work = await in_use(cluster)
    await search_in_vain(cluster, BLACK_HOLE, "n4", "n2")
    await cluster.sleep(cluster.settings.heartbeat_timeout // 3)
    await cluster.until(cluster.that.searches("n2"), within=0)
    await cluster.kill("n4")
    await cluster.expect(cluster.that.agree("n2", "n3", "n5"), within=cluster.bounds.silence)
    await it_ends_well(cluster, work, crashes=2)


@script(about=ABOUT, settings=SETTINGS)
async def one_that_has_answered_dies(cluster: Cluster) -> None:
    """n3 has handed its table over and crashes, while n4 has not answered yet: the search goes on, and n4 answers."""
    work = await in_use(cluster)
    silent = await search_in_vain(cluster, BLACK_HOLE)
    await cluster.sleep(cluster.settings.heartbeat_timeout // 3)
    await cluster.kill("n3")
    gone = cluster.that.has_list("n2", version=7, members=["n2", "n4", "n5"])
    await cluster.until(gone & cluster.that.searches("n2"), within=cluster.bounds.crash)
    await cluster.heal(silent)
    await cluster.expect(cluster.that.agree("n2", "n4", "n5"), within=cluster.bounds.lost_publish)
    await it_ends_well(cluster, work, crashes=2)


@script(about=ABOUT, settings=SETTINGS)
async def the_question_goes_astray(cluster: Cluster) -> None:
    """n2 asks n4 for its table: one such message is lost, one comes when all is long over, one late."""
    await goes_astray(cluster, "fetchtable", "n2", "n4")


@script(about=ABOUT, settings=SETTINGS)
async def the_answer_goes_astray(cluster: Cluster) -> None:
    """n4 hands its table over: one such message is lost, one comes when all is long over, one late."""
    await goes_astray(cluster, "fetchedtable", "n4", "n2")


async def goes_astray(cluster: Cluster, kind: str, sender: str, to: str) -> None:
    work = await in_use(cluster)
    fates = await three_fates(cluster, kind, sender, to)
    await cluster.kill("n1")
    await until_caught(cluster, fates)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe(1))
    await cluster.heal(fates[-1])
    await it_ends_well(cluster, work)


@script(about=ABOUT, settings=SETTINGS)
async def nobody_has_acknowledged(cluster: Cluster) -> None:
    """All moves to n5 are completed, no acknowledgement comes to the master, and it dies with the list of them."""
    await joined_and_not_acknowledged(cluster, [])


@script(about=ABOUT, settings=SETTINGS)
async def the_next_in_line_has_an_old_table(cluster: Cluster) -> None:
    """The next master n2 has got no new table: it finds the newest at another, with all completed migrations."""
    await joined_and_not_acknowledged(cluster, ["n2"])


@script(about=ABOUT, settings=SETTINGS)
async def the_destination_alone_has_the_newest_table(cluster: Cluster) -> None:
    """n5 has committed, and no other follower has the new table: the next master finds it at n5, and goes on."""
    await joined_and_not_acknowledged(cluster, ["n2", "n3", "n4"])


async def joined_and_not_acknowledged(cluster: Cluster, behind: list[str]) -> None:
    await cluster.form("n1", "n2", "n3", "n4")
    await fill(cluster, "n2", LARGE)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    work = await cluster.work(["n3", "n4"], keys=4, pause=cluster.settings.heartbeat_interval // 5)
    for name in ("n2", "n3", "n4"):
        if name not in behind:
            await cluster.drop("tableacknowledged", sender=name)
    planned = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.start("n5")
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.forming)
    await cluster.drop("tableacknowledged", sender="n5")
    if behind:
        await cluster.drop("publishtable", sender="n1", to=behind)
    await cluster.heal(planned)
    await cluster.until(some_are_completed("n1"), within=cluster.bounds.safe())
    await cluster.sleep(cluster.settings.heartbeat_interval)
    kept = cluster.seen.view("n1").partitions.completed
    assert kept, "the master keeps what has been completed"
    await cluster.kill("n1")
    await cluster.heal_all()
    await cluster.expect(cluster.that.agree("n2", "n3", "n4", "n5"), within=cluster.bounds.crash)
    await it_ends_well(cluster, work)


def some_are_completed(master: str) -> Condition:
    def why_not(seen: Observed) -> str | None:
        return None if seen.nodes[master].partitions.done.get(True) else "no migration is completed"

    return Condition(f"{master} has completed a migration", why_not)


async def in_use(cluster: Cluster) -> Work:
    await cluster.form(*FIVE)
    await fill(cluster, "n2")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    return await cluster.work(["n3", "n5"], keys=4, pause=cluster.settings.heartbeat_interval // 5)


async def search_in_vain(cluster: Cluster, how: str, who: str = "", whom: str = "") -> Injected:
    """n1 dies; n2 takes over, and by then its link to n4 is broken, in both directions if not said otherwise."""
    held = await cluster.hold("n2", "TableSearchBegan")
    await cluster.kill("n1")
    await cluster.until_held("n2", "TableSearchBegan", within=cluster.bounds.crash + cluster.bounds.claim)
    broken = await begin(cluster, how, who or "n2", whom or "n4", one_way=bool(who))
    await cluster.heal(held)
    await cluster.until(cluster.that.searches("n2"), within=0)
    return broken


async def until_it_is_off(cluster: Cluster, work: Work, *joined: str) -> None:
    """The search lasts as long as n4 is on the list."""
    staying = ("n2", "n3", "n5", *joined)
    await cluster.sleep(cluster.settings.heartbeat_timeout // 3)
    await cluster.until(cluster.that.searches("n2"), within=0)
    parted = cluster.that.agree(*staying) & cluster.that.agree("n4")
    await cluster.expect(parted, within=2 * cluster.bounds.silence + cluster.bounds.take_over)
    await it_ends_well(cluster, work, read_at=["n2", "n4"])


def no_table_meanwhile(master: str, joiner: str) -> Condition:
    def why_not(seen: Observed) -> str | None:
        both = (
            seen.nodes[master].partitions.searching and joiner in seen.nodes and seen.nodes[joiner].partitions.version
        )
        return f"{joiner} has table {both}" if both else None

    return Condition(f"{joiner} has no table while {master} looks for one", why_not)


async def it_ends_well(cluster: Cluster, work: Work, *, crashes: int = 1, read_at: list[str] | None = None) -> None:
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe(crashes))
    await cluster.stop_work(work)
    await all_is_well(cluster, crashes, read_at or ())
