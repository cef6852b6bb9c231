"""Faults of links in virtual time mean what the table of faults says (docs/architecture.md, "Links")."""

from __future__ import annotations

import pytest
from tests.harness.worlds.sim.sim_helpers import Stage

from shaketable.harness.faults.actions import Action, Begin, End, Kill, NoEffect, Receipt, Reset, Restart, Start
from shaketable.harness.faults.link_kinds import SLOW
from shaketable.harness.faults.links import LinkState, Slices
from shaketable.harness.faults.table import Link, LinkFault, Pause
from shaketable.harness.worlds.sim.network import MOST_PENDING, NOTICE, OLDEST_PENDING, RECONNECT
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.process import outlink

AB: Link = ("a", "b")
BA: Link = ("b", "a")
CUT, HOLE = LinkState(cut=True), LinkState(blackhole=True)
LATEST = RECONNECT[1] + NOTICE + MILLISECOND
"""until a link that may connect again is up"""


def begin(number: int, state: LinkState, *links: Link) -> Begin:
    return Begin(number, LinkFault(SLOW, links, state))


def test_links_come_up_and_carry_in_order() -> None:
    stage = Stage("a", "b", linked=False)
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == (["up b"], ["up a"])
    stage.send("a", "b", *range(50))
    stage.run(SECOND)
    assert stage.said("b") == [f"heartbeat {i}" for i in range(50)]


def test_a_cut_tells_the_sender_alone_and_what_was_under_way_is_lost() -> None:
    stage = Stage("a", "b", "c")
    stage.send("a", "b", 1)
    stage.send("b", "a", 2)
    stage.run(1)
    stage.act(begin(1, CUT, AB))
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b"), stage.said("c")) == (["heartbeat 2", "down b"], [], [])
    stage.send("a", "b", 3)
    stage.send("b", "a", 4)
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == (["heartbeat 4"], [])


def test_the_receipt_of_a_cut_s_heal_comes_when_the_sender_s_link_is_up_again() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, CUT, AB))
    stage.run(SECOND)
    stage.act(End(1))
    stage.run(LATEST)
    assert stage.said("a") == ["down b", "up b"]
    receipt = stage.receipts[-1]
    assert isinstance(receipt, Receipt)
    stage.send("a", "b", 1)
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1"]


def test_who_is_killed_and_restarted_in_mid_handshake_is_told_of_in_order_the_loss_before_the_new_link() -> None:
    for wait in range(0, 2 * MILLISECOND, 50):
        stage = Stage("a", "b")
        for name in ("a", "b"):
            stage.act(Kill(name))
            stage.act(Restart(name))
            stage.run(wait)
        stage.run(SECOND)
        assert [what for what in stage.said("a") if "b" in what][-1] == "up b"
        stage.send("a", "b", 1)
        stage.run(SECOND)
        assert stage.said("b")[-1] == "heartbeat 1"


def test_a_black_hole_tells_nobody_and_what_was_under_way_arrives() -> None:
    stage = Stage("a", "b")
    stage.send("a", "b", 1)
    stage.run(1)
    stage.act(begin(1, HOLE, AB))
    stage.send("a", "b", 2)
    stage.run(SECOND)
    stage.act(End(1))
    stage.run(1)
    stage.send("a", "b", 3)
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == ([], ["heartbeat 1", "heartbeat 3"])


def test_a_link_cannot_come_up_in_a_black_hole() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, HOLE, AB))
    stage.act(begin(2, CUT, AB))
    stage.run(SECOND)
    stage.act(End(2))
    stage.run(SECOND)
    assert stage.said("a") == ["down b"]
    stage.act(End(1))
    stage.run(LATEST)
    assert stage.said("a") == ["up b"]


def test_of_two_cuts_the_end_of_one_leaves_the_other() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, CUT, AB, BA))
    stage.act(begin(2, CUT, AB))
    stage.run(SECOND)
    stage.act(End(1))
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == (["down b"], ["down a", "up a"])
    stage.act(End(2))
    stage.run(LATEST)
    assert stage.said("a") == ["up b"]


