"""A shell lets out what a step reports before what it sends, holds where it was told to, and ends a node that raises.

Its world is a list of what it was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.reasons import reason_in

from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import Leaving, LinkUp, Started, Stopped
from shaketable.node.events.base import Cause, Mark, cause_of
from shaketable.node.messages import Address, LeaveRequest, Member, Message
from shaketable.node.shaking.filters import FilterAct
from shaketable.node.shaking.shell import Report, Sent, Shell

A, B = "10.0.0.1:5701", "10.0.0.2:5701"
ME = Member(A, "me")


class World:
    """`asked`: "1 Leaving", "put 1 2 to B", "hold", "stopped", ..."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.causes: list[Cause | None] = []
        self.marks: list[Mark] = []
        """of what was put"""
        self.time: Micros = 0
        self.on_hold: Callable[[], None] = lambda: None
        self.shell = Shell(self, "seed")

    def true_now(self) -> Micros:
        return self.time

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer:
        raise NotImplementedError

    def timers_anew(self) -> None:
        self.asked.append("timers anew")

    def forget_timers(self) -> None:
        self.asked.append("forget timers")

    def tell(self, reports: Sequence[Report]) -> None:
        self.asked += [f"{sequence} {type(event).__name__}" for _, sequence, event, _ in reports]
        self.causes += [report.cause for report in reports]

    def put(self, to: Address, messages: Sequence[Sent]) -> None:
        self.marks += [mark for _, mark in messages]
        self.asked.append(f"put {_numbers([message for message, _ in messages])} to {'AB'[to == B]}")

    def put_later(self, delay: Micros, to: Address, message: Sent) -> None:
        self.asked.append(f"put {_numbers([message[0]])} after {delay}")

    def disconnect(self, to: Address) -> None:
        self.asked.append("disconnect")

    def hold(self) -> None:
        self.asked.append("hold")
        self.on_hold()

    def stopped(self, event: Stopped) -> None:
        self.asked.append("stopped")

    def failed(self, error: BaseException) -> None:
        self.asked.append(f"failed {error}")

    def step(self, *does: int | str | Exception | None, end: bool = False) -> list[str]:
        """Numbers are messages to B, strings addresses whose link came up, None hangs up to B. Gives all that was asked
        for since the last time."""

        def act() -> None:
            for each in does:
                if isinstance(each, int):
                    self.shell.send(B, _message(each))
                elif isinstance(each, str):
                    self.shell.report(LinkUp(each))
                elif each is None:
                    self.shell.disconnect(B)
                else:
                    raise each
            if end:
                self.shell.report(Stopped(*reason_in("left")))

        self.shell.step(act)
        return self.said()

    def said(self) -> list[str]:
        asked, self.asked = self.asked, []
        return asked


def _message(number: int) -> LeaveRequest:
    return LeaveRequest(ME, number)


def _numbers(messages: Sequence[Message]) -> str:
    return " ".join(str(message.request) for message in messages if isinstance(message, LeaveRequest))


def test_reports_leave_before_messages_and_messages_to_one_address_in_one_go() -> None:
    assert World().step(1, A, 2, B) == ["1 LinkUp", "2 LinkUp", "put 1 2 to B"]


def test_messages_and_hang_ups_leave_in_their_order() -> None:
    assert World().step(1, None, 2, 3, A) == ["1 LinkUp", "put 1 to B", "disconnect", "put 2 3 to B"]


def test_a_hang_up_is_no_message_that_a_hold_counts() -> None:
    world = World()
    world.shell.arm_hold(1, "LinkUp", 1, 1, ())
    assert world.step(None, 1, None, 2, A) == ["1 LinkUp", "disconnect", "put 1 to B", "2 Held", "hold"]
    world.shell.release(1)
    world.shell.go_on()
    assert world.said() == ["3 Released", "disconnect", "put 2 to B"]


def test_each_report_names_what_began_its_step() -> None:
    world, heartbeat = World(), cause_of("Heartbeat", 7, "uuid")
    world.shell.step(lambda: world.shell.report(Leaving()), heartbeat)
    world.shell.step(lambda: world.shell.report(Leaving()))
    assert world.causes == [heartbeat, None]
    assert heartbeat == Cause("Heartbeat", after=3, told=True, sender="uuid")


def test_a_message_carries_how_much_had_been_told_when_it_was_sent_and_whether_in_its_step() -> None:
    world = World()
    world.step(1, A, 2, B, 3)
    assert [(mark >> 1, mark & 1) for mark in world.marks] == [(0, 0), (1, 1), (2, 1)]
    world.step(4, A, 5)
    assert [(mark >> 1, mark & 1) for mark in world.marks[3:]] == [(2, 0), (3, 1)]


def test_a_step_in_the_middle_of_a_step_waits_for_its_end() -> None:
    world = World()

    def act() -> None:
        world.shell.step(lambda: world.shell.send(B, _message(2)))
        world.shell.send(B, _message(1))

    world.shell.step(act)
    assert world.said() == ["put 1 to B", "put 2 to B"]


