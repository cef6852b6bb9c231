"""Graceful leave: a member asks its master to take it off the list, and stops when that was answered.

The master answers as soon as the member holds no data any more; without partitions at once. A master that leaves simply
stops, when it holds none itself, as does a member that claims the mastership or has not joined: the others notice by
connection loss and the next in line claims. The request goes to the master that the member follows at that moment,
again and again, so it outlives its master. Leaving is a message, so that a history can tell a leave from a crash; for
that reason a lite member sends it, too (in the real system it goes without a word)."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Micros
from shaketable.node.core.requests import Ask, Requests
from shaketable.node.events import Leaving, Stopped
from shaketable.node.messages import Address, LeaveAnswer, LeaveRequest, Member, Message
from shaketable.node.why import Because, Why, because


class HoldsData(Protocol):
    """What stands against leaving, as the partition service knows it."""

    def may_go(self, member: Member) -> bool:
        """Asks, and has the master see to it: others have taken over what this member holds."""

    @property
    def brings(self) -> bool:
        """Data of the part that I come from are on their way."""


class Leave:
    def __init__(self, membership: Membership, *, requests: Requests, updates: Updates, partitions: HoldsData) -> None:
        self._membership = membership
        self._requests = requests
        self._updates = updates
        self._partitions = partitions
        self.wanted = False
        self._joins_first = False
        self._begin_at: Micros = 0
        """at the latest"""
        self._ask: Ask | None = None

    def join_first(self) -> None:
        """I come from another part of this cluster, with its data: I do not leave before I have brought them."""
        self._joins_first = True

    def leave(self) -> None:
        ms = self._membership
        if self.wanted:
            return
        self.wanted = True
        ms.env.report(Leaving())
        self._begin_at = ms.env.now() + ms.settings.graceful_shutdown_max_wait
        self._begin_if_all_is_brought()

    def _begin_if_all_is_brought(self) -> None:
        ms = self._membership
        to_come = (self._joins_first and not ms.joined) or self._partitions.brings
        if to_come and ms.env.now() < self._begin_at:
            ms.env.call_later(ms.settings.leave_retry, self._begin_if_all_is_brought)
        else:
            self._begin()

    def _begin(self) -> None:
        ms = self._membership
        if not ms.joined or (ms.master is ms.me and self._partitions.may_go(ms.me)):
            self._stop(because(Why.LEFT))
            return
        self._ask = self._requests.ask(
            self._master_address,
            partial(LeaveRequest, ms.me),
            on_answer=self._answered,
            on_silence=lambda: self._stop(because(Why.LEFT_UNANSWERED)),
            retry=ms.settings.leave_retry,
            budget=ms.settings.graceful_shutdown_max_wait,
        )

    def _master_address(self) -> Address | None:
        """Of this moment: the master may change while we wait, and it may be me who claims the mastership."""
        ms = self._membership
        if ms.master is ms.me:
            if self._partitions.may_go(ms.me):
                self._stop(because(Why.LEFT))
            return None
        return ms.master.address if ms.master is not None else None

    def _answered(self, answer: Message) -> bool:
        if not isinstance(answer, LeaveAnswer) or answer.target != self._membership.me.uuid:
            return False
        self._stop(because(Why.LEFT))
        return True

    def _stop(self, reason: Because) -> None:
        if self._ask is not None:
            self._ask.cancel()
        self._membership.env.report(Stopped(*reason))

    def stops_as_master(self) -> bool:
        """Asked after each installed list: a member that wants to leave, and has come to lead, begins to see to it at
        once. If it leads nobody it was let go without hearing of it: it stops, and does not go on as a cluster of its
        own."""
        ms = self._membership
        if self._ask is None or not ms.leads or (ms.others() and not self._partitions.may_go(ms.me)):
            return False
        self._stop(because(Why.LEFT))
        return True

    def on_leave_request(self, message: LeaveRequest) -> None:
        ms = self._membership
        if ms.leads and self._partitions.may_go(message.sender):
            self._updates.remove([message.sender], because(Why.LEFT))
            ms.env.send(message.sender.address, LeaveAnswer(ms.me, message.sender.uuid, message.request))
