"""Anti-entropy: a backup that missed an update is found and mended, by its owner alone and never with older data."""

from __future__ import annotations

import pytest
from tests.node.cluster.partition.members_on_wires import Nodes
from tests.node.cluster.partition.members_with_data import INTERVAL, Cluster, H
from tests.node.messages.messages_by_chance import member

from shaketable.node.cluster.partition.antientropy import AntiEntropy
from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.replication import packed
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.events import BackupDiffers, ChunkRefused
from shaketable.node.messages import (
    LARGEST_MESSAGE,
    Chunk,
    ChunkReceived,
    HeldVersions,
    ReplicaVersions,
    ReplicaVersionsAnswer,
    StartSync,
    encode,
)


def test_a_backup_that_missed_a_write_is_mended() -> None:
    cluster = Cluster()
    cluster.write("ABC", "old")
    version = cluster.write("AC", "new")
    cluster.run()
    assert cluster.reads() == [b"new"] * 3
    a = cluster.members[0]
    assert cluster.nodes[1].told(BackupDiffers) == [BackupDiffers(0, 1, a)]
    assert cluster.synced(1) == [(0, 1, a, (("data", version),))]
    assert cluster.nodes[2].events == []
    assert cluster.services[0].doubts == {}
    assert cluster.stores[1].last(0, "data", "c") == 2, "what was applied already is known too"


def test_nothing_is_asked_before_the_interval_is_over_and_all_once_in_each() -> None:
    cluster = Cluster()
    cluster.write("ABC")
    cluster.run(INTERVAL - 1)
    assert cluster.sent(ReplicaVersions) == []
    cluster.run(1)
    assert len(cluster.sent(ReplicaVersions)) == 2
    cluster.run(INTERVAL)
    assert len(cluster.sent(ReplicaVersions)) == 4
    assert cluster.sent(ReplicaVersions, 1) == cluster.sent(ReplicaVersions, 2) == []


def test_who_never_had_a_table_has_no_timer() -> None:
    nodes = Nodes(1)
    node = nodes.nodes[0]
    service = AntiEntropy(
        node.state,
        store=MapStore(node.state),
        streams=Streams(node.state, of=Chunk),
        parts=Parts(node.state, handle=node.handle),
    )
    service.table_changed()
    assert nodes.world._due == []


def test_what_was_never_written_is_not_asked_about() -> None:
    cluster = Cluster(["ABC"] * 5)
    cluster.write("ABC", partition=3)
    cluster.services[0].owns(range(5))
    cluster.run()
    asked = [held.partition for message in cluster.sent(ReplicaVersions) for held in message.versions]
    assert set(asked) == {3}


def test_a_backup_is_asked_about_the_maps_that_its_index_holds() -> None:
    cluster = Cluster(maps="none=0 one=1 two=2")
    for name in ("none", "one", "two"):
        cluster.write("A", name=name)
    cluster.run()
    assert cluster.reads(name="none") == [b"x", None, None]
    assert cluster.reads(name="one") == [b"x", b"x", None]
    assert cluster.reads(name="two") == [b"x", b"x", b"x"]


def test_many_partitions_are_asked_about_in_small_messages_one_at_a_time() -> None:
    cluster = Cluster(["ABC"] * 500)
    for partition in range(500):
        cluster.write("AB", partition=partition)
    cluster.run()
    messages = [message for message in cluster.sent(ReplicaVersions) if message.target == cluster.members[1].uuid]
    assert [held.partition for message in messages for held in message.versions] == list(range(500))
    assert max(len(encode(message)) for message in messages) < 2000 < LARGEST_MESSAGE
    answers = [at for at, message in cluster.nodes[1].sent if isinstance(message, ReplicaVersionsAnswer)]
    questions = [at for at, m in cluster.nodes[0].sent if isinstance(m, ReplicaVersions) and m in messages]
    assert all(asked > answered for answered, asked in zip(answers, questions[1:], strict=False))
    assert cluster.reads(partition=499) == [b"x"] * 3


