"""What is known of the partitions of each node: its table, the queue, migrations it takes part in, clients, stock."""

from __future__ import annotations

from tests.harness.seen.partition_story import Story, migration_id, row, uuid
from tests.notation.notation import member
from tests.reasons import reason_in

from shaketable.harness.seen.partitions import PartitionsSeen
from shaketable.harness.seen.run import Observed
from shaketable.node import events as e
from shaketable.node.messages import NOWHERE


def of(seen: Observed, name: str) -> PartitionsSeen:
    return seen.nodes[name].partitions


def finished(number: int, role: str, *, successful: bool = True, version: int = 2) -> e.MigrationFinished:
    return e.MigrationFinished(number - 1, migration_id(number), role, successful, version, NOWHERE, 0)


def test_without_data_nothing_is_known() -> None:
    seen = Story().seen()
    assert of(seen, "n1") == PartitionsSeen()
    assert (seen.written, seen.lost) == ({}, {})


def test_a_table_is_known_row_by_row_from_the_master_and_by_its_version_from_the_others() -> None:
    seen = (
        Story()
        .assigned()
        .tells("n1", e.TableChanged(2, 12, "committed", ((1, row("n3", "n1")),), *reason_in("")))
        .seen()
    )
    assert (of(seen, "n1").version, of(seen, "n1").stamp) == (2, 12)
    assert seen.holders_of(of(seen, "n1").rows[0]) == ("n1", "n2")
    assert seen.holders_of(of(seen, "n1").rows[1]) == ("n3", "n1")
    assert (of(seen, "n2").version, of(seen, "n2").rows) == (1, {})


def test_the_queue_gets_shorter_with_each_request_and_a_migration_is_under_way_until_the_master_has_finished_it() -> (
    None
):
    story = Story().assigned().planned()
    assert of(story.seen(), "n1").queue == {migration_id(1): 0, migration_id(2): 1}
    assert of(story.seen(), "n1").planned == 2
    assert of(story.seen(), "n1").targets == {0: row("n3", "n2"), 1: row("n3", "n1")}
    master = of(story.requested().seen(), "n1")
    assert list(master.queue) == [migration_id(2)]
    assert [(each.partition, each.phase) for each in master.under_way.values()] == [(0, "requested")]
    phases = []
    for event in (
        e.MigrationCopied(0, migration_id(1), True, "", None),
        e.CommitSent(0, migration_id(1), member("n3"), 2),
    ):
        phases += [each.phase for each in of(story.tells("n1", event).seen(), "n1").under_way.values()]
    assert phases == ["copied", "commit sent"]
    master = of(story.tells("n1", finished(1, "master"), finished(1, "source")).seen(), "n1")
    assert (master.under_way, master.completed, master.done) == ({}, {migration_id(1): True}, {True: 1})
    assert list(master.queue) == [migration_id(2)]
    master = of(story.tells("n1", e.CompletedDropped((migration_id(1),))).seen(), "n1")
    assert master.completed == {}


def test_a_plan_that_is_cancelled_or_done_leaves_no_queue() -> None:
    for event in (e.PlanCancelled(2, *reason_in("somebody has joined")), e.PlanDone(3)):
        master = of(Story().assigned().planned().tells("n1", event).seen(), "n1")
        assert (master.queue, master.planned, master.targets) == ({}, 0, {})


def test_a_clear_is_off_the_queue_when_the_table_is_cleared() -> None:
    master = of(
        Story()
        .assigned()
        .planned()
        .tells("n1", e.TableChanged(2, 12, "cleared", ((1, row("n2")),), *reason_in("")))
        .seen(),
        "n1",
    )
    assert list(master.queue) == [migration_id(1)]


def test_who_was_master_and_takes_another_s_table_has_no_queue_and_no_rows_any_more() -> None:
    story = Story().assigned().planned().requested()
    deposed = of(story.tells("n1", e.TableInstalled(9, 19, member("n2"), ("m",), *reason_in("published"))).seen(), "n1")
    assert (deposed.queue, deposed.under_way, deposed.rows) == ({}, {}, {})
    assert (deposed.version, deposed.completed) == (9, {"m": True})


