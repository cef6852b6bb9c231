"""A service of a user's own that gives no data, or cannot read what comes: told by its name, and nothing is lost.

Partitions 0 and 1 are to move from A to D; the service fails with partition 0 alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.notation.interaction import Story

from shaketable.node.cluster.partition.services import PartitionMigrationEvent

NOTHING: Any = None
TEXT: Any = "text"


class Notes:
    """Keeps one note for each partition."""

    def __init__(self) -> None:
        self.notes: dict[int, bytes] = {}
        self.begun = 0
        self.ended: list[str] = []

    def before_migration(self, event: PartitionMigrationEvent) -> None:
        self.begun += 1

    def commit_migration(self, event: PartitionMigrationEvent) -> None:
        self.ended.append(f"commit {event.partition}")
        if event.new_replica_index == -1:
            self.notes.pop(event.partition, None)

    def rollback_migration(self, event: PartitionMigrationEvent) -> None:
        self.ended.append(f"rollback {event.partition}")

    def replication_data(self, partition: int, replica_index: int) -> bytes:
        return self.notes.get(partition, b"")

    def replicate(self, partition: int, replica_index: int, data: bytes) -> None:
        self.notes[partition] = data

    def promoted(self, partition: int, table_version: int) -> None:
        pass


class GivesNone(Notes):
    def replication_data(self, partition: int, replica_index: int) -> bytes:
        return NOTHING if partition == 0 else super().replication_data(partition, replica_index)


class GivesText(Notes):
    def replication_data(self, partition: int, replica_index: int) -> bytes:
        return TEXT if partition == 0 else super().replication_data(partition, replica_index)


class GivesUp(Notes):
    def replication_data(self, partition: int, replica_index: int) -> bytes:
        if partition == 0:
            raise ValueError("the file is locked")
        return super().replication_data(partition, replica_index)


class CannotRead(Notes):
    def replicate(self, partition: int, replica_index: int, data: bytes) -> None:
        if partition == 0:
            raise ValueError("no note of mine")
        super().replicate(partition, replica_index, data)


class LooksFirst(CannotRead):
    def check_data(self, partition: int, replica_index: int, data: bytes) -> None:
        if partition == 0:
            raise ValueError("no note of mine")


def moved(make: Callable[[], Notes]) -> tuple[dict[str, Notes], list[str], list[str]]:
    """Each one's service, what was told of that and of ends at the master, and the owners of the partitions, when the
    master has tried both."""
    story, services = Story(), {}
    story.run("set partition_count=2 migration_pause_seconds=1")
    story.run("hide messages chunks safety cluster")
    for name in "MAD":
        story.run(f"given {name} v3[M,A,D] with t5[A,A]")
        state = story._nodes[name].member.partitions.state
        services[name] = make()
        state.services = (*state.services, services[name])
    services["A"].notes = {0: b"zero", 1: b"one"}
    story.run("plan M for [D,D]")
    lines = [*story.run("run"), *story.run("wait 1s"), *story.run("run")]
    kinds = ("ServiceFailed", "MigrationRefused", "role=master", "rolled back")
    told = [line for line in lines if any(kind in line for kind in kinds)]
    return services, told, story.run("table M")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (GivesText, 'A: ServiceFailed partition=0 replica=0 service=GivesText reason="has no bytes to send, but str"'),
        (GivesUp, 'A: ServiceFailed partition=0 replica=0 service=GivesUp reason="has no data to send: the file is'),
        (LooksFirst, 'reason="LooksFirst cannot read its data: no note of mine"'),
    ],
)
def test_what_cannot_be_sent_or_read_is_told_and_rolled_back(make: Callable[[], Notes], said: str) -> None:
    services, told, table = moved(make)
    assert any(said in line for line in told), told
    assert "[A,D]" in table[0]
    assert services["A"].notes == {0: b"zero"}, "what has not moved is where it was, what could has moved"
    assert services["D"].notes == {1: b"one"}
    for name in "AD":
        ended = services[name].ended
        assert services[name].begun == len(ended), "one before, and one end"
        assert ended[0] == "rollback 0"
        assert ended[1] == "commit 1", "who has failed comes last"
    assert any("MigrationRefused partition=0" in line and line.startswith("D: ") for line in told)


def test_nothing_to_send_is_no_bytes() -> None:
    services, told, table = moved(GivesNone)
    assert services["D"].notes == {0: b"", 1: b"one"}
    assert "[D,D]" in table[0]
    assert len(told) == 2, told


def test_what_a_service_refuses_at_the_commit_alone_is_told() -> None:
    """It did not look first: there is no way back, and it does without."""
    services, told, table = moved(CannotRead)
    said = 'D: ServiceFailed partition=0 replica=0 service=CannotRead reason="cannot read its data: no note of mine"'
    assert said in told
    assert "[D,D]" in table[0]
    assert services["D"].notes == {1: b"one"}
    assert services["D"].ended == ["commit 0", "commit 1"]
