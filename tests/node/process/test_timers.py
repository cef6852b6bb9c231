"""A node's timers are never early by its own clock, and follow it when it is set."""

import asyncio
import random

from tests.node.process.process_helpers import in_loop
from tests.waiting import until

from shaketable.node.process.outlink import monotonic
from shaketable.node.process.timers import MOST_AT_ONCE, Timers
from shaketable.node.shaking.clock import NodeClock


def make() -> tuple[NodeClock, Timers]:
    clock = NodeClock(monotonic)
    return clock, Timers(asyncio.get_running_loop(), clock, monotonic, lambda act, _: act())


@in_loop
async def test_never_early_while_the_clock_is_set() -> None:
    clock, timers = make()
    rng = random.Random(3)
    early: list[int] = []
    ran = 0

    def start(delay: int) -> None:
        due = clock.now() + delay

        def fire() -> None:
            nonlocal ran
            ran += 1
            if clock.now() < due:
                early.append(due)

        timers.call_later(delay, fire)

    for n in range(2000):
        start(rng.randrange(300_000))
        if n % 100 == 0:
            clock.set_rate(rng.randrange(-300_000, 300_000))
            timers.look_again()
            await asyncio.sleep(0.001)
    await until(lambda: ran == 2000)
    assert not early


@in_loop
async def test_a_jump_makes_due_what_it_passes() -> None:
    clock, timers = make()
    ran: list[str] = []
    timers.call_later(3_600_000_000, lambda: ran.append("an hour"))
    timers.call_later(7_200_000_000, lambda: ran.append("two hours"))
    clock.jump(3_600_000_000)
    timers.look_again()
    await until(lambda: ran)
    assert ran == ["an hour"]


@in_loop
async def test_a_cancelled_timer_does_not_run_and_an_earlier_one_comes_first() -> None:
    _, timers = make()
    ran: list[int] = []
    late = timers.call_later(30_000, lambda: ran.append(1))
    timers.call_later(40_000, lambda: ran.append(2))
    timers.call_later(1_000, lambda: ran.append(3))
    late.cancel()
    await until(lambda: len(ran) == 2)
    assert ran == [3, 2]


@in_loop
async def test_a_timer_that_starts_itself_without_delay_starves_nobody() -> None:
    _, timers = make()
    count = 0

    def again() -> None:
        nonlocal count
        count += 1
        timers.call_later(0, again)

    again()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert 0 < count <= 3 * MOST_AT_ONCE
    timers.stop()
    before = count
    await asyncio.sleep(0.01)
    assert count == before
