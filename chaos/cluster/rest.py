"""The member list of the join configuration is read and changed over HTTP, on all members of a cluster.

From text 4.5: where the parts of a split know no address of each other, and what they remembered is forgotten, somebody
tells one of them where the other is, and they become one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaketable import Cluster, Settings, script
from shaketable.chaos import LISTS, MERGING_OFF, RESOLVING, answering, forgetting_soon, merging_soon
from shaketable.chaos.helpers.breaks import CUT, reported
from shaketable.chaos.helpers.merging import (
    ABOUT,
    ON_THE_WAY,
    become_one,
    come_apart,
    come_apart_until_forgotten,
    heal_until_held,
)

SMALLER, LARGER = ("n2", "n3"), ("n4", "n5", "n6")
NOWHERE = "127.0.0.1:5799"


def answering_alone(run: Settings) -> Mapping[str, object]:
    return {**MERGING_OFF, **answering(run)}


def answering_and_resolving(run: Settings) -> Mapping[str, object]:
    return {**RESOLVING, **answering(run)}


def answering_and_forgetting(run: Settings) -> Mapping[str, object]:
    return {**forgetting_soon(run), **answering(run)}


def answering_and_merging(run: Settings) -> Mapping[str, object]:
    return {**merging_soon(run), **answering(run)}


@script(about=ABOUT, settings=answering_and_forgetting)
async def healed_over_http(cluster: Cluster) -> None:
    """Two parts have forgotten each other: over HTTP the smaller is told the other's master, and goes over to it."""
    await two_parts_that_stay_apart(cluster)
    assert (await cluster.member_list("n2")).members == ("n2", "n3", "n1")
    answer = await cluster.set_member_list("n3", [*SMALLER, "n4"])
    assert answer.ok, answer
    assert [(await cluster.member_list(name)).members for name in SMALLER] == 2 * [(*SMALLER, "n4")]
    await become_one(cluster, LARGER, SMALLER)
    assert (await cluster.member_list("n2")).members == (*SMALLER, "n4"), "a merge keeps the list"


@script(about=ABOUT, settings=answering_and_forgetting)
async def healed_over_http_from_the_larger_part(cluster: Cluster) -> None:
    """The larger part is told of a follower of the smaller one: its question shows the smaller part the way."""
    await two_parts_that_stay_apart(cluster)
    answer = await cluster.set_member_list("n6", [*LARGER, "n3"])
    assert answer.ok, answer
    await become_one(cluster, LARGER, SMALLER)


@script(about=ABOUT, settings=answering_and_forgetting)
async def healed_by_a_file(cluster: Cluster) -> None:
    """The smaller part learns the other's address from a configuration file that its node is told to read again."""
    await two_parts_that_stay_apart(cluster)
    await cluster.write_config_file("n3", [*SMALLER, "n4"])
    answer = await cluster.reload_config("n3")
    assert answer.ok, answer
    assert [(await cluster.member_list(name)).members for name in SMALLER] == 2 * [(*SMALLER, "n4")]
    await become_one(cluster, LARGER, SMALLER)


@script(about=ON_THE_WAY, settings=answering_and_merging)
async def they_go_over_before_they_have_answered(cluster: Cluster) -> None:
    """n3's master does not hear which list n3 was told, and both go over: n3 answers that some members may have it."""
    await cluster.form(*SMALLER, *LARGER)
    apart = await come_apart(cluster, SMALLER, LARGER)
    lost = await cluster.drop("changeaddresses", sender="n3", to=["n2"])
    held = await heal_until_held(cluster, apart, "n2", "MergeBegan")

    async def they_go() -> None:
        await cluster.until(cluster.that.caught(lost), within=cluster.bounds.settle())
        await cluster.heal(held)

    answer, _ = await cluster.together(cluster.set_member_list("n3", [*SMALLER, NOWHERE]), they_go())
    assert answer.status == 500, answer
    await cluster.heal(lost)
    await become_one(cluster, LARGER, SMALLER)


