"""A hold fires once, at the nth event of its name, before the step's messages or after k of them."""

from shaketable.node.events import CommitSent, Leaving, LinkDown, LinkUp, MigrationFinished
from shaketable.node.messages import Member
from shaketable.node.shaking.holds import Due, Holds


def test_nothing_is_due_without_the_event() -> None:
    holds = Holds()
    holds.arm(1, "LinkUp")
    holds.see(Leaving())
    holds.see(LinkDown("a"))
    assert holds.due() == []


def test_before_is_due_at_the_event_and_only_once() -> None:
    holds = Holds()
    holds.arm(1, "LinkUp")
    holds.see(LinkUp("a"))
    holds.see(Leaving())
    assert holds.due() == [Due(1, "LinkUp", 0)]
    holds.see(LinkUp("a"))
    assert holds.due() == []


def test_the_nth_event_counts_over_steps() -> None:
    holds = Holds()
    holds.arm(1, "LinkUp", after=2, nth=3)
    holds.see(LinkUp("a"))
    holds.see(LinkUp("b"))
    assert holds.due() == []
    holds.see(LinkUp("c"))
    assert holds.due() == [Due(1, "LinkUp", 2)]


def test_two_holds_of_one_step_come_in_the_order_of_its_messages() -> None:
    holds = Holds()
    holds.arm(1, "Leaving", after=3)
    holds.arm(2, "LinkUp")
    holds.see(Leaving())
    holds.see(LinkUp("a"))
    assert [due.number for due in holds.due()] == [2, 1]


def test_one_that_is_disarmed_does_not_fire() -> None:
    holds = Holds()
    holds.arm(1, "Leaving")
    holds.disarm(1)
    holds.see(Leaving())
    assert holds.due() == []


def test_only_events_with_these_values_count() -> None:
    def finished(partition: int, role: str) -> MigrationFinished:
        return MigrationFinished(partition, "m", role, True, 7, 0, 1)

    holds = Holds()
    holds.arm(1, "MigrationFinished", nth=2, where=(("role", "destination"), ("partition", 5)))
    for other in (finished(5, "owner"), finished(4, "destination"), finished(5, "destination")):
        holds.see(other)
    assert holds.due() == []
    holds.see(finished(5, "destination"))
    assert holds.due() == [Due(1, "MigrationFinished", 0)]


def test_a_member_is_compared_by_its_address() -> None:
    holds = Holds()
    holds.arm(1, "CommitSent", where=(("peer", "b"),))
    holds.see(CommitSent(5, "m", Member("a", "b"), 7))
    assert holds.due() == []
    holds.see(CommitSent(5, "m", Member("b", "a"), 7))
    assert holds.due() == [Due(1, "CommitSent", 0)]
