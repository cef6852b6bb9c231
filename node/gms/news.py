"""What any message says of a master, and what follows if that master is not mine.

Each heartbeat carries a reign, as far as its sender knows it (rulings 5.1). So heartbeats tell of a missed
notification, a master that does not lead any more, an unknown successor, and a second master. Some have been under way
for long: what a master said before it led, or in another stay, says nothing of it now."""

from __future__ import annotations

from shaketable.node.gms.collisions import Collisions
from shaketable.node.gms.discovery import Discovery
from shaketable.node.gms.group import Group
from shaketable.node.gms.notifications import Notifications
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.stay import Stay
from shaketable.node.gms.succession import Succession
from shaketable.node.messages import GroupMessage, HealthMessage, MasterAnswer, Pong, Reign, ReignTold, SwimAck
from shaketable.node.why import Why, because


class News:
    def __init__(
        self,
        group: Group,
        *,
        sender: Sender,
        notifications: Notifications,
        publishing: Publishing,
        succession: Succession,
        collisions: Collisions,
        discovery: Discovery,
        stay: Stay,
    ) -> None:
        self._group = group
        self._sender = sender
        self._notifications = notifications
        self._publishing = publishing
        self._succession = succession
        self._collisions = collisions
        self._discovery = discovery
        self._stay = stay

    def on_health_message(self, message: HealthMessage) -> None:
        if message.reign is not None:
            self._learn_of(message, message.reign)

    def on_master_answer(self, message: MasterAnswer) -> None:
        """To me as a master, which asks around; or while I look for one."""
        if self._group.leads:
            self._learn_of(message, message.reign)
        elif self._group.reign is None:
            self._discovery.on_master_answer(message)

    def on_reign_told(self, message: ReignTold) -> None:
        self._learn_of(message, message.reign)

    def on_pong(self, message: Pong | SwimAck) -> None:
        if message.reign is not None:
            self._learn_of(message, message.reign)
        elif message.sender == self._group.master and self._is_of_now(message, None):
            self._stay.look_for(None, because(Why.MASTER_FOLLOWS_NOBODY))

    def _learn_of(self, message: GroupMessage, reign: Reign) -> None:
        group, sender = self._group, message.sender
        if group.reign is None:
            return
        if group.leads:
            self._collisions.learn_of(reign)
            if reign.master == group.me and group.seat_of(sender) is None:
                self._publishing.send_again(sender, 0)  # it believes to be a member
        elif group.is_mine(reign):
            self._notifications.heard_of(reign)
        elif sender == group.master and reign.master != sender:
            if self._is_of_now(message, reign):
                self._stay.look_for(reign.master, because(Why.MASTER_FOLLOWS_IT))
        else:
            # There are two masters, or its sender has yet to learn of mine, or I of its one.
            self._notifications.ask_if_it_succeeds(reign)
            if reign.master != group.master:
                self._succession.another_leads()
                self._sender.send(group.reign.master.address, MasterAnswer(group.me, group.stamp, reign))

    def _is_of_now(self, message: GroupMessage, reign: Reign | None) -> bool:
        """My master says that another one leads, or nobody. It has said so too before it led: of a reign that began
        before its own, and in the same stay."""
        mine = self._group.reign
        began_later = mine is not None and reign is not None and reign.first > mine.first
        return began_later or message.stamp.stay > self._group.master_stay
