"""Swapped masters: two masters learn of each other, each adopts the other, and none is left.

Acts out Shoal's `processMasterNodeResponse`, which adopts the sender as master without looking for a collision: one
master wins, or they swap and nobody is master (rulings 5.8, B12)."""

from __future__ import annotations

from shaketable.node.events import LeadershipYielded
from shaketable.node.gms import GroupMember
from shaketable.node.gms.collisions import Collisions
from shaketable.node.gms.news import News
from shaketable.node.messages import HealthMessage, MasterCollision, Pong, SwimAck
from shaketable.node.why import Why, because


class AdoptsTheSender(Collisions):
    def on_master_collision(self, message: MasterCollision) -> None:
        group, other = self._group, message.reign
        if group.leads and group.reign is not None and message.sender == other.master != group.me:
            self._sender.send(message.sender.address, MasterCollision(group.me, group.stamp, group.reign))
            group.env.report(LeadershipYielded(other.master, *because(Why.SAYS_IT_LEADS)))
            group.follow(other, message.stamp.stay, because(Why.SAYS_IT_LEADS))


class BelievesItsMaster(News):
    """Whatever that one says of its own master."""

    def on_health_message(self, message: HealthMessage) -> None:
        if message.sender != self._group.master:
            super().on_health_message(message)

    def on_pong(self, message: Pong | SwimAck) -> None:
        if message.sender != self._group.master:
            super().on_pong(message)


class SwappedMasters(GroupMember):
    COLLISIONS = AdoptsTheSender
    NEWS = BelievesItsMaster
