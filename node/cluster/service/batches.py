"""Joins one by one, or in batches: the master waits for more joiners, and admits them all by one list.

The text is silent. As in the real system each new joiner makes the master wait `wait_before_join` longer, as long as
the first has not waited for `max_wait_before_join`; then all enter at the end of the list, in the order in which they
came, each raising its version. A joiner that asks again keeps its place; one that was restarted takes its own former
place; one whose link is lost is left out, and asks again if it lives."""

from __future__ import annotations

from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import JoinBatched, JoinRequestIgnored
from shaketable.node.messages import Address, Member
from shaketable.node.why import Because, Why, because


class JoinBatches:
    def __init__(self, membership: Membership, *, updates: Updates) -> None:
        self._membership = membership
        self._env = membership.env
        self._updates = updates
        self._waiting: dict[Address, Member] = {}
        """in the order in which they came"""
        self._since: Micros = 0
        self._due: Timer | None = None

    def admit(self, joiner: Member) -> None:
        if self._membership.settings.async_join:
            self._updates.add([joiner])
            return
        before = self._waiting.get(joiner.address)
        if before == joiner:
            return
        if any(waiting.uuid == joiner.uuid for waiting in self._waiting.values()):
            self._ignore(joiner, because(Why.WAITS_ELSEWHERE))
            return
        self._waiting[joiner.address] = joiner
        self._env.report(JoinBatched(joiner))
        if before is None:
            self._wait_for_more()

    @property
    def somebody_waits(self) -> bool:
        return bool(self._waiting)

    def waits(self, address: Address) -> bool:
        return address in self._waiting

    def link_down(self, address: Address) -> None:
        """It may have died. If it has not, it asks again."""
        lost = self._waiting.pop(address, None)
        if lost is None:
            return
        self._ignore(lost, because(Why.LOST_WHILE_IT_WAITED))
        if not self._waiting and self._due is not None:
            self._due.cancel()
            self._due = None

    def _wait_for_more(self) -> None:
        settings, now = self._membership.settings, self._env.now()
        if self._due is None:
            self._since = now
        elif now - self._since < settings.max_wait_before_join:
            self._due.cancel()
        else:
            return
        self._due = self._env.call_later(settings.wait_before_join, self._close)

    def _close(self) -> None:
        joiners, self._waiting, self._due = list(self._waiting.values()), {}, None
        if not self._membership.leads:
            for joiner in joiners:
                self._ignore(joiner, because(Why.NOT_MASTER_ANY_MORE))
        else:
            self._updates.add(joiners)

    def _ignore(self, joiner: Member, reason: Because) -> None:
        self._env.report(JoinRequestIgnored(joiner, *reason))
