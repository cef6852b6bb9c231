"""How a part goes over, in two steps.

First all its members set aside what they own. When the master knows which members have done so, it sends these to the
target, and goes itself. As in the real system each member forgets its cluster, takes a new identity and asks the target
to admit it. A member that cannot be told finds itself without a master, and goes on searching on its own (rulings
4.11).

If a member crashes or is silent, what others hold too is not lost. All members that go know which ones go. The next
member in the row sets aside what any other member owned. From the first step on there is no way back: this master leads
nobody any more, changes no list and admits nobody until it goes itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Protocol

from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.keeping import kept
from shaketable.node.core.env import Micros
from shaketable.node.core.requests import Ask, Requests
from shaketable.node.events import MergeBegan
from shaketable.node.messages import (
    Member,
    MergeClusters,
    MergeClustersAnswer,
    Message,
    PrepareMerge,
    PrepareMergeAnswer,
    Uuid,
)


class Data(Protocol):
    """What this member has to do for its data when it goes over."""

    def table_version(self) -> int: ...

    def is_ready(self, table_version: int) -> bool:
        """I own what I own by this table or a newer one, and have all of it."""

    def send_table(self, member: Member) -> None:
        """It has an older one than I, its master."""

    def set_aside(self, going: Collection[Uuid], silent: Collection[Uuid] = ()) -> None:
        """What I own, or am the next to own of those who go; nothing of it is changed here any more. Nobody else sets
        aside what a silent one has owned."""

    def resume(self) -> None:
        """I do not go over."""


class Going:
    go: Callable[[Member], None]
    """my own identity ends here: given when it begins, by my starter, which has the next one ready"""

    def __init__(self, membership: Membership, *, requests: Requests, data: Data) -> None:
        self._membership = membership
        self._requests = requests
        self._data = data
        self.former: Uuid = ""
        """my identity before this one, which has gone over"""
        self._into = membership.me
        self._until: Micros = 0
        self._asked: dict[Uuid, Ask] = {}
        self._then: Callable[[], None] | None = None
        """the next step"""
        self._have_done: dict[Uuid, bool] = {}
        """this step, and answered so"""
        self._prepared_for: Member | None = None
        """my master, which is about to send me"""

    # The master's side

    def begin(self, into: Member, until: Micros) -> None:
        """`until`: the target keeps itself for me until then. I wait for a silent member until a quarter of that time
        is left, because I must find the target there. If all of the time was left for both steps, half of the wait is
        for the first one."""
        ms = self._membership
        ms.merging = True
        ms.env.report(MergeBegan(into, ms.view.version, ms.view.members))
        self._into, self._until = into, until
        version = self._data.table_version()
        self._ask(
            ms.others(),
            lambda member, request: PrepareMerge(ms.me, request, member.uuid, into, version),
            self._on_prepared,
            until - kept(ms.settings) * 3 // 8,
            self._send_all,
        )

    def _on_prepared(self, member: Member, answer: Message) -> bool:
        if not isinstance(answer, PrepareMergeAnswer):
            return False
        if not answer.done and not answer.final:
            self._data.send_table(member)  # and it is asked again
            return False
        self._has_answered(member, answer.done)
        return True

    def _send_all(self) -> None:
        """A member that is suspected meanwhile has probably crashed since it answered."""
        ms = self._membership
        ready = [m for m in ms.others() if m.uuid in self._have_done and m.uuid not in ms.suspected]
        going = (ms.me.uuid, *[member.uuid for member in ready])
        self._data.set_aside(going)
        self._ask(
            ready,
            lambda member, request: MergeClusters(ms.me, request, member.uuid, self._into, going),
            self._on_goes,
            self._until - kept(ms.settings) // 4,
            lambda: self._go(going),
        )

    def _on_goes(self, member: Member, answer: Message) -> bool:
        if not isinstance(answer, MergeClustersAnswer):
            return False
        self._has_answered(member, answer.goes)
        return True

    def _go(self, going: tuple[Uuid, ...]) -> None:
        """A member that was ready and has not gone, as far as I know, may have crashed. My copies of its data go with
        me."""
        silent = [uuid for uuid in going[1:] if uuid not in self._have_done]
        if silent:
            self._data.set_aside(going, silent)
        self.go(self._into)

    def _ask(
        self,
        members: Iterable[Member],
        message: Callable[[Member, int], Message],
        on_answer: Callable[[Member, Message], bool],
        until: Micros,
        then: Callable[[], None],
    ) -> None:
        ms = self._membership
        self._have_done, self._then = {}, then
        for member in members:
            self._asked[member.uuid] = self._requests.ask(
                partial(_address, member),
                partial(message, member),
                on_answer=partial(on_answer, member),
                on_silence=partial(self._has_answered, member, False),
                retry=ms.settings.join_retry,
                budget=until - ms.env.now(),
            )
        if not self._asked:
            then()

    def _has_answered(self, member: Member, done: bool) -> None:
        """Or is given up."""
        self._asked.pop(member.uuid, None)
        if done:
            self._have_done[member.uuid] = True
        if not self._asked and self._then is not None:
            self._then()

    # A follower's side: only my own master sends me anywhere

    def on_prepare_merge(self, message: PrepareMerge) -> None:
        ms, data = self._membership, self._data
        if message.target != ms.me.uuid:
            ms.env.send(message.sender.address, PrepareMergeAnswer(ms.me, message.request, False, True))
        elif self._obeys(message):
            ready = data.is_ready(message.table_version)
            if ready and self._prepared_for is None:
                self._prepared_for = message.sender
                data.set_aside(ms.known)
            ms.env.send(message.sender.address, PrepareMergeAnswer(ms.me, message.request, ready, False))

    def on_merge_clusters(self, message: MergeClusters) -> None:
        ms = self._membership
        if message.target != ms.me.uuid:
            # That identity is gone: it has obeyed, and its answer was lost; or it has not, and I was started since.
            goes = message.target == self.former
            ms.env.send(message.sender.address, MergeClustersAnswer(ms.me, message.request, goes))
        elif self._obeys(message):
            ms.env.send(message.sender.address, MergeClustersAnswer(ms.me, message.request, True))
            self._data.set_aside(message.going)
            self.go(message.into)

    def _obeys(self, message: PrepareMerge | MergeClusters) -> bool:
        ms = self._membership
        return ms.joined and ms.master == message.sender and message.into.address != ms.me.address

    def members_changed(self) -> None:
        """Under another master I stay, until that one goes anywhere."""
        if self._prepared_for is not None and self._prepared_for != self._membership.master:
            self._prepared_for = None
            self._data.resume()


def _address(member: Member) -> str:
    return member.address
