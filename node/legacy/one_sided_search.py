"""One-sided search: who has to go over does not learn of the other part when that one asks it.

Acts out text 4.1.3. The bigger one's master may know the smaller one's, ask it, and get an answer: nothing comes of
that (issue 17490)."""

from __future__ import annotations

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.splitbrain.decision import MERGE, decide
from shaketable.node.events import MergeJudged
from shaketable.node.messages import MergeValidation, MergeValidationAnswer, Message


class OneSidedSearch(ClusterMember):
    def receive(self, message: Message) -> None:
        ms = self.membership
        if isinstance(message, MergeValidation) and ms.leads and message.config == ms.config:
            decision, reason = decide(ms.view, message.view)
            if decision == MERGE:
                self.env.report(MergeJudged(message.sender, decision, *reason))
                answer = MergeValidationAnswer(self.me, message.request, message.sender.uuid, ms.view, "")
                self.env.send(message.sender.address, answer)
                return
        super().receive(message)
