"""Operations: through any member, by as many backups as a map has; refused, tried again, repeated and late."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.node.cluster.partition.data_planes import Planes, Returned, keeps, sent, three, value, version

from shaketable.node.config import DEFAULT
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.messages import (
    LARGEST_VALUE,
    AssignPartitions,
    Message,
    Operation,
    OperationAnswer,
)

LINK = 200


@pytest.mark.parametrize("at", [0, 1, 2])
def test_each_member_puts_gets_and_removes(at: int) -> None:
    planes = three()
    assert planes.do(at, "put", "k", "v") == Returned("ok", None, planes.uuids(0, 1), 1, "")
    assert planes.do(at, "get", "k") == Returned("ok", b"v", (), 1, "")
    assert planes.do(at, "get", "other").value is None
    assert planes.do(at, "remove", "k").holders == planes.uuids(0, 1)
    assert planes.do(at, "get", "k").value is None
    assert [version(planes, number) for number in range(3)] == [2, 2, 0]


@pytest.mark.parametrize("backups", range(7))
def test_a_write_is_held_by_as_many_as_its_map_has_backups_hotter_ones_first(backups: int) -> None:
    planes = Planes(7, maps=" ".join(f"m{number}={number}" for number in range(7)))
    planes.table(*range(7))
    name = f"m{backups}"
    assert planes.do(6, "put", "k", "v", name=name).holders == planes.uuids(*range(backups + 1))
    assert [value(planes, number, name=name) for number in range(7)] == [b"v"] * (backups + 1) + [None] * (6 - backups)


def test_an_empty_index_is_passed_over() -> None:
    planes = Planes(3, maps="data=2")
    planes.table(0, None, 2)
    assert planes.do(1, "put", "k", "v").holders == planes.uuids(0, 2)


def test_the_first_operation_asks_the_master_for_a_table_until_there_is_one() -> None:
    planes = Planes(2)
    first, second = planes.call(1, "put", "k", "v"), planes.call(1, "put", "l", "v", client="other")
    planes.run(1400 * MILLISECOND)
    assert not first
    assert planes[0].wanted == 2, "one question for all who wait, and not with each of their attempts"
    planes.table(0, 1)
    planes.run()
    assert [first[0].outcome, second[0].outcome] == ["ok", "ok"]
    assert len(sent(planes, 1, AssignPartitions)) == 2


def test_the_master_asks_itself() -> None:
    planes = Planes(1)
    planes.call(0, "put", "k", "v")
    planes.run()
    assert planes[0].wanted == 1


# Refused


def test_an_unknown_map_and_what_no_message_holds_fail_unsent() -> None:
    planes = three()
    assert planes.do(1, "put", "k", "v", name="other") == Returned("failed", None, (), 0, "there is no map other")
    assert planes.do(1, "put", "k", "v" * (LARGEST_VALUE + 1)).outcome == "failed"
    assert planes.do(1, "put", "k" * 201, "v").outcome == "failed"
    assert planes.do(1, "put", "", "v").outcome == "failed"
    assert not sent(planes, 1, Operation)


def test_who_is_no_member_is_refused_and_knows_that_nothing_was_done() -> None:
    planes = three(operation_timeout=5 * SECOND)
    planes[0].listed([planes.members[0], planes.members[1]])
    returned = planes.do(2, "put", "k", "v")
    assert (returned.outcome, returned.reason) == ("failed", "the sender is no member of my cluster")
    assert returned.attempts > 5
    assert version(planes, 0) == 0


def test_who_has_not_joined_waits() -> None:
    planes = three()
    planes.nodes.nodes[2].membership.joined = False
    returned = planes.call(2, "put", "k", "v")
    planes.run(SECOND)
    assert not returned
    assert not sent(planes, 2, Operation)
    planes.nodes.nodes[2].membership.joined = True
    planes.run(SECOND)
    assert returned[0].outcome == "ok"


def test_an_owner_that_is_a_new_master_and_searches_does_nothing() -> None:
    planes = three()
    planes[0].state.searching = True
    put, get = planes.call(1, "put", "k", "v"), planes.call(2, "get", "k")
    planes.run(SECOND)
    assert not put
    assert not get
    planes[0].state.searching = False
    planes.run(SECOND)
    assert [put[0].outcome, get[0].outcome] == ["ok", "ok"]


def test_an_owner_that_never_answers_leaves_it_unknown_after_the_timeout() -> None:
    planes = three()
    planes.crash(0)
    began = planes.world.time
    returned = planes.do(1, "put", "k", "v")
    assert returned.outcome == "unknown"
    assert planes.world.time - began == DEFAULT.operation_timeout
    assert 10 < returned.attempts < 30


def test_retries_come_quickly_at_first_and_then_no_further_apart_than_said() -> None:
    planes = three()
    planes[0].state.searching = True
    planes.call(1, "put", "k", "v")
    planes.run(3 * SECOND)
    times = [time for time, message in planes.nodes.nodes[1].sent if isinstance(message, Operation)]
    gaps = [after - before - 2 * LINK for before, after in pairwise(times)]
    assert gaps[:3] == [7812, 15624, 31248]
    assert set(gaps[7:]) == {DEFAULT.operation_retry}


# Repeated and late ones


def test_a_message_that_comes_twice_is_applied_once() -> None:
    planes = three()
    planes.wire(2, 0).twice = lambda message: True
    planes.wire(0, 1).twice = lambda message: True
    assert planes.do(2, "put", "k", "v").outcome == "ok"
    planes[0].receive(sent(planes, 2, Operation)[0])
    planes.run()
    assert len(sent(planes, 0, OperationAnswer)) == 2
    assert {answer.holders for answer in sent(planes, 0, OperationAnswer)} == {planes.uuids(0, 1)}
    assert [version(planes, 0), version(planes, 1)] == [1, 1]


def test_a_lost_answer_is_given_again_and_names_the_same_holders() -> None:
    planes = three()
    lost = [True]
    planes.wire(0, 2).loses = lambda message: bool(lost) and lost.pop()
    returned = planes.do(2, "put", "k", "v")
    assert returned == Returned("ok", None, planes.uuids(0, 1), 2, "")
    assert version(planes, 0) == 1


def test_an_earlier_write_that_ends_later_does_not_change_who_is_named() -> None:
    """Its client gave it up as unknown, and has written since."""
    planes = three()
    planes.wire(0, 2).loses = lambda message: True
    planes.call(2, "put", "k", "v", name="precious", client="c")
    planes.run()
    returned = planes.call(2, "put", "k", "v", client="c")
    planes.run(7 * SECOND)
    assert planes[0].doubts == [(0, planes.members[2].uuid)], "the earlier one has missed a backup, and ended"
    assert not returned
    planes.wire(0, 2).loses = lambda message: False
    planes.run(7 * SECOND)
    assert returned[0].holders == planes.uuids(0, 1)


def test_a_repeated_operation_names_none_who_gave_its_index_up_meanwhile() -> None:
    planes = three()
    planes.wire(0, 2).loses = lambda message: True
    returned = planes.call(2, "put", "k", "v")
    planes.run()
    planes.migrate(0, 2, 1, 0, 2, version=2)
    planes.wire(0, 2).loses = lambda message: False
    planes.run(SECOND)
    assert returned[0].holders == planes.uuids(0), "member 2 has it by the migration, which tells of it"
    assert value(planes, 2) == b"v"


def test_an_operation_that_comes_after_a_later_one_of_its_client_is_not_applied() -> None:
    planes = three()
    held: list[Message] = []
    planes.wire(2, 0).loses = keeps(held, Operation)
    old = planes.call(2, "put", "k", "old", client="c", number=1)
    planes.run()
    assert not old
    assert planes.do(2, "put", "k", "new", client="c", number=2).outcome == "ok"
    planes[0].receive(held[0])
    planes.run()
    assert value(planes, 0) == b"new"
    assert sent(planes, 0, OperationAnswer)[-1].outcome == "refused"


def test_a_repeated_operation_joins_its_first_which_waits_for_a_backup() -> None:
    planes = three()
    planes.wire(0, 1).loses = lambda message: True
    returned = planes.call(2, "put", "k", "v")
    planes.run(2 * SECOND)
    assert len(sent(planes, 2, Operation)) == 3
    assert not returned
    planes.wire(0, 1).loses = lambda message: False
    planes.run(4 * SECOND)
    assert returned[0].holders == planes.uuids(0, 1)
    assert version(planes, 0) == 1


def test_a_promoted_backup_answers_the_retry_of_what_it_holds_and_does_not_apply_it_again() -> None:
    planes = three()
    planes.wire(0, 2).loses = lambda message: True
    returned = planes.call(2, "put", "k", "v")
    planes.run()
    planes.crash(0)
    planes.gone(0)
    planes.promote(1, 1, None, 2, version=7)
    planes.run()
    assert returned[0].outcome == "ok"
    assert returned[0].holders == planes.uuids(1)
    assert version(planes, 1) == 7 << 32


def test_a_promoted_backup_that_missed_it_applies_the_retry() -> None:
    planes = three()
    planes.wire(0, 1).loses = lambda message: True
    returned = planes.call(2, "put", "k", "v", name="precious")
    planes.run()
    planes.crash(0)
    planes.gone(0)
    planes.promote(1, 1, 2, version=7)
    planes.run()
    assert returned[0].holders == planes.uuids(1, 2)
    assert version(planes, 1, "precious") == version(planes, 2, "precious") + (7 << 32) + 1, "until it is mended"
    assert planes[2].store.misses_a_write(0, "precious")
    assert value(planes, 2, name="precious") == b"v"


def test_a_new_owner_answers_the_retry_of_what_came_with_the_migration() -> None:
    planes = three()
    planes.wire(0, 2).loses = lambda message: isinstance(message, OperationAnswer)
    returned = planes.call(2, "put", "k", "v")
    planes.run()
    planes.migrate(0, 1, 0, 1, 0, version=2)
    planes.run()
    assert returned[0] == Returned("ok", None, planes.uuids(1), 2, "")
    assert version(planes, 1) == 1
