"""What a service that keeps data is told of migrations, on real members: who changes its index hears of it once before,
and once at the end. From text 3.0.5."""

from __future__ import annotations

import pytest
from tests.notation.interaction import Story

from shaketable.node.cluster.partition.services import PartitionMigrationEvent

MEMBERS = "MABCD"


class Spy:
    """A service of somebody's own, beside the maps."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def before_migration(self, event: PartitionMigrationEvent) -> None:
        self.calls.append(f"before {_written(event)}")

    def commit_migration(self, event: PartitionMigrationEvent) -> None:
        self.calls.append(f"commit {_written(event)}")

    def rollback_migration(self, event: PartitionMigrationEvent) -> None:
        self.calls.append(f"rollback {_written(event)}")

    def replication_data(self, partition: int, replica_index: int) -> bytes:
        self.calls.append(f"data for {replica_index}")
        return f"index {replica_index}".encode()

    def replicate(self, partition: int, replica_index: int, data: bytes) -> None:
        self.calls.append(f"replicate {data.decode()} to {replica_index}")

    def promoted(self, partition: int, table_version: int) -> None:
        self.calls.append(f"promoted by {table_version}")


def _written(event: PartitionMigrationEvent) -> str:
    assert event.partition == 0
    return f"{event.endpoint} {event.current_replica_index} {event.new_replica_index}"


def told(row: str, target: str, *, crash: str = "", when: str = "") -> dict[str, list[str]]:
    """What the services of A to D were told of, while partition 0 went from one row to the other."""
    story, spies = Story(), {}
    story.run("set partition_count=1")
    for name in MEMBERS:
        story.run(f"given {name} v5[{','.join(MEMBERS)}] with t5[{row}]")
        state = story._nodes[name].member.partitions.state
        spies[name] = Spy()
        state.services = (*state.services, spies[name])
    story.run(f"plan M for [{target}]")
    if crash:
        story.run(f'run until "{when}"')
        story.run(f"crash {crash}")
        story.run("wait 0.3s")
    story.run("run")
    return {name: spy.calls for name, spy in spies.items() if spy.calls}


def committed(event: str, data: str = "") -> list[str]:
    return [f"before {event}", *[f"replicate {data}"] * bool(data), f"commit {event}"]


OWNER_MOVES = {
    "A": ["before SOURCE 0 -1", "data for 0", "commit SOURCE 0 -1"],
    "D": committed("DESTINATION -1 0", "index 0 to 0"),
}
BACKUP_MOVES = {
    "A": ["data for 1"],
    "B": committed("SOURCE 1 -1"),
    "D": committed("DESTINATION -1 1", "index 1 to 1"),
}
COPY = {"A": ["data for 1"], "D": committed("DESTINATION -1 1", "index 1 to 1")}
SHIFT_DOWN = {
    "A": ["before SOURCE 0 2", "data for 0", "commit SOURCE 0 2"],
    "D": committed("DESTINATION -1 0", "index 0 to 0"),
}
SHIFT_UP = {
    "A": ["data for 1"],
    "B": committed("SOURCE 1 -1"),
    "C": committed("DESTINATION 2 1", "index 1 to 1"),
}
BOTH = {
    "A": ["data for 1"],
    "B": committed("SOURCE 1 2"),
    "C": committed("DESTINATION 3 1", "index 1 to 1"),
}
CLEAR = {"C": committed("SOURCE 2 -1")}


@pytest.mark.parametrize(
    ("row", "target", "expected"),
    [
        ("ABC", "DBC", OWNER_MOVES),
        ("ABC", "ADC", BACKUP_MOVES),
        ("A-C", "ADC", COPY),
        ("AB", "DBA", SHIFT_DOWN),
        ("ABC", "AC", SHIFT_UP),
        ("AB-C", "ACB", BOTH),
        ("ABC", "AB", CLEAR),
    ],
)
def test_who_changes_its_index_hears_of_it_before_and_at_the_commit(
    row: str, target: str, expected: dict[str, list[str]]
) -> None:
    assert told(row, target) == expected


@pytest.mark.parametrize("when", ["D: MigrationBegan", "M: CommitSent", "D: TableInstalled"])
def test_the_owner_hears_of_a_rollback_once(when: str) -> None:
    calls = told("ABC", "DBC", crash="D", when=when)["A"]
    assert [call for call in calls if "data" not in call] == ["before SOURCE 0 -1", "rollback SOURCE 0 -1"]


def test_the_destination_hears_of_a_rollback_once_and_gets_no_data() -> None:
    calls = told("ABC", "AC", crash="A", when="C: MigrationBegan")
    assert calls["C"] == ["before DESTINATION 2 1", "rollback DESTINATION 2 1"]
    assert calls["B"] == ["promoted by 8"], "the old backup took no part: the crash alone concerns it"
