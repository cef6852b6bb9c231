"""The start of a whole group: while it lasts, joins say that they are part of it (reference, "Group startup")."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.node.env import Timer
from shaketable.node.events import GroupStartBegan, GroupStartEnded
from shaketable.node.gms.group import Group
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Address, GroupStart, Notification


class GroupStarting:
    def __init__(self, group: Group, sender: Sender, publishing: Publishing) -> None:
        self._group = group
        self._env = group.env
        self._sender = sender
        self._publishing = publishing
        self._missing: dict[Address, bool] = {}
        self._limit: Timer | None = None

    def begin(self, expected: Sequence[Address]) -> None:
        group = self._group
        if group.leads:
            self._begin(expected)
        elif group.master is not None:
            self._sender.send(group.master.address, GroupStart(group.me, group.stamp, tuple(expected)))

    def on_group_start(self, message: GroupStart) -> None:
        if self._group.leads:
            self._begin(message.expected)

    def changed(self, notification: Notification) -> None:
        about = notification.about
        if notification.change == "joined and ready" and about is not None and self._missing:
            self._missing.pop(about.member.address, None)
            if not self._missing:
                self._end_after(self._group.settings.gms_group_start_delay)

    def _begin(self, expected: Sequence[Address]) -> None:
        seats, is_ready = self._group.by_address, self._publishing.has_told_ready
        self._missing = {a: True for a in expected if a not in seats or not is_ready(seats[a])}
        self._publishing.whole_group_starts = True
        self._env.report(GroupStartBegan(tuple(expected)))
        settings = self._group.settings
        self._end_after(settings.gms_group_start_limit if self._missing else settings.gms_group_start_delay)

    def _end_after(self, delay: int) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._limit = self._env.call_later(delay, self._end)

    def _end(self) -> None:
        self._publishing.whole_group_starts = False
        self._env.report(GroupStartEnded(tuple(self._missing)))
        self._missing = {}
