"""The clients at a member: work, reading back, one operation each at a time, and what they tell of it."""

from __future__ import annotations

from tests.node.cluster.partition.data_planes import Plane, Planes
from tests.reasons import reason_in

from shaketable.node.cluster.partition.tags import tag_of
from shaketable.node.config import DEFAULT
from shaketable.node.core.commands import OperateCommand, ReadCommand, StopWorkCommand, TakeStockCommand, WorkCommand
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.events import OperationCalled, OperationReturned, StockTaken
from shaketable.node.messages import Backup, Operation


def called(plane: Plane) -> list[OperationCalled]:
    return [event for event in plane.node.events if isinstance(event, OperationCalled)]


def returned(plane: Plane) -> list[OperationReturned]:
    return [event for event in plane.node.events if isinstance(event, OperationReturned)]


def two() -> Planes:
    planes = Planes(2)
    planes.table(0, 1)
    return planes


def test_one_operation_tells_of_its_call_and_its_return() -> None:
    planes = two()
    client = planes[1].clients
    client.command(OperateCommand("x", "put", "data", "k", "tag and more"))
    planes.run()
    client.command(OperateCommand("x", "get", "data", "k"))
    planes.run()
    assert called(planes[1]) == [
        OperationCalled("x", 1, "put", "data", "k", tag_of("tag and more"), 0),
        OperationCalled("x", 2, "get", "data", "k", "", 0),
    ]
    assert returned(planes[1]) == [
        OperationReturned("x", 1, "ok", None, planes.uuids(0, 1), 1, "", None),
        OperationReturned("x", 2, "ok", tag_of("tag and more"), (), 1, "", None),
    ]
    assert planes[0].store.read(0, "data", "k") == b"tag and more"


def test_a_client_has_one_operation_at_a_time() -> None:
    planes = two()
    for number in range(5):
        planes[1].clients.command(OperateCommand("x", "put", "data", "k", f"v{number}"))
    assert len(called(planes[1])) == 1
    planes.run(SECOND)
    kinds = [type(event) for event in planes[1].node.events]
    assert kinds == [OperationCalled, OperationReturned] * 5
    assert planes[0].store.read(0, "data", "k") == b"v4"


def test_work_writes_each_key_first_and_then_writes_and_reads_in_turn() -> None:
    planes = two()
    planes[1].clients.command(WorkCommand("w", "data", clients=2, keys=4, operations=60, size=50))
    planes.run(10 * SECOND)
    for client in ("w.1", "w.2"):
        mine = [event for event in called(planes[1]) if event.client == client]
        assert [event.number for event in mine] == list(range(1, 61))
        assert [event.key for event in mine] == [f"{client}/{number % 4}" for number in range(60)]
        assert [event.does for event in mine[:4]] == ["put"] * 4
        assert 15 < sum(event.does == "put" for event in mine[4:]) < 40
    assert all(event.outcome == "ok" for event in returned(planes[1]))
    tags = [event.value for event in called(planes[1]) if event.does == "put"]
    assert len(set(tags)) == len(tags)
    value = planes[0].store.read(0, "data", "w.1/0")
    assert value is not None
    assert len(value) == 50


def test_what_a_read_finds_is_what_this_client_wrote_last() -> None:
    planes = two()
    planes[0].clients.command(WorkCommand("w", "data", keys=3, operations=100))
    planes.run(10 * SECOND)
    last: dict[str, str] = {}
    found = {event.number: event.value for event in returned(planes[0])}
    assert len(found) == 100
    for event in called(planes[0]):
        if event.does == "put":
            last[event.key] = event.value
        else:
            assert found[event.number] == last[event.key]


def test_all_write_or_none_as_it_is_asked() -> None:
    planes = two()
    planes[0].clients.command(WorkCommand("all", "data", keys=1, operations=30, writes_percent=100))
    planes[0].clients.command(WorkCommand("none", "data", keys=1, operations=30, writes_percent=0))
    planes.run(10 * SECOND)
    does = [(event.client, event.does) for event in called(planes[0])]
    assert does.count(("all.1", "put")) == 30
    assert does.count(("none.1", "put")) == 1


def test_the_same_seed_draws_the_same_and_who_works_not_draws_nothing() -> None:
    first, second = two(), two()
    state = first.nodes.nodes[1].rng.getstate()
    first[1].clients.command(OperateCommand("x", "put", "data", "k", "v"))
    first[1].clients.command(ReadCommand("y", "data", ("k",)))
    assert first.nodes.nodes[1].rng.getstate() == state
    for planes in (first, second):
        planes[1].clients.command(WorkCommand("w", "data", clients=2, operations=50))
        planes.run(10 * SECOND)
    drawn = [[event for event in called(planes[1]) if event.client.startswith("w")] for planes in (first, second)]
    assert drawn[0] == drawn[1]
    assert [e.does for e in drawn[0] if e.client == "w.1"] != [e.does for e in drawn[0] if e.client == "w.2"]


def test_a_pause_lies_between_the_end_of_one_and_the_begin_of_the_next() -> None:
    planes = two()
    planes[1].clients.command(WorkCommand("w", "data", operations=10, pause=SECOND))
    planes.run(4500 * MILLISECOND)
    assert len(called(planes[1])) == 5


