"""The member list of the join configuration is changed at run time, on every member of the cluster.

From text 4.5. The member that is asked for a change asks its master. The master makes one change after the other, so
that all members have the same lists in the same order. First it asks all members whether they can take the list. If one
cannot, no member takes it (rulings 4.4: nothing is half done silently). A member that joins meanwhile takes it, too. A
member that joins later keeps its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from shaketable.node.cluster.service.addresses import JoinAddresses
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.requests import Ask, Requests
from shaketable.node.events import JoinAddressesChanged, JoinAddressesChangeEnded
from shaketable.node.messages import (
    Address,
    ChangeAddresses,
    ChangeAddressesAnswer,
    Member,
    Message,
    TakeAddresses,
    TakeAddressesAnswer,
    Uuid,
)
from shaketable.node.why import Why, because, or_nothing

Done = Callable[[str], None]
"""is told what went wrong, or "": all members have the list"""
ROUNDS = 2
NO_MEMBER = "this node is no member of a cluster at the moment"
SWITCHED_OFF = "its tcp-ip join is disabled"


@dataclass(slots=True)
class _Change:
    addresses: tuple[Address, ...]
    done: Done
    final: bool = False
    """all can take it, and are told to"""
    asked: dict[Uuid, Ask] = field(default_factory=dict)
    trouble: dict[Address, str] = field(default_factory=dict)


class MemberListChanges:
    def __init__(self, membership: Membership, *, requests: Requests, addresses: JoinAddresses) -> None:
        self._membership = membership
        self._requests = requests
        self._addresses = addresses
        self._waiting: deque[_Change] = deque()
        """the first of them is under way; only a master has any"""
        self._over = ""
        """why this identity answers nobody any more"""
        self._wish: Done | None = None
        """of the change that was asked for here and has not ended; one at a time"""
        self._answered: dict[Uuid, tuple[int, str | None]] = {}
        """by member, its last wish and the answer, for it may ask again for what was lost on the way; None: not yet"""
        self._taken: dict[Uuid, int] = {}
        """by master, its last request that I took: an earlier one comes too late"""

    # At the member that is asked

    def change(self, addresses: Sequence[Address], done: Done) -> None:
        ms = self._membership
        if self._over or not ms.joined or ms.master is None or ms.merging:
            done(self._over or NO_MEMBER)
        elif self._wish is not None:
            done("another change that was asked for here has not ended yet: try again")
        elif ms.master is ms.me:
            self._wish = done
            self._enqueue(_Change(tuple(addresses), self._come_true))
        else:
            self._wish = done
            self._ask_master(tuple(addresses))

    def give_up(self, reason: str) -> None:
        """This identity ends."""
        self._over = reason
        self._come_true(f"{reason}: some members may have the list")

    def _come_true(self, reason: str) -> None:
        done, self._wish = self._wish, None
        if done is not None:
            done(reason)

    def _ask_master(self, addresses: tuple[Address, ...]) -> None:
        ms, settings = self._membership, self._membership.settings

        def master() -> Member:
            return ms.master or ms.me

        def on_answer(answer: Message) -> bool:
            if not isinstance(answer, ChangeAddressesAnswer):
                return False
            self._come_true(answer.reason)
            return True

        self._requests.ask(
            lambda: None if master() is ms.me else master().address,
            lambda request: ChangeAddresses(ms.me, request, master().uuid, addresses),
            on_answer=on_answer,
            on_silence=lambda: self._come_true("the master has not answered in time: some members may have the list"),
            retry=settings.join_retry,
            budget=(ROUNDS + 1) * settings.member_list_change_timeout,
        )

    # At the master

    def on_change_addresses(self, message: ChangeAddresses) -> None:
        ms, sender, request = self._membership, message.sender, message.request
        if message.target != ms.me.uuid or ms.master is not ms.me or not ms.is_member(sender):
            return  # it asks again, whoever its master is by then
        last, reason = self._answered.get(sender.uuid, (0, None))
        if request < last or (request == last and reason is None):
            return
        if request == last:
            ms.env.send(sender.address, ChangeAddressesAnswer(ms.me, request, reason or ""))
            return
        self._answered[sender.uuid] = request, None
        self._enqueue(_Change(message.addresses, lambda reason: self._answer(sender, request, reason)))

    def _answer(self, sender: Member, request: int, reason: str) -> None:
        if self._answered.get(sender.uuid) == (request, None):
            self._answered[sender.uuid] = request, reason
            self._membership.env.send(sender.address, ChangeAddressesAnswer(self._membership.me, request, reason))

    def _enqueue(self, change: _Change) -> None:
        self._waiting.append(change)
        if len(self._waiting) == 1:
            self._ask_all(change)

    def _ask_all(self, change: _Change) -> None:
        ms = self._membership
        if change.final:
            self._take(ms.me, change.addresses)
        elif refusal := self._why_not():
            change.trouble[ms.me.address] = refusal
        self._ask_each(change, ms.others())
        self._go_on_if_all_answered(change)

    def _ask_each(self, change: _Change, members: Iterable[Member]) -> None:
        ms, settings = self._membership, self._membership.settings
        for member in members:
            change.asked[member.uuid] = self._requests.ask(
                lambda member=member: member.address,  # type: ignore[misc]
                lambda request, member=member: TakeAddresses(  # type: ignore[misc]
                    ms.me, request, member.uuid, change.addresses, change.final
                ),
                on_answer=lambda answer, member=member: self._on_answer(change, member, answer),  # type: ignore[misc]
                on_silence=lambda member=member: self._has_answered(change, member, "it does not answer"),  # type: ignore[misc]
                retry=settings.join_retry,
                budget=settings.member_list_change_timeout,
            )

    def _on_answer(self, change: _Change, member: Member, answer: Message) -> bool:
        if not isinstance(answer, TakeAddressesAnswer):
            return False
        self._has_answered(change, member, answer.reason)
        return True

    def _has_answered(self, change: _Change, member: Member, trouble: str) -> None:
        change.asked.pop(member.uuid, None)
        if trouble:
            change.trouble[member.address] = trouble
        self._go_on_if_all_answered(change)

    def _go_on_if_all_answered(self, change: _Change) -> None:
        if change.asked or not self._waiting or self._waiting[0] is not change:
            return
        if change.final or change.trouble:
            self._end(change)
        else:
            change.final = True
            self._ask_all(change)

    def _end(self, change: _Change) -> None:
        failed = "has not confirmed it" if change.final else "cannot take it"
        troubles = "; ".join(f"{address} {failed} ({trouble})" for address, trouble in change.trouble.items())
        why = Why.ADDRESSES_NOT_CONFIRMED if change.final else Why.CANNOT_TAKE_ADDRESSES
        ended = because(why, troubles) if troubles else None
        self._waiting.popleft()
        self._membership.env.report(JoinAddressesChangeEnded(change.addresses, *or_nothing(ended)))
        change.done(str(ended or ""))
        if self._waiting:
            self._ask_all(self._waiting[0])

    def members_changed(self, added: Sequence[Member], removed: Sequence[Member]) -> None:
        for member in removed:
            self._answered.pop(member.uuid, None)
            self._taken.pop(member.uuid, None)
        if not self._waiting:
            return
        change = self._waiting[0]
        for member in removed:
            change.trouble.pop(member.address, None)
            ask = change.asked.pop(member.uuid, None)
            if ask is not None:
                ask.cancel()
        self._ask_each(change, added)
        self._go_on_if_all_answered(change)

    # At each member

    def on_take_addresses(self, message: TakeAddresses) -> None:
        ms, master = self._membership, message.sender
        if message.target != ms.me.uuid or not ms.joined:
            return  # who is on its way into the cluster is asked again
        refusal = self._why_not() if ms.master == master else "it has another master"
        if not refusal and message.final and self._taken.get(master.uuid, -1) < message.request:
            self._taken[master.uuid] = message.request
            self._take(master, message.addresses)
        ms.env.send(master.address, TakeAddressesAnswer(ms.me, message.request, refusal))

    def _why_not(self) -> str:
        return "" if self._membership.settings.tcp_ip_join else SWITCHED_OFF

    def _take(self, master: Member, addresses: tuple[Address, ...]) -> None:
        self._addresses.configure(addresses)
        self._membership.env.report(JoinAddressesChanged(master, addresses))
