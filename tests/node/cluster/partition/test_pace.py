"""What streams put under way: little where heartbeats would wait for it, more over a long way, never a flood."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.node.cluster.partition.pair_of_members import Pair, data_of

from shaketable.node.cluster.partition.streams.pace import BESIDE_THE_DATA, Pace
from shaketable.node.config import DEFAULT, FAST, Settings
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.messages import LARGEST_CHUNK, Chunk, ChunkReceived, Heartbeat, Message


def test_the_first_chunk_is_small_and_alone() -> None:
    pair = Pair()
    pair.both("s", data_of(1_000_000))
    assert [len(chunk.data) for chunk in pair.chunks] == [256]


def under_way(pair: Pair) -> int:
    """The most chunks that were unacknowledged at once."""
    most = sent = acknowledged = 0
    moments = [(at, 1, m.number) for at, m in pair.nodes[0].sent if isinstance(m, Chunk)]
    moments += [(at + pair.back.latency, 0, m.number) for at, m in pair.nodes[1].sent if isinstance(m, ChunkReceived)]
    for _, leaves, number in sorted(moments):
        sent, acknowledged = (number, acknowledged) if leaves else (sent, number)
        most = max(most, sent - acknowledged)
    return most


@pytest.mark.parametrize(("base", "chunks"), [(FAST, 2), (DEFAULT, 32)])
def test_on_a_clean_link_the_chunks_grow_and_then_their_number(base: Settings, chunks: int) -> None:
    """Half of the heartbeat timeout lets as many pass on a link of 20,000 bytes a second; but two at least, and no
    more than a real link takes."""
    pair = Pair(base)
    pair.both("s", data_of(3_000_000))
    pair.run()
    sizes = [len(chunk.data) for chunk in pair.chunks]
    assert sizes[:-1] == sorted(sizes[:-1])
    assert sizes[-2] == LARGEST_CHUNK
    assert under_way(pair) == chunks


def test_over_a_long_way_more_are_under_way() -> None:
    pair = Pair(FAST)
    pair.there.latency = pair.back.latency = 100 * MILLISECOND
    pair.both("s", data_of(20_000_000))
    pair.until_ended()
    assert under_way(pair) == 32
    assert pair.world.time < 12 * SECOND, "one chunk a round trip would take four minutes"


@pytest.mark.parametrize("after", range(400, 4000, 400))
def test_a_way_that_becomes_longer_in_the_middle_does_not_slow_it_down_for_long(after: Micros) -> None:
    pair = Pair(FAST)
    pair.both("s", data_of(5_000_000))
    pair.world.run(after)
    pair.there.latency = pair.back.latency = 10 * MILLISECOND
    pair.until_ended()
    assert pair.world.time < 2 * SECOND


def heartbeats(pair: Pair, sender: int) -> None:
    """As the heartbeat service would send them."""
    me, to = pair.members[sender], pair.members[1 - sender]
    interval = pair.nodes[0].membership.settings.heartbeat_interval

    def beat() -> None:
        pair.nodes[sender].send(to.address, Heartbeat(me, to.uuid, me.address, 1, pair.world.time))
        pair.world.later(interval, beat)

    beat()


class Delays:
    """How much later than on an empty link a heartbeat arrives."""

    def __init__(self, pair: Pair) -> None:
        self.longest: Micros = 0
        for node in pair.nodes:
            node.handle = self._watching(pair, node.handle)

    def _watching(self, pair: Pair, handle: Any) -> Any:
        def received(message: Message) -> None:
            if isinstance(message, Heartbeat):
                self.longest = max(self.longest, pair.world.time - message.cluster_time)
            handle(message)

        return received


@pytest.mark.parametrize(
    ("base", "rate", "claimed"),
    [
        # The smallest chunk, and half of it more to see whether the link bears that.
        (FAST, 4_000, 201 * MILLISECOND),
        (FAST, 10_000, 81 * MILLISECOND),
        # An eighth of an interval, doubled at most before the first late acknowledgement comes.
        (FAST, 100_000, 63 * MILLISECOND),
        (FAST, 1_000_000, 63 * MILLISECOND),
        (DEFAULT, 1_000, 1800 * MILLISECOND),
        (DEFAULT, 4_000, 1400 * MILLISECOND),
        (DEFAULT, 100_000, 1250 * MILLISECOND),
    ],
)
def test_on_a_thin_link_a_heartbeat_waits_for_a_part_of_its_interval(
    base: Settings, rate: int, claimed: Micros
) -> None:
    pair = Pair(base)
    pair.there.rate = pair.back.rate = rate
    delays = Delays(pair)
    heartbeats(pair, 0)
    heartbeats(pair, 1)
    size = 30 * rate if base is FAST else 300 * rate
    pair.both("s", data_of(size))
    pair.until_ended()
    assert pair.got == [("s", data_of(size))]
    alone = 260 * SECOND // rate
    assert delays.longest - alone <= claimed
    assert pair.world.time < 3 * size * SECOND // rate, "and the link is used"


def test_a_link_that_becomes_thin_in_the_middle_is_filled_with_no_more_than_was_under_way() -> None:
    pair = Pair(FAST)
    pair.both("s", data_of(3_000_000))
    pair.world.run(5 * MILLISECOND)
    assert len(pair.chunks[-1].data) == LARGEST_CHUNK
    pair.there.rate = pair.back.rate = 20_000
    delays = Delays(pair)
    heartbeats(pair, 0)
    pair.until_ended()
    assert pair.got == [("s", data_of(3_000_000))]
    assert delays.longest < 2 * SECOND
    numbers = [chunk.number for chunk in pair.chunks]
    assert numbers == list(range(1, len(numbers) + 1)), "nothing was sent again"


def test_nothing_is_sent_again_while_it_may_still_be_under_way() -> None:
    pair = Pair(FAST)
    pair.there.rate = 500
    pair.both("s", data_of(3_000))
    pair.until_ended()
    assert pair.got == [("s", data_of(3_000))]
    assert len({chunk.number for chunk in pair.chunks}) == len(pair.chunks)


def test_after_a_rest_a_link_begins_anew() -> None:
    pair = Pair()
    for name, rest in (("a", 0), ("b", SECOND), ("c", 6 * SECOND)):
        pair.run(rest)
        pair.both(name, data_of(3_000_000))
        pair.until_ended(len(pair.got) + 1)
    first = {name: next(len(c.data) for c in pair.chunks if c.stream == name) for name in ("a", "b", "c")}
    assert first == {"a": 256, "b": LARGEST_CHUNK, "c": 256}


# Busy processors


def busy(pair: Pair, mean: Micros) -> None:
    """All that leaves or comes waits for its turn: for as long whether it is large or small."""
    draw = random.Random(7)

    def stir() -> None:
        for wire in (pair.there, pair.back):
            wire.latency = 200 + round(draw.expovariate(2 / mean))
        pair.world.later(5 * MILLISECOND, stir)

    stir()


@pytest.mark.parametrize(
    ("mean", "size", "claimed"),
    [(50 * MILLISECOND, 40_000, 2), (50 * MILLISECOND, 1_000_000, 12), (100 * MILLISECOND, 40_000, 6)],
)
def test_where_all_is_late_by_chance_the_chunks_do_not_stay_small(mean: Micros, size: int, claimed: int) -> None:
    pair = Pair(FAST)
    busy(pair, mean)
    pair.both("s", data_of(size))
    pair.until_ended()
    assert pair.got == [("s", data_of(size))]
    assert pair.world.time < claimed * SECOND


INTERVAL, TIMEOUT = FAST.heartbeat_interval, FAST.heartbeat_timeout


class Link:
    """What a pace makes of acknowledgements that take as long as they are said to, one chunk at a time."""

    def __init__(self) -> None:
        self.pace = Pace(INTERVAL, TIMEOUT)
        self.now: Micros = 3600 * SECOND
        self.pace.begin(self.now)

    def send(self, count: int, took: Callable[[int], Micros]) -> list[int]:
        """`took` of so many bytes; the chunks' sizes."""
        sizes = []
        for _ in range(count):
            sizes.append(self.pace.chunk)
            size = self.pace.chunk + BESIDE_THE_DATA
            self.now += took(size)
            self.pace.acknowledged(size, size, took(size), self.now)
        return sizes


