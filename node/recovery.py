"""Split-brain recovery: wires its parts below, as member.py does those of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.cluster.views import Membership
from shaketable.node.env import Micros
from shaketable.node.messages import Address, Identity, MasterResponse, Member
from shaketable.node.requests import Requests
from shaketable.node.splitbrain.addresses import JoinAddresses
from shaketable.node.splitbrain.answering import Answering
from shaketable.node.splitbrain.going import Data, Going
from shaketable.node.splitbrain.handler import THEY_COME, Handler, Runs
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
        is_leaving: Callable[[], bool],
        hold_migrations: Callable[[bool], None],
        migrates: Callable[[], bool],
        data: Data,
    ) -> None:
        """`hold_migrations`: none begins, or they go on."""
        self._membership = membership
        self._somebody_joins = somebody_joins
        self._is_leaving = is_leaving
        self.answering = Answering(
            membership, addresses, suspect, explicitly_suspect, raise_version, self._they_come, self._has_to_go
        )
        self.search = Search(membership, requests, addresses, lambda answers: self.handler.searched(answers))
        self.going = Going(membership, requests, data)
        self.merge = Merge(
            membership,
            self.going.begin,
            hold_migrations,
            migrates,
            self._why_not,
            lambda: self.handler.run_soon(),
            lambda: self.search.under_way,
        )
        self.handler = Handler(
            membership, self.search.begin, self._is_busy, self._why_not, self.merge.begin, self.answering.may_come
        )

    @property
    def runs(self) -> Runs:
        return self.handler.runs

    def start(self, runs: Runs) -> None:
        self.handler.start(runs)

    def on_master_response(self, message: MasterResponse) -> None:
        if self._membership.leads:
            self.search.on_master_response(message)

    def members_changed(self) -> None:
        self.going.members_changed()
        if not self._membership.leads:
            self.search.give_up("I do not lead")

    def _they_come(self, until: Micros) -> None:
        """Members of another part may be on their way to me, as I have told their master. So I do not go to anybody by
        what I heard before I said so: of two masters only one can have been asked after it asked (rulings 4.7)."""
        busy = self._is_busy()
        self.search.give_up(THEY_COME)
        self.merge.give_up(THEY_COME)
        self.handler.wait_until(until, gave_up=busy)

    def _has_to_go(self, to: Address) -> None:
        """It has asked me, and I have to go over to it."""
        if self.search.under_way:
            self.search.ask_too(to)
        elif not self.merge.under_way:
            self.handler.run_soon(not_before=self.answering.expected_until)

    def _is_busy(self) -> bool:
        return self.search.under_way or self.merge.under_way

    def _why_not(self) -> str:
        ms = self._membership
        if not ms.leads:
            return "I do not lead, or claim the mastership"
        if self._is_leaving():
            return "I am about to leave"
        if self._somebody_joins():
            return "somebody joins"
        if self.answering.expects_somebody:
            return THEY_COME
        return ""
