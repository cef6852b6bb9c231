"""What is known of one member of a group: what its application was told, to whom its heartbeats go, what it missed.

A part of the fold of a history (run.py): conditions and screens see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from shaketable.harness.seen.copies import alike
from shaketable.node.events import (
    Event,
    ForeignMessage,
    GroupStartEnded,
    HeartbeatsCounted,
    HeartbeatTargets,
    HintIgnored,
    NotificationsLost,
    NotificationTaken,
    Signalled,
)
from shaketable.node.messages import Address


@dataclass(slots=True)
class GroupSeen:
    """A node as a member of a group."""

    signals: list[Signalled] = field(default_factory=list)
    """what its application was told, in order"""
    again: int = 0
    """how many notifications it took that were sent again"""
    lost: int = 0
    """how often it learned that some cannot be sent again"""
    to: tuple[Address, ...] = ()
    """the members that it sends heartbeats to"""
    watched: tuple[Address, ...] = ()
    """the members whose heartbeats it expects"""
    sent: int = 0
    spared: int = 0
    """heartbeats that other messages replaced, in all that it has counted"""
    hints_ignored: int = 0
    foreign: int = 0
    """of how many processes it drops all messages"""
    started_whole: list[tuple[Address, ...]] = field(default_factory=list)
    """for each start of a whole group that it led to its end, the members that were missing"""

    def copy(self) -> GroupSeen:
        other = alike(self)
        other.signals, other.started_whole = list(self.signals), list(self.started_whole)
        return other


def _signalled(node: GroupSeen, event: Signalled) -> None:
    node.signals.append(event)


def _taken(node: GroupSeen, event: NotificationTaken) -> None:
    node.again += event.again


def _lost(node: GroupSeen, event: NotificationsLost) -> None:
    node.lost += 1


def _targets(node: GroupSeen, event: HeartbeatTargets) -> None:
    node.to, node.watched = event.to, event.watched


def _counted(node: GroupSeen, event: HeartbeatsCounted) -> None:
    node.sent += event.sent
    node.spared += event.spared


def _hint_ignored(node: GroupSeen, event: HintIgnored) -> None:
    node.hints_ignored += 1


def _foreign(node: GroupSeen, event: ForeignMessage) -> None:
    node.foreign += 1


def _start_ended(node: GroupSeen, event: GroupStartEnded) -> None:
    node.started_whole.append(event.missing)


GROUP_FOLDS: Final[Mapping[type[Event], Callable[[GroupSeen, Any], None]]] = {
    Signalled: _signalled,
    NotificationTaken: _taken,
    NotificationsLost: _lost,
    HeartbeatTargets: _targets,
    HeartbeatsCounted: _counted,
    HintIgnored: _hint_ignored,
    ForeignMessage: _foreign,
    GroupStartEnded: _start_ended,
}
