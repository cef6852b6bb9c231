"""What chaos does to a simulated node: pauses, clocks, filters, crash points, leaving, and a step that raises."""

from __future__ import annotations

import pytest
from tests.harness.worlds.sim.sim_helpers import Stage, leave_at_once, told
from tests.reasons import gone, reason_in

from shaketable.harness.faults.actions import Begin, Command, End, Kill, Leave, NoEffect, Receipt, Restart
from shaketable.harness.faults.link_kinds import SLOW
from shaketable.harness.faults.links import LinkState
from shaketable.harness.faults.node_kinds import DELAY, DROP, HOLD_BACK
from shaketable.harness.faults.table import ClockFault, Hold, LinkFault, MessageFault, Pause
from shaketable.harness.records import NodeEnded
from shaketable.node.core.commands import TakeStockCommand
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import Failed, FilterMatched, Leaving, Stopped
from shaketable.node.messages import Message

# Pause


def test_a_paused_node_takes_messages_and_due_timers_in_their_order_when_it_wakes() -> None:
    stage = Stage("a", "b")
    b = stage.world.nodes["b"].env
    stage.act(Begin(1, Pause("b")))
    b.call_later(5 * SECOND, lambda: stage["b"].hears("timer"))
    for number in (1, 2):
        stage.send("a", "b", number)
        stage.run(3 * SECOND)
    stage.send("a", "b", 3)
    stage.run(SECOND)
    assert stage.said("b") == []
    stage.act(End(1))
    stage.send("a", "b", 4)
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1", "heartbeat 2", "timer", "heartbeat 3", "heartbeat 4"]


def test_its_clock_runs_on() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Pause("b")))
    stage.run(7 * SECOND)
    assert stage.world.nodes["b"].env.now() == stage.world.time


def test_of_two_pauses_the_end_of_one_leaves_the_other() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Pause("b")))
    stage.act(Begin(2, Pause("b")))
    stage.send("a", "b", 1)
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("b") == []
    stage.act(End(2))
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1"]


def test_a_timer_that_is_cancelled_while_the_node_sleeps_never_fires() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Pause("b")))
    timer = stage.world.nodes["b"].env.call_later(SECOND, lambda: stage["b"].hears("timer"))
    stage["b"].on_message = lambda message: timer.cancel()
    stage.send("a", "b", 1)
    stage.run(2 * SECOND)
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1"]


def test_a_paused_node_can_be_killed_and_its_successor_is_awake() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Pause("b")))
    stage.send("a", "b", 1)
    stage.run(SECOND)
    stage.act(Kill("b"))
    stage.act(Restart("b"))
    stage.run(SECOND)
    stage.said("b")
    stage.send("a", "b", 2)
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 2"]
    stage.act(End(1))
    stage.run(1)
    assert isinstance(stage.receipts[-1], NoEffect)


def test_who_is_told_to_leave_while_it_sleeps_hears_of_it_when_it_wakes() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Pause("b")))
    stage.act(Leave("b"))
    stage.run(SECOND)
    assert stage.said("b") == []
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("b") == ["leave"]


# Leaving


def test_the_receipt_of_a_leave_comes_when_the_node_has_ended() -> None:
    stage = Stage("a", "b")
    receipts = len(stage.receipts)
    stage.act(Leave("b"))
    stage.run(SECOND)
    assert len(stage.receipts) == receipts
    leave_at_once(stage, "b")
    stage.run(SECOND)
    assert stage.receipts[-1] == Receipt(stage.world.time - SECOND, "it said so and its process ended")
    assert stage.said("a") == ["down b"]


def test_a_leave_that_ends_in_a_kill_took_no_effect() -> None:
    stage = Stage("a", "b")
    stage.act(Leave("b"))
    stage.run(SECOND)
    stage.act(Kill("b"))
    stage.run(SECOND)
    assert [str(r) for r in stage.receipts if isinstance(r, NoEffect)] == ["it ended otherwise: killed"]


