"""Joining, the answering side: what a member, and above all the master, says to joiners.

From the text on cluster service consistency: "master handles join requests and decides whether requester is able to
join the cluster", "Non-master nodes do not accept join requests". The text is silent on what follows from an address or
an identity that is known already; it is decided in the order of the real system: a repeated request, a fast restart,
the same identity on another address, a stale request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from shaketable.node.cluster.views import Membership
from shaketable.node.events import JoinRequestIgnored
from shaketable.node.messages import (
    Address,
    ClusterMismatch,
    ConfigCheck,
    ConfigMismatch,
    JoinRequest,
    MasterResponse,
    Member,
    Uuid,
    WhoIsMaster,
)

MOST_UNANSWERED: Final = 1000
RESTARTED: Final = "its address asks to join with a new identity"


class Admission:
    def __init__(
        self,
        membership: Membership,
        link_is_up: Callable[[Address], bool],
        link_is_down: Callable[[Address], bool],
        has_left: Callable[[Uuid], bool],
        joined_lately: Callable[[Uuid], bool],
        admit: Callable[[Member], None],
        finalize: Callable[[Member], None],
        suspect: Callable[[Sequence[Member], str], None],
    ) -> None:
        self._membership = membership
        self._link_is_up = link_is_up
        self._link_is_down = link_is_down
        self._has_left = has_left
        self._joined_lately = joined_lately
        self._admit = admit
        self._finalize = finalize
        self._suspect = suspect
        self._unanswered: dict[Address, WhoIsMaster] = {}
        """who asked while my own link to it was not up yet"""

    def on_who_is_master(self, message: WhoIsMaster) -> None:
        if self._membership.joined and self._fits(message.sender, message.config):
            self._name_master(message)

    def _name_master(self, message: WhoIsMaster) -> None:
        ms, asker = self._membership, message.sender
        assert ms.master is not None, "who has joined follows somebody"
        if ms.master.address == asker.address:
            if ms.master != asker and not self._has_left(asker.uuid):
                # A fast restart of my master: the old incarnation is gone, though its links may look alive.
                self._suspect([ms.master], RESTARTED)
            return
        if not self._link_is_up(asker.address) and len(self._unanswered) < MOST_UNANSWERED:
            self._unanswered[asker.address] = message
        ms.env.send(asker.address, MasterResponse(ms.me, ms.master.address))

    def link_up(self, address: Address) -> None:
        """A joiner usually asks before my link to it is up, and the answer is lost: it gets it now."""
        asked = self._unanswered.pop(address, None)
        if asked is not None:
            self.on_who_is_master(asked)

    def on_join_request(self, message: JoinRequest) -> None:
        ms, joiner = self._membership, message.sender
        if not ms.joined:
            self._ignore(joiner, "I am no member myself")
        elif not self._fits(joiner, message.config):
            pass  # it was told
        elif ms.claiming:
            self._ignore(joiner, "my mastership claim is under way")
        elif ms.merging:
            self._ignore(joiner, "my cluster goes over to another one")
        elif not ms.leads:
            self._name_master(WhoIsMaster(joiner, message.config))
        elif ms.is_member(joiner):
            self._finalize(joiner)  # asked again: the answer was lost
        else:
            self._decide(joiner)

    def _decide(self, joiner: Member) -> None:
        """The master's: somebody who is no member wants to be one."""
        ms = self._membership
        earlier = [m for m in ms.view.members if m.address == joiner.address]
        if earlier and self._has_left(joiner.uuid):
            self._ignore(joiner, "it has left, and its address has a newer member")
        elif earlier:
            # A fast restart: the old incarnation goes first, the request will be repeated.
            self._suspect(earlier, RESTARTED)
        elif joiner.uuid in ms.known:
            self._ignore(joiner, f"the member with its identity is at {ms.known[joiner.uuid].address}")
        elif self._joined_lately(joiner.uuid):
            self._ignore(joiner, "it joined a short while ago and is gone again: the request may be a stale one")
        elif self._link_is_down(joiner.address):
            # Admitted now it would never know, and have to be removed. Once my link is up it hears that it shall ask.
            self._ignore(joiner, "my link to it is down")
            self._name_master(WhoIsMaster(joiner, ms.config))
        else:
            self._admit(joiner)

    def _ignore(self, joiner: Member, reason: str) -> None:
        self._membership.env.report(JoinRequestIgnored(joiner, reason))

    def _fits(self, joiner: Member, config: ConfigCheck) -> bool:
        """Whether it belongs to this cluster; else it is told why not."""
        ms = self._membership
        mine = ms.config
        if config == mine:
            return True
        if config.cluster != mine.cluster:
            reason = f"this is cluster {mine.cluster}, not {config.cluster}"
            ms.env.send(joiner.address, ClusterMismatch(ms.me, joiner.uuid, reason))
        else:
            if config.partition_count != mine.partition_count:
                reason = f"the partition count of this cluster is {mine.partition_count}, not {config.partition_count}"
            else:
                reason = f"the maps of this cluster are {mine.maps}, not {config.maps}"
            ms.env.send(joiner.address, ConfigMismatch(ms.me, joiner.uuid, reason))
        return False
