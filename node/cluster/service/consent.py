"""What the asked member says to a claim of the mastership: it accepts only if it suspects everyone older than the
candidate. The candidate's side is in mastership.py."""

from __future__ import annotations

from typing import Protocol

from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.views import Membership
from shaketable.node.events import ClaimConsented, ClaimDeclined
from shaketable.node.messages import ClaimAccepted, ClaimRefused, MastershipClaim
from shaketable.node.why import Because, Why, because


class KnowsTable(Protocol):
    @property
    def has_table(self) -> bool:
        """This member has a partition table."""


class Consent:
    def __init__(self, membership: Membership, *, suspicion: Suspicion, partitions: KnowsTable) -> None:
        self._membership = membership
        self._suspicion = suspicion
        self._partitions = partitions

    def on_mastership_claim(self, message: MastershipClaim) -> None:
        ms, candidate = self._membership, message.sender
        refusal = self._refusal(message)
        if refusal is not None:
            final, reason = refusal
            ms.env.report(ClaimDeclined(candidate, final, *reason))
            ms.env.send(candidate.address, ClaimRefused(ms.me, message.request, final, reason))
            return
        if ms.master != candidate:
            view, suspects = ms.view, tuple(m for m in ms.suspects() if m != candidate)
            ms.env.report(ClaimConsented(candidate, view.version, view.author, view.members, suspects))
            self._suspicion.end(candidate, because(Why.CLAIM_ACCEPTED))
            ms.follow(candidate, because(Why.ACCEPTED_CLAIM))
        ms.env.send(candidate.address, ClaimAccepted(ms.me, message.request, ms.view, self._partitions.has_table))

    def _refusal(self, message: MastershipClaim) -> tuple[bool, Because] | None:
        """Whether it is final, and why; None: the claim is accepted."""
        ms, candidate = self._membership, message.sender
        if message.target != ms.me.uuid:
            return True, because(Why.NOT_WHOM_YOU_MEAN)
        if not ms.joined:
            return True, because(Why.NO_MEMBER)
        if ms.master is ms.me:
            return True, because(Why.MASTER_MYSELF)
        if not ms.is_member(candidate):
            return True, because(Why.NOT_IN_MY_LIST)
        if ms.master == candidate:
            return None  # a repeated request: the answer was lost
        if candidate.uuid in ms.suspected and ms.stands_before_master(candidate):
            return True, because(Why.YOUNGER_MASTER)
        if any(m.uuid not in ms.suspected for m in ms.older_than(candidate)):
            return False, because(Why.TRUSTS_AN_OLDER)
        return None
