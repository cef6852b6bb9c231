"""The messages of a group, from the text on Shoal GMS without multicast.

Each has its sender, and the sender's domain, group, kind and start time. So any message teaches its receiver which
members are there. Shoal's two-letter names have other names here: MQ is `MasterQuery`, RR `NotificationsWanted`, CCNTL
`MasterCollision`."""

from __future__ import annotations

from typing import Literal

import msgspec

from shaketable.node.messages.base import Address, Member, Message, Number, Time, Uuid

Kind = Literal["core", "spectator", "watchdog"]
HealthState = Literal[
    "starting", "ready", "alive", "alive and ready", "in doubt", "dead", "group stopping", "stopping", "stopped"
]
Change = Literal["add", "joined and ready", "failure", "planned shutdown", "master change"]


class Seat(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A member in a view. A restart has another uuid, and a later start."""

    member: Member
    kind: Kind
    start: Time
    since: Number
    """the sequence id of its master's notification with which its stay begins"""
    stay: Number
    """the how manieth of this incarnation: who has lost its master and looks for one again begins another"""


class Reign(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """One master's, as far as the sender knows: the sequence ids of its first notification and of its last."""

    master: Member
    start: Time
    first: Number
    last: Number
    former: Uuid
    """the master whom it has succeeded; "": none, it began with a group of its own"""


class Notification(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One change of a master's view, and the view that it makes. `about`: who came, went or is ready; of a change of
    master, who it was before."""

    sequence: Number
    change: Change
    about: Seat | None
    view: tuple[Seat, ...]
    view_since: Number
    """the sequence id of the one that made the view what it is"""
    whole_group: bool
    """it is part of the start, or of the shutdown, of all"""
    rejoin: Time | None
    """when the incarnation started that vanished unseen"""


class Beat(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What a heartbeat says."""

    state: HealthState
    reign: Reign | None


class Stamp(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What every message of a group says of its sender."""

    domain: str
    group: str
    kind: Kind
    start: Time
    stay: Number
    """the how manieth of this incarnation: a message may come late, of one that is over"""
    beat: Beat | None = None
    """the message carries this heartbeat, and stands for it"""


class GroupMessage(Message, frozen=True):
    stamp: Stamp


# Health


class HealthMessage(GroupMessage, frozen=True):
    """A heartbeat. It says what its sender knows of the master's notifications (rulings 5.1)."""

    state: HealthState
    reign: Reign | None


class HealthAnnounced(GroupMessage, frozen=True, omit_defaults=True):
    """To all: a member is in doubt, no more in doubt, dead, or about to stop."""

    about: Seat
    state: HealthState
    doubt: Number = 0
    """which doubt of its sender's it is, where the suspect is to answer to this one alone"""


class HealthHandedOver(GroupMessage, frozen=True):
    """A master that shuts down tells its successor what it has heard, and how long ago."""

    request: Number
    heard: tuple[tuple[Member, Time], ...]
    reign: Reign
    notifications: tuple[Notification, ...]
    whole_group: bool


class HealthTaken(GroupMessage, frozen=True):
    request: Number


class ReignTold(GroupMessage, frozen=True):
    """The master's last sequence id alone, for a member that gets no heartbeat from it."""

    reign: Reign


class Ping(GroupMessage, frozen=True):
    request: Number


class Pong(GroupMessage, frozen=True):
    request: Number
    reign: Reign | None


class SuspectReport(GroupMessage, frozen=True):
    """A member does not hear a member that it watches, and tells the member that decides."""

    request: Number
    suspect: Seat


class SuspectReportTaken(GroupMessage, frozen=True):
    request: Number


class StillHeard(GroupMessage, frozen=True):
    """Do you still reach this master? A candidate asks before it takes over."""

    request: Number
    master: Member


class StillHeardAnswer(GroupMessage, frozen=True):
    request: Number
    heard: bool


class FailureHint(GroupMessage, frozen=True):
    """A watchdog says that this member has failed."""

    failed: Address


# Masters and views


class MasterQuery(GroupMessage, frozen=True):
    """Who is master? With `wants_in`: may I join its view, for this stay of mine? From a master: I am one."""

    wants_in: bool
    reign: Reign | None


class MasterAnswer(GroupMessage, frozen=True):
    reign: Reign


class MasterCollision(GroupMessage, frozen=True):
    """One master to another: I am a master too and stay; or you stay, and I tell my members."""

    reign: Reign


class FollowMaster(GroupMessage, frozen=True):
    """A master that yields, to its members: ask that one to be added."""

    master: Member


class Notified(GroupMessage, frozen=True):
    reign: Reign
    notification: Notification
    again: bool


class NotificationsWanted(GroupMessage, frozen=True):
    """To the master: send all notifications after this sequence id again."""

    after: Number


class NotificationsGone(GroupMessage, frozen=True):
    """The master has no notifications before this one any more."""

    reign: Reign
    before: Number


class LastNotifications(GroupMessage, frozen=True):
    """To a new master: the latest notifications of the one before, without views. It may not have taken all."""

    former: Uuid
    notifications: tuple[Notification, ...]


# The application's affairs


class Ready(GroupMessage, frozen=True):
    """To the master: my application has joined and is ready."""


class ShutdownWanted(GroupMessage, frozen=True):
    """To the master: take me off the view."""

    whole_group: bool


class GroupShutdown(GroupMessage, frozen=True):
    """To all: the whole group stops, and core members leave."""


class GroupStart(GroupMessage, frozen=True):
    """To the master: a whole group starts, and these are expected. From the master, with none: I do not know whether
    you are ready."""

    expected: tuple[Address, ...]


class Application(GroupMessage, frozen=True):
    """From the application to another member. The group service only carries it."""

    body: str