def test_a_delay_that_is_the_same_with_less_is_not_the_link_s() -> None:
    link = Link()
    assert link.send(20, lambda size: MILLISECOND)[-1] == LARGEST_CHUNK
    sizes = link.send(20, lambda size: 60 * MILLISECOND)
    assert min(sizes) > 2000, "nor does it fall to the smallest to find that out"
    assert set(sizes[8:]) == {LARGEST_CHUNK}


def test_a_delay_that_grows_with_the_size_is_the_link_s() -> None:
    link = Link()
    assert link.send(20, lambda size: MILLISECOND)[-1] == LARGEST_CHUNK
    rate = 100_000
    sizes = link.send(200, lambda size: MILLISECOND + size * SECOND // rate)
    assert max(sizes[1:]) * SECOND // rate < 2 * INTERVAL // 8
    assert min(sizes) > 600, "and as much as the link has carried in time leaves at once"


def test_a_link_that_is_narrow_and_late_is_narrow() -> None:
    link = Link()
    assert link.send(20, lambda size: MILLISECOND)[-1] == LARGEST_CHUNK
    rate = 40_000
    sizes = link.send(200, lambda size: 60 * MILLISECOND + size * SECOND // rate)
    assert max(sizes[10:]) * SECOND // rate < INTERVAL // 2
