"""Before a merge, on the side that goes over: what stands against it, what it waits for, and when it is put off.

From rulings 4.1: no migration is under way (new ones wait as long as this is tried), all owners serve, and the list is
the one that was compared. A migration that takes longer than the target waits puts the merge off; but no other begins
before the next search, which comes when it has ended: else a part that always has one under way would never go over
(issue 13988). going.py has the merge itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.going import Going
from shaketable.node.cluster.splitbrain.keeping import kept
from shaketable.node.cluster.splitbrain.obstacles import Obstacles
from shaketable.node.cluster.splitbrain.search import Search
from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import MergePutOff
from shaketable.node.messages import Member
from shaketable.node.why import Because, Why, because


class Migrations(Protocol):
    """What a merge has to know of the data, and to have done."""

    def hold_migrations(self, held: bool) -> None:
        """None begins while somebody is about to merge; then they go on."""

    def before_a_merge(self) -> Because | None:
        """What has to end first."""


class Merge:
    def __init__(
        self,
        membership: Membership,
        *,
        going: Going,
        migrations: Migrations,
        obstacles: Obstacles,
        search: Search,
        search_soon: Callable[[], None],
    ) -> None:
        """`search_soon`: for whom to go over to, in the next step."""
        self._membership = membership
        self._going = going
        self._migrations = migrations
        self._obstacles = obstacles
        self._search = search
        self._search_soon = search_soon
        self._into: Member | None = None
        self._version = 0
        self._until: Micros = 0
        self._due: Timer | None = None
        self._holds = False
        """migrations of my part"""

    @property
    def under_way(self) -> bool:
        return self._into is not None

    def begin(self, into: Member, until: Micros) -> None:
        """`until`: so long the target keeps itself for me. Half of that time is for what stands against it here."""
        self._stop_waiting()
        self._into, self._version, self._until = into, self._membership.view.version, until
        self._holds = True
        self._migrations.hold_migrations(True)
        self._try()

    def _try(self) -> None:
        ms, into = self._membership, self._into
        assert into is not None
        latest = self._until - kept(ms.settings) // 2
        reason = self._obstacles.why_not()
        if not reason and ms.view.version != self._version:
            reason = because(Why.LIST_CHANGED)
        if not reason and (unfinished := self._migrations.before_a_merge()):
            if ms.env.now() < latest:
                self._due = ms.env.call_later(ms.settings.join_retry, self._try)
                return
            self._put_off(into, unfinished)
            self._wait_for_its_end(ms.env.now() + ms.settings.merge_next_run_delay)
            return
        if not reason and ms.env.now() > latest:
            reason = because(Why.BEGAN_TOO_LATE)
        if reason:
            self.give_up(reason)
        else:
            self._going.begin(into, self._until)  # there is no way back from it

    def give_up(self, reason: Because) -> None:
        """Unless it has begun: then there is no way back."""
        if self._membership.merging:
            return
        if self._into is not None:
            self._put_off(self._into, reason)
        self._let_go()

    def _put_off(self, into: Member, reason: Because) -> None:
        self._into = None
        self._membership.env.report(MergePutOff(into, *reason))

    def _wait_for_its_end(self, until: Micros, *, searched: bool = False) -> None:
        """Of what was in the way, and of the search that follows, which may begin the merge again."""
        ms = self._membership
        if self._obstacles.why_not() or ms.view.version != self._version or ms.env.now() >= until:
            self._let_go()
            return
        if not searched and not self._migrations.before_a_merge():
            self._search_soon()
            searched = True
        elif searched and not self._search.under_way:
            self._let_go()
            return
        self._due = ms.env.call_later(ms.settings.join_retry, lambda: self._wait_for_its_end(until, searched=searched))

    def _let_go(self) -> None:
        """Migrations go on."""
        self._stop_waiting()
        if self._holds:
            self._holds = False
            self._migrations.hold_migrations(False)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