async def two_parts_that_stay_apart(cluster: Cluster) -> None:
    """n1, which has left, is the one address that both were configured with; whom they remembered is forgotten."""
    await cluster.form("n1")
    await cluster.join(*SMALLER, knowing=["n1"])
    await cluster.join(*LARGER, knowing=["n1"])
    await cluster.leave("n1")
    await cluster.until(cluster.that.agree(*SMALLER, *LARGER), within=cluster.bounds.crash)
    await come_apart_until_forgotten(cluster, SMALLER, LARGER)
    await cluster.sleep(3 * cluster.settings.merge_next_run_delay)
    await cluster.until(cluster.that.agree(*SMALLER) & cluster.that.agree(*LARGER), within=0)


@script(about=LISTS, settings=answering_alone)
async def a_change_reaches_every_member(cluster: Cluster) -> None:
    """Master and followers all answer with the list. A node that joins later, or restarts, has its own."""
    await cluster.form("n1", "n2", "n3")
    for number, asked in enumerate(("n1", "n3", "n2")):
        wanted = ["n1", f"127.0.0.1:{5790 + number}"]
        answer = await cluster.set_member_list(asked, wanted)
        assert answer.ok, answer
        await all_have(cluster, ("n1", "n2", "n3"), wanted)
    await cluster.join("n4")
    assert (await cluster.member_list("n4")).members == ("n1", "n2", "n3", "n4")
    await cluster.kill("n3")
    await cluster.until(cluster.that.agree("n1", "n2", "n4"), within=cluster.bounds.crash)
    await cluster.restart("n3")
    await cluster.expect(cluster.that.agree("n1", "n2", "n4", "n3"), within=cluster.bounds.forming)
    assert (await cluster.member_list("n3")).members == ("n1", "n2", "n3")


@script(about=LISTS, settings=answering_alone)
async def a_list_that_comes_after_a_restart(cluster: Cluster) -> None:
    """n3 is restarted while n1 tells it the new list: what was meant for its life before it does not take."""
    everybody = ("n1", "n2", "n3")
    await cluster.form(*everybody)
    told = await cluster.hold("n1", "JoinAddressesChanged")
    await cluster.set_member_list("n1", ["n1", "n2", NOWHERE], wait=False)
    await cluster.until_held("n1", "JoinAddressesChanged", within=cluster.bounds.crash)
    late = await cluster.hold_back("takeaddresses", sender="n1", to=["n3"])
    await cluster.heal(told)
    await cluster.until(cluster.that.caught(late), within=cluster.bounds.crash)
    await cluster.kill("n3")
    await cluster.until(cluster.that.agree("n1", "n2"), within=cluster.bounds.crash)
    await cluster.restart("n3")
    await cluster.until(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.forming)
    await cluster.heal(late)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    assert (await cluster.member_list("n3")).members == everybody
    await cluster.expect(cluster.that.agree(*everybody), within=cluster.bounds.crash)


@script(about=LISTS, settings=answering_alone)
async def a_wish_that_comes_after_a_later_one(cluster: Cluster) -> None:
    """n3 wants one list, then another, and the first message of its first wish comes last: that changes nothing."""
    everybody, wanted = ("n1", "n2", "n3"), ["n1", "n2", NOWHERE]
    await cluster.form(*everybody)
    late = await cluster.hold_back("changeaddresses", sender="n3", to=["n1"], count=1)
    for each in (["n1", NOWHERE], wanted):
        answer = await cluster.set_member_list("n3", each)
        assert answer.ok, answer
    await cluster.until(cluster.that.caught(late), within=cluster.bounds.settle())
    await cluster.heal(late)
    await cluster.sleep(cluster.settings.heartbeat_timeout)
    await all_have(cluster, everybody, wanted)


@script(about=LISTS, settings=answering_and_resolving)
async def a_member_that_was_removed_is_told_a_list(cluster: Cluster) -> None:
    """n3 is off its master's list, does not know that yet, and is told a list: the master does not give it to others.

    n3 answers that some members may have it, for it has not heard."""
    everybody, left = ("n1", "n2", "n3", "n4"), ("n1", "n2", "n4")
    await cluster.form(*everybody)
    await cluster.together(*[cluster.drop("explicitsuspicion", sender=each, to=["n3"], perhaps=True) for each in left])
    await cluster.cut(["n2", "n4"], "n3")
    removed = cluster.that.agree(*left)
    await cluster.until(removed, within=reported(cluster, CUT) + cluster.bounds.resolution)
    answer = await cluster.set_member_list("n3", [*everybody, NOWHERE])
    assert answer.status == 500, answer
    await all_have(cluster, left, everybody)
    await cluster.heal_all()
    await cluster.expect(removed & cluster.that.agree("n3"), within=3 * cluster.bounds.silence)