def test_who_has_stopped_hears_nothing_any_more() -> None:
    stage = Stage("a", "b")
    stage.send("a", "b", 1)
    leave_at_once(stage, "b")
    stage.run(SECOND)
    assert stage.said("b") == []


# Clocks


@pytest.mark.parametrize("rate_ppm", [0, 250_000, -250_000, 1, -1])
@pytest.mark.parametrize("jump", [0, 1, 90 * SECOND])
def test_a_timer_fires_at_the_first_moment_at_which_its_node_s_clock_says_so(jump: Micros, rate_ppm: int) -> None:
    stage = Stage("a", "b")
    env, fired = stage.world.nodes["a"].env, list[tuple[Micros, Micros]]()

    def set_timer(delay: Micros) -> None:
        due = env.now() + delay
        env.call_later(delay, lambda: fired.append((due, env.now())))

    for delay in (1, 999_999, 33 * SECOND):
        set_timer(delay)
    stage.run(SECOND // 2)
    stage.act(Begin(1, ClockFault("a", jump, rate_ppm)))
    set_timer(SECOND)
    stage.run(20 * SECOND)
    stage.act(End(1))
    set_timer(SECOND)
    stage.run(60 * SECOND)
    assert len(fired) == 5
    for due, at in fired:
        assert at >= due
        assert jump or at - due <= 1


def test_a_jump_makes_timers_due_at_once_and_others_clocks_stay() -> None:
    stage = Stage("a", "b")
    stage.world.nodes["a"].env.call_later(10 * SECOND, lambda: stage["a"].hears("timer"))
    stage.world.nodes["b"].env.call_later(10 * SECOND, lambda: stage["b"].hears("timer"))
    stage.act(Begin(1, ClockFault("a", 20 * SECOND)))
    stage.run(1)
    assert (stage.said("a"), stage.said("b")) == (["timer"], [])


def test_the_end_of_a_rate_leaves_the_time_that_was_gained() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, ClockFault("a", rate_ppm=100_000)))
    stage.run(10 * SECOND)
    stage.act(End(1))
    stage.run(10 * SECOND)
    assert stage.world.nodes["a"].env.now() == stage.world.time + SECOND


def test_time_does_not_go_back_for_a_timer_that_a_slow_clock_has_due_at_once() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, ClockFault("a", rate_ppm=-500_000)))
    stage.run(SECOND + 1)
    begun = stage.world.time
    stage.world.nodes["a"].env.call_later(0, lambda: stage["a"].hears("timer"))
    stage.run(1)
    assert stage["a"].heard[-1] == (begun, "timer")


def test_a_clock_has_no_part_in_what_comes_by_the_network() -> None:
    stage = Stage("a", "b")
    stage.send("a", "b", 1)
    stage.act(Begin(1, LinkFault(SLOW, (("a", "b"),), LinkState(latency=10 * SECOND))))
    stage.run(SECOND)
    stage.act(Begin(2, ClockFault("b", 60 * SECOND)))
    stage.run(SECOND)
    assert stage.said("b") == []


def test_a_clock_has_no_part_in_how_long_a_filter_delays() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, MessageFault("a", DELAY, ("heartbeat",), (), 1, 10 * SECOND)))
    stage.send("a", "b", 1)
    stage.run(SECOND)
    stage.act(Begin(2, ClockFault("a", 60 * SECOND)))
    stage.run(SECOND)
    assert stage.said("b") == []


# Faults by kind of message


def test_a_filter_with_a_count_drops_so_many_and_no_more() -> None:
    stage = Stage("a", "b", "c")
    stage.act(Begin(1, MessageFault("a", DROP, ("heartbeat",), ("b",), 2)))
    stage.send_list("a", "b", 9)
    stage.send("a", "b", 1, 2, 3)
    stage.send("a", "c", 4)
    stage.send("b", "a", 5)
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b"), stage.said("c")) == (
        ["heartbeat 5"],
        ["membersupdate 9", "heartbeat 3"],
        ["heartbeat 4"],
    )
    assert told(stage, FilterMatched) == 1


