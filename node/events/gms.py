"""The events of a group. Some are the cluster's events too: a start, a view that is installed, whom a member follows, a
suspicion and its end, a stop. Their `members` name the master first, then the rest in the members' order."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Address, Member, Uuid
from shaketable.node.why import Why


class LeadershipTaken(Event, frozen=True):
    """This member is master from now on. `version`: the first sequence id of its reign."""

    version: int
    reason: str
    why: Why


class LeadershipYielded(Event, frozen=True):
    """There are two masters, and this one gives way to `peer`."""

    peer: Member
    reason: str
    why: Why


class NotificationPublished(Event, frozen=True):
    """The master tells all of a change of its view; `version` is the sequence id. `change`: "add", "joined and ready",
    "failure", "planned shutdown", "master change"."""

    version: int
    author: Uuid
    peer: Member | None
    change: str
    members: tuple[Member, ...]
    to: int
    rejoin: int | None = None
    """when the incarnation started that vanished unseen"""


class NotificationTaken(Event, frozen=True):
    """A master's notification has come in its turn."""

    version: int
    author: Uuid
    peer: Member | None
    change: str
    again: bool
    """it was sent for the second time"""


class NotificationIgnored(Event, frozen=True):
    version: int
    author: Uuid
    peer: Member
    reason: str
    why: Why


class NotificationsAsked(Event, frozen=True):
    """This member misses the master's notifications after `version`."""

    version: int
    author: Uuid
    peer: Member
    last: int
    """the last of which it has heard"""


class NotificationsLost(Event, frozen=True):
    """The master cannot resend notifications between `after` and `version`: they outlived its history."""

    version: int
    author: Uuid
    after: int


class NotificationsResent(Event, frozen=True):
    peer: Member
    sequences: tuple[int, ...]


class Signalled(Event, frozen=True):
    """The application is told. `signal`: "JOIN", "JOINED_AND_READY", "FAILURE_SUSPECTED", "NO_LONGER_SUSPECTED",
    "FAILURE", "PLANNED_SHUTDOWN", "GROUP_LEADERSHIP"."""

    signal: str
    peer: Member
    version: int
    """the sequence id of the notification that it follows from; 0: of none"""
    author: Uuid
    whole_group: bool = False
    rejoin: int | None = None


class HealthAnnouncedToAll(Event, frozen=True):
    """A master or candidate tells all of a member's health, or a member of its stop. `state`: "in doubt", "alive",
    "dead", "stopping"."""

    peer: Member
    state: str


class HeartbeatTargets(Event, frozen=True):
    """Where this member sends its heartbeats from now on, and whose it expects."""

    to: tuple[Address, ...]
    watched: tuple[Address, ...]


class HeartbeatsCounted(Event, frozen=True):
    """How many heartbeats were `sent` in so many `periods`, and how many were `spared`: another message had told the
    same."""

    periods: int
    sent: int
    spared: int


class ProbeFailed(Event, frozen=True):
    peer: Member
    reason: str
    why: Why
    silence: int | None = None


class SuspectReported(Event, frozen=True):
    """This member reports a suspect to `peer`, which decides about it."""

    peer: Member
    suspect: Member


class SuspectReportHeard(Event, frozen=True):
    """This member gets a report of a suspect from `peer`."""

    peer: Member
    suspect: Member


class ReadmissionAsked(Event, frozen=True):
    """This member lost its place in the view, or its master gave way: it asks to be added again."""

    master: Member | None
    reason: str
    why: Why


class MastersCollided(Event, frozen=True):
    """Two masters have learned of each other, and `stays` remains master."""

    peer: Member
    stays: Member


class ForeignMessage(Event, frozen=True):
    """The first message from a member of another group or domain. All are dropped."""

    peer: Member
    reason: str
    why: Why


class HintTaken(Event, frozen=True):
    """The master believes a watchdog, `peer`, that a member has failed, without a probe."""

    peer: Member
    failed: Member


class HintIgnored(Event, frozen=True):
    """A watchdog's hint that a member has failed is ignored."""

    peer: Member
    reason: str
    why: Why


class GroupStartBegan(Event, frozen=True):
    expected: tuple[Address, ...]


class GroupStartEnded(Event, frozen=True):
    """The start of a whole group is over. `missing` have not come in time."""

    missing: tuple[Address, ...]
