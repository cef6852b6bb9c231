"""Split-brain recovery: wires its parts below, as member.py does those of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shaketable.node.cluster.service.addresses import JoinAddresses
from shaketable.node.cluster.service.batches import JoinBatches
from shaketable.node.cluster.service.leave import Leave
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.answering import Answering
from shaketable.node.cluster.splitbrain.expecting import Expecting
from shaketable.node.cluster.splitbrain.going import Data, Going
from shaketable.node.cluster.splitbrain.handler import Handler, Runs
from shaketable.node.cluster.splitbrain.merge import Merge, Migrations
from shaketable.node.cluster.splitbrain.obstacles import Obstacles
from shaketable.node.cluster.splitbrain.search import Search
from shaketable.node.core.env import Micros
from shaketable.node.core.requests import Requests
from shaketable.node.messages import Address, MasterResponse, Member
from shaketable.node.why import Why, because


class SplitBrainRecovery:
    def __init__(
        self,
        membership: Membership,
        *,
        requests: Requests,
        addresses: JoinAddresses,
        suspicion: Suspicion,
        updates: Updates,
        batches: JoinBatches,
        leave: Leave,
        migrations: Migrations,
        data: Data,
    ) -> None:
        ms = self._membership = membership
        # The members that may come to me. They, and what else is open, are obstacles to going anywhere.
        self.expecting = Expecting(ms)
        obstacles = Obstacles(ms, batches=batches, leave=leave, expecting=self.expecting)
        self.answering = Answering(
            ms,
            addresses=addresses,
            suspicion=suspicion,
            updates=updates,
            expecting=self.expecting,
            they_come=self._they_come,
            have_to_go=self._have_to_go,
        )
        # The way there, from its last step to its first: each begins the one that is named before it.
        self.going = Going(ms, requests=requests, data=data)
        self.search = Search(ms, requests=requests, addresses=addresses)
        self.merge = Merge(
            ms,
            going=self.going,
            migrations=migrations,
            obstacles=obstacles,
            search=self.search,
            search_soon=self._search_soon,
        )
        self.handler = Handler(ms, search=self.search, merge=self.merge, obstacles=obstacles, expecting=self.expecting)

    @property
    def runs(self) -> Runs:
        return self.handler.runs

    def start(self, runs: Runs, *, go: Callable[[Member], None]) -> None:
        """`go`: to this one; my identity ends with it."""
        self.going.go = go
        self.handler.start(runs)

    def on_master_response(self, message: MasterResponse) -> None:
        if self._membership.leads:
            self.search.on_master_response(message)

    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        self.going.members_changed()
        if not self._membership.leads:
            self.search.give_up(because(Why.DOES_NOT_LEAD))

    # What a part asks of one that stands on it

    def _they_come(self, until: Micros) -> None:
        """Members of another part may be on their way to me, as I have told their master. So I do not go to anybody by
        what I heard before I said so: of two masters only one can have been asked after it asked (rulings 4.7)."""
        busy = self.handler.is_busy
        self.search.give_up(because(Why.THEY_COME))
        self.merge.give_up(because(Why.THEY_COME))
        self.handler.wait_until(until, gave_up=busy)

    def _have_to_go(self, to: Address) -> None:
        """It has asked me, and I have to go over to it."""
        if self.search.under_way:
            self.search.ask_too(to)
        elif not self.merge.under_way:
            self.handler.run_soon(not_before=self.expecting.until)

    def _search_soon(self) -> None:
        self.handler.run_soon()
