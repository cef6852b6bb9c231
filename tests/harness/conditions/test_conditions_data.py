"""Conditions over tables, migrations and clients hold when they should, and else say why not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.harness.seen.partition_story import Story, migration_id, row, uuid
from tests.notation.notation import member
from tests.reasons import reason_in

from shaketable.harness.conditions import data as c
from shaketable.harness.conditions.cluster import Condition
from shaketable.node import events as e
from shaketable.node.messages import NOWHERE

Tell = Callable[[Story], Story]


def installs(who: str, version: int, stamp: int) -> Tell:
    return lambda s: s.tells(who, e.TableInstalled(version, stamp, member("n1"), (), *reason_in("published")))


def writes(text: str) -> Tell:
    def tell(story: Story) -> Story:
        story.write(text)
        return story

    return tell


def nothing(story: Story) -> Story:
    return story


def changed(version: int, stamp: int, *rows: tuple[int, tuple[str | None, ...]]) -> Tell:
    told = tuple((partition, row(*names)) for partition, names in rows)
    return lambda s: s.tells("n1", e.TableChanged(version, stamp, "committed", told, *reason_in("")))


def finished(story: Story) -> Story:
    return story.tells("n1", e.MigrationFinished(0, migration_id(1), "master", True, 2, NOWHERE, NOWHERE))


CASES: dict[str, tuple[Tell, Condition, str | None]] = {
    "all is safe": (Story.assigned, c.safe(), None),
    "nobody has used the data": (nothing, c.safe(), "n1 has no partition table"),
    "the master has migrations to do": (
        lambda s: s.assigned().planned(), c.safe(), "n1 says: migrations are to be done"
    ),
    "a follower has an older table": (
        lambda s: changed(2, 12)(s.assigned()), c.safe(), "n2 has table 1, its master n1 2"
    ),
    "a follower has another table of that version": (
        lambda s: installs("n3", 1, 99)(s.assigned()), c.safe(), "n3 has table 1, its master n1 1"
    ),
    "somebody has not joined": (
        lambda s: writes("n4 starts")(s.assigned()), c.safe(), "n4 has not joined"
    ),
    "the master is gone": (
        lambda s: writes("n1 is killed")(s.assigned()),
        c.safe(),
        "n2 holds v=3 [n1, n2, n3], but n1 is not running as that incarnation",
    ),
    "a crash that nobody has noticed yet": (
        lambda s: writes("n3 is killed")(s.assigned()),
        c.safe(),
        "n1 holds v=3 [n1, n2, n3], but n3 is not running as that incarnation",
    ),
    "a crash that the list knows of, and the table not yet": (
        lambda s: writes("n2 is killed\nn1 installs v4 [n1 n3]\nn3 installs v4 by n1 [n1 n3]")(s.assigned()),
        c.safe(),
        "the table of n1 names one that has left",
    ),
    "nobody is there": (
        lambda s: writes("n1 is killed\nn2 is killed\nn3 is killed")(s.assigned()), c.safe(), "nobody is awake"
    ),
    "who sleeps is not asked": (
        lambda s: writes("fault 1: pause n2")(s.assigned().tells("n2", e.SafetyChanged(False, *reason_in("x")))),
        c.safe(),
        None,
    ),
    "a table, any": (Story.assigned, c.has_table("n2", None), None),
    "a table, this one": (Story.assigned, c.has_table("n2", 1), None),
    "a table, another one": (Story.assigned, c.has_table("n2", 2), "n2 has table 1"),
    "no table": (nothing, c.has_table("n2", None), "n2 has no partition table"),
    "no table where nobody runs": (
        lambda s: writes("n2 is killed")(s.assigned()), c.has_table("n2", 1), "n2 is not running (killed)"
    ),
    "a search": (lambda s: s.assigned().tells("n2", e.TableSearchBegan((member("n3"),))), c.searches("n2"), None),
    "no search": (Story.assigned, c.searches("n2"), "n2 looks for no table"),
    "a migration": (lambda s: s.assigned().planned().requested(), c.migrates(None), None),
    "a migration of that partition": (lambda s: s.assigned().planned().requested(), c.migrates(0), None),
    "a migration of another partition": (
        lambda s: s.assigned().planned().requested(), c.migrates(1), "partition 1 does not migrate"
    ),
    "a migration of a held master": (
        lambda s: writes("n1 holds")(s.assigned().planned().requested()), c.migrates(0), None
    ),
    "a migration that is over": (
        lambda s: finished(s.assigned().planned().requested()), c.migrates(None), "nothing migrates"
    ),
    "no migrations": (Story.assigned, c.no_migrations(), None),
    "a queue": (
        lambda s: finished(s.assigned().planned().requested()),
        c.no_migrations(),
        "n1 has 0 migrations under way and 1 on its queue",
    ),
    "a participant that does not know the end": (
        lambda s: s.assigned().tells("n3", e.MigrationBegan(0, migration_id(1), "destination")),
        c.no_migrations(),
        f"n3 takes part in migration {migration_id(1)}",
    ),
    "a replica": (Story.assigned, c.holds_replica("n2", 0, 1), None),
    "a replica that another holds": (Story.assigned, c.holds_replica("n3", 0, 1), "partition 0 is [n1 n2]"),
    "a replica at another index": (Story.assigned, c.holds_replica("n2", 0, 0), "partition 0 is [n1 n2]"),
    "a replica that moved": (
        lambda s: changed(2, 12, (0, ("n3", "n2", None)))(s.assigned()), c.holds_replica("n3", 0, 0), None
    ),
    "an index that nobody holds": (
        lambda s: changed(2, 12, (0, ("n3", None)))(s.assigned()),
        c.holds_replica("n2", 0, 1),
        "partition 0 is [n3 -]",
    ),
    "a replica of an earlier life": (
        lambda s: writes("n2 is killed\nn2' starts")(s.assigned()),
        c.holds_replica("n2", 0, 1),
        "partition 0 is [n1 n2]",
    ),
    "a replica without a table": (
        nothing, c.holds_replica("n2", 0, 1), "n1 has told of no table with partition 0"
    ),
    "a lost partition": (lambda s: s.assigned().tells("n1", e.PartitionLost(1, 2)), c.lost(1), None),
    "a partition that is there": (Story.assigned, c.lost(1), "partition 1 was never lost"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_condition_says_why_it_does_not_hold(name: str) -> None:
    tell, condition, why_not = CASES[name]
    story = tell(Story())
    assert condition.ask(story.seen()) == why_not


def calls(story: Story, number: int) -> Story:
    return story.tells("n2", e.OperationCalled("c", number, "get", "data", "k", "", 0))


def returns(story: Story, number: int) -> Story:
    return story.tells("n2", e.OperationReturned("c", number, "ok", None, (), 1, "", None))


def test_a_client_has_worked_when_all_has_returned_or_its_node_has_ended() -> None:
    clients = [("n2", uuid("n2"), ("c",))]
    worked, idle = c.worked(clients, 2), c.idle(clients)
    story = calls(Story(), 1)
    assert worked.ask(story.seen()) == "0 of 2 operations of c have returned"
    assert idle.ask(story.seen()) == "operation 1 of c has not returned"
    returns(story, 1)
    assert worked.ask(story.seen()) == "1 of 2 operations of c have returned"
    assert idle.ask(story.seen()) is None
    calls(story, 2)
    story.write("n2 is killed")
    assert (worked.ask(story.seen()), idle.ask(story.seen())) == (None, None)
    story.write("n2' starts")
    assert (worked.ask(story.seen()), idle.ask(story.seen())) == (None, None)


def test_stock_is_taken_when_it_is_told_once_more() -> None:
    story = Story().assigned().tells("n2", e.StockTaken(1, ()))
    again = c.stock_taken("n2", uuid("n2"), 2)
    assert again.ask(story.seen()) == "n2 has not taken stock"
    assert again.ask(story.tells("n2", e.StockTaken(1, ())).seen()) is None
