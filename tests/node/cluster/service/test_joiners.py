"""What no story can bring about: a master that is none any more while joiners wait, and a thousand departures."""

from __future__ import annotations

from tests.node.messages.messages_by_chance import member
from tests.node.messages.test_any_message import Watched
from tests.reasons import reason_in

from shaketable.node.cluster.service.stale_joins import MOST_LEFT, StaleJoins
from shaketable.node.cluster.service.views import Membership
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import SECOND
from shaketable.node.events import Event, JoinRequestIgnored
from shaketable.node.messages import JoinRequest


class Listening(Watched):
    def __init__(self) -> None:
        self.events: list[Event] = []
        super().__init__([], in_batches=True)

    def report(self, event: Event) -> None:
        self.events.append(event)
        super().report(event)


def test_who_waits_when_the_master_is_none_any_more_is_ignored() -> None:
    env = Listening()
    env.identities.start()
    config = env.member.membership.config
    env.take(JoinRequest(member(1), config))
    env.take(JoinRequest(member(2), config))
    env.member.membership.follow(member(4), reason_in("a merge"))
    env.wait(DEFAULT.wait_before_join)
    ignored = [event for event in env.events if isinstance(event, JoinRequestIgnored)]
    assert ignored == [JoinRequestIgnored(member(number), *reason_in("I am not master any more")) for number in (1, 2)]
    assert env.version == 1


def test_whoever_left_is_remembered_for_a_thousand_departures() -> None:
    env = Watched([])
    guard = StaleJoins(Membership(env, DEFAULT, env.me, installed=lambda added, removed: None))
    gone = [member(1, life) for life in range(MOST_LEFT + 1)]
    for each in gone:
        guard.members_changed([each], [])
        guard.members_changed([], [each])
        env.wait(SECOND)
    assert not guard.has_left(gone[0].uuid)
    assert all(guard.has_left(each.uuid) for each in gone[1:])
    lately = DEFAULT.stale_join_prevention // SECOND
    assert [guard.joined_lately(each.uuid) for each in gone[-lately:]] == [False] + [True] * (lately - 1)
