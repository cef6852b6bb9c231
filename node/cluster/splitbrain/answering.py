"""How a member answers a master that looks for other parts of its cluster.

A follower answers nothing about merging and sends its master's address (rulings 4.2). A master judges by the same rule
as the asker. If it has to take them in, it raises its list version past theirs first (rulings 4.3), and does not go
over to anybody itself while they may be on their way; what it was about to do, by what it had heard before, it gives
up. So no two sides ever merge into each other, however clocks jump (rulings 4.7): each of the two would have to have
asked the other after it answered that one. If it has to go over, it learns of the other by this very question, and
looks at once.

Lists that overlap have not come apart yet: the master of another cluster is taken off my list, and is told to take me
off its own (issue 8137)."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.cluster.service.addresses import JoinAddresses
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.decision import MERGE, NO, STAY, decide
from shaketable.node.cluster.splitbrain.expecting import Expecting
from shaketable.node.core.env import Micros
from shaketable.node.events import MergeJudged
from shaketable.node.messages import (
    Address,
    Identity,
    MasterResponse,
    Member,
    MergeValidation,
    MergeValidationAnswer,
)
from shaketable.node.why import Why, because


class Answering:
    def __init__(
        self,
        membership: Membership,
        *,
        addresses: JoinAddresses,
        suspicion: Suspicion,
        updates: Updates,
        expecting: Expecting,
        they_come: Callable[[Micros], None],
        have_to_go: Callable[[Address], None],
    ) -> None:
        """`they_come`: I have said that another part is to come to me, and until when I wait for it. `have_to_go`: the
        other way round."""
        self._membership = membership
        self._addresses = addresses
        self._suspicion = suspicion
        self._updates = updates
        self._expecting = expecting
        self._they_come = they_come
        self._have_to_go = have_to_go

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
            self._refuse(message, "the asker is not the first of its list")
        elif message.config != ms.config:
            self._refuse(message, "another cluster, or another configuration")
        elif not ms.leads:
            self._refuse(message, "a claim or a merge of my own is under way")
        else:
            self._judge(message)

    def _judge(self, message: MergeValidation) -> None:
        ms, asker, theirs = self._membership, message.sender, message.view
        decision, reason = decide(ms.view, theirs)
        ms.env.report(MergeJudged(asker, decision, *reason))
        if decision == NO:
            self._refuse(message, reason.words)
            self._part(asker, message)
            return
        if decision == STAY:
            self._expecting.expect(theirs)
            self._they_come(self._expecting.until)
            if ms.view.version <= theirs.version:
                self._updates.raise_version(theirs.version + 1, because(Why.VERSION_RAISED, asker.address))
        ms.env.send(asker.address, MergeValidationAnswer(ms.me, message.request, asker.uuid, ms.view, ""))
        if decision == MERGE:
            self._addresses.suggest(asker.address, because(Why.ASKS_ME))
            self._have_to_go(asker.address)

    def _part(self, asker: Member, message: MergeValidation) -> None:
        ms = self._membership
        if any(member.address == ms.me.address for member in message.view.members):
            self._suspicion.explicitly_suspect(
                Identity(asker, asker.address, message.view.version), because(Why.ITS_LIST_HAS_ME)
            )
        if ms.is_member(asker):
            self._suspicion.suspect([asker], because(Why.LEADS_ANOTHER))

    def _refuse(self, message: MergeValidation, reason: str) -> None:
        ms = self._membership
        answer = MergeValidationAnswer(ms.me, message.request, message.sender.uuid, None, reason)
        ms.env.send(message.sender.address, answer)
