"""A value that is larger than a chunk travels in parts: whole or not at all, once, and no later write overtakes it."""

from __future__ import annotations

import pytest
from tests.node.cluster.partition.data_planes import Planes, sent, three, value, version
from tests.node.cluster.partition.merging_planes import aside, bring, told

from shaketable.node.core.env import SECOND
from shaketable.node.events import ChunkRefused
from shaketable.node.messages import (
    LARGEST_CHUNK,
    LARGEST_VALUE,
    Message,
    Operation,
    Part,
    decode,
    encode,
)

LARGE = "x" * LARGEST_VALUE
SMALL = "x" * LARGEST_CHUNK
THIN = 40_000
"""bytes a second"""


def all_sent(planes: Planes) -> list[Message]:
    return [message for node in planes.nodes.nodes for _, message in node.sent]


def test_a_value_of_a_chunk_travels_in_one_message() -> None:
    planes = three()
    assert planes.do(1, "put", "k", SMALL).outcome == "ok"
    assert planes.do(1, "get", "k").value == SMALL.encode()
    assert not any(isinstance(message, Part) for message in all_sent(planes))


def test_a_larger_one_is_written_and_read_in_parts() -> None:
    planes = three()
    put = planes.do(2, "put", "k", LARGE)
    assert (put.outcome, put.holders, put.attempts) == ("ok", planes.uuids(0, 1), 1)
    assert value(planes, 0) == value(planes, 1) == LARGE.encode()
    read = planes.do(2, "get", "k")
    assert (read.outcome, read.value, read.attempts) == ("ok", LARGE.encode(), 1)
    assert max(len(encode(message)) for message in all_sent(planes)) < LARGEST_CHUNK + 500


def test_over_a_thin_link_no_small_message_waits_behind_it() -> None:
    planes = three(backup_timeout=60 * SECOND)
    for number in (1, 2):
        planes.wire(0, number).rate = planes.wire(number, 0).rate = THIN
    put = planes.do(2, "put", "k", LARGE)
    assert (put.outcome, put.holders) == ("ok", planes.uuids(0, 1))
    assert planes.world.time > 2 * LARGEST_VALUE * SECOND // THIN
    bearable = planes.nodes.nodes[0].state.settings.heartbeat_interval // 8
    for ends in ((2, 0), (0, 1)):
        assert planes.wire(*ends).longest_wait <= bearable


def test_while_it_is_on_its_way_it_is_not_sent_again() -> None:
    planes = three(backup_timeout=60 * SECOND)
    planes.wire(2, 0).rate = THIN
    planes.do(2, "put", "k", LARGE)
    assert sum(len(part.data) for part in sent(planes, 2, Part)) < 1.1 * LARGEST_VALUE


def test_a_later_write_does_not_overtake_it() -> None:
    planes = three(backup_timeout=60 * SECOND)
    planes.wire(0, 1).rate = THIN
    first = planes.call(0, "put", "k", LARGE, client="one")
    planes.run(SECOND)
    second = planes.do(2, "put", "other", "small", client="two")
    assert first[0].holders == second.holders == planes.uuids(0, 1)
    assert version(planes, 1) == version(planes, 0)
    assert not planes[1].dirty


@pytest.mark.parametrize("number", [1, 3])
def test_a_lost_part_comes_again_or_the_whole_message_does(number: int) -> None:
    planes = three(backup_timeout=60 * SECOND)
    lost: list[Message] = []

    def loses(message: Message) -> bool:
        found = isinstance(message, Part) and message.number == number and not lost
        lost.extend([message] * found)
        return found

    planes.wire(2, 0).loses = loses
    put = planes.do(2, "put", "k", LARGE)
    assert (put.outcome, value(planes, 1)) == ("ok", LARGE.encode())
    assert len(lost) == 1


def test_a_message_of_which_the_end_is_missing_counts_for_nothing() -> None:
    planes = three()
    planes.wire(2, 0).loses = lambda message: isinstance(message, Part) and message.last
    planes.call(2, "put", "k", LARGE)
    planes.run(10 * SECOND)
    assert version(planes, 0) == 0


def test_an_entry_that_merges_is_brought_in_parts() -> None:
    planes = three()
    plane = bring(planes, 2, aside("k", LARGE), aside("other", "small"))
    planes.run(10 * SECOND)
    assert [outcome for _, outcome, _ in told(plane)] == ["kept", "kept"]
    assert value(planes, 0) == value(planes, 1) == LARGE.encode()
    assert max(len(encode(message)) for message in all_sent(planes)) < LARGEST_CHUNK + 500


def test_of_who_has_left_nothing_is_expected_and_to_it_nothing_is_sent() -> None:
    planes = three()
    planes.wire(2, 0).rate = THIN
    planes.call(2, "put", "k", LARGE)
    planes.run(SECOND)
    planes.gone(2)
    planes[2].listed([planes.members[2]])
    planes.run(SECOND)
    before = len(sent(planes, 2, Part))
    planes.run(20 * SECOND)
    assert len(sent(planes, 2, Part)) == before
    assert version(planes, 0) == 0


def test_what_is_no_message_is_refused() -> None:
    planes = three()
    me, to = planes.members[2], planes.members[0]
    planes[0].receive(Part(me, to.uuid, "message 1", 1, b"nonsense", True))
    (refused,) = planes.nodes.nodes[0].told(ChunkRefused)
    assert (refused.peer, refused.stream) == (me, "message 1")  # type: ignore[attr-defined]


def test_nobody_speaks_for_another_one() -> None:
    planes = three()
    me, to, other = planes.members[2], planes.members[0], planes.members[1]
    forged = Operation(other, 1, to.uuid, "c", 1, "put", "data", "k", b"v")
    planes[0].receive(Part(me, to.uuid, "message 1", 1, encode(forged), True))
    planes.run(SECOND)
    assert version(planes, 0) == 0
    assert isinstance(decode(encode(forged)), Operation)
