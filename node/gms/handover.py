"""A master that shuts down hands what it has heard, and has told, to its successor (text 5.2.2.2).

The member that is told takes over at once, and takes the former master off the view. A member that does not answer is
passed over."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.core.requests import Ask, Requests
from shaketable.node.gms.group import Group
from shaketable.node.gms.health import Health
from shaketable.node.gms.notifications import Notifications
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.succession import Succession
from shaketable.node.messages import (
    HealthHandedOver,
    HealthTaken,
    Message,
    NotificationsGone,
    Notified,
    Seat,
    Uuid,
)
from shaketable.node.why import Why, because


class Handover:
    def __init__(
        self,
        group: Group,
        *,
        requests: Requests,
        sender: Sender,
        notifications: Notifications,
        publishing: Publishing,
        health: Health,
        succession: Succession,
    ) -> None:
        self._group = group
        self._requests = requests
        self._sender = sender
        self._notifications = notifications
        self._publishing = publishing
        self._health = health
        self._succession = succession
        self._ask: Ask | None = None
        self._tried: dict[Uuid, bool] = {}
        """who did not take over from me"""

    def begin(self, whole_group: bool, nobody_left: Callable[[], None]) -> None:
        group, settings = self._group, self._group.settings
        candidate = group.candidate([*self._tried, *self._succession.stopping, group.me.uuid]) or group.candidate(
            [*self._tried, group.me.uuid]
        )
        if self._ask is not None:
            return
        if candidate is None:
            nobody_left()
            return
        to: Seat = candidate
        reign, heard, kept = group.reign, tuple(self._health.last_heard()), self._publishing.kept
        assert reign is not None

        def message(number: int) -> Message:
            return HealthHandedOver(group.me, group.stamp, number, heard, reign, kept, whole_group)

        def silent() -> None:
            self._ask = None
            self._publishing.is_handed_over = False
            self._tried[to.member.uuid] = True
            if group.leads:
                self.begin(whole_group, nobody_left)

        self._publishing.is_handed_over = True
        self._ask = self._requests.ask(
            lambda: to.member.address if group.leads else None,
            message,
            on_answer=lambda answer: isinstance(answer, HealthTaken),
            on_silence=silent,
            retry=settings.discovery_retry,
            budget=settings.gms_verify_timeout,
        )

    def on_health_handed_over(self, message: HealthHandedOver) -> None:
        """My master shuts down, and I am to follow it."""
        group, former = self._group, self._group.master_seat
        if former is None or message.sender != former.member:
            return
        for notification in message.notifications[:1]:  # what is before it, and has not come, will never come
            gone = NotificationsGone(message.sender, message.stamp, message.reign, notification.sequence)
            self._notifications.on_notifications_gone(gone)
        for notification in message.notifications:
            told = Notified(message.sender, message.stamp, message.reign, notification, True)
            self._notifications.on_notified(told)
        if group.master != former.member:
            return  # what it has told was that I am in its view no more
        self._sender.send(former.member.address, HealthTaken(group.me, group.stamp, message.request))
        before = self._health.heard
        self._succession.stopping[former.member.uuid] = message.whole_group
        self._succession.take_over(former, because(Why.MASTER_SHUTS_DOWN))
        self._health.take_over(message.heard, before)
