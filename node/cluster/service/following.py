"""The follower's side of a membership update: a list of its master, and nobody else's.

From text 1.5. A follower applies a list only if its version is greater; an equal or smaller one is ignored and
reported. A list that comes from a member that is not my master is answered with explicit suspicion; one that lacks me
is refused (M3)."""

from __future__ import annotations

from shaketable.node.cluster.service.mastership import Mastership
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.views import Membership
from shaketable.node.events import ViewIgnored
from shaketable.node.messages import Identity, Member, MemberList, MembersUpdate
from shaketable.node.why import Because, Why, because


class Following:
    def __init__(self, membership: Membership, *, suspicion: Suspicion, mastership: Mastership) -> None:
        self._membership = membership
        self._suspicion = suspicion
        self._mastership = mastership

    def on_members_update(self, message: MembersUpdate) -> None:
        ms = self._membership
        sender, view = message.sender, message.view
        if not ms.joined:
            return
        if sender != ms.master:
            self._ignore(view, sender, because(Why.NOT_FROM_MY_MASTER))
            if not ms.claiming:
                self._suspicion.explicitly_suspect(
                    Identity(sender, sender.address, view.version), because(Why.STRANGE_LIST)
                )
            return
        if message.target != ms.me.uuid or ms.me not in view.members:
            self._ignore(view, sender, because(Why.WITHOUT_ME))
            return
        if view.version > ms.view.version:
            ms.install(view, because(Why.MEMBERS_UPDATE))
        else:
            self._ignore(view, sender, because(Why.NOT_NEWER))
        self.heard_from_master(sender)

    def heard_from_master(self, master: Member) -> None:
        self._suspicion.heard_from(master, because(Why.ITS_LIST))
        self._mastership.claim_if_due()

    def _ignore(self, view: MemberList, sender: Member, reason: Because) -> None:
        self._membership.env.report(ViewIgnored(view.version, view.author, sender, *reason))
