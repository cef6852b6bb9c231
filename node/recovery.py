"""Split-brain recovery: wires its parts below, as member.py does those of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.cluster.views import Membership
from shaketable.node.env import Micros
from shaketable.node.messages import Identity, MasterResponse, Member
from shaketable.node.requests import Requests
from shaketable.node.splitbrain.addresses import JoinAddresses
from shaketable.node.splitbrain.answering import Answering
from shaketable.node.splitbrain.handler import Handler
from shaketable.node.splitbrain.merge import Merge
from shaketable.node.splitbrain.search import Search


class SplitBrainRecovery:
    def __init__(
        self,
        membership: Membership,
        requests: Requests,
        addresses: JoinAddresses,
        suspect: Callable[[Sequence[Member], str], None],
        explicitly_suspect: Callable[[Identity, str], None],
        raise_version: Callable[[int, str], None],
        somebody_joins: Callable[[], bool],
        hold_migrations: Callable[[bool], None],
        migrates: Callable[[], bool],
    ) -> None:
        """`hold_migrations`: none begins, or they go on."""
        self._membership = membership
        self._somebody_joins = somebody_joins
        self.search = Search(membership, requests, addresses, lambda answers: self.handler.searched(answers))
        self.merge = Merge(membership, requests, hold_migrations, migrates, self._why_not)
        self.handler = Handler(membership, self.search.begin, self._is_busy, self._why_not, self.merge.begin)
        self.answering = Answering(
            membership, addresses, suspect, explicitly_suspect, raise_version, self.handler.search_soon
        )

    @property
    def next_due(self) -> Micros:
        return self.handler.next_due

    def start(self, first_due: Micros) -> None:
        self.handler.start(first_due)

    def on_master_response(self, message: MasterResponse) -> None:
        if self._membership.leads:
            self.search.on_master_response(message)

    def members_changed(self, removed: Sequence[Member]) -> None:
        self.merge.members_changed(removed)
        if not self._membership.leads:
            self.search.give_up("I do not lead")

    def _is_busy(self) -> bool:
        return self.search.under_way or self.merge.under_way

    def _why_not(self) -> str:
        ms = self._membership
        if not ms.leads:
            return "I do not lead, or claim the mastership"
        if self._somebody_joins():
            return "somebody joins"
        if self.answering.expects_somebody:
            return "members of another part are on their way to me"
        return ""
