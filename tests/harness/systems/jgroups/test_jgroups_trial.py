"""What is left of our members' events for the trial of a script that is to run on JGroups."""

from shaketable.harness.records import Record
from shaketable.harness.systems.jgroups.trial import Retold
from shaketable.node.events import Event, Suspected, SuspicionEnded, ViewInstalled
from shaketable.node.messages import Member
from shaketable.node.why import Why, because

A, B, C = (Member(f"{name}:1", name) for name in "abc")


def told(*events: tuple[Member, Event]) -> list[Event]:
    retold = Retold()
    records = (retold(Record(1, who.uuid, who.uuid, 1, event)) for who, event in events)
    return [record.event for record in records if record is not None]


def view(version: int, *members: Member) -> ViewInstalled:
    return ViewInstalled(version, members[0].uuid, members[0], members, *because(Why.MEMBERS_UPDATE))


def suspects(peer: Member) -> Suspected:
    return Suspected(peer, *because(Why.CONNECTION_LOST))


def trusts(peer: Member) -> SuspicionEnded:
    return SuspicionEnded(peer, *because(Why.HEARTBEAT))


def test_a_view_has_the_version_that_jgroups_would_give_it() -> None:
    assert told((A, view(1, A)), (A, view(2, A, B))) == [view(0, A), view(1, A, B)]


def test_the_leader_tells_whom_it_suspects_and_trusts_again() -> None:
    events = [(A, suspects(C)), (A, trusts(C))]
    assert told((A, view(3, A, B, C)), *events) == [view(2, A, B, C), suspects(C), trusts(C)]


def test_so_does_the_next_in_line_and_nobody_else() -> None:
    events = [(each, suspects(A)) for each in (B, C)] + [(C, suspects(B))]
    lists = [(each, view(3, A, B, C)) for each in (B, C)]
    assert told(*lists, *events)[2:] == [suspects(A), suspects(B)]


def test_one_that_is_told_that_it_is_removed_would_not_know_it() -> None:
    explicit = Suspected(A, *because(Why.EXPLICIT))
    assert told((C, view(3, A, B, C)), (C, explicit), (C, view(4, C)), (A, view(4, A, B))) == [
        view(2, A, B, C),
        view(3, A, B),
    ]