def test_few_are_mended_at_once_and_to_each_backup_one() -> None:
    cluster = Cluster(["ABC"] * 50)
    for partition in range(50):
        cluster.write("A", partition=partition)
    cluster.run()
    under_way: dict[str, int] = {}
    for _, message in sorted([pair for node in cluster.nodes for pair in node.sent], key=lambda pair: pair[0]):
        if isinstance(message, StartSync):
            under_way[message.target] = under_way.get(message.target, 0) + 1
            assert under_way[message.target] == 1
        elif isinstance(message, ChunkReceived):
            under_way[message.sender.uuid] -= 1
    assert [len(cluster.synced(number)) for number in (1, 2)] == [50, 50]
    assert cluster.services[0].doubts == {}


def test_a_colder_backup_is_mended_when_the_hotter_ones_are() -> None:
    """Else what it holds would be counted on, and given up for what a promoted hotter one has."""
    cluster = Cluster()
    cluster.write("A", "x" * 30_000)
    for holder in cluster.members[1:]:
        cluster.services[0].doubt(0, holder.uuid)
    cluster.wire(0, 1).rate = 10_000
    cluster.run(2 * SECOND)
    assert [message.replica for message in cluster.sent(StartSync)] == [1]
    assert len(cluster.nodes[2].told(BackupDiffers)) == 1
    cluster.run(5 * SECOND)
    assert [message.replica for message in cluster.sent(StartSync)] == [1, 2]
    assert cluster.services[0].doubts == {}
    assert len(cluster.synced(2)) == 1


def test_a_colder_backup_waits_no_longer_for_who_is_off_the_row() -> None:
    cluster = Cluster()
    cluster.write("A")
    for holder in cluster.members[1:]:
        cluster.services[0].doubt(0, holder.uuid)
    cluster.wire(0, 1).loses = lambda message: True
    cluster.run(3 * SECOND)
    assert cluster.synced(2) == []
    for number in range(3):
        cluster.table(number, ["A-C"])
    cluster.run(SECOND)
    assert len(cluster.synced(2)) == 1


# Doubts


def test_a_doubted_backup_is_asked_soon_and_then_no_longer_in_doubt() -> None:
    cluster = Cluster()
    cluster.write("AC")
    cluster.services[0].doubt(0, cluster.members[1].uuid)
    assert list(cluster.services[0].doubts) == [(0, cluster.members[1].uuid)]
    cluster.run(H - 1)
    assert cluster.sent(ReplicaVersions) == []
    cluster.run(H)
    assert cluster.reads() == [b"x"] * 3
    assert cluster.services[0].doubts == {}


def test_a_promoted_member_doubts_all_backups_and_asks_them_soon() -> None:
    cluster = Cluster(["ABC", "BAC", "CAB"])
    for partition, holders in enumerate(["ABC", "BAC", "CAB"]):
        cluster.write(holders, partition=partition)
    cluster.services[0].owns([0])
    _, b, c = cluster.members
    assert list(cluster.services[0].doubts) == [(0, b.uuid), (0, c.uuid)]
    cluster.run(2 * H)
    assert cluster.services[0].doubts == {}
    assert cluster.sent(StartSync) == []


def test_a_silent_doubted_backup_is_asked_again_and_again_without_a_flood() -> None:
    cluster = Cluster()
    cluster.write("AC")
    cluster.wire(0, 1).loses = lambda message: True
    cluster.services[0].doubt(0, cluster.members[1].uuid)
    cluster.run(20 * SECOND)
    assert 20 <= len(cluster.sent(ReplicaVersions)) <= 80
    cluster.wire(0, 1).loses = lambda message: False
    cluster.run(3 * H)
    assert cluster.services[0].doubts == {}
    assert cluster.reads() == [b"x"] * 3


def test_a_doubt_that_arose_after_the_question_is_not_settled_by_its_answer() -> None:
    cluster = Cluster()
    cluster.write("ABC")
    b = cluster.members[1].uuid
    cluster.services[0].doubt(0, b)
    cluster.wire(1, 0).latency = 100 * MILLISECOND
    cluster.run(H + 1000)
    assert len(cluster.sent(ReplicaVersions)) == 1
    cluster.services[0].doubt(0, b)
    cluster.run(110 * MILLISECOND)
    assert list(cluster.services[0].doubts) == [(0, b)]
    cluster.run(2 * H)
    assert cluster.services[0].doubts == {}


