"""Streams: all data arrive once and whole, over links that lose, double, delay and hardly carry anything."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.node.cluster.partition.pair_of_members import Pair, data_of
from tests.node.messages.messages_by_chance import member
from tests.reasons import reason_in

from shaketable.node.cluster.partition.streams.receiving import MOST_ENDED
from shaketable.node.config import DEFAULT, FAST, Settings
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import ChunkArrived, ChunkSent
from shaketable.node.messages import LARGEST_CHUNK, Chunk, ChunkReceived, Message


@pytest.mark.parametrize("size", [0, 1, 256, 257, LARGEST_CHUNK, 3_000_000])
def test_all_data_arrive_once(size: int) -> None:
    pair = Pair()
    pair.both("s", data_of(size))
    assert not pair.ended, "never within `send`"
    pair.run()
    assert pair.ended == [("s", True, "")]
    assert pair.got == [("s", data_of(size))]
    assert max(len(chunk.data) for chunk in pair.chunks) <= LARGEST_CHUNK
    sent = [event for event in pair.nodes[0].events if isinstance(event, ChunkSent)]
    arrived = [event for event in pair.nodes[1].events if isinstance(event, ChunkArrived)]
    assert [chunk.number for chunk in pair.chunks] == list(range(1, len(pair.chunks) + 1))
    told = [chunk.number for chunk in pair.chunks if not chunk.with_next]
    assert [event.number for event in sent] == [event.number for event in arrived] == told
    assert (told[0], told[-1]) == (1, len(pair.chunks))
    assert sum(event.bytes for event in arrived) == sent[-1].bytes == sent[-1].total == size
    assert [event.last for event in arrived] == [False] * (len(arrived) - 1) + [True]


@pytest.mark.parametrize(("base", "fewer"), [(FAST, False), (DEFAULT, True)])
def test_where_many_are_under_way_several_are_acknowledged_together(base: Settings, *, fewer: bool) -> None:
    pair = Pair(base)
    pair.both("s", data_of(3_000_000))
    pair.run()
    answers = [m.number for _, m in pair.nodes[1].sent if isinstance(m, ChunkReceived)]
    assert answers == [chunk.number for chunk in pair.chunks if not chunk.with_next]
    assert answers[:5] == [1, 2, 3, 4, 5], "while the link is not known each for itself"
    assert (len(answers) < len(pair.chunks) // 4) == fewer
    assert (len(answers) == len(pair.chunks)) == (not fewer)


def test_on_a_known_link_too_the_first_chunk_is_told_and_acknowledged_for_itself() -> None:
    pair = Pair()
    pair.both("a", data_of(3_000_000))
    pair.both("b", data_of(3_000_000))
    pair.run()
    for events in (pair.nodes[0].events, pair.nodes[1].events):
        told = [e.number for e in events if isinstance(e, ChunkSent | ChunkArrived) and e.stream == "b"]
        assert told[0] == 1
        assert told[1] > 2, "the link bears many"


def test_chunks_that_are_lost_out_of_the_middle_of_many_come_again() -> None:
    for lost in (9, 12, 31, 60, 61, 100):
        pair = Pair()
        pair.there.loses = losing(1, Chunk, lost)
        pair.both("s", data_of(3_000_000))
        pair.until_ended()
        assert pair.got == [("s", data_of(3_000_000))]
        told = [event.bytes for event in pair.nodes[1].events if isinstance(event, ChunkArrived)]
        assert sum(told) == 3_000_000


def test_an_empty_stream_is_one_last_chunk() -> None:
    pair = Pair()
    pair.both("s", b"")
    assert [(chunk.number, chunk.data, chunk.last) for chunk in pair.chunks] == [(1, b"", True)]


def test_streams_to_one_member_go_one_after_the_other() -> None:
    pair = Pair()
    for name in ("a", "b", "c"):
        pair.both(name, data_of(50_000))
    pair.run()
    assert [name for name, _ in pair.got] == ["a", "b", "c"]
    names = [chunk.stream for chunk in pair.chunks]
    assert names == sorted(names)


def test_the_receiver_has_acknowledged_the_last_chunk_before_it_is_told() -> None:
    pair = Pair()
    acknowledged: list[int] = []

    def told(data: bytes) -> None:
        acknowledged.extend(m.number for _, m in pair.nodes[1].sent if isinstance(m, ChunkReceived))

    pair.receiver.expect(pair.members[0], "s", told)
    pair.send("s", b"x")
    pair.run()
    assert acknowledged == [1]


# Losses


def losing(count: int, kind: type[Message], after: int = 0) -> Any:
    seen = [0]

    def loses(message: Message) -> bool:
        if not isinstance(message, kind):
            return False
        seen[0] += 1
        return after < seen[0] <= after + count

    return loses


@pytest.mark.parametrize("after", [0, 1, 7, 12])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("kind", [Chunk, ChunkReceived])
def test_what_is_lost_is_sent_again(kind: type[Message], count: int, after: int) -> None:
    pair = Pair(FAST)
    (pair.there if kind is Chunk else pair.back).loses = losing(count, kind, after)
    pair.both("s", data_of(200_000))
    pair.until_ended()
    assert pair.got == [("s", data_of(200_000))]
    assert pair.ended == [("s", True, "")]
    assert pair.world.time < 20 * SECOND


def test_a_lost_acknowledgement_costs_a_question_and_no_chunk() -> None:
    pair = Pair(FAST)
    pair.back.loses = losing(1, ChunkReceived)
    pair.both("s", b"x")
    pair.run()
    assert pair.ended == [("s", True, "")]
    assert [chunk.number for chunk in pair.chunks] == [1]
    assert pair.refusals() == []


def test_a_silent_receiver_is_asked_once_in_four_intervals() -> None:
    pair = Pair(FAST)
    pair.there.loses = lambda message: True
    pair.both("s", data_of(100_000))
    pair.run(14 * SECOND)
    asked = [at for at, m in pair.nodes[0].sent if isinstance(m, Chunk)]
    assert asked == [0, 500_000, *range(1_500_000, 14_000_001, 1_000_000)]


def test_a_link_that_is_up_again_is_asked_at_once() -> None:
    pair = Pair()
    pair.there.loses = lambda message: True
    pair.both("s", b"x")
    pair.run(SECOND)
    pair.there.loses = lambda message: False
    pair.sender.link_up(pair.members[1].address)
    pair.run(SECOND)
    assert pair.got == [("s", b"x")]


def test_a_link_that_comes_up_where_nothing_is_streamed_changes_nothing() -> None:
    pair = Pair()
    pair.sender.link_up(pair.members[1].address)
    pair.both("s", b"x")
    pair.until_ended()
    pair.sender.link_up(pair.members[1].address)
    pair.run()
    assert len([m for _, m in pair.nodes[0].sent if isinstance(m, Chunk)]) == 1


@given(
    st.integers(0, 300_000),
    st.integers(0, 1 << 32),
    st.floats(0, 0.6),
    st.floats(0, 0.6),
    st.floats(0, 0.3),
    st.sampled_from([None, None, 20_000]),
    st.sampled_from([200, 30_000]),
)
@settings(max_examples=80, deadline=None)
def test_data_arrive_exactly_once_and_whole(
    size: int, seed: int, lost: float, silent: float, twice: float, rate: int | None, latency: Micros
) -> None:
    pair = Pair(FAST)
    rng = random.Random(seed)
    for wire, chance in ((pair.there, lost), (pair.back, silent)):
        wire.rate, wire.latency = rate, latency
        wire.loses = lambda message, chance=chance: rng.random() < chance  # type: ignore[misc]
        wire.twice = lambda message: rng.random() < twice
    for name in ("a", "b"):
        pair.both(name, data_of(size) + name.encode())
    for _ in range(20):
        pair.world.run(rng.randrange(3 * SECOND))
        pair.sender.link_up(pair.members[1].address)
    pair.until_ended(2, 100_000 * SECOND)
    assert pair.got == [(name, data_of(size) + name.encode()) for name in ("a", "b")]
    assert pair.ended == [("a", True, ""), ("b", True, "")]
    pair.run(100 * SECOND)
    assert len(pair.ended) == len(pair.got) == 2


# What does not fit


def test_a_chunk_of_an_unknown_stream_ends_the_sending() -> None:
    pair = Pair()
    pair.send("s", data_of(10_000))
    pair.send("t", b"x")
    pair.run()
    assert pair.ended == [("s", False, "an unknown stream"), ("t", False, "an unknown stream")]
    assert pair.refusals() == ["an unknown stream"] * 2


def test_a_forgotten_stream_is_unknown() -> None:
    pair = Pair()
    pair.both("s", data_of(100_000))
    pair.run(MILLISECOND)
    pair.receiver.forget("s")
    pair.run()
    assert pair.ended == [("s", False, "an unknown stream")]
    assert pair.got == []


def test_another_sender_s_chunk_is_not_taken() -> None:
    pair = Pair()
    pair.receiver.expect(pair.members[1], "s", lambda data: pair.got.append(("s", data)))
    pair.send("s", b"x")
    pair.run()
    assert pair.got == []
    assert pair.refusals() == ["an unknown stream"]


def by_hand(pair: Pair, number: int, data: bytes = b"x", last: bool = False, target: str | None = None) -> None:
    me, to = pair.members
    pair.receiver.on_chunk(Chunk(me, target or to.uuid, "s", number, data, last))


def test_chunks_out_of_order_and_twice_are_refused_and_answered_with_how_far_it_is() -> None:
    pair = Pair()
    pair.expect("s")
    by_hand(pair, 2, b"two")
    by_hand(pair, 1, b"one")
    by_hand(pair, 1, b"again")
    by_hand(pair, 3, b"three", last=True)
    by_hand(pair, 2, b"two", last=True)
    by_hand(pair, 2, b"two", last=True)
    by_hand(pair, 0, b"")
    assert pair.got == [("s", b"onetwo")]
    assert pair.refusals() == [
        "number 1 has not come",
        "it has come already",
        "number 2 has not come",
        "the stream has ended",
    ]
    answers = [(m.number, str(m.refusal or "")) for _, m in pair.nodes[1].sent if isinstance(m, ChunkReceived)]
    assert answers == [(0, ""), (1, ""), (1, ""), (1, ""), (2, ""), (2, ""), (2, "")]


def test_who_is_no_member_is_not_heard() -> None:
    pair = Pair()
    pair.expect("s")
    by_hand(pair, 1, target=member(2, life=1).uuid)
    pair.receiver.on_chunk(Chunk(member(3), pair.members[1].uuid, "s", 1, b"x", True))
    pair.receiver.on_chunk(Chunk(member(1, life=1), pair.members[1].uuid, "s", 1, b"x", True))
    assert pair.got == []
    assert pair.nodes[1].sent == []
    pair.send("s", b"x")
    pair.sender.on_chunk_received(ChunkReceived(member(2, life=1), pair.members[0].uuid, "s", 1))
    pair.sender.on_chunk_received(ChunkReceived(pair.members[1], member(1, life=1).uuid, "s", 1))
    assert pair.ended == []


def test_acknowledgements_of_what_was_not_sent_are_ignored() -> None:
    pair = Pair()
    pair.expect("s")
    pair.send("s", data_of(10_000))
    for number in (0, 2, 1 << 60):
        pair.sender.on_chunk_received(ChunkReceived(pair.members[1], pair.members[0].uuid, "s", number))
    pair.sender.on_chunk_received(ChunkReceived(pair.members[1], pair.members[0].uuid, "other", 1, reason_in("no")))
    assert len(pair.chunks) == 1
    pair.run()
    assert pair.got == [("s", data_of(10_000))]


def test_so_many_ended_streams_are_remembered_and_no_more() -> None:
    pair = Pair()
    for number in range(MOST_ENDED + 1):
        pair.both(str(number), b"")
    pair.run()
    assert len(pair.ended) == len(pair.got) == MOST_ENDED + 1
    me, to = pair.members
    for name in ("0", "1"):
        pair.receiver.on_chunk(Chunk(me, to.uuid, name, 1, b"", True))
    assert pair.refusals() == ["an unknown stream", "the stream has ended"]


# Giving up


def test_what_is_cancelled_ends_without_a_word() -> None:
    pair = Pair()
    for name in ("a", "b", "c"):
        pair.both(name, data_of(100_000))
    pair.run(MILLISECOND)
    pair.sender.cancel("a")
    pair.sender.cancel("b")
    pair.sender.cancel("nobody's")
    pair.run()
    assert pair.ended == [("c", True, "")]
    assert [name for name, _ in pair.got] == ["c"]


def test_equal_lists_the_list_gets_nothing_more() -> None:
    pair = Pair()
    for name in ("a", "b"):
        pair.both(name, data_of(100_000))
    pair.run(MILLISECOND)
    me, to = pair.members
    pair.nodes[0].list_now([me])
    pair.sender.members_changed([to])
    sent = len(pair.nodes[0].sent)
    assert [(name, done) for name, done, _ in pair.ended] == [("a", False), ("b", False)]
    pair.send("c", b"x")
    assert len(pair.ended) == 2, "never within `send`"
    pair.run()
    assert pair.ended[2:] == [("c", False, "it is no member")]
    assert len(pair.nodes[0].sent) == sent


def test_of_who_left_the_list_nothing_is_expected() -> None:
    pair = Pair()
    pair.both("s", data_of(100_000))
    pair.run(MILLISECOND)
    pair.receiver.members_changed([pair.members[0]])
    pair.run()
    assert pair.got == []
    assert pair.ended == [("s", False, "an unknown stream")]


def test_what_is_told_of_an_end_may_begin_another_stream_or_cancel_one() -> None:
    pair = Pair()
    for name in ("a", "b", "c"):
        pair.expect(name)

    def ended(done: bool, why: object) -> None:
        pair.send("c", b"c")
        pair.sender.cancel("b")

    pair.sender.send(pair.members[1], "a", b"a", ended)
    pair.send("b", data_of(10_000))
    pair.run()
    assert [name for name, _ in pair.got] == ["a", "c"]
