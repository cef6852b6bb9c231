"""A script's verbs: what each asks of the world, the receipts it leaves, and how its misuse is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.harness.scripting.staging import here, play, set_up

from shaketable.harness.faults.actions import Action, Begin, End, NoEffect, Receipt
from shaketable.harness.faults.links import Slices
from shaketable.harness.records import FaultAsked, FaultEnded, FaultTook, StepBegan
from shaketable.harness.scripting.cluster import Cluster, Injected
from shaketable.harness.scripting.verbs.nodes import EVENT_NAMES, MESSAGE_KINDS
from shaketable.node.core.env import MILLISECOND, SECOND

NAMES = ("n1", "n2", "n3")
Misuse = Callable[[Cluster], Awaitable[Any]]

MISUSES: Mapping[str, tuple[Misuse, str]] = {
    "an unknown node": (lambda c: c.kill("n9"), "n9 is not a node of this run (n1, n2, n3)"),
    "an unknown end of a link": (lambda c: c.cut("n1", "n9"), "n9 is not a node of this run (n1, n2, n3)"),
    "a link to itself": (lambda c: c.blackhole("n1", "n1"), "there is no link from n1 to itself"),
    "lists without a link": (lambda c: c.cut(["n1"], ["n1"]), "there is no link from n1 to itself"),
    "nobody": (lambda c: c.cut([], ["n1", "n2"]), "there is no link from nobody to n1 n2"),
    "no name": (lambda c: c.form(), "give at least one name"),
    "a taken name": (
        lambda c: c.join("n2"), "there is a node n2 already: a name stands for one node in the whole run"
    ),
    "a name twice": (
        lambda c: c.form("n4", "n4"), "there is a node n4 already: a name stands for one node in the whole run"
    ),
    "a bad name": (
        lambda c: c.form("n 4"), "'n 4' is no name for a node: letters, digits, - and _, a letter or digit first"
    ),
    "a wrong setting": (
        lambda c: c.join("n4", settings={"heartbeat_interval_seconds": -1}),
        "heartbeat_interval_seconds = -1: give a number of seconds of at least 0.01",
    ),
    "no latency": (lambda c: c.slow("n1", "n2", 0), "the latency is at least 1, not 0"),
    "jitter above latency": (
        lambda c: c.slow("n1", "n2", 5, jitter=6), "slow needs a jitter that is no larger than the latency"
    ),
    "a float for a time": (
        lambda c: c.slow("n1", "n2", c.settings.heartbeat_interval / 2),  # type: ignore[arg-type]
        "the latency is a whole number (a time has microseconds: 5 * SECOND // 2), not 2500000.0",
    ),
    "half a millisecond": (
        lambda c: c.slow("n1", "n2", 1500), "slow takes whole milliseconds: the real proxy knows no others"
    ),
    "a rate and a half": (
        lambda c: c.thin("n1", "n2", 1500),
        "thin takes multiples of 1000 bytes a second: the real proxy knows no others",
    ),
    "a rate too low": (lambda c: c.thin("n1", "n2", 10), "the rate in bytes a second is at least 1000, not 10"),
    "wrong slices": (
        lambda c: c.slice("n1", "n2", Slices(size=10, variation=10)),
        "slices need a size above 0, a variation below the size and a pause that is not negative",
    ),
    "no flaps": (
        lambda c: c.flap("n1", "n2", down=1, up=1, times=0), "the number of times is at least 1, not 0"
    ),
    "one group": (
        lambda c: c.split(["n1", "n2"]), "there is no link to split: it takes at least two groups with a node each"
    ),
    "overlapping groups": (lambda c: c.split(["n1", "n2"], ["n2", "n3"]), "n2 is in more than one group"),
    "an unknown way to split": (lambda c: c.isolate("n1", how="kindly"), "how is cut or blackhole, not kindly"),
    "resume of what is not paused": (lambda c: c.resume("n1"), "n1 is not paused"),
    "a clock that goes back": (lambda c: c.clock("n1", jump=-1), "a jump of a clock is at least 0, not -1"),
    "a clock that does nothing": (lambda c: c.clock("n1"), "clock needs a jump or a rate_ppm"),
    "a clock too fast": (lambda c: c.clock("n1", rate_ppm=600_000), "rate_ppm is at most 500000, not 600000"),
    "a load of nothing": (lambda c: c.load(0), "the number of busy processes a core is at least 1, not 0"),
    "a load too heavy": (lambda c: c.load(17), "the number of busy processes a core is at most 16, not 17"),
    "an unknown message": (
        lambda c: c.drop("gossip", sender="n1"), f"there is no message gossip; there are {', '.join(MESSAGE_KINDS)}"
    ),
    "no messages": (lambda c: c.drop("heartbeat", sender="n1", count=0), "the count of messages is at least 1, not 0"),
    "a message to oneself": (lambda c: c.drop("heartbeat", sender="n1", to="n1"), "n1 sends nothing to itself"),
    "an unknown event": (
        lambda c: c.hold("n1", "Born"), f"there is no event Born to hold at; there are {', '.join(EVENT_NAMES)}"
    ),
    "before the first event": (lambda c: c.hold("n1", "Joined", nth=0), "nth is at least 1, not 0"),
    "sleeping back in time": (lambda c: c.sleep(-1), "the time to sleep is at least 0, not -1"),
    "sleeping for a float": (
        lambda c: c.sleep(0.5),  # type: ignore[arg-type]
        "the time to sleep is a whole number (a time has microseconds: 5 * SECOND // 2), not 0.5",
    ),
    "healing nothing": (
        lambda c: c.heal(None),  # type: ignore[arg-type]
        "heal takes what the fault's verb gave when it was awaited, not NoneType",
    ),
    "together with no call": (
        lambda c: c.together(c.sleep),  # type: ignore[arg-type]
        "together takes calls of verbs or of async functions, not method",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISUSES)
def test_a_misuse_is_one_sentence_with_the_script_s_own_line(name: str) -> None:
    misuse, sentence = MISUSES[name]

    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await misuse(cluster)  # here

    outcome = play(script).outcome
    assert outcome.kind == "unknown"
    assert outcome.reason.partition(": ")[2].startswith(sentence)


def test_the_line_is_that_of_the_call() -> None:
    async def script(cluster: Cluster) -> None:
        async def break_it(who: str) -> None:
            await cluster.sleep(1)
            await cluster.kill(who)  # here

        await cluster.form(*NAMES)
        await cluster.together(break_it("n9"))

    assert play(script).outcome.reason.startswith(f"{here(script)}: n9 is not a node")


def test_a_verb_that_together_runs_by_itself_is_told_at_the_line_of_together() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.together(cluster.kill("n1"), cluster.kill("n9"))  # here

    assert play(script).outcome.reason.startswith(f"{here(script)}: n9 is not a node")


def test_the_same_call_twice_is_refused() -> None:
    async def script(cluster: Cluster) -> None:
        call = cluster.sleep(1)
        await cluster.together(call, call)  # here

    assert play(script).outcome.reason == f"{here(script)}: together was given the same call of sleep twice"


def test_that_nobody_agrees_is_no_condition() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.until(cluster.that.agree(*cluster.seen.members()), within=SECOND)  # here

    assert play(script).outcome.reason.startswith(f"{here(script)}: agree needs at least one name")


def test_there_is_no_master_before_somebody_has_joined() -> None:
    async def script(cluster: Cluster) -> None:
        cluster.seen.master()  # here

    assert play(script).outcome.reason == f"{here(script)}: nobody has joined, so there is no master"


# Healing


def test_healing_twice_is_a_mistake() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        cut = await cluster.cut("n1", "n2")
        await cluster.heal(cut)
        await cluster.heal(cut)  # here

    assert play(script).outcome.reason == f"{here(script)}: fault 1 (cut) is healed already"


def test_healing_what_took_no_effect_or_ended_with_its_node_is_none() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        pause = await cluster.pause("n3")
        await cluster.kill("n3")
        await cluster.heal(pause)
        in_vain = await cluster.pause("n3")
        await cluster.heal(in_vain)
        await cluster.resume("n3")

    played = play(script)
    assert played.outcome.kind == "done"
    assert [e.how for e in played.told(FaultEnded)] == ["the process of n3 is gone"]


def test_resume_ends_every_pause_of_that_node() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.pause("n2")
        await cluster.pause("n2")
        await cluster.pause("n3")
        await cluster.resume("n2")
        assert not cluster._world.observed.paused("n2")
        assert cluster._world.observed.paused("n3")

    played = play(script)
    assert played.outcome.kind == "done"
    assert [e.fault for e in played.told(FaultEnded)] == [1, 2]


def test_heal_link_ends_what_touches_the_link_and_heal_all_the_rest() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.slow("n1", "n2", MILLISECOND)
        await cluster.cut("n2", "n1", one_way=True)
        await cluster.thin("n1", "n3", 100_000)
        await cluster.pause("n3")
        await cluster.heal_link("n1", "n2")
        await cluster.heal_all()
        await cluster.heal_all()

    played = play(script)
    assert played.outcome.kind == "done"
    assert [e.fault for e in played.told(FaultEnded)] == [1, 2, 4, 3]


def test_flap_ends_what_it_began_when_it_is_cancelled() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)

        async def fails() -> None:
            await cluster.sleep(10 * MILLISECOND)
            raise ValueError

        await cluster.together(cluster.flap("n1", "n2", down=20 * MILLISECOND, up=SECOND, times=3), fails())

    assert len(play(script).told(FaultEnded)) == 1


# Receipts


def test_every_fault_is_asked_for_takes_effect_and_ends() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        fault = await cluster.slow("n1", "n2", 2 * MILLISECOND, jitter=MILLISECOND, one_way=True)
        await cluster.heal(fault)

    played = play(script)
    (asked,) = played.told(FaultAsked)
    values = ("latency", 2 * MILLISECOND), ("jitter", MILLISECOND)
    assert asked == FaultAsked(1, "slow", (), ("n1->n2",), "2 ms +- 1 ms", True, False, ("slow",), values=values)
    assert [e.fault for e in played.told(FaultTook)] == [e.fault for e in played.told(FaultEnded)] == [1]


def test_when_a_fault_was_made_and_undone_stands_in_its_receipts() -> None:
    """Where the world tells it: the simulated one sees both at once."""

    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await cluster.heal(await cluster.cut("n1", "n2"))

    plain, told = play(script), set_up(script)
    act = told.world.act

    def tell(action: Action, done: Callable[[Receipt | NoEffect], None]) -> None:
        made = {Begin: 5, End: 7}.get(type(action))
        act(action, lambda receipt: done(replace(receipt, made=made) if isinstance(receipt, Receipt) else receipt))

    told.world.act = tell  # type: ignore[method-assign]
    told.world.run(lambda: told.driver.outcome is not None)
    for played, took, ended in ((plain, None, None), (told, 5, 7)):
        assert [event.made for event in played.told(FaultTook)] == [took]
        assert [event.made for event in played.told(FaultEnded)] == [ended]


@pytest.mark.parametrize("how", ["cut", "blackhole"])
def test_a_split_silences_the_links_between_the_groups_and_no_other(how: str) -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        await cluster.split("n1", ["n2", "n3"], how=how)

    (asked,) = play(script).told(FaultAsked)
    assert asked.silences
    assert asked.verb == f"split by {how}"
    assert sorted(asked.links) == ["n1->n2", "n1->n3", "n2->n1", "n3->n1"]


def test_waiting_leaves_its_steps_in_the_history() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", "n2")
        await cluster.until(cluster.that.follows("n2", "n1"), within=0)

    assert [e.step for e in play(script).told(StepBegan)] == ["form n1, n2, one after the other", "until n2 follows n1"]


# Forming


def test_the_names_that_were_formed_are_in_the_order_of_their_ages() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("c", "a", "b")
        assert cluster.seen.members() == ["c", "a", "b"]
        assert cluster.seen.master() == "c"
        assert cluster.seen.view("b").version == cluster.seen.view("c").version

    assert play(script).outcome.reason == ""


def test_a_node_may_have_settings_of_its_own() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form("n1", settings={"heartbeat_interval_seconds": 1})
        await cluster.start("n2", settings={"hazelcast.heartbeat.interval.seconds": 2})

    played = play(script)
    own = [n.member.membership.settings.heartbeat_interval for n in played.world.nodes.values()]
    assert own == [SECOND, 2 * SECOND]


def test_a_fault_is_known_by_its_number_and_verb() -> None:
    async def script(cluster: Cluster) -> None:
        await cluster.form(*NAMES)
        assert await cluster.cut("n1", "n2") == Injected(1, "cut")
        assert (await cluster.isolate("n3")).verb == "isolate by cut"

    assert play(script).outcome.kind == "done"