def test_a_participant_is_active_until_it_has_finished_and_its_stream_until_all_has_come() -> None:
    story = Story().assigned().planned().requested()
    story.tells("n1", e.MigrationBegan(0, migration_id(1), "owner"))
    story.tells("n3", e.MigrationBegan(0, migration_id(1), "destination"))
    assert of(story.seen(), "n3").active == {migration_id(1): (0, "destination")}
    story.tells("n1", e.ChunkSent(member("n3"), migration_id(1), 1, 400, 1000))
    story.tells("n3", e.ChunkArrived(member("n1"), migration_id(1), 1, 400, False))
    story.tells("n1", e.ChunkSent(member("n3"), migration_id(1), 2, 800, 1000))
    story.tells("n3", e.ChunkArrived(member("n1"), migration_id(1), 2, 400, False))
    sent, come = (of(story.seen(), name).streams[migration_id(1)] for name in ("n1", "n3"))
    assert (sent.peer, sent.sends, sent.chunks, sent.bytes, sent.total) == (uuid("n3"), True, 2, 800, 1000)
    assert (come.peer, come.sends, come.chunks, come.bytes, come.total) == (uuid("n1"), False, 2, 800, None)
    story.tells("n1", e.ChunkSent(member("n3"), migration_id(1), 3, 1000, 1000))
    story.tells("n3", e.ChunkArrived(member("n1"), migration_id(1), 3, 200, True), finished(1, "destination"))
    seen = story.seen()
    assert (of(seen, "n1").streams, of(seen, "n3").streams, of(seen, "n3").active) == ({}, {}, {})


def test_a_new_master_searches_until_it_has_found_the_newest_table() -> None:
    story = Story().assigned()
    story.tells("n2", e.TableSearchBegan((member("n1"), member("n3"))), e.TableFetched(member("n3"), 7, (), ()))
    new = of(story.seen(), "n2")
    assert (new.searching, new.found) == (True, {uuid("n1"): -1, uuid("n3"): 7})
    story.tells("n2", e.TableSearchEnded(7, member("n3"), ("a",), ("b",)))
    story.tells("n2", e.TableChanged(9, 19, "found", ((0, row("n2")),), *reason_in("")))
    new = of(story.seen(), "n2")
    assert (new.searching, new.found, list(new.completed), new.version) == (False, {}, ["a", "b"], 9)
    assert new.rows == {0: row("n2")}


def test_a_client_waits_from_its_call_until_its_return() -> None:
    story = Story().tells("n2", e.OperationCalled("c", 1, "put", "data", "k", "v", 0))
    client = of(story.seen(), "n2").clients["c"]
    assert (client.waits, client.last, of(story.seen(), "n2").operations_open) == (True, None, 1)
    back = e.OperationReturned("c", 1, "ok", None, (uuid("n1"), uuid("n2")), 1, "", None)
    story.tells("n2", back, e.OperationCalled("c", 2, "get", "data", "other", "", 0))
    client = of(story.seen(), "n2").clients["c"]
    assert (client.called, client.returned, client.last, client.outcomes) == (2, 1, back, {"ok": 1})
    assert story.seen().written == {"data": {"k": True}}


def test_safety_and_stock_are_what_was_told_last_and_end_with_the_incarnation() -> None:
    story = (
        Story().assigned().tells("n2", e.SafetyChanged(False, *reason_in("not all is in place")), e.StockTaken(1, ()))
    )
    told = of(story.seen(), "n2")
    assert (told.safe, told.why_not_safe, told.stock, told.stocks_taken) == (
        False, "not all is in place", e.StockTaken(1, ()), 1
    )  # fmt: skip
    story.write("n2 is killed\nn2' starts")
    assert of(story.seen(), "n2") == PartitionsSeen()
    assert story.seen().node_of[uuid("n2")] == "n2"


def test_a_lost_partition_is_known_for_the_rest_of_the_run() -> None:
    story = Story().assigned().tells("n1", e.PartitionLost(1, 5))
    story.write("n1 is killed\nn1' starts")
    assert story.seen().lost == {1: 5}