def test_what_is_reported_and_sent_between_two_steps_leaves_at_once() -> None:
    world = World()
    world.shell.report(Leaving())
    world.shell.send(B, _message(1))
    assert world.said() == ["1 Leaving", "put 1 to B"]


def test_a_report_is_of_the_identity_that_started_last() -> None:
    world = World()
    world.shell.incarnation = "first"
    world.shell.report(Leaving())
    assert world.shell.incarnation == "first"
    world.shell.report(Started(Member(A, "second")))
    assert world.shell.incarnation == "second"


def test_of_a_step_that_raises_nothing_leaves_but_its_reports_and_it_is_the_last() -> None:
    world = World()
    assert world.step(1, A, KeyError("n2")) == ["1 LinkUp", "2 Failed", "failed 'n2'"]
    assert world.step(2) == []


def test_who_stops_ends_after_its_messages() -> None:
    world = World()
    assert world.step(1, end=True) == ["1 Stopped", "put 1 to B", "stopped"]
    assert world.step(2) == []


def test_a_world_that_cannot_block_goes_on_after_the_release() -> None:
    world = World()
    world.shell.arm_hold(7, "LinkUp", 1, 1, ())
    assert world.step(1, A, 2, end=True) == ["1 LinkUp", "2 Stopped", "put 1 to B", "3 Held", "hold"]
    assert world.shell.release(7)
    assert world.said() == ["4 Released"]
    world.shell.go_on()
    assert world.said() == ["put 2 to B", "stopped"]


def test_a_world_that_blocks_goes_on_in_the_same_step() -> None:
    world = World()

    def release() -> None:
        world.shell.release(7)

    world.on_hold = release
    world.shell.arm_hold(7, "LinkUp", None, 1, ())
    assert world.step(1, A) == ["1 LinkUp", "2 Held", "hold", "3 Released", "put 1 to B"]


def test_a_hold_that_is_released_before_it_is_come_to_holds_nobody() -> None:
    """Two of one step: while the node holds at the first one the other ends."""
    world = World()
    world.shell.arm_hold(1, "LinkUp", None, 1, ())
    world.shell.arm_hold(2, "LinkUp", 1, 1, ())
    assert world.step(1, A, 2) == ["1 LinkUp", "2 Held", "hold"]
    assert not world.shell.release(2)
    assert world.shell.release(1)
    world.shell.go_on()
    assert world.said() == ["3 Released", "put 1 2 to B"]


def test_filters_see_each_message_as_it_leaves_and_a_hold_counts_those_that_they_keep() -> None:
    world = World()
    world.shell.filters.arm(3, FilterAct.DROP, count=1)
    world.shell.filters.arm(4, FilterAct.DELAY, count=2, delay=500)
    world.shell.arm_hold(5, "LinkUp", 2, 1, ())
    assert world.step(1, A, 2, 3) == [
        "1 LinkUp", "2 FilterMatched", "3 FilterMatched", "put 2 after 500", "4 Held", "hold",
    ]  # fmt: skip
    world.shell.release(5)
    world.shell.go_on()
    assert world.said() == ["5 Released", "put 3 to B"]


def test_a_hold_at_what_a_filter_tells_holds_at_the_end_of_that_step() -> None:
    world = World()
    world.shell.filters.arm(3, FilterAct.DROP)
    world.shell.arm_hold(4, "FilterMatched", None, 1, ())
    assert world.step(1, 2) == ["1 FilterMatched", "2 Held", "hold"]
    world.shell.release(4)
    world.shell.go_on()
    assert world.said() == ["3 Released"]


def test_what_a_filter_held_back_waits_for_the_end_of_a_hold() -> None:
    world = World()
    world.shell.filters.arm(3, FilterAct.HOLD_BACK, count=2)
    assert world.step(1) == ["1 FilterMatched"]
    assert world.step(2) == []

    def release() -> None:
        world.shell.disarm_filter(3)
        world.shell.release(7)

    world.on_hold = release
    world.shell.arm_hold(7, "LinkUp", None, 1, ())
    assert world.step(A, 3) == ["2 LinkUp", "3 Held", "hold", "4 Released", "put 3 to B", "put 1 to B", "put 2 to B"]


def test_what_a_filter_held_back_goes_at_once_where_nothing_holds() -> None:
    world = World()
    world.shell.filters.arm(3, FilterAct.HOLD_BACK)
    assert world.step(1) == ["1 FilterMatched"]
    world.shell.disarm_filter(3)
    assert world.said() == ["put 1 to B"]


def test_a_clock_that_is_set_has_its_timers_looked_at_anew() -> None:
    world = World()
    world.shell.set_clock(1000, 0)
    assert (world.shell.now(), world.said()) == (1000, ["timers anew"])