def test_what_was_held_back_arrives_after_its_successors() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, MessageFault("a", HOLD_BACK, ("heartbeat",), (), 2)))
    stage.send("a", "b", 1, 2, 3)
    stage.run(SECOND)
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 3", "heartbeat 1", "heartbeat 2"]


def test_what_was_held_back_by_who_is_paused_waits_until_it_wakes() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, MessageFault("a", HOLD_BACK, ("heartbeat",))))
    stage.send("a", "b", 1)
    stage.run(SECOND)
    stage.act(Begin(2, Pause("a")))
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("b") == []
    stage.act(End(2))
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1"]


def test_a_delayed_message_leaves_later_and_holds_up_nobody() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, MessageFault("a", DELAY, ("heartbeat",), (), 1, SECOND)))
    stage.send("a", "b", 1, 2)
    stage.run(SECOND // 2)
    assert stage.said("b") == ["heartbeat 2"]
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1"]


def test_what_a_node_still_held_back_or_delayed_dies_with_it() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, MessageFault("a", HOLD_BACK, ("heartbeat",), (), 1)))
    stage.act(Begin(2, MessageFault("a", DELAY, ("heartbeat",), (), 2, SECOND)))
    stage.send("a", "b", 1, 2)
    stage.run(MILLISECOND)
    stage.act(Kill("a"))
    stage.run(5 * SECOND)
    assert stage.said("b") == ["down a"]


# Failing


@pytest.mark.parametrize("held", [False, True], ids=["", "with a hold armed"])
def test_a_step_that_raises_ends_its_node_and_no_other_and_what_it_sent_never_left(held: bool) -> None:
    stage = Stage("a", "b", "c")
    if held:
        stage.act(Begin(1, Hold("b", "Leaving")))

    def raises(message: Message) -> None:
        env = stage.world.nodes["b"].env
        env.send(stage.address("c"), message)
        env.report(Leaving())
        raise KeyError("n2")

    stage["b"].on_message = raises
    stage.send("a", "b", 1, 2)
    stage.run(SECOND)
    assert [r.event for r in stage.world.records if r.node == "b"][-1] == Failed(
        f"KeyError: 'n2' (test_sim_nodes.py:{raises.__code__.co_firstlineno + 4})"
    )
    ended = [r.event for r in stage.world.records if isinstance(r.event, NodeEnded)]
    assert ended == [NodeEnded("b", *gone("failed"))]
    assert (stage.said("a"), stage.said("b"), stage.said("c")) == (["down b"], ["heartbeat 1"], ["down b"])
    stage.send("a", "c", 3)
    stage.run(SECOND)
    assert stage.said("c") == ["heartbeat 3"]


def test_who_says_that_it_has_stopped_and_raises_has_failed() -> None:
    stage = Stage("a", "b")

    def raises(message: Message) -> None:
        stage.world.nodes["b"].env.report(Stopped(*reason_in("left")))
        raise KeyError("n2")

    stage["b"].on_message = raises
    stage.send("a", "b", 1)
    stage.run(SECOND)
    assert [r.event for r in stage.world.records if isinstance(r.event, NodeEnded)] == [NodeEnded("b", *gone("failed"))]


# Commands


def test_a_command_is_handed_over_and_is_no_fault() -> None:
    stage = Stage("a", "b")
    calm = stage.world.observed.calm
    stage.act(Command("b", TakeStockCommand()))
    stage.run(SECOND)
    assert (stage.said("a"), stage.said("b")) == ([], ["command"])
    assert stage.receipts[-1] == Receipt(stage.world.time - SECOND, "handed over")
    assert stage.world.observed.calm == calm
    assert stage.world.observed.faults == {}


def test_who_is_paused_takes_a_command_up_when_it_wakes_and_who_does_not_run_never() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Pause("b")))
    stage.act(Command("b", TakeStockCommand()))
    stage.run(SECOND)
    assert stage.said("b") == []
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("b") == ["command"]
    stage.act(Kill("b"))
    stage.act(Command("b", TakeStockCommand()))
    stage.run(SECOND)
    assert isinstance(stage.receipts[-1], NoEffect)
    assert str(stage.receipts[-1]) == "b is not running"
