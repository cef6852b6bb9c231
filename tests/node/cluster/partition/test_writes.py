"""Writes and what becomes of them: backups that miss them, owners that change in the middle, migrations."""

from __future__ import annotations

from tests.node.cluster.partition.data_planes import Planes, keeps, sent, three, value, version
from tests.reasons import reason_in

from shaketable.node.cluster.partition.state import ActiveMigration
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import SECOND
from shaketable.node.events import BackupMissed
from shaketable.node.messages import (
    Backup,
    BackupAnswer,
    Migration,
    MigrationInfo,
    Operation,
    OperationAnswer,
)

# Backups


def test_a_silent_backup_is_left_off_and_doubted() -> None:
    planes = three()
    planes.wire(0, 1).loses = lambda message: True
    began = planes.world.time
    returned = planes.do(0, "put", "k", "v", name="precious")
    assert returned.holders == planes.uuids(0, 2)
    assert planes.world.time == began + DEFAULT.backup_timeout
    assert planes.nodes.nodes[0].told(BackupMissed) == [
        BackupMissed(0, 1, planes.members[1], "precious", *reason_in("it did not answer"))
    ]
    assert planes[0].doubts == [(0, planes.uuids(1)[0])]


def test_a_backup_that_is_colder_than_one_that_missed_the_write_is_a_holder() -> None:
    """When the owner dies the hotter one is promoted, without the write, and asks the colder one."""
    planes = three()
    planes.wire(0, 1).loses = lambda message: True
    assert planes.do(0, "put", "k", "v", name="precious").holders == planes.uuids(0, 2)
    assert value(planes, 2, name="precious") == b"v"
    planes.wire(0, 1).loses = lambda message: False
    planes.wire(0, 2).loses = lambda message: True
    assert planes.do(0, "put", "k", "v", name="precious").holders == planes.uuids(0, 1)


def test_a_backup_that_missed_a_write_says_so_with_the_next() -> None:
    planes = three()
    planes.wire(0, 1).loses = lambda message: True
    planes.do(0, "put", "k1", "v")
    planes.wire(0, 1).loses = lambda message: False
    assert planes.do(0, "put", "k2", "v").holders == planes.uuids(0, 1), "of the second write it is one"
    assert planes[1].dirty == [0]
    assert value(planes, 1, "k2") == b"v"


def test_a_write_that_reaches_a_backup_after_a_later_one_is_refused_and_the_backup_no_holder_of_it() -> None:
    planes = three()
    planes.wire(0, 1).loses = keeps([], Backup)
    old = planes.call(0, "put", "k", "old", client="a")
    planes.run()
    new = planes.call(2, "put", "k", "new", client="b")
    planes.run(SECOND)
    assert old[0].holders == planes.uuids(0)
    assert new[0].holders == planes.uuids(0, 1)
    assert value(planes, 1) == b"new"
    assert planes[0].doubts == [(0, planes.uuids(1)[0])]
    assert planes[1].dirty


def test_a_backup_without_the_owner_s_table_is_asked_again_until_it_has_it() -> None:
    planes = three()
    planes.table(2, 1, 0, at=[1])
    planes.table(0, 1, 2, version=2, at=[0, 2])
    returned = planes.call(2, "put", "k", "v")
    planes.run(SECOND)
    assert not returned
    assert {(answer.done, answer.final) for answer in sent(planes, 1, BackupAnswer)} == {(False, False)}
    planes.table(0, 1, 2, version=2, at=[1])
    planes.run(SECOND)
    assert returned[0].holders == planes.uuids(0, 1)


def test_a_backup_with_a_later_table_in_which_it_still_is_one_takes_the_write() -> None:
    planes = three()
    planes.table(0, 1, version=5, at=[1])
    assert planes.do(2, "put", "k", "v").holders == planes.uuids(0, 1)


def test_a_backup_that_has_moved_by_a_later_table_is_left_off() -> None:
    planes = three()
    planes.table(0, 2, 1, version=5, at=[1])
    assert planes.do(2, "put", "k", "v").holders == planes.uuids(0)
    assert planes.nodes.nodes[0].told(BackupMissed) == [
        BackupMissed(0, 1, planes.members[1], "data", *reason_in("I do not hold that index"))
    ]


def test_a_backup_that_leaves_is_not_waited_for() -> None:
    planes = three()
    planes.crash(1)
    returned = planes.call(0, "put", "k", "v")
    planes.run(SECOND)
    assert not returned
    planes.gone(1)
    planes.run()
    assert returned[0].holders == planes.uuids(0)


def test_a_backup_that_is_taken_off_the_table_is_not_waited_for() -> None:
    planes = three()
    planes.crash(1)
    returned = planes.call(0, "put", "k", "v", name="precious")
    planes.run(SECOND)
    planes.table(0, None, 2, version=2, at=[0, 2])
    planes.run()
    assert returned[0].holders == planes.uuids(0, 2)