def test_a_slow_link_adds_its_latency_and_keeps_its_order() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, LinkState(latency=100 * MILLISECOND, jitter=50 * MILLISECOND), AB))
    began = stage.world.time
    stage.send("a", "b", *range(40))
    stage.run(SECOND)
    times = [time - began for time in stage.when("b")]
    assert stage.said("b") == [f"heartbeat {i}" for i in range(40)]
    assert times[0] > 50 * MILLISECOND
    assert 100 * MILLISECOND < times[-1] < 152 * MILLISECOND


def test_a_thin_link_makes_bytes_wait_behind_bytes_whatever_the_kind() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, LinkState(rate=1000), AB))
    stage.send("a", "b", *range(20))
    stage.send_list("a", "b", 7)
    stage.run(SECOND)
    soon = stage.said("b")
    stage.run(60 * SECOND)
    late = stage.said("b")
    assert 2 < len(soon) < 10
    assert soon + late == [*(f"heartbeat {i}" for i in range(20)), "membersupdate 7"]


@pytest.mark.parametrize("state", [LinkState(rate=1000), LinkState(latency=20 * SECOND)])
def test_when_nothing_slows_a_link_any_more_what_waited_arrives_at_once_and_in_order(state: LinkState) -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, state, AB))
    stage.send("a", "b", *range(100))
    stage.run(MILLISECOND)
    stage.act(End(1))
    stage.run(1)
    stage.send("a", "b", 100)
    stage.run(2 * MILLISECOND)
    assert stage.said("b") == [f"heartbeat {i}" for i in range(101)]


def test_after_a_cut_nothing_waits_behind_what_was_lost() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, LinkState(rate=1000), AB))
    stage.send("a", "b", *range(100))
    stage.run(MILLISECOND)
    stage.act(begin(2, CUT, AB))
    stage.run(MILLISECOND)
    stage.act(End(2))
    stage.run(LATEST)
    stage.send("a", "b", 100)
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 100"]


def test_slices_make_no_difference_and_the_receipt_says_so() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, LinkState(slices=Slices()), AB))
    stage.send("a", "b", 1)
    stage.run(2 * MILLISECOND)
    assert stage.said("b") == ["heartbeat 1"]
    receipt = stage.receipts[-1]
    assert isinstance(receipt, Receipt)
    assert receipt.how == "pieces make no difference in virtual time"


def test_a_reset_link_goes_down_and_comes_back_before_its_receipt() -> None:
    stage = Stage("a", "b")
    stage.act(Reset(1, (AB, BA)))
    while len(stage.receipts) < 2:
        stage.run(MILLISECOND)
    assert (stage.said("a"), stage.said("b")) == (["down b", "up b"], ["down a", "up a"])


def test_a_reset_of_a_link_that_is_down_takes_no_effect_on_any_link() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, CUT, AB))
    stage.run(SECOND)
    stage.said("a")
    stage.act(Reset(2, (BA, AB)))
    stage.run(SECOND)
    assert isinstance(stage.receipts[-1], NoEffect)
    assert stage.said("b") == []


def hang_up(stage: Stage, name: str, to: str) -> None:
    stage.world.nodes[name].disconnect(stage.address(to))


def test_who_hangs_up_is_told_nothing_and_connects_again_with_its_next_send() -> None:
    stage = Stage("a", "b")
    hang_up(stage, "a", "b")
    for action in (begin(1, HOLE, AB), End(1), begin(2, CUT, AB), End(2), Begin(3, Pause("b")), End(3)):
        stage.act(action)
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == ([], [])
    stage.send("a", "b", 1)
    stage.run(SECOND)
    assert stage.said("a") == ["up b"]
    stage.send("a", "b", 2)
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1", "heartbeat 2"]


def test_what_was_on_its_way_when_the_sender_hung_up_arrives_first() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, LinkState(latency=20 * MILLISECOND), AB))
    stage.send("a", "b", 1)
    stage.run(MILLISECOND)
    hang_up(stage, "a", "b")
    stage.send("a", "b", 2, 3)
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1", "heartbeat 2", "heartbeat 3"]