@script(about=LISTS, settings=answering_alone)
async def a_file_and_a_document(cluster: Cluster) -> None:
    """A node's file counts for all members when the node is told to read it, and for itself when it starts."""
    everybody = "n1", "n2", "n3"
    await cluster.form(*everybody)
    await cluster.write_config_file("n2", ["n1", "n2", NOWHERE])
    await all_have(cluster, everybody, everybody)
    answer = await cluster.reload_config("n2")
    assert answer.ok, answer
    await all_have(cluster, everybody, ["n1", "n2", NOWHERE])
    answer = await cluster.update_config("n3", ["n3", "n1"])
    assert answer.ok, answer
    await all_have(cluster, everybody, ["n3", "n1"])
    for text in ("cluster-name: another", "tcp-ip: {member-list: [no-such-host]}", "[", 70_000 * "#"):
        await cluster.write_config_file("n2", text)
        assert (await cluster.reload_config("n2")).status == 400
    assert (await cluster.update_config("n2", "tcp-ip: {member-list: []}")).status == 400
    await all_have(cluster, everybody, ["n3", "n1"])
    await cluster.write_config_file("n2", ["n2", "n1"])
    await cluster.kill("n2")
    await cluster.until(cluster.that.agree("n1", "n3"), within=cluster.bounds.crash)
    await cluster.restart("n2")
    await cluster.expect(cluster.that.agree("n1", "n3", "n2"), within=cluster.bounds.forming)
    assert (await cluster.member_list("n2")).members == ("n2", "n1")


@script(about=LISTS, settings=answering_alone)
async def one_member_cannot_take_a_change(cluster: Cluster) -> None:
    """A paused member does not answer: the change fails, and nobody has changed its list. Later all take it."""
    await cluster.form("n1", "n2", "n3")
    await cluster.pause("n3")
    assert (await cluster.set_member_list("n2", ["n1", NOWHERE])).status == 500
    await all_have(cluster, ("n1", "n2"), ["n1", "n2", "n3"])
    await cluster.resume("n3")
    answer = await cluster.set_member_list("n2", ["n1", NOWHERE])
    assert answer.ok, answer
    await all_have(cluster, ("n1", "n2", "n3"), ["n1", NOWHERE])
    await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=cluster.bounds.settle())


@script(about=LISTS, settings=answering_alone)
async def the_master_dies_before_it_has_answered(cluster: Cluster) -> None:
    """A follower asks its master for a change, and the master dies: the next master makes the change."""
    await cluster.form("n1", "n2", "n3")
    await cluster.pause("n1")
    answer, _ = await cluster.together(cluster.set_member_list("n3", ["n2", NOWHERE]), cluster.kill("n1"))
    assert answer.ok, answer
    await all_have(cluster, ("n2", "n3"), ["n2", NOWHERE])
    await cluster.expect(cluster.that.agree("n2", "n3"), within=cluster.bounds.crash)


@script(about=LISTS, settings=answering_alone)
async def a_bad_list_changes_nothing(cluster: Cluster) -> None:
    """Unknown hosts and malformed addresses are refused, and nobody's list has changed."""
    await cluster.form("n1", "n2", "n3")
    for wanted in (["n1", "no-such-host:5701"], ["n1", "127.0.0.1:99999"], ["n1", "n1"], []):
        answer = await cluster.set_member_list("n2", wanted)
        assert answer.status == 400, answer
    await all_have(cluster, ("n1", "n2", "n3"), ["n1", "n2", "n3"])
    await cluster.expect(cluster.that.agree("n1", "n2", "n3"), within=0)


async def all_have(cluster: Cluster, names: Sequence[str], wanted: Sequence[str]) -> None:
    for name in names:
        answer = await cluster.member_list(name)
        assert answer.members == tuple(wanted), f"{name}: {answer}"