def test_a_member_that_a_backup_does_not_know_is_not_its_owner() -> None:
    planes = three()
    planes[1].listed([planes.members[1], planes.members[2]])
    returned = planes.call(2, "put", "k", "v")
    planes.run(SECOND)
    assert not returned
    assert value(planes, 1) is None


# The owner changes in the middle


def test_a_write_under_way_is_not_acknowledged_by_who_has_lost_the_partition() -> None:
    planes = three()
    planes.wire(0, 1).loses = lambda message: True
    returned = planes.call(2, "put", "k", "v")
    planes.run()
    assert value(planes, 0) == b"v", "applied, and waiting for its backup"
    planes[1].store.promoted(0, 5)
    planes.table(1, None, 2, version=5)
    planes.run(SECOND)
    assert returned[0].outcome == "ok"
    assert returned[0].holders == planes.uuids(1)
    answers = sent(planes, 0, OperationAnswer)
    assert [(answer.outcome, str(answer.reason)) for answer in answers] == [
        ("retry", "I do not own this partition any more")
    ]


def test_who_learns_from_a_backup_that_it_owns_no_more_acknowledges_nothing_until_it_has_a_newer_table() -> None:
    """Else a write would be acknowledged that one member alone has, who is about to delete it."""
    planes = three()
    planes[1].store.promoted(0, 5)
    planes.table(1, None, 2, version=5, at=[1])
    put = planes.call(2, "put", "k", "v")
    planes.run(SECOND)
    assert not put
    get = planes.call(0, "get", "k")
    planes.run(SECOND)
    assert not get
    assert version(planes, 0) == 1, "it was applied once, whatever came of it"
    planes.table(1, None, 2, version=5, at=[0, 2])
    planes.run(SECOND)
    assert put[0].holders == planes.uuids(1)
    assert get[0].outcome == "ok"


def test_it_goes_on_when_a_newer_list_says_that_the_backup_has_gone() -> None:
    planes = three()
    planes[1].listed([planes.members[1]])
    put = planes.call(2, "put", "k", "v")
    planes.run(SECOND)
    assert not put
    planes.gone(1)
    planes.run(SECOND)
    assert put[0].holders == planes.uuids(0)


def test_a_caller_whose_table_is_old_is_told_to_try_again_and_does_when_it_has_the_new_one() -> None:
    planes = three()
    planes.table(1, 0, version=2, at=[0, 1])
    returned = planes.call(2, "put", "k", "v")
    planes.run(SECOND)
    assert not returned
    assert {str(answer.reason) for answer in sent(planes, 0, OperationAnswer)} == {"I do not own this partition"}
    planes.table(1, 0, version=2, at=[2])
    planes.run()
    assert returned[0].holders == planes.uuids(1, 0)


def test_another_incarnation_at_the_owner_s_address_does_nothing() -> None:
    planes = three()
    message = Operation(planes.members[2], 9, "another", "c", 1, "put", "data", "k", b"v")
    planes[0].receive(message)
    assert sent(planes, 0, OperationAnswer)[-1].outcome == "retry"
    assert value(planes, 0) is None


# Migrations


def moving(planes: Planes, index: int) -> ActiveMigration:
    """A migration of partition 0 to this index of member 2."""
    migration = Migration("MOVE", planes.uuids(0)[0], index, -1, planes.uuids(2)[0], -1, index)
    info = MigrationInfo("m", planes.members[0].uuid, 0, migration, 1, planes.row(0, 1))
    return ActiveMigration(info, owns=True)


def test_nothing_is_written_to_a_partition_that_migrates_and_nothing_read_while_its_owner_changes() -> None:
    planes = three()
    planes.do(1, "put", "k", "v")
    planes[0].state.active[0] = moving(planes, 1)
    put, get = planes.call(1, "put", "k", "w"), planes.call(2, "get", "k")
    planes.run(SECOND)
    assert not put
    assert get[0].value == b"v"
    planes[0].state.active[0] = moving(planes, 0)
    get = planes.call(2, "get", "k")
    planes.run(SECOND)
    assert not put
    assert not get
    del planes[0].state.active[0]
    planes.run(SECOND)
    assert put[0].outcome == "ok"
    assert get[0].value in (b"v", b"w")


def test_a_migration_waits_until_no_write_is_under_way_and_no_other_begins_meanwhile() -> None:
    planes = three()
    idle: list[int] = []
    assert not planes[0].operations.busy(0, idle.append)
    planes.wire(0, 1).loses = lambda message: isinstance(message, Backup) and message.key == "k"
    first = planes.call(2, "put", "k", "v")
    planes.run()
    assert planes[0].operations.busy(0, idle.append)
    second = planes.call(1, "put", "l", "v")
    planes.run(SECOND)
    assert not second
    assert not idle
    assert planes.do(2, "get", "l", client="reader").outcome == "ok"
    planes.run(DEFAULT.backup_timeout)
    assert first[0].holders == planes.uuids(0)
    assert idle == [0]
    assert not planes[0].operations.busy(0, idle.append)
    planes.run(SECOND)
    assert second[0].outcome == "ok"
    assert idle == [0], "nobody has asked since"