def test_where_an_operation_takes_no_time_the_client_lets_some_go_by() -> None:
    """Else a single member in virtual time would never come to the next moment."""
    planes = Planes(1)
    planes.table(0)
    planes[0].clients.command(WorkCommand("w", "data"))
    planes.run(SECOND)
    assert 500 < len(returned(planes[0])) <= 1001
    planes[0].clients.command(WorkCommand("u", "no such map"))
    planes.run(SECOND)
    failed = [event for event in returned(planes[0]) if event.outcome == "failed"]
    assert 0 < len(failed) <= SECOND // DEFAULT.operation_retry


def test_who_is_stopped_begins_no_other_operation() -> None:
    planes = two()
    for name in ("w", "other"):
        planes[1].clients.command(WorkCommand(name, "data", clients=2))
    planes.run(100 * MILLISECOND)
    planes[1].clients.command(StopWorkCommand("w"))
    before = [event.client for event in called(planes[1])]
    planes.run(100 * MILLISECOND)
    after = [event.client for event in called(planes[1])][len(before) :]
    assert set(after) == {"other.1", "other.2"}
    assert len(returned(planes[1])) >= len(before)
    assert {event.client for event in returned(planes[1])} == {"w.1", "w.2", "other.1", "other.2"}


def test_work_that_begins_again_goes_on_counting_and_no_two_writes_have_the_same_tag() -> None:
    planes = two()
    for _ in range(2):
        planes[1].clients.command(WorkCommand("w", "data", operations=20, writes_percent=100))
        planes.run(SECOND)
    assert [event.number for event in called(planes[1])] == list(range(1, 41))
    assert len({event.value for event in called(planes[1])}) == 40


def test_a_client_of_the_same_name_at_another_member_is_another_one() -> None:
    planes = two()
    for plane in planes.planes:
        plane.clients.command(OperateCommand("x", "put", "data", f"of {plane.me.address}", "v"))
        plane.clients.command(WorkCommand("w", "data", operations=1))
    planes.run()
    assert [event.outcome for plane in planes.planes for event in returned(plane)] == ["ok"] * 4
    tags = [event.value for plane in planes.planes for event in called(plane) if event.client == "w.1"]
    assert len(set(tags)) == 2
    sent = [message for _, message in planes.nodes.nodes[0].sent if isinstance(message, Backup)]
    assert {backup.client for backup in sent} == {f"{name}@0000000{n}" for name in ("x", "w.1") for n in (1, 2)}


def test_who_does_not_learn_what_became_of_an_operation_goes_on() -> None:
    planes = two()
    planes.wire(1, 0).loses = lambda message: isinstance(message, Operation) and message.number == 2
    planes[1].clients.command(WorkCommand("w", "data", operations=3, keys=1, writes_percent=100))
    planes.run(2 * DEFAULT.operation_timeout)
    assert [event.outcome for event in returned(planes[1])] == ["ok", "unknown", "ok"]
    assert planes[0].store.last(0, "data", "w.1@00000002") == 3


def test_all_keys_are_read_one_after_the_other() -> None:
    planes = two()
    planes[0].clients.command(OperateCommand("x", "put", "data", "k1", "v1"))
    planes.run()
    planes[1].clients.command(ReadCommand("r", "data", ("k1", "k2", "k1")))
    planes.run()
    assert [event.key for event in called(planes[1])] == ["k1", "k2", "k1"]
    assert [event.value for event in returned(planes[1])] == ["v1", None, "v1"]


def test_stock_is_taken_by_the_table_of_now() -> None:
    planes = two()
    planes[0].clients.command(OperateCommand("x", "put", "data", "k1", "v1"))
    planes.run()
    for plane in planes.planes:
        plane.clients.command(TakeStockCommand())
    (first,), (second,) = ([e for e in plane.node.events if isinstance(e, StockTaken)] for plane in planes.planes)
    assert (first.version, first.holds[0][:2]) == (1, (0, 0))
    assert (second.version, second.holds[0][:2]) == (1, (0, 1))
    assert first.holds[0][2] == second.holds[0][2]


def test_clients_go_on_under_the_next_identity_and_do_what_they_had_left() -> None:
    planes = two()
    former, next_one = planes[1].clients, planes[0].clients
    former.command(WorkCommand("w", "data", keys=2, operations=5, pause=10 * MILLISECOND))
    former.command(OperateCommand("x", "put", "data", "k", "v1"))
    former.command(OperateCommand("x", "put", "data", "k", "v2"))
    former.end()
    planes[1].routing.end(reason_in("over"))
    ended = len(called(planes[1]))
    planes.run(SECOND)
    assert len(called(planes[1])) == ended, "it has said its last word"
    next_one.take_over(former)
    planes.run(SECOND)
    done = [(each.client, each.number) for each in called(planes[0])]
    assert sorted(done) == [("w.1", number) for number in range(2, 6)] + [("x", 2)]
    assert all(each.outcome == "ok" for each in returned(planes[0]))
    tags = {each.value for each in called(planes[0]) if each.client == "w.1" and each.does == "put"}
    mine = next_one._state.me[:8]
    assert tags
    assert all(f"@{mine}#" in tag for tag in tags), "no two writes have one value"


def test_an_operation_that_is_open_when_a_member_merges_returns_at_once_and_nobody_knows_its_end() -> None:
    planes = two()
    planes[1].clients.command(OperateCommand("x", "put", "data", "k", "v1"))
    planes[1].clients.end()
    planes[1].routing.end(reason_in("this member goes over"))
    (end,) = returned(planes[1])
    assert (end.outcome, end.reason) == ("unknown", "this member goes over")
    planes.run(SECOND)
    assert len(returned(planes[1])) == 1
