"""Two tie-breaks: the master that learns of another one decides by age, the one that is told by the members' order.

Acts out Shoal's `checkMaster` beside its `processMasterNodeCollision`: if seniority and the members' order disagree,
both resign or both affirm (rulings 5.8, B9). Here both affirm."""

from __future__ import annotations

from shaketable.node.config import BY_ORDER, BY_SENIORITY
from shaketable.node.events import MastersCollided
from shaketable.node.gms import GroupMember
from shaketable.node.gms.collisions import Collisions
from shaketable.node.gms.election import rank_of
from shaketable.node.messages import MasterCollision, Reign


class DecidesTwice(Collisions):
    def learn_of(self, other: Reign) -> None:
        group, rank = self._group, rank_of(BY_SENIORITY)
        if rank(group.me, group.seat.start) < rank(other.master, other.start):
            super().learn_of(other)

    def on_master_collision(self, message: MasterCollision) -> None:
        group, other, rank = self._group, message.reign, rank_of(BY_ORDER)
        if group.leads and other.master != group.me and rank(group.me, 0) < rank(other.master, 0):
            group.env.report(MastersCollided(other.master, group.me))  # and nobody is told
        elif group.leads and other.master != group.me:
            group.env.report(MastersCollided(other.master, other.master))
            self._yield_to(other.master)
        else:
            super().on_master_collision(message)


class TwoTieBreaks(GroupMember):
    COLLISIONS = DecidesTwice
