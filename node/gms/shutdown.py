"""A planned shutdown, of a member, of the master, or of the whole group: announced, and never a failure.

A member asks its master to be taken off the view. A master lets another one take over first (handover.py), which takes
it off the view. If the whole group shuts down, the master goes last."""

from __future__ import annotations

from shaketable.node.core.env import Timer
from shaketable.node.events import HealthAnnouncedToAll, Leaving, Stopped
from shaketable.node.gms.discovery import Discovery
from shaketable.node.gms.group import Group
from shaketable.node.gms.handover import Handover
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import (
    GroupShutdown,
    HealthAnnounced,
    ShutdownWanted,
)
from shaketable.node.why import Because, Why, because


class Shutdown:
    def __init__(
        self,
        group: Group,
        *,
        sender: Sender,
        publishing: Publishing,
        handover: Handover,
        discovery: Discovery,
    ) -> None:
        self._group = group
        self._env = group.env
        self._sender = sender
        self._publishing = publishing
        self._handover = handover
        self._discovery = discovery
        self.wanted = False
        self._whole_group = False
        self._repeats: Timer | None = None

    def leave(self, *, whole_group: bool = False) -> None:
        group = self._group
        if self.wanted:
            return
        self.wanted, self._whole_group = True, whole_group
        self._env.report(Leaving())
        if not group.joined:
            self._stop(because(Why.WAS_NO_MEMBER))
            return
        self._discovery.stop()  # my master's first view of me may not have come yet
        group.state = "group stopping" if whole_group else "stopping"
        self._env.report(HealthAnnouncedToAll(group.me, group.state))
        self._sender.broadcast(HealthAnnounced(group.me, group.stamp, group.seat, group.state))
        self._env.call_later(group.settings.gms_shutdown_patience, lambda: self._stop(because(Why.NOT_TAKEN_OFF)))
        self._go_on()

    def leave_all(self) -> None:
        """The whole group; a spectator that says so stays."""
        group = self._group
        self._sender.broadcast(GroupShutdown(group.me, group.stamp))
        if group.seat.kind == "core":
            self.leave(whole_group=True)

    def on_group_shutdown(self, message: GroupShutdown) -> None:
        if self._group.seat_of(message.sender) is not None and self._group.seat.kind == "core":
            self.leave(whole_group=True)

    def removed(self) -> None:
        """My master has taken me off the view, or the one that follows me has."""
        self._stop(because(Why.PLANNED))

    def changed(self) -> None:
        """The view, or the master: who is to be asked may be another one."""
        if self.wanted:
            self._go_on()

    def on_shutdown_wanted(self, message: ShutdownWanted) -> None:
        group = self._group
        if not group.leads:
            return
        seat = group.seat_of(message.sender)
        if seat is None:
            self._publishing.send_again(message.sender, 0)  # it has not heard that it is off
        else:
            self._publishing.end(seat, "planned shutdown", message.whole_group)

    def _go_on(self) -> None:
        if self._repeats is not None:
            self._repeats.cancel()
        group = self._group
        if group.leads:
            if self._whole_group and any(seat.kind == "core" for seat in group.others):
                return  # the master goes last
            self._handover.begin(self._whole_group, lambda: self._stop(because(Why.NOBODY_LEFT)))
        elif group.master is not None:
            self._sender.send(group.master.address, ShutdownWanted(group.me, group.stamp, self._whole_group))
            self._repeats = self._env.call_later(group.settings.discovery_retry, self._go_on)

    def _stop(self, reason: Because) -> None:
        if self._group.state != "stopped":
            group = self._group
            group.state = "stopped"
            self._sender.broadcast(HealthAnnounced(group.me, group.stamp, group.seat, group.state))
            self._env.report(Stopped(*reason))
