"""The merge itself, on the side that goes over: its master sends all members to the target, and then goes.

From the text on split-brain recovery and the rulings: no migration is under way (new ones wait as long as this is
tried), and the list is the one that was compared (4.1). One that takes longer than the target waits puts the merge off;
but no other begins before the next search, which comes when it has ended: else a part that always has one under way
would never go over (issue 13988). Each member forgets its cluster, takes a new identity and asks
the target to admit it. Who cannot be told finds itself without a master, and goes on searching on its own (4.11).

Once it has begun this master leads nobody any more: it changes no list and admits nobody until it goes itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from shaketable.node.cluster.views import Membership
from shaketable.node.env import Micros, Timer
from shaketable.node.events import MergeBegan, MergePutOff
from shaketable.node.messages import Member, MergeClusters, MergeClustersAnswer, Message, Uuid
from shaketable.node.requests import Ask, Requests
from shaketable.node.splitbrain.keeping import kept


class Merge:
    def __init__(
        self,
        membership: Membership,
        requests: Requests,
        hold_migrations: Callable[[bool], None],
        migrates: Callable[[], bool],
        why_not: Callable[[], str],
        search: Callable[[], None],
        searches: Callable[[], bool],
    ) -> None:
        """`hold_migrations`: none begins, or they go on. `why_not`: something stands against a merge; "": nothing.
        `search`: for whom to go over to, in the next step; `searches`: that is under way."""
        self._membership = membership
        self._requests = requests
        self._hold_migrations = hold_migrations
        self._migrates = migrates
        self._why_not = why_not
        self._search = search
        self._searches = searches
        self.go: Callable[[Member], None] = lambda into: None
        """my own identity ends here"""
        self._into: Member | None = None
        self._version = 0
        self._until: Micros = 0
        self._due: Timer | None = None
        self._holds = False
        """migrations of my part"""
        self._told: dict[Uuid, Ask] = {}

    @property
    def under_way(self) -> bool:
        return self._into is not None

    def begin(self, into: Member, until: Micros) -> None:
        """`until`: so long the target keeps itself for me. Half of that time is for what stands against it here; who is
        told is waited for until a quarter of it is left, for I am to find the target there."""
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
            self._send_all(into)

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

    def _send_all(self, into: Member) -> None:
        ms = self._membership
        ms.merging = True
        ms.env.report(MergeBegan(into, ms.view.version, ms.view.members))
        for member in ms.others():
            self._told[member.uuid] = self._requests.ask(
                partial(_address, member),
                lambda request, member=member: MergeClusters(ms.me, request, member.uuid, into),  # type: ignore[misc]
                on_answer=partial(self._on_answer, member),
                on_silence=partial(self._is_told, member),
                retry=ms.settings.join_retry,
                budget=self._until - kept(ms.settings) // 4 - ms.env.now(),
            )
        self._go_if_all_know()

    def _on_answer(self, member: Member, answer: Message) -> bool:
        if not isinstance(answer, MergeClustersAnswer):
            return False
        self._is_told(member)
        return True

    def _is_told(self, member: Member) -> None:
        self._told.pop(member.uuid, None)
        self._go_if_all_know()

    def _go_if_all_know(self) -> None:
        if not self._told and self._into is not None:
            self.go(self._into)

    def on_merge_clusters(self, message: MergeClusters) -> None:
        """A follower's side: only my own master sends me anywhere."""
        ms = self._membership
        if message.target != ms.me.uuid:
            # That identity is gone: my former one has obeyed, and its answer was lost, or I was restarted.
            ms.env.send(message.sender.address, MergeClustersAnswer(ms.me, message.request))
        elif ms.joined and ms.master == message.sender and message.into.address != ms.me.address:
            ms.env.send(message.sender.address, MergeClustersAnswer(ms.me, message.request))
            self.go(message.into)


def _address(member: Member) -> str:
    return member.address
