"""One member of a group: wires the parts below and routes messages to them, as `ClusterMember` does for a cluster.

The parts do not know each other; what follows from a notification is called in written order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from shaketable.node.commands import (
    Command,
    GroupShutdownCommand,
    GroupStartCommand,
    HintCommand,
    LeaveCommand,
    TalkCommand,
)
from shaketable.node.config import BY_THE_RUN, WATCHDOG, Settings, discovery_addresses
from shaketable.node.env import Env, Every
from shaketable.node.events import ForeignMessage, HintIgnored, Joined, LinkDown, LinkUp, Started, Stopped
from shaketable.node.gms.collisions import Collisions
from shaketable.node.gms.discovery import Discovery
from shaketable.node.gms.doubts import Doubts
from shaketable.node.gms.group import Group
from shaketable.node.gms.group_start import GroupStarting
from shaketable.node.gms.health import Health
from shaketable.node.gms.notifications import Notifications
from shaketable.node.gms.probes import Probes
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.shutdown import Shutdown
from shaketable.node.gms.succession import Succession
from shaketable.node.messages import (
    Address,
    Application,
    FailureHint,
    FollowMaster,
    GroupMessage,
    GroupShutdown,
    GroupStart,
    HealthAnnounced,
    HealthHandedOver,
    HealthMessage,
    HealthTaken,
    MasterAnswer,
    MasterCollision,
    MasterQuery,
    Member,
    Message,
    Notification,
    NotificationsGone,
    NotificationsWanted,
    Notified,
    Ping,
    Pong,
    Ready,
    ReignTold,
    Seat,
    ShutdownWanted,
    StillHeard,
    StillHeardAnswer,
    SuspectReport,
    SuspectReportTaken,
)
from shaketable.node.requests import Requests

STOPS: Final = ("stopping", "group stopping", "stopped")


class GroupMember:
    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        self.env = env
        self.settings = settings
        self.me = Member(address, str(UUID(int=env.rng.getrandbits(128), version=4)))
        self.group = group = Group(env, settings, self.me)
        self.sender = Sender(group)
        self.requests = Requests(env, self.sender.send)
        self.probes = Probes(group, self.requests, self.sender)
        self.health = Health(group, self.sender, self.probes, self._silent, self._heard_from)
        self.notifications = Notifications(group, self.sender, self._changed, self._removed)
        self.publishing = Publishing(group, self.sender, self.notifications)
        self.doubts = Doubts(group, self.sender, self.probes, self._verified, self.health.message)
        self.succession = Succession(
            group, self.requests, self.sender, self.probes, self.doubts, self.publishing, self.health.probe_all
        )
        uris = settings.discovery_uri_list
        known = addresses if uris == BY_THE_RUN else discovery_addresses(uris)
        self.discovery = Discovery(group, self.sender, known, self._found)
        self.collisions = Collisions(group, self.sender, self.discovery.configured, self._look_for)
        self.shutdown = Shutdown(group, self.requests, self.sender, self.publishing, self.health.last_heard)
        self.starting = GroupStarting(group, self.sender, self.publishing)
        self._is_ready = False
        """my application has said so"""
        self._foreign: dict[str, bool] = {}
        self._talk: Every | None = None
        self._handlers: Mapping[type[Message], Callable[[Any], None]] = {
            HealthMessage: self._on_health_message,
            HealthAnnounced: self._on_health_announced,
            HealthHandedOver: self._on_health_handed_over,
            HealthTaken: self._on_answer,
            ReignTold: self._on_reign_told,
            Ping: self.probes.on_ping,
            Pong: self._on_pong,
            SuspectReport: self.succession.on_suspect_report,
            SuspectReportTaken: self._on_answer,
            StillHeard: self.succession.on_still_heard,
            StillHeardAnswer: self._on_answer,
            FailureHint: self._on_failure_hint,
            MasterQuery: self._on_master_query,
            MasterAnswer: self._on_master_answer,
            MasterCollision: self.collisions.on_master_collision,
            FollowMaster: self.collisions.on_follow_master,
            Notified: self.notifications.on_notified,
            NotificationsWanted: self.publishing.on_notifications_wanted,
            NotificationsGone: self.notifications.on_notifications_gone,
            Ready: self._on_ready,
            ShutdownWanted: self.shutdown.on_shutdown_wanted,
            GroupShutdown: self.shutdown.on_group_shutdown,
            GroupStart: self.starting.on_group_start,
            Application: _nothing,
        }

    # What a world calls

    def start(self) -> None:
        self.env.report(Started(self.me))
        if self.settings.gms_member_type == WATCHDOG:
            return
        self.health.start()
        Every(self.env, self.settings.gms_heartbeat_period, self._each_period)
        self.collisions.start()
        self.discovery.start()

    def receive(self, message: Message) -> None:
        """Messages of another group, of another domain, or of an incarnation before me are dropped."""
        handler = self._handlers.get(type(message))
        if handler is None or not isinstance(message, GroupMessage) or message.sender.address == self.me.address:
            return
        stamp, mine = message.stamp, self.group.stamp
        if stamp.domain != mine.domain or stamp.group != mine.group:
            self._drop_foreign(message)
            return
        self.health.infer(message)
        if message.sender == self.group.master:
            self.health.master_is_there()
        handler(message)

    def link_up(self, to: Address) -> None:
        self.group.links[to] = True
        self.env.report(LinkUp(to))

    def link_down(self, to: Address) -> None:
        if self.group.links.get(to):
            self.env.report(LinkDown(to))
        self.group.links[to] = False
        self.probes.link_down(to)

    def command(self, command: Command) -> None:
        match command:
            case LeaveCommand():
                self._leave()
            case GroupShutdownCommand():
                self.shutdown.leave_all()
            case GroupStartCommand():
                self.starting.begin(command.expected)
            case HintCommand():
                self.sender.to_all(self.discovery.configured, FailureHint(self.me, self.group.stamp, command.failed))
            case TalkCommand():
                self._begin_to_talk(command.every)

    def _leave(self) -> None:
        if self.settings.gms_member_type == WATCHDOG:
            self.env.report(Stopped("a watchdog is in no view"))
        else:
            self.shutdown.leave()

    # What the parts are told of each other

    def _found(self, reason: str) -> None:
        self.publishing.take_the_lead(reason)

    def _silent(self, seat: Seat, reason: str, silence: int) -> None:
        self.succession.silent(seat, reason, silence)

    def _verified(self, seat: Seat) -> None:
        self.succession.verified(seat)

    def _heard_from(self, seat: Seat) -> None:
        self.doubts.heard_from(seat)
        self.succession.heard_from(seat)

    def _look_for(self, master: Member, reason: str) -> None:
        """I follow nobody until it adds me."""
        also = [seat.member.address for seat in self.group.others]
        self._follow_nobody(reason)
        self.discovery.look_again(master, also, reason)

    def _removed(self, notification: Notification) -> None:
        """My master's view lacks me. Unless I wanted that, I ask to be added again (rulings 5.6)."""
        if self.shutdown.wanted:
            self.shutdown.removed()
        elif self.group.joined:
            self._look_for_again()

    def _look_for_again(self) -> None:
        master = self.group.master
        also = [seat.member.address for seat in self.group.others]
        self._follow_nobody("its view lacks me")
        self.discovery.look_again(master, also, "its view lacks me")

    def _follow_nobody(self, reason: str) -> None:
        group = self.group
        group.follow(None, reason)
        group.state = "starting"
        self.notifications.start_afresh()
        self.health.left_alone()
        self.doubts.forget_all()
        self.succession.master_changed()

    def _changed(self, notification: Notification, came: Sequence[Seat], went: Sequence[Seat]) -> None:
        group = self.group
        if group.state == "starting":
            self._joined(notification)
        for seat in went:
            self.doubts.forget(seat)
            self.succession.stopping.pop(seat.member.uuid, None)
            if group.leads and notification.change == "failure":
                self.collisions.has_failed(seat)
        if notification.change == "master change":
            self.succession.master_changed()
            self.doubts.master_changed()
        if came or went or notification.change == "master change":
            self.health.members_changed(came, went)
        self.sender.hang_up(went)
        self.starting.changed(notification)
        if notification.change == "joined and ready" and notification.about is not None:
            self._ready_is_known(notification.about)
        self.shutdown.changed()

    def _joined(self, notification: Notification) -> None:
        self.group.state = "alive"
        self.discovery.joined()
        self.env.report(Joined(self.group.leads, notification.change))
        if not self._is_ready:
            self.env.call_later(self.settings.gms_ready_after, self._application_is_ready)

    # The application's readiness

    def _application_is_ready(self) -> None:
        self._is_ready = True
        self._tell_ready()

    def _tell_ready(self) -> None:
        """Until the master has told all."""
        group = self.group
        seat = group.seat_of(self.me)
        if not self._is_ready or seat is None or group.state not in ("alive", "ready"):
            return
        group.state = "ready"
        if group.leads:
            self.publishing.ready(seat)
        elif group.master is not None:
            self.sender.send(group.master.address, Ready(self.me, group.stamp))

    def _on_ready(self, message: Ready) -> None:
        seat = self.group.seat_of(message.sender)
        if self.group.leads and seat is not None and not self.publishing.has_told_ready(seat):
            self.publishing.ready(seat)

    def _ready_is_known(self, seat: Seat) -> None:
        if seat.member == self.me and self.group.state in ("alive", "ready"):
            self.group.state = "alive and ready"

    # Each period, and messages of more than one part

    def _each_period(self) -> None:
        self.notifications.look()
        self._tell_ready()

    def _on_health_message(self, message: HealthMessage) -> None:
        group, reign = self.group, message.reign
        self.health.on_health_message(message)
        self.notifications.heard_of(reign)
        if group.leads and reign is not None:
            if reign.master != self.me:
                self.collisions.learn_of(reign)
            elif group.seat_of(message.sender) is None:
                self.publishing.send_again(message.sender, 0)  # it believes to be a member

    def _on_pong(self, message: Pong) -> None:
        self._on_answer(message)
        self.notifications.heard_of(message.reign)
        self.collisions.learn_of(message.reign)

    def _on_reign_told(self, message: ReignTold) -> None:
        self.notifications.heard_of(message.reign)

    def _on_health_announced(self, message: HealthAnnounced) -> None:
        if message.state in STOPS and message.about.member == message.sender:
            if self.group.seat_of(message.sender) is not None:
                self.succession.stopping[message.sender.uuid] = message.state == "group stopping"
        else:
            self.doubts.on_health_announced(message)

    def _on_health_handed_over(self, message: HealthHandedOver) -> None:
        """My master shuts down, and I am to follow it: with all that it has told, and what it has heard."""
        group = self.group
        if message.sender != group.master:
            return
        for notification in message.notifications:
            if notification.sequence == message.notifications[0].sequence:
                self.notifications.on_notifications_gone(
                    NotificationsGone(message.sender, message.stamp, message.reign, notification.sequence)
                )
            self.notifications.on_notified(Notified(message.sender, message.stamp, message.reign, notification, True))
        former = group.master_seat
        self.sender.send(message.sender.address, HealthTaken(self.me, group.stamp, message.request))
        if former is not None and former.member == message.sender:
            self.health.take_over(message.heard)
            self.succession.stopping[former.member.uuid] = message.whole_group
            self.succession.take_over(former, "my master shuts down, and I am next")

    def _on_master_query(self, message: MasterQuery) -> None:
        group = self.group
        if group.leads:
            if message.wants_in:
                self._add(message)
            else:
                self.collisions.on_master_query(message)
        elif group.reign is not None:
            seat = group.master_seat
            if seat is not None and seat.member.address == message.sender.address and message.sender != seat.member:
                if message.stamp.start > seat.start:
                    self.succession.master_is_silent("it was restarted")
                return
            self.sender.send(message.sender.address, MasterAnswer(self.me, group.stamp, group.reign))
        else:
            self.discovery.on_master_query(message)

    def _add(self, message: MasterQuery) -> None:
        if self.shutdown.wanted:
            return
        newcomer = Seat(message.sender, message.stamp.kind, message.stamp.start, 0)
        before = self.group.by_address.get(message.sender.address)
        if before is not None and before.member == newcomer.member:
            self.publishing.send_again(message.sender, 0)  # what it was told of it has not come
        elif newcomer.kind != WATCHDOG and (before is None or before.start < newcomer.start):
            self.publishing.add(newcomer)

    def _on_master_answer(self, message: MasterAnswer) -> None:
        if self.group.leads:
            self.collisions.on_master_answer(message)
        elif self.group.reign is None:
            self.discovery.on_master_answer(message)

    def _on_failure_hint(self, message: FailureHint) -> None:
        """A watchdog's word is not verified."""
        group = self.group
        if not group.leads:
            return
        seat = group.by_address.get(message.failed)
        if message.stamp.kind != WATCHDOG:
            self.env.report(HintIgnored(message.sender, "it is no watchdog"))
        elif seat is None or seat.member == self.me or seat.member.uuid in self.succession.stopping:
            self.env.report(HintIgnored(message.sender, f"{message.failed} is no member that could have failed"))
        else:
            self.succession.hinted(seat)

    def _on_answer(self, message: HealthTaken | Pong | SuspectReportTaken | StillHeardAnswer) -> None:
        self.requests.answered(message.request, message)

    def _begin_to_talk(self, every: int) -> None:
        if self._talk is not None:
            self._talk.cancel()
        self._talk = Every(self.env, every, self._say_something) if every else None

    def _say_something(self) -> None:
        if self.group.joined:
            self.sender.broadcast(Application(self.me, self.group.stamp, "hello"))

    def _drop_foreign(self, message: GroupMessage) -> None:
        if message.sender.uuid not in self._foreign:
            self._foreign[message.sender.uuid] = True
            stamp = message.stamp
            self.env.report(ForeignMessage(message.sender, f"it is of group {stamp.group} in domain {stamp.domain}"))


def _nothing(_: object) -> None:
    pass
