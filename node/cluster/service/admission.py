"""Joining, the answering side: what a member, and above all the master, says to joiners.

From text 1.5: the master decides on join requests, others do not accept them. The text is silent on what follows from
an address or an identity that is known already; it is decided in the order of the real system: a repeated request, a
fast restart, the same identity on another address, a stale request."""

from __future__ import annotations

from typing import Final

from shaketable.node.cluster.service.batches import JoinBatches
from shaketable.node.cluster.service.links import Links
from shaketable.node.cluster.service.stale_joins import StaleJoins
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.events import JoinRequestIgnored
from shaketable.node.messages import (
    Address,
    ClusterMismatch,
    ConfigCheck,
    ConfigMismatch,
    JoinRequest,
    MasterResponse,
    Member,
    WhoIsMaster,
)
from shaketable.node.why import Because, Why, because

MOST_UNANSWERED: Final = 1000


class Admission:
    def __init__(
        self,
        membership: Membership,
        *,
        links: Links,
        stale_joins: StaleJoins,
        batches: JoinBatches,
        updates: Updates,
        suspicion: Suspicion,
    ) -> None:
        self._membership = membership
        self._links = links
        self._stale_joins = stale_joins
        self._batches = batches
        self._updates = updates
        self._suspicion = suspicion
        self._unanswered: dict[Address, bool] = {}
        """who asked while my own link to it was not up yet"""

    def on_who_is_master(self, message: WhoIsMaster) -> None:
        if self._membership.joined and self._fits(message.sender, message.config):
            self._name_master(message.sender)

    def _name_master(self, asker: Member) -> None:
        ms = self._membership
        assert ms.master is not None, "who has joined follows somebody"
        if ms.master.address == asker.address:
            if ms.master != asker and not self._stale_joins.has_left(asker.uuid):
                # A fast restart of my master: the old incarnation is gone, though its links may look alive.
                self._suspicion.suspect([ms.master], because(Why.NEW_IDENTITY))
            return
        if not self._links.is_up(asker.address) and len(self._unanswered) < MOST_UNANSWERED:
            self._unanswered[asker.address] = True
        self._answer(asker.address)

    def _answer(self, to: Address) -> None:
        ms = self._membership
        if ms.master is not None and ms.master.address != to:
            ms.env.send(to, MasterResponse(ms.me, ms.master.address))

    def link_up(self, address: Address) -> None:
        """A joiner usually asks before my link to it is up, and the answer is lost: it gets it now."""
        if self._unanswered.pop(address, False):
            self._answer(address)

    def on_join_request(self, message: JoinRequest) -> None:
        ms, joiner = self._membership, message.sender
        if not ms.joined:
            self._ignore(joiner, because(Why.NO_MEMBER_MYSELF))
        elif not self._fits(joiner, message.config):
            pass  # it was told
        elif ms.claiming:
            self._ignore(joiner, because(Why.CLAIM_UNDER_WAY))
        elif ms.merging:
            self._ignore(joiner, because(Why.GOES_OVER))
        elif not ms.leads:
            self._name_master(joiner)
        elif ms.is_member(joiner):
            self._updates.finalize(joiner)  # asked again: the answer was lost
        else:
            self._decide(joiner)

    def _decide(self, joiner: Member) -> None:
        """The master's: somebody who is no member wants to be one."""
        ms = self._membership
        earlier = [m for m in ms.view.members if m.address == joiner.address]
        if earlier and self._stale_joins.has_left(joiner.uuid):
            self._ignore(joiner, because(Why.LEFT_AND_REPLACED))
        elif earlier:
            # A fast restart: the old incarnation goes first, the request will be repeated.
            self._suspicion.suspect(earlier, because(Why.NEW_IDENTITY))
        elif joiner.uuid in ms.known:
            self._ignore(joiner, because(Why.MEMBER_ELSEWHERE, ms.known[joiner.uuid].address))
        elif self._stale_joins.joined_lately(joiner.uuid):
            self._ignore(joiner, because(Why.STALE_JOIN))
        elif self._links.is_down(joiner.address):
            # Admitted now it would never know, and have to be removed. Once my link is up it hears that it shall ask.
            self._ignore(joiner, because(Why.LINK_DOWN))
            self._name_master(joiner)
        else:
            self._batches.admit(joiner)

    def _ignore(self, joiner: Member, reason: Because) -> None:
        self._membership.env.report(JoinRequestIgnored(joiner, *reason))

    def _fits(self, joiner: Member, config: ConfigCheck) -> bool:
        """Whether it belongs to this cluster; else it is told why not."""
        ms = self._membership
        mine = ms.config
        if config == mine:
            return True
        if config.cluster != mine.cluster:
            reason = because(Why.ANOTHER_CLUSTER, mine.cluster, config.cluster)
            ms.env.send(joiner.address, ClusterMismatch(ms.me, joiner.uuid, reason))
        else:
            if config.partition_count != mine.partition_count:
                reason = because(Why.ANOTHER_PARTITION_COUNT, mine.partition_count, config.partition_count)
            elif config.maps != mine.maps:
                reason = because(Why.OTHER_MAPS, mine.maps, config.maps)
            else:
                reason = because(Why.OTHER_GROUPS, mine.groups or "none", config.groups or "none")
            ms.env.send(joiner.address, ConfigMismatch(ms.me, joiner.uuid, reason))
        return False
