"""Before a merge, on the side that goes over: what stands against it, what it waits for, and when it is put off.

From the text on split-brain recovery and the rulings: no migration is under way (new ones wait as long as this is
tried), and the list is the one that was compared (4.1). One that takes longer than the target waits puts the merge off;
but no other begins before the next search, which comes when it has ended: else a part that always has one under way
would never go over (issue 13988). How it goes then, going.py says."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.cluster.views import Membership
from shaketable.node.env import Micros, Timer
from shaketable.node.events import MergePutOff
from shaketable.node.messages import Member
from shaketable.node.splitbrain.keeping import kept


class Merge:
    def __init__(
        self,
        membership: Membership,
        go: Callable[[Member, Micros], None],
        hold_migrations: Callable[[bool], None],
        migrates: Callable[[], bool],
        why_not: Callable[[], str],
        search: Callable[[], None],
        searches: Callable[[], bool],
    ) -> None:
        """`go`: there is no way back from it. `hold_migrations`: none begins, or they go on. `why_not`: something
        stands against a merge; "": nothing. `search`: for whom to go over to, in the next step; `searches`: that is
        under way."""
        self._membership = membership
        self._go = go
        self._hold_migrations = hold_migrations
        self._migrates = migrates
        self._why_not = why_not
        self._search = search
        self._searches = searches
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
        self._hold_migrations(True)
        self._try()

    def _try(self) -> None:
        ms, into = self._membership, self._into
        assert into is not None
        latest = self._until - kept(ms.settings) // 2
        reason = self._why_not()
        if not reason and ms.view.version != self._version:
            reason = "my list has changed since"
        if not reason and self._migrates():
            if ms.env.now() < latest:
                self._due = ms.env.call_later(ms.settings.join_retry, self._try)
                return
            self._put_off(into, "a migration is under way")
            self._wait_for_its_end(ms.env.now() + ms.settings.merge_next_run_delay)
            return
        if not reason and ms.env.now() > latest:
            reason = "it took too long to begin"
        if reason:
            self.give_up(reason)
        else:
            self._go(into, self._until)

    def give_up(self, reason: str) -> None:
        """Unless it has begun: then there is no way back."""
        if self._membership.merging:
            return
        if self._into is not None:
            self._put_off(self._into, reason)
        self._let_go()

    def _put_off(self, into: Member, reason: str) -> None:
        self._into = None
        self._membership.env.report(MergePutOff(into, reason))

    def _wait_for_its_end(self, until: Micros, *, searched: bool = False) -> None:
        """Of the migration that was in the way, and of the search that follows, which may begin the merge again."""
        ms = self._membership
        if self._why_not() or ms.view.version != self._version or ms.env.now() >= until:
            self._let_go()
            return
        if not searched and not self._migrates():
            self._search()
            searched = True
        elif searched and not self._searches():
            self._let_go()
            return
        self._due = ms.env.call_later(ms.settings.join_retry, lambda: self._wait_for_its_end(until, searched=searched))

    def _let_go(self) -> None:
        """Migrations go on."""
        self._stop_waiting()
        if self._holds:
            self._holds = False
            self._hold_migrations(False)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
