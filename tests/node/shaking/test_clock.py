"""A node's clock follows true time, jumps and drifts, and a timer by it is never early."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaketable.node.shaking.clock import NodeClock


class Truth:
    def __init__(self) -> None:
        self.time = 1_000

    def __call__(self) -> int:
        return self.time


def test_it_reads_true_time_until_told_otherwise() -> None:
    true = Truth()
    clock = NodeClock(true)
    assert clock.now() == 1_000
    true.time = 5_000
    assert clock.now() == 5_000
    assert clock.true_time_of(7_500) == 7_500


def test_a_jump_stays_and_a_rate_holds_from_now_on() -> None:
    true = Truth()
    clock = NodeClock(true)
    clock.jump(10_000)
    assert clock.now() == 11_000
    clock.set_rate(100_000)
    true.time += 10_000
    assert clock.now() == 11_000 + 11_000
    clock.set_rate(0)
    true.time += 10_000
    assert clock.now() == 32_000


def test_what_would_go_back_is_refused() -> None:
    clock = NodeClock(Truth())
    with pytest.raises(ValueError, match="go back"):
        clock.jump(-1)
    with pytest.raises(ValueError, match="stands still"):
        clock.set_rate(-1_000_000)


@given(
    changes=st.lists(
        st.tuples(st.integers(0, 10**7), st.integers(0, 10**8), st.integers(-999_999, 3_000_000)), max_size=8
    ),
    ahead=st.integers(0, 10**9),
)
def test_the_true_time_of_a_local_time_is_the_first_and_never_early(
    changes: list[tuple[int, int, int]], ahead: int
) -> None:
    true = Truth()
    clock = NodeClock(true)
    for passes, jump, ppm in changes:
        before = clock.now()
        true.time += passes
        assert clock.now() >= before
        clock.jump(jump)
        clock.set_rate(ppm)
        assert clock.now() >= before + jump
    now, due = true.time, clock.now() + ahead
    when = clock.true_time_of(due)
    assert when >= now
    true.time = when
    assert clock.now() >= due
    if when > now:
        true.time = when - 1
        assert clock.now() < due
