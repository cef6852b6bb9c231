"""A planned shutdown, of a member, of the master, or of the whole group: announced, and never a failure.

From the text, 2.2.2: a master that shuts down hands what it has heard to who will follow it. Who is told takes over at
once, and takes the former master off the view."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.node.env import Timer
from shaketable.node.events import HealthAnnouncedToAll, Leaving, Stopped
from shaketable.node.gms.group import Group
from shaketable.node.gms.publishing import Publishing
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import (
    GroupShutdown,
    HealthAnnounced,
    HealthHandedOver,
    HealthTaken,
    Member,
    Message,
    Seat,
    ShutdownWanted,
    Time,
    Uuid,
)
from shaketable.node.requests import Requests


class Shutdown:
    def __init__(
        self,
        group: Group,
        requests: Requests,
        sender: Sender,
        publishing: Publishing,
        last_heard: Callable[[], list[tuple[Member, Time]]],
    ) -> None:
        self._group = group
        self._env = group.env
        self._requests = requests
        self._sender = sender
        self._publishing = publishing
        self._last_heard = last_heard
        self.wanted = False
        self._whole_group = False
        self._tried: dict[Uuid, bool] = {}
        """who did not take over from me"""
        self._repeats: Timer | None = None

    def leave(self, *, whole_group: bool = False) -> None:
        group = self._group
        if self.wanted:
            return
        self.wanted, self._whole_group = True, whole_group
        self._env.report(Leaving())
        if not group.joined:
            self._stop("it was no member")
            return
        group.state = "group stopping" if whole_group else "stopping"
        self._env.report(HealthAnnouncedToAll(group.me, group.state))
        self._sender.broadcast(HealthAnnounced(group.me, group.stamp, group.seat, group.state))
        self._env.call_later(group.settings.gms_shutdown_patience, lambda: self._stop("nobody took it off the view"))
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
        self._stop("its shutdown was planned")

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
            self._hand_over()
        elif group.master is not None:
            self._sender.send(group.master.address, ShutdownWanted(group.me, group.stamp, self._whole_group))
            self._repeats = self._env.call_later(group.settings.discovery_retry, self._go_on)

    def _hand_over(self) -> None:
        group = self._group
        candidate = group.candidate([*self._tried, group.me.uuid])
        if candidate is None:
            self._stop("nobody is left")
            return
        if candidate.member.uuid in self._tried:
            return
        self._tried[candidate.member.uuid] = True
        to: Seat = candidate
        heard, kept = tuple(self._last_heard()), self._publishing.kept
        reign = group.reign
        assert reign is not None

        def message(number: int) -> Message:
            return HealthHandedOver(group.me, group.stamp, number, heard, reign, kept, self._whole_group)

        self._requests.ask(
            lambda: to.member.address if group.leads else None,
            message,
            on_answer=lambda answer: isinstance(answer, HealthTaken),
            on_silence=lambda: self._hand_over() if group.leads else None,
            retry=group.settings.discovery_retry,
            budget=group.settings.gms_verify_timeout,
        )

    def _stop(self, reason: str) -> None:
        if self.wanted and self._group.state != "stopped":
            self._group.state = "stopped"
            self._env.report(Stopped(reason))
