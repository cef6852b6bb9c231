"""One member of a group: wires the parts below and routes messages to them, as `ClusterMember` does for a cluster.

The consequences of a notification are called in written order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar
from uuid import UUID

from shaketable.node.config import BY_THE_RUN, WATCHDOG, Settings, discovery_addresses
from shaketable.node.core.commands import Command
from shaketable.node.core.env import Env, Every
from shaketable.node.core.handlers import handlers_of
from shaketable.node.core.requests import Requests
from shaketable.node.events import LinkDown, LinkUp, Started
from shaketable.node.gms.admission import Admission
from shaketable.node.gms.beats import Beats
from shaketable.node.gms.collisions import Collisions
from shaketable.node.gms.discovery import Discovery
from shaketable.node.gms.doubts import Doubts
from shaketable.node.gms.group import Group
from shaketable.node.gms.group_start import GroupStarting
from shaketable.node.gms.handover import Handover
from shaketable.node.gms.health import Health
from shaketable.node.gms.hints import Hints
from shaketable.node.gms.inheritance import Inheritance
from shaketable.node.gms.local_health import LocalHealth
from shaketable.node.gms.news import News
from shaketable.node.gms.notifications import Notifications
from shaketable.node.gms.orders import Orders
from shaketable.node.gms.probes import Probes
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.readiness import Readiness
from shaketable.node.gms.reports import Reports
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.shutdown import Shutdown
from shaketable.node.gms.stay import Stay
from shaketable.node.gms.strangers import Strangers
from shaketable.node.gms.succession import Succession
from shaketable.node.gms.suspicions import Suspicions
from shaketable.node.gms.swim import Swim
from shaketable.node.gms.talking import Talking
from shaketable.node.gms.witness import Witness
from shaketable.node.messages import (
    Address,
    Application,
    GroupMessage,
    HealthAnnounced,
    HealthMessage,
    HealthTaken,
    Member,
    Message,
    Notification,
    Pong,
    Seat,
    StillHeardAnswer,
    SuspectReportTaken,
    SwimAck,
    SwimPingTried,
)
from shaketable.node.why import Because, Why, because


class GroupMember:
    SENDER: ClassVar[type[Sender]] = Sender
    NOTIFICATIONS: ClassVar[type[Notifications]] = Notifications
    PUBLISHING: ClassVar[type[Publishing]] = Publishing
    DOUBTS: ClassVar[type[Doubts]] = Doubts
    SUCCESSION: ClassVar[type[Succession]] = Succession
    COLLISIONS: ClassVar[type[Collisions]] = Collisions
    NEWS: ClassVar[type[News]] = News
    """the parts in whose place a legacy fault has its own"""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        self.env = env
        self.settings = settings
        self.me = Member(address, str(UUID(int=env.rng.getrandbits(128), version=4)))
        self.group = group = Group(env, settings, self.me)
        self.sender = sender = self.SENDER(group)
        self.requests = Requests(env, sender.send)
        self.probes = Probes(group, requests=self.requests, sender=sender)
        self.notifications = self.NOTIFICATIONS(group, sender=sender, changed=self._changed, removed=self._stay_is_over)
        self.publishing = self.PUBLISHING(group, sender=sender, notifications=self.notifications)
        self.beats = Beats(group, sender=sender)
        local = LocalHealth(settings)
        numbered = settings.swims and self.DOUBTS is Doubts
        make_doubts = partial(Suspicions, local=local) if numbered else self.DOUBTS
        self.doubts = make_doubts(
            group, sender=sender, probes=self.probes, dead=self._verified, answer=self.beats.message
        )
        self.witness = Witness(group, requests=self.requests, sender=sender, probes=self.probes)
        self.succession = self.SUCCESSION(
            group,
            reports=Reports(group, requests=self.requests),
            sender=sender,
            probes=self.probes,
            witness=self.witness,
            doubts=self.doubts,
            publishing=self.publishing,
            probe_all=self._probe_all,
            give_up=self._give_up,
        )
        self.swim = Swim(
            group,
            requests=self.requests,
            sender=sender,
            beats=self.beats,
            doubts=self.doubts,
            local=local,
            silent=self.succession.silent,
            heard=self.succession.reached,
        )
        self.health = Health(
            group,
            beats=self.beats,
            probes=self.probes,
            silent=self.succession.silent,
            heard=self.succession.reached,
            swim=self.swim,
        )
        self.handover = Handover(
            group,
            requests=self.requests,
            sender=sender,
            notifications=self.notifications,
            publishing=self.publishing,
            health=self.health,
            succession=self.succession,
        )
        uris = settings.discovery_uri_list
        known = addresses if uris == BY_THE_RUN else discovery_addresses(uris)
        self.discovery = Discovery(group, sender=sender, addresses=known, found=self.publishing.take_the_lead)
        self.shutdown = Shutdown(
            group, sender=sender, publishing=self.publishing, handover=self.handover, discovery=self.discovery
        )
        self.stay = Stay(
            group,
            notifications=self.notifications,
            health=self.health,
            doubts=self.doubts,
            succession=self.succession,
            discovery=self.discovery,
            shutdown=self.shutdown,
        )
        self.collisions = self.COLLISIONS(
            group,
            sender=sender,
            shutdown=self.shutdown,
            configured=self.discovery.configured,
            look_for=self.stay.look_for,
        )
        self.admission = Admission(
            group,
            sender=sender,
            publishing=self.publishing,
            succession=self.succession,
            collisions=self.collisions,
            discovery=self.discovery,
            shutdown=self.shutdown,
            stay=self.stay,
        )
        self.news = self.NEWS(
            group,
            sender=sender,
            notifications=self.notifications,
            publishing=self.publishing,
            succession=self.succession,
            collisions=self.collisions,
            discovery=self.discovery,
            stay=self.stay,
        )
        self.inheritance = Inheritance(
            group, publishing=self.publishing, doubts=self.doubts, succession=self.succession
        )
        self.readiness = Readiness(group, sender=sender, publishing=self.publishing)
        self.starting = GroupStarting(group, sender=sender, publishing=self.publishing)
        self.hints = Hints(group, succession=self.succession)
        self.orders = Orders(
            group,
            sender=sender,
            shutdown=self.shutdown,
            starting=self.starting,
            talking=Talking(group, sender=sender),
            discovery=self.discovery,
        )
        self.strangers = Strangers(group)
        self._reign_before: tuple[Member, int] | None = None
        """the master whose notification I took last, and with which its reign began: that one may have been lost"""
        self._handlers = handlers_of(
            self._on_health_message,
            self._on_health_announced,
            self.handover.on_health_handed_over,
            self.news.on_reign_told,
            self.probes.on_ping,
            self.swim.on_ping,
            self.swim.on_ping_wanted,
            self.doubts.on_refuted,
            self._on_pong,
            self.succession.on_suspect_report,
            self.witness.on_still_heard,
            self.hints.on_failure_hint,
            self.admission.on_master_query,
            self.news.on_master_answer,
            self.collisions.on_master_collision,
            self.collisions.on_follow_master,
            self.notifications.on_notified,
            self.publishing.on_notifications_wanted,
            self.notifications.on_notifications_gone,
            self.inheritance.on_last_notifications,
            self.readiness.on_ready,
            self.shutdown.on_shutdown_wanted,
            self.shutdown.on_group_shutdown,
            self.starting.on_group_start,
            self._on_answer,
            _nothing,
        )

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
        """A watchdog is told nothing; and nobody hears an incarnation of itself."""
        handler = self._handlers.get(type(message))
        if handler is None or not isinstance(message, GroupMessage) or message.sender.address == self.me.address:
            return
        if self.group.seat.kind == WATCHDOG or self.strangers.drops(message):
            return
        self.health.infer(message)
        self.succession.heard_from(message.sender)
        if message.sender == self.group.master:
            self.health.master_is_there()
        handler(message)
        beat = message.stamp.beat
        if beat is not None and self.group.state != "stopped":
            self._on_health_message(HealthMessage(message.sender, message.stamp, beat.state, beat.reign))

    def link_up(self, to: Address) -> None:
        self.group.links[to] = True
        self.env.report(LinkUp(to))

    def link_down(self, to: Address) -> None:
        if self.group.links.get(to):
            self.env.report(LinkDown(to))
        self.group.links[to] = False
        self.probes.link_down(to)

    def command(self, command: Command) -> None:
        self.orders.command(command)

    # What a part asks of one that stands on it

    def _verified(self, seat: Seat) -> None:
        self.succession.verified(seat)

    def _probe_all(self) -> None:
        self.health.probe_all()

    def _give_up(self, reason: Because) -> None:
        self.stay.look_for(None, reason)

    def _stay_is_over(self, master: Member) -> None:
        self.stay.look_for(master, because(Why.VIEW_LACKS_ME))

    # What a notification changes

    def _changed(self, notification: Notification, came: Sequence[Seat], went: Sequence[Seat]) -> None:
        group, is_of_masters = self.group, notification.change == "master change"
        assert group.reign is not None
        former, self._reign_before = self._reign_before, (group.reign.master, group.reign.first)
        is_another_reign = is_of_masters or former not in (None, self._reign_before)
        if not self.stay.has_begun:
            self.stay.begins(because(Why(notification.change)))
            self.readiness.stay_begins()
        for seat in came:
            self.doubts.added(seat)
        for seat in (*came, *went):
            self.doubts.forget(seat)
            self.succession.forget(seat)
        if group.leads and notification.change == "failure" and notification.about is not None:
            self.collisions.has_failed(notification.about)
        if is_another_reign:
            self.succession.master_changed()
            self.doubts.master_changed(notification.about if is_of_masters else None)
        if came or went or is_another_reign:
            self.health.members_changed(came, went)
        self.sender.hang_up(went)
        self.starting.changed(notification)
        self.readiness.changed(notification)
        self.shutdown.changed()

    # Each period, and messages of more than one part

    def _each_period(self) -> None:
        self.notifications.look()
        self.readiness.tell()

    def _on_health_message(self, message: HealthMessage) -> None:
        self.health.on_health_message(message)
        self.news.on_health_message(message)

    def _on_pong(self, message: Pong | SwimAck) -> None:
        self.requests.answered(message.request, message)
        self.news.on_pong(message)

    def _on_health_announced(self, message: HealthAnnounced) -> None:
        if message.state not in ("stopping", "group stopping", "stopped"):
            self.doubts.on_health_announced(message)
        elif message.about.member == message.sender:
            self.succession.stops(message.sender, message.state)

    def _on_answer(self, message: HealthTaken | SuspectReportTaken | StillHeardAnswer | SwimPingTried) -> None:
        self.requests.answered(message.request, message)


def _nothing(_: Application) -> None:
    """It stands for whatever an application tells its like."""
