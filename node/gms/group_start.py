"""The start of a whole group: while it lasts, joins say that they are part of it.

Nobody waits for a member that is ready. Of those who came to be ready before this master knew them it asks whether they
are."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.core.env import Timer
from shaketable.node.events import GroupStartBegan, GroupStartEnded
from shaketable.node.gms.group import Group
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Address, GroupStart, Notification, Ready, Uuid


class GroupStarting:
    def __init__(self, group: Group, *, sender: Sender, publishing: Publishing) -> None:
        self._group = group
        self._env = group.env
        self._sender = sender
        self._publishing = publishing
        self._missing: dict[Address, bool] = {}
        self._ready: dict[Uuid, bool] = {}
        """of whom a master of mine has told that, in this stay of mine"""
        self._limit: Timer | None = None

    def begin(self, expected: Sequence[Address]) -> None:
        group = self._group
        if group.leads:
            self._begin(expected)
        elif group.master is not None:
            self._sender.send(group.master.address, GroupStart(group.me, group.stamp, tuple(expected)))

    def on_group_start(self, message: GroupStart) -> None:
        """A member asks for it; or its master asks whether I am ready."""
        group = self._group
        if group.leads and group.seat_of(message.sender) is not None:
            self._begin(message.expected)
        elif message.sender == group.master and group.state == "alive and ready":
            self._sender.send(message.sender.address, Ready(group.me, group.stamp))

    def changed(self, notification: Notification) -> None:
        about, change = notification.about, notification.change
        if about is None or change == "master change":
            return
        if change == "add" and about.member == self._group.me:
            self._ready.clear()
        if change != "joined and ready":
            self._ready.pop(about.member.uuid, None)
            return
        self._ready[about.member.uuid] = True
        if self._missing:
            self._missing.pop(about.member.address, None)
            if not self._missing:
                self._end_after(self._group.settings.gms_group_start_delay)

    def _begin(self, expected: Sequence[Address]) -> None:
        group, seats = self._group, self._group.by_address
        self._missing = {a: True for a in expected if a not in seats or seats[a].member.uuid not in self._ready}
        self._publishing.whole_group_starts = True
        self._env.report(GroupStartBegan(tuple(expected)))
        settings = group.settings
        self._end_after(settings.gms_group_start_limit if self._missing else settings.gms_group_start_delay)
        self._sender.to_all([a for a in self._missing if a in seats], GroupStart(group.me, group.stamp, ()))

    def _end_after(self, delay: int) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._limit = self._env.call_later(delay, self._end)

    def _end(self) -> None:
        self._publishing.whole_group_starts = False
        self._env.report(GroupStartEnded(tuple(self._missing)))
        self._missing = {}
