"""Crash points: a node holds at a named event, before its step's messages leave or after so many of them."""

from __future__ import annotations

import pytest
from tests.harness.worlds.sim.sim_helpers import Stage, leave_at_once, told

from shaketable.harness.faults.actions import Begin, End, Kill, Restart
from shaketable.harness.faults.table import Hold, Pause
from shaketable.harness.records import NodeEnded
from shaketable.node.core.env import SECOND
from shaketable.node.events import Held, Leaving, Released
from shaketable.node.messages import Heartbeat


def holding(after: int | None, *, nth: int = 1, number: int = 1) -> Begin:
    return Begin(number, Hold("a", "Leaving", after, nth))


def leaving_step(stage: Stage, *numbers: int) -> None:
    """a reports Leaving in the middle of a step in which it sends to b."""
    node, me = stage.world.nodes["a"], stage["a"].me
    env = node.env

    def step() -> None:
        env.send(stage.address("b"), Heartbeat(me, "", None, 0, 0))
        env.report(Leaving())
        for number in numbers:
            env.send(stage.address("b"), Heartbeat(me, "", None, number, 0))

    stage.world.heap.later(0, node, step)


@pytest.mark.parametrize(
    ("after", "arrives", "handed_over"),
    [(None, [], 0), (0, [], 0), (1, [0], 1), (2, [0, 1], 2), (3, [0, 1, 2], 3), (9, [0, 1, 2], 3)],
)
def test_a_hold_lets_exactly_so_many_of_the_step_s_messages_out(
    after: int | None, arrives: list[int], handed_over: int
) -> None:
    stage = Stage("a", "b")
    stage.act(holding(after))
    leaving_step(stage, 1, 2)
    stage.send("a", "b", 7)
    stage.run(SECOND)
    assert stage.said("b") == [f"heartbeat {i}" for i in arrives]
    (held,) = [r.event for r in stage.world.records if isinstance(r.event, Held)]
    assert held == Held(1, "Leaving", handed_over)
    stage.act(End(1))
    stage.run(SECOND)
    rest = [i for i in (0, 1, 2) if i not in arrives]
    assert stage.said("b") == [f"heartbeat {i}" for i in (*rest, 7)]
    assert told(stage, Released) == 1


def test_a_held_node_executes_nothing_and_goes_on_where_it_was() -> None:
    stage = Stage("a", "b")
    stage.act(holding(None))
    leaving_step(stage)
    stage.world.nodes["a"].env.call_later(SECOND, lambda: stage["a"].hears("timer"))
    stage.run(SECOND // 2)
    stage.send("b", "a", 1)
    stage.run(SECOND)
    assert stage.said("a") == []
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.said("a") == ["heartbeat 1", "timer"]


def test_a_hold_waits_for_the_nth_event() -> None:
    stage = Stage("a", "b")
    stage.act(holding(None, nth=3))
    for _ in range(2):
        leaving_step(stage)
    stage.run(SECOND)
    assert told(stage, Held) == 0
    leaving_step(stage)
    stage.run(SECOND)
    assert told(stage, Held) == 1
    assert stage.said("b") == ["heartbeat 0"] * 2


def test_two_holds_of_one_step_hold_it_twice() -> None:
    stage = Stage("a", "b")
    stage.act(holding(2, number=1))
    stage.act(holding(1, number=2))
    leaving_step(stage, 1)
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 0"]
    stage.act(End(2))
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 1"]
    stage.act(End(1))
    stage.run(SECOND)
    assert (told(stage, Held), told(stage, Released)) == (2, 2)
    leaving_step(stage)
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 0"]


def test_a_held_node_can_be_killed_and_the_rest_of_its_messages_with_it() -> None:
    stage = Stage("a", "b")
    stage.act(holding(1))
    leaving_step(stage, 1, 2)
    stage.run(SECOND)
    stage.act(Kill("a"))
    stage.run(SECOND)
    assert stage.said("b") == ["heartbeat 0", "down a"]


def test_a_held_node_can_be_paused_and_is_released_when_it_wakes() -> None:
    stage = Stage("a", "b")
    stage.act(holding(None))
    leaving_step(stage)
    stage.run(SECOND)
    stage.act(Begin(2, Pause("a")))
    stage.act(End(1))
    stage.run(SECOND)
    assert (stage.said("b"), told(stage, Released)) == ([], 0)
    stage.act(End(2))
    stage.run(SECOND)
    assert (stage.said("b"), told(stage, Released)) == (["heartbeat 0"], 1)


def test_a_held_node_still_shakes_hands() -> None:
    stage = Stage("a", "b")
    stage.act(holding(None))
    leaving_step(stage)
    stage.run(SECOND)
    stage.act(Kill("b"))
    stage.act(Restart("b"))
    stage.run(SECOND)
    assert stage.said("b") == ["up a"]


def test_who_holds_at_its_last_event_has_not_ended_yet() -> None:
    stage = Stage("a", "b")
    stage.act(Begin(1, Hold("a", "Stopped")))
    stage.world.heap.later(0, stage.world.nodes["a"], lambda: leave_at_once(stage, "a"))
    stage.run(SECOND)
    assert (told(stage, Held), told(stage, NodeEnded)) == (1, 0)
    stage.act(End(1))
    stage.run(SECOND)
    assert told(stage, NodeEnded) == 1
