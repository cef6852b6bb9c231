"""A filter drops, holds back or delays messages by their kind and receiver, and says when it first did."""

from shaketable.node.events import FilterMatched
from shaketable.node.messages import LeaveAnswer, LeaveRequest, Member, Message
from shaketable.node.shaking.filters import FilterAct, MessageFilters, Route

A, B = "127.0.0.1:5701", "127.0.0.1:5702"
ME = Member("127.0.0.1:5703", "me")


def leave(n: int) -> Message:
    return LeaveRequest(ME, n)


def answer(n: int) -> Message:
    return LeaveAnswer(ME, "me", n)


def test_without_a_filter_all_is_handed_over() -> None:
    assert MessageFilters().route(A, leave(1)) == Route(True)


def test_a_drop_is_by_kind_and_receiver_and_reported_once() -> None:
    filters = MessageFilters()
    filters.arm(7, FilterAct.DROP, ["leaverequest"], [A])
    assert filters.route(A, leave(1)) == Route(False, first=(FilterMatched(7, "leaverequest", A),))
    assert filters.route(A, leave(2)) == Route(False)
    assert filters.route(B, leave(3)) == Route(True)
    assert filters.route(A, answer(4)) == Route(True)
    assert filters.disarm(7) == []
    assert filters.route(A, leave(5)) == Route(True)


def test_a_count_is_used_up() -> None:
    filters = MessageFilters()
    filters.arm(1, FilterAct.DROP, count=2)
    assert [filters.route(A, leave(n)).hand_over for n in range(4)] == [False, False, True, True]


def test_what_is_held_back_comes_in_order_at_the_end() -> None:
    filters = MessageFilters()
    filters.arm(1, FilterAct.HOLD_BACK, ["leaverequest"], count=2)
    for n in range(3):
        filters.route(A if n else B, leave(n), n)
    assert filters.disarm(1) == [(B, leave(0), 0), (A, leave(1), 1)]
    assert filters.disarm(1) == []


def test_a_message_that_two_hold_waits_for_the_last() -> None:
    filters = MessageFilters()
    filters.arm(1, FilterAct.HOLD_BACK)
    filters.route(A, leave(1))
    filters.arm(2, FilterAct.HOLD_BACK, ["leaverequest"])
    filters.route(A, leave(2))
    filters.route(A, answer(3))
    assert filters.disarm(1) == [(A, leave(1), 0), (A, answer(3), 0)]
    assert filters.disarm(2) == [(A, leave(2), 0)]


def test_the_worst_filter_wins_and_each_that_matches_counts() -> None:
    filters = MessageFilters()
    filters.arm(1, FilterAct.DELAY, delay=5)
    filters.arm(2, FilterAct.DELAY, ["leaverequest"], delay=9)
    assert filters.route(A, leave(1)).delay == 9
    assert filters.route(A, answer(1)).delay == 5
    filters.arm(3, FilterAct.HOLD_BACK, count=1)
    filters.arm(4, FilterAct.DROP, count=1)
    assert filters.route(A, leave(2)).hand_over is False
    assert filters.disarm(3) == []
    assert filters.route(A, leave(3)) == Route(True, 9)
