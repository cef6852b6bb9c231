"""Conditions over groups hold when they should, and else say why not; and the fold that they look at."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.harness.seen.partition_story import Story
from tests.notation.notation import member
from tests.reasons import reason_in

from shaketable.harness.conditions import group as c
from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.seen.run import Observed
from shaketable.node import events as e
from shaketable.node.events import Event

FAILURE = e.Signalled("FAILURE", member("n3"), 7, member("n1").uuid)
JOIN = e.Signalled("JOIN", member("n3"), 8, member("n1").uuid)
REJOIN = e.Signalled("JOIN", member("n3'"), 9, member("n1").uuid, rejoin=5)
WITH_ALL = e.Signalled("JOIN", member("n2"), 10, member("n1").uuid, whole_group=True)


def seen(*events: Event, by: str = "n1") -> Observed:
    return Story().tells(by, *events).seen()


def signalled(
    signal: str,
    of: str | None = None,
    times: int = 1,
    whole_group: bool | None = None,
    rejoin: bool | None = None,
) -> Condition:
    return c.is_signalled("n1", signal, of, times, whole_group, rejoin)


@pytest.mark.parametrize(
    ("condition", "events", "answer"),
    [
        (signalled("FAILURE", "n3"), [FAILURE], None),
        (signalled("FAILURE"), [FAILURE], None),
        (signalled("FAILURE", "n2", times=0), [FAILURE], None),
        (signalled("FAILURE", "n3"), [], "n1 has told it FAILURE of n3 0 times"),
        (signalled("FAILURE", "n3"), [FAILURE, FAILURE], "n1 has told it FAILURE of n3 2 times"),
        (signalled("FAILURE", "n3", times=2), [FAILURE], "n1 has told it FAILURE of n3 once"),
        (signalled("JOIN", times=3), [JOIN, REJOIN, WITH_ALL], None),
        (signalled("JOIN", "n3", times=2), [JOIN, REJOIN, WITH_ALL], None),
        (signalled("JOIN", rejoin=True), [JOIN, REJOIN, WITH_ALL], None),
        (signalled("JOIN", rejoin=False, times=2), [JOIN, REJOIN, WITH_ALL], None),
        (signalled("JOIN", "n3", rejoin=True), [JOIN], "n1 has told it JOIN of n3 by a rejoin 0 times"),
        (signalled("JOIN", whole_group=True), [JOIN, REJOIN, WITH_ALL], None),
        (signalled("JOIN", whole_group=False), [WITH_ALL], "n1 has told it JOIN on its own 0 times"),
        (c.watches("n1", "n3"), [e.HeartbeatTargets((), (member("n3").address,))], None),
        (c.watches("n1", "n3"), [e.HeartbeatTargets((member("n3").address,), ())], "n1 does not watch n3"),
        (c.drops_foreign_messages("n1"), [e.ForeignMessage(member("n3"), *reason_in("another domain"))], None),
        (c.drops_foreign_messages("n1"), [], "n1 has dropped none"),
        (c.has_started_the_group("n1"), [], "no such start has ended at n1"),
        (c.has_started_the_group("n1"), [e.GroupStartEnded(())], None),
        (c.has_started_the_group("n1"), [e.GroupStartEnded((member("n2").address,))], "missing are n2"),
        (c.has_started_the_group("n1"), [e.GroupStartEnded((member("n2").address,)), e.GroupStartEnded(())], None),
    ],
)
def test_it_says_why_it_does_not_hold(condition: Condition, events: Sequence[Event], answer: str | None) -> None:
    assert condition.ask(seen(*events)) == answer


def test_a_condition_says_what_it_is_about() -> None:
    both = signalled("JOIN", "n3", 2, whole_group=False, rejoin=True)
    assert both.label == "n1 has told its application JOIN of n3 on its own by a rejoin 2 times"
    assert signalled("FAILURE").label == "n1 has told its application FAILURE once"


def test_what_is_asked_from_now_on_counts_nothing_before() -> None:
    taken = e.NotificationTaken(7, member("n1").uuid, member("n3"), "failure", again=True)
    new = e.NotificationTaken(8, member("n1").uuid, member("n3"), "add", again=False)
    ignored = e.HintIgnored(member("n2"), *reason_in("it is no watchdog"))
    spared, sent = e.HeartbeatsCounted(3, 0, 3), e.HeartbeatsCounted(3, 1, 2)
    story = Story().tells("n1", taken, ignored, sent)
    before = story.seen()
    again, ignores = c.takes_again(before, "n1", 2), c.ignores_a_hint(before, "n1")
    spares = c.spares_heartbeats(before, "n1")
    assert again.ask(story.seen()) == "n1 has taken 0 since"
    assert ignores.ask(story.seen()) == "n1 has ignored no hint since"
    assert spares.ask(story.seen()) == "n1 has spared none since"
    story.tells("n1", taken, new, ignored, spared)
    assert again.ask(story.seen()) == "n1 has taken 1 since"
    story.tells("n1", taken)
    assert [each.ask(story.seen()) for each in (again, ignores, spares)] == [None, None, None]
    story.tells("n1", taken, sent)
    assert again.ask(story.seen()) is None
    assert spares.ask(story.seen()) == "n1 has sent 1 since"


def test_who_has_ended_watches_nobody() -> None:
    story = Story().tells("n1", e.HeartbeatTargets((), (member("n3").address,)))
    story.write("n1 is killed")
    assert c.watches("n1", "n3").ask(story.seen()) == "n1 is not running (killed)"


def test_a_copy_of_what_is_seen_does_not_change_with_it() -> None:
    story = Story().tells("n1", FAILURE, e.GroupStartEnded(()))
    before = story.seen().copy()
    kept = before.nodes["n1"].group
    assert kept == story.seen().nodes["n1"].group
    story.tells("n1", JOIN, e.GroupStartEnded(()), e.NotificationsLost(9, member("n1").uuid, 7))
    now = story.seen().nodes["n1"].group
    assert (len(kept.signals), len(kept.started_whole), kept.lost) == (1, 1, 0)
    assert (len(now.signals), len(now.started_whole), now.lost) == (2, 2, 1)


def test_an_incarnation_begins_with_nothing() -> None:
    story = Story().tells("n2", FAILURE)
    story.write("n2 is killed\nn2 is spawned")
    assert story.seen().nodes["n2"].group.signals == []
