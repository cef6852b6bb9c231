"""What who is asked says to a master that looks for other parts of its cluster.

From the rulings on split-brain recovery: a follower answers nothing about merging and sends its master's address (4.2).
A master judges by the same rule as who asks. If it has to take them in, it raises its list version past theirs first
(4.3), and does not go over to anybody itself while they may be on their way; what it was about to do, by what it had
heard before, it gives up. So no two sides ever merge into each other, however clocks jump (4.7): each of the two would
have to have asked the other after it answered that one. If it has to go over, it learns of the other by this very
question, and looks at once.

Lists that overlap have not come apart yet: who leads another cluster is taken off my list, and is told to take me off
its own (issue 8137)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.cluster.views import Membership
from shaketable.node.env import Micros
from shaketable.node.events import MergeJudged
from shaketable.node.messages import (
    Address,
    Identity,
    MasterResponse,
    Member,
    MemberList,
    MergeValidation,
    MergeValidationAnswer,
    Uuid,
)
from shaketable.node.splitbrain.addresses import JoinAddresses
from shaketable.node.splitbrain.decision import MERGE, NO, STAY, decide
from shaketable.node.splitbrain.keeping import kept

LEADS_ANOTHER = "it leads another cluster"


class Answering:
    def __init__(
        self,
        membership: Membership,
        addresses: JoinAddresses,
        suspect: Callable[[Sequence[Member], str], None],
        explicitly_suspect: Callable[[Identity, str], None],
        raise_version: Callable[[int, str], None],
        they_come: Callable[[Micros], None],
        have_to_go: Callable[[Address], None],
    ) -> None:
        """`they_come`: I have said that another part is to come to me, and until when I wait for it. `have_to_go`: the
        other way round."""
        self._membership = membership
        self._addresses = addresses
        self._suspect = suspect
        self._explicitly_suspect = explicitly_suspect
        self._raise_version = raise_version
        self._they_come = they_come
        self._have_to_go = have_to_go
        self.expected_until: Micros = 0
        """so long I keep myself for whom I have told to come"""
        self._coming: dict[Uuid, tuple[Uuid, Micros]] = {}
        """of the parts that I have told to come each member, with its master, and until when it may be on its way"""

    @property
    def expects_somebody(self) -> bool:
        """Members of another part may be on their way to me."""
        return self._membership.env.now() < self.expected_until

    def may_come(self, part: MemberList) -> bool:
        """It is what is left of a part that I have told to come: others of that one may still be on their way to me. As
        long as the same master leads it, that has sent nobody."""
        now, leads = self._membership.env.now(), part.members[0].uuid
        told = [self._coming[member.uuid] for member in part.members if member.uuid in self._coming]
        return any(master != leads and now < until for master, until in told)

    def on_merge_validation(self, message: MergeValidation) -> None:
        ms, asker = self._membership, message.sender
        if not ms.joined or ms.master is None or not ms.settings.merging:
            self._refuse(message, "I am no member of a cluster" if not ms.joined else "merging is switched off")
        elif ms.master is not ms.me:
            if ms.master.address == asker.address:
                self._refuse(message, "I follow you, as far as I know")
            else:
                ms.env.send(asker.address, MasterResponse(ms.me, ms.master.address))
        elif message.view.members[:1] != (asker,):
            self._refuse(message, "who asks is not the first of its list")
        elif message.config != ms.config:
            self._refuse(message, "another cluster, or another configuration")
        elif not ms.leads:
            self._refuse(message, "a claim or a merge of my own is under way")
        else:
            self._judge(message)

    def _judge(self, message: MergeValidation) -> None:
        ms, asker, theirs = self._membership, message.sender, message.view
        decision, reason = decide(ms.view, theirs)
        ms.env.report(MergeJudged(asker, decision, reason))
        if decision == NO:
            self._refuse(message, reason)
            self._part(asker, message)
            return
        if decision == STAY:
            self._expect(theirs)
            if ms.view.version <= theirs.version:
                self._raise_version(theirs.version + 1, f"past that of {asker.address}, which is to merge")
        ms.env.send(asker.address, MergeValidationAnswer(ms.me, message.request, asker.uuid, ms.view, ""))
        if decision == MERGE:
            self._addresses.suggest(asker.address, "it asks me, and I have to go over to it")
            self._have_to_go(asker.address)

    def _expect(self, part: MemberList) -> None:
        ms = self._membership
        now = ms.env.now()
        self.expected_until = now + kept(ms.settings)
        # Their master sends them within that time; then each asks me to be admitted.
        until = self.expected_until + ms.settings.max_join_merge_target
        self._coming = {uuid: told for uuid, told in self._coming.items() if now < told[1]}
        self._coming |= {member.uuid: (part.members[0].uuid, until) for member in part.members}
        self._they_come(self.expected_until)

    def _part(self, asker: Member, message: MergeValidation) -> None:
        ms = self._membership
        if any(member.address == ms.me.address for member in message.view.members):
            self._explicitly_suspect(Identity(asker, asker.address, message.view.version), "its list has me")
        if ms.is_member(asker):
            self._suspect([asker], LEADS_ANOTHER)

    def _refuse(self, message: MergeValidation, reason: str) -> None:
        ms = self._membership
        answer = MergeValidationAnswer(ms.me, message.request, message.sender.uuid, None, reason)
        ms.env.send(message.sender.address, answer)