def test_a_backup_is_in_doubt_while_data_are_on_their_way_to_it() -> None:
    """A write that it missed has come late, and it says so: the data that mend it come still, of no use."""
    cluster = Cluster()
    cluster.write("ABC")
    a, b, _ = cluster.members
    for same, different in (((), ((0, 1),)), (((0, 1),), ())):
        cluster.services[0].on_replica_versions_answer(ReplicaVersionsAnswer(b, a.uuid, 1, same, different))
    assert list(cluster.services[0].doubts) == [(0, b.uuid)]
    cluster.run(2 * H)
    assert cluster.services[0].doubts == {}
    assert len(cluster.sent(StartSync)) == 1


def test_a_doubt_ends_when_the_backup_is_off_the_row() -> None:
    cluster = Cluster()
    cluster.write("A")
    b, c = cluster.members[1].uuid, cluster.members[2].uuid
    cluster.services[0].doubt(0, b)
    cluster.services[0].doubt(0, c)
    cluster.services[0].doubt(0, member(9).uuid)
    assert list(cluster.services[0].doubts) == [(0, b), (0, c)]
    cluster.table(0, ["A-C"])
    assert list(cluster.services[0].doubts) == [(0, c)]
    cluster.table(0, ["CA-"])
    assert cluster.services[0].doubts == {}


def test_a_backup_that_knows_that_it_missed_a_write_says_so() -> None:
    cluster = Cluster()
    cluster.write("AC", key="missed")
    cluster.write("ABC")
    for _ in range(3):
        cluster.services[1].dirty(0)
    assert len(cluster.sent(ReplicaVersionsAnswer, 1)) == 1
    cluster.run(H)
    assert cluster.reads("missed") == [b"x"] * 3
    assert len(cluster.sent(StartSync)) == 1
    cluster.services[0].dirty(0)
    cluster.services[1].dirty(7)
    assert len(cluster.sent(ReplicaVersionsAnswer, 0)) == 0


# What changes meanwhile


def slow(cluster: Cluster) -> None:
    """B lacks much, and what mends it is on a link of 10,000 bytes a second."""
    cluster.write("AC", "x" * 30_000, key="big")
    cluster.wire(0, 1).rate = 10_000
    cluster.services[0].doubt(0, cluster.members[1].uuid)
    cluster.run(2 * SECOND)
    assert cluster.sent(StartSync), "it has begun"
    assert cluster.synced(1) == []


def test_what_is_written_while_a_backup_is_mended_is_not_lost_there() -> None:
    cluster = Cluster()
    slow(cluster)
    cluster.write("ABC", "new")
    cluster.run(10 * SECOND)
    assert len(cluster.synced(1)) == 1
    assert cluster.reads() == [b"new"] * 3
    assert cluster.stores[1].versions(0, 1) == cluster.stores[0].versions(0, 1)


@pytest.mark.parametrize("row", ["CBA", "A-C", "ACB"])
def test_data_that_mend_are_not_put_into_another_row(row: str) -> None:
    cluster = Cluster()
    slow(cluster)
    cluster.table(1, [row])
    cluster.run(20 * SECOND)
    assert cluster.synced(1) == []
    assert cluster.reads("big")[1] is None
    assert [event.reason for event in cluster.nodes[1].events if isinstance(event, ChunkRefused)] != []


def test_an_owner_that_is_none_any_more_stops_mending() -> None:
    cluster = Cluster()
    slow(cluster)
    cluster.table(0, ["BAC"])
    sent = len(cluster.sent(Chunk))
    cluster.run(20 * SECOND)
    assert len(cluster.sent(Chunk)) == sent


@pytest.mark.parametrize("who", [0, 1])
def test_a_partition_that_migrates_is_not_mended(who: int) -> None:
    cluster = Cluster()
    cluster.write("A")
    cluster.migrates(who)
    cluster.run()
    assert cluster.reads()[1] is None
    cluster.nodes[who].state.active.clear()
    cluster.run()
    assert cluster.reads()[1] == b"x"


def test_a_migration_that_begins_ends_the_mending() -> None:
    cluster = Cluster()
    slow(cluster)
    cluster.migrates(1)
    cluster.nodes[1].state.active.clear()  # rolled back
    cluster.run(SECOND)
    assert cluster.synced(1) == []
    cluster.run(10 * SECOND)
    assert len(cluster.synced(1)) == 1, "it is asked again, and mended then"


