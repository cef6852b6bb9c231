"""How a run's story tells of partitions: hundreds of migrations are a line, what fails or is lost is told by itself."""

from __future__ import annotations

from tests.harness.seen.partition_story import Story, info, migration_id, row, uuid
from tests.notation.notation import member
from tests.reasons import reason_in

from shaketable.harness.history.history import History
from shaketable.harness.history.story import Moment, story_of
from shaketable.node import events as e
from shaketable.node.messages import NOWHERE


def moments(story: Story, *kinds: str) -> list[Moment]:
    story.write("the script ends")
    return [moment for moment in story_of(History(story.records)) if moment.kind in kinds]


def done(number: int, *, successful: bool = True, role: str = "master") -> e.MigrationFinished:
    return e.MigrationFinished(number - 1, migration_id(number), role, successful, 1 + number, NOWHERE, NOWHERE)


def test_one_migration_is_told_with_its_end_and_without_its_parts() -> None:
    story = Story().assigned().planned().requested()
    story.tells(
        "n1", e.MigrationBegan(0, migration_id(1), "owner"), e.ChunkSent(member("n3"), migration_id(1), 1, 9, 9)
    )
    story.tells("n3", e.ChunkArrived(member("n1"), migration_id(1), 1, 9, True), done(1, role="destination"))
    story.tells(
        "n1",
        done(1),
        e.TableChanged(2, 12, "committed", ((0, row("n3", "n2")),), *reason_in("")),
        done(1, role="source"),
    )
    assert [moment.told for moment in moments(story, "table", "migration", "data")] == [
        "n1 plans 2 migrations of 2 partitions, from table 1",
        "n1 asks for migration n1-1 of partition 0: MOVE index 0 from n1 to n3; it has committed it",
    ]


def test_many_migrations_are_one_moment_of_a_scene_and_the_failed_one_another() -> None:
    story = Story().assigned().planned()
    for number in range(1, 21):
        story.tells(
            "n1", e.MigrationRequested(number - 1, info(number, number - 1, source="n1" if number % 2 else None))
        )
        story.tells("n1", done(number, successful=number != 20))
    story.write("step: wait")
    story.tells("n1", e.MigrationRequested(3, info(21, 3)), done(21))
    told = moments(story, "migration")[1:]
    assert [moment.told for moment in told] == [
        "n1 asks for 20 migrations (10 MOVE, 10 COPY) and commits 19, of 20 partitions, 0 to 19, within 0.038 s",
        "n1 has rolled back migration n1-20 of partition 19 as master in table 21",
        "n1 asks for migration n1-21 of partition 3: MOVE index 0 from n1 to n3; it has committed it",
    ]
    assert [moment.matters for moment in told] == [False, True, False]


def test_what_one_member_tells_again_and_again_is_one_moment_of_it() -> None:
    story = Story().assigned()
    for partition in range(3):
        for name in ("n2", "n3"):
            story.tells(name, e.ReplicaPromoted(partition, 1, 7))
    story.tells("n2", e.PartitionLost(5, 8))
    told = moments(story, "table")
    assert [moment.told for moment in told] == [
        "n2 is promoted from index 1 to owner of partition 0 by table 7; 2 more like that, within 0.004 s",
        "n3 is promoted from index 1 to owner of partition 0 by table 7; 2 more like that, within 0.004 s",
        "n2 LOSES partition 5: all who held it are gone (table 8)",
    ]
    assert [moment.matters for moment in told] == [False, False, True]


def test_of_operations_only_those_that_did_not_go_well_are_told() -> None:
    story = Story().assigned()
    for number, outcome in enumerate(("ok", "unknown", "ok", "failed"), 1):
        story.tells("n2", e.OperationCalled("c", number, "put", "data", "k", f"v{number}", 0))
        story.tells("n2", e.OperationReturned("c", number, outcome, None, (uuid("n1"),), 1, "", None))
    assert [moment.told for moment in moments(story, "data")] == [
        "n2 has client c return 2: unknown, held by [n1]; 1 more like that, within 0.004 s"
    ]