def test_a_drop_that_the_sender_has_not_heard_of_when_it_hangs_up_is_not_told() -> None:
    stage = Stage("a", "b")
    stage.act(Kill("b"))
    hang_up(stage, "a", "b")
    stage.run(SECOND)
    assert stage.said("a") == []


def test_only_so_many_messages_wait_for_a_link_that_a_send_opens_and_not_for_long() -> None:
    stage = Stage("a", "b")
    hang_up(stage, "a", "b")
    stage.act(begin(1, HOLE, AB))
    stage.send("a", "b", 1)
    stage.run(200 * MILLISECOND)
    stage.send("a", "b", *range(2, 40))
    stage.run(100 * MILLISECOND)
    assert stage.said("a") == []
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("a") == ["up b"]
    assert stage.said("b") == [f"heartbeat {i}" for i in range(2, MOST_PENDING + 1)]


@pytest.mark.parametrize("why", ["cut", "dead"])
def test_what_opens_a_link_is_lost_where_it_cannot_come_up_and_the_sender_is_told(why: str) -> None:
    stage = Stage("a", "b")
    hang_up(stage, "a", "b")
    stage.act(begin(1, CUT, AB) if why == "cut" else Kill("b"))
    stage.send("a", "b", 1)
    stage.run(SECOND)
    stage.send("a", "b", 2)
    stage.act(End(1) if why == "cut" else Restart("b"))
    stage.run(SECOND)
    assert stage.said("a") == ["down b", "up b"]
    assert [what for what in stage.said("b") if what != "up a"] == []


def test_a_link_that_was_hung_up_has_no_connection_to_reset() -> None:
    stage = Stage("a", "b")
    hang_up(stage, "a", "b")
    stage.act(Reset(1, (AB,)))
    stage.run(SECOND)
    receipt = stage.receipts[-1]
    assert isinstance(receipt, NoEffect)
    assert str(receipt) == "the link a->b is not up: its node has hung it up"


def test_a_send_waits_for_its_link_as_it_does_in_the_real_transport() -> None:
    assert (MOST_PENDING, OLDEST_PENDING) == (outlink.MOST_PENDING, outlink.OLDEST_PENDING)


def test_a_kill_is_told_to_all_others_and_a_restart_connects_them_again() -> None:
    stage = Stage("a", "b", "c")
    stage.act(Kill("c"))
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == (["down c"], ["down c"])
    stage.act(Restart("c"))
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == (["up c"], ["up c"])
    assert sorted(stage.said("c")) == ["up a", "up b"]


@pytest.mark.parametrize("before", [True, False], ids=["cut before the kill", "cut while it was dead"])
def test_a_node_that_returns_finds_its_links_as_they_were_put(before: bool) -> None:
    stage = Stage("a", "b")
    actions: list[Action] = [begin(1, CUT, AB, BA), Kill("b")]
    for action in actions if before else reversed(actions):
        stage.act(action)
    stage.act(Restart("b"))
    stage.run(SECOND)
    assert stage.said("a") == ["down b"]
    assert stage.said("b") == ["down a"]
    stage.act(End(1))
    stage.run(LATEST)
    assert (stage.said("a"), stage.said("b")) == (["up b"], ["up a"])


def test_a_joiner_is_reached_by_the_links_that_are_whole() -> None:
    stage = Stage("a", "b")
    stage.act(begin(1, CUT, ("c", "a"), AB))
    stage.run(SECOND)
    stage.said("a")
    stage.act(Start(("c",), ("a", "b", "c")))
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == (["up c"], ["up c"])
    assert sorted(stage.said("c")) == ["down a", "up b"]


def test_a_paused_node_shakes_no_hands_until_it_wakes() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Pause("b")))
    stage.act(Reset(2, (AB,)))
    stage.run(SECOND)
    assert stage.said("a") == ["down b"]
    stage.act(End(1))
    stage.run(LATEST)
    assert stage.said("a") == ["up b"]