def test_an_owner_that_left_the_list_mends_nobody() -> None:
    cluster = Cluster()
    slow(cluster)
    a, b, c = cluster.members
    cluster.nodes[1].list_now([b, c])
    cluster.streams[1].members_changed([a])
    cluster.services[1].members_changed([a])
    cluster.run(10 * SECOND)
    assert cluster.synced(1) == []
    assert cluster.stores[1]._noted == {}


# What does not fit


def test_only_the_owner_by_my_table_is_answered_with_what_i_have() -> None:
    cluster = Cluster(["BAC"])
    cluster.write("BAC")
    a, b, c = cluster.members
    versions = cluster.stores[1].versions(0, 1)
    for sender, replica in ((c, 1), (b, 2), (b, 0)):
        held = (HeldVersions(0, replica, versions),)
        cluster.services[0].on_replica_versions(ReplicaVersions(sender, a.uuid, 1, held))
    answers = cluster.sent(ReplicaVersionsAnswer)
    assert [(answer.same, answer.different) for answer in answers] == [((), ())] * 3
    assert cluster.nodes[0].events == []


def test_who_is_no_member_is_not_heard() -> None:
    cluster = Cluster()
    cluster.write("A")
    a, b, _ = cluster.members
    service = cluster.services[1]
    for sender, target in ((member(1, life=1), b.uuid), (member(9), b.uuid), (a, member(2, life=1).uuid)):
        service.on_replica_versions(ReplicaVersions(sender, target, 1, ()))
        service.on_start_sync(StartSync(sender, target, 1, "s", 0, 1))
        service.on_replica_versions_answer(ReplicaVersionsAnswer(sender, target, 1, (), ((0, 1),)))
    assert cluster.nodes[1].sent == []
    assert cluster.stores[1]._noted == {}


def test_a_wish_for_what_i_do_not_own_or_of_who_does_not_hold_it_is_not_granted() -> None:
    cluster = Cluster(["BAC", "AC-"])
    a, b, _ = cluster.members
    different = ((0, 1), (1, 1), (1, 2), (77, 1))
    cluster.services[0].on_replica_versions_answer(ReplicaVersionsAnswer(b, a.uuid, 1, different, different))
    cluster.run()
    assert cluster.nodes[0].sent == []
    assert cluster.services[0].doubts == {}


@pytest.mark.parametrize("data", [b"", b"garbage", b"\x91\xc4\x01x", b"\x90", b"\x92\xc4\x01\x90\xc4\x01\x90"])
def test_data_that_cannot_be_read_change_nothing(data: bytes) -> None:
    cluster = Cluster()
    cluster.write("ABC")
    a, b, _ = cluster.members
    cluster.services[1].on_start_sync(StartSync(a, b.uuid, 1, "s", 0, 1))
    cluster.streams[1].on_chunk(Chunk(a, b.uuid, "s", 1, data, True))
    assert cluster.synced(1) == []
    assert len(cluster.nodes[1].told(ChunkRefused)) == 1
    assert cluster.reads() == [b"x"] * 3
    assert cluster.stores[1]._noted == {}


def test_a_second_start_takes_the_place_of_the_first() -> None:
    cluster = Cluster()
    cluster.write("A")
    a, b, _ = cluster.members
    for stream in ("one", "two"):
        cluster.services[1].on_start_sync(StartSync(a, b.uuid, 1, stream, 0, 1))
    data = packed(cluster.nodes[0].state, 0, 1)
    cluster.streams[1].on_chunk(Chunk(a, b.uuid, "one", 1, b"", True))
    assert cluster.synced(1) == []
    cluster.streams[1].on_chunk(Chunk(a, b.uuid, "two", 1, data, True))
    assert len(cluster.synced(1)) == 1


def test_data_that_mend_nothing_do_not_go_round_and_round() -> None:
    cluster = Cluster()
    cluster.write("ABC", "old")
    cluster.write("AC", "new")
    cluster.stores[1].replicate = lambda partition, replica_index, data: None  # type: ignore[method-assign]
    cluster.run(INTERVAL + 10 * H)
    sent = len(cluster.sent(StartSync))
    assert 2 <= sent <= 11, "at most one an interval"
    assert cluster.services[0].doubts != {}
