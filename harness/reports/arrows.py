"""The messages that a history tells of, as arrows from one node to another.

Nodes do not report every message: only what decides something is told by its sender, by its receiver, or by both.
Where both do, the arrow leads from the one time to the other; where only the receiver does, it stands upright; where
somebody told of sending and nobody of getting, it ends on its way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from shaketable.harness.records import NodeNamed, Record
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.node.messages import Address
from shaketable.node.why import Why


class Arrow(msgspec.Struct, frozen=True, array_like=True):
    what: str
    """ "list", "claim", "acceptance", "explicit suspicion", "report", "table", "commit", "notification" ..."""
    sender: str
    receiver: str
    sent: Micros
    arrived: Micros | None
    """None: nobody has told that it came"""
    good: bool = True
    """it was taken; False: ignored, refused, caught"""
    words: str = ""


class _End(NamedTuple):
    """Of a message to or from one peer: what the other end calls it, and who that is."""

    what: str
    peer: Callable[[Any], Address | None]
    key: Callable[[Any], object] = lambda event: ""
    good: Callable[[Any], bool] = lambda event: True
    words: Callable[[Any], str] = lambda event: ""


def _peer(event: Any) -> Address | None:
    return None if event.peer is None else str(event.peer.address)


_SENT: Final[dict[type, _End]] = {
    e.ClaimAsked: _End("claim", _peer),
    e.ClaimConsented: _End("answer", _peer, words=lambda event: "accepts"),
    e.ClaimDeclined: _End("answer", _peer, words=lambda event: "declines for good" if event.final else "declines"),
    e.ExplicitSuspicionSent: _End("explicit suspicion", _peer),
    e.ComplaintSent: _End("complaint", _peer),
    e.TriggerSent: _End("trigger", _peer),
    e.TableHandedOver: _End("most recent table", _peer),
    e.SuspectReported: _End("suspect report", _peer),
    e.CommitSent: _End("commit", _peer, lambda event: event.migration, words=lambda event: event.migration),
}
_ARRIVED: Final[dict[type, _End]] = {
    e.ClaimConsented: _End("claim", _peer),
    e.ClaimDeclined: _End("claim", _peer),
    e.ClaimAnswered: _End("answer", _peer, words=lambda event: event.answer),
    e.ExplicitSuspicionReceived: _End("explicit suspicion", _peer, good=lambda event: event.obeyed),
    e.ComplaintReceived: _End("complaint", _peer),
    e.TriggerReceived: _End("trigger", _peer, good=lambda event: event.obeyed),
    e.SuspicionsReported: _End("report of suspicions", _peer),
    e.ViewIgnored: _End("list", _peer, good=lambda event: False, words=lambda event: f"v{event.version}"),
    e.TableRefused: _End("table", _peer, good=lambda event: False, words=lambda event: f"v{event.version}"),
    e.TableFetched: _End("most recent table", _peer),
    e.SuspectReportHeard: _End("suspect report", _peer),
    e.JoinRefusedBy: _End("refusal", _peer, good=lambda event: False),
    e.NotificationIgnored: _End("notification", _peer, good=lambda event: False),
}
"""What came from a peer, told by its receiver."""

_TO_ALL: Final[dict[type, tuple[str, Callable[[Any], object]]]] = {
    e.ViewPublished: ("list", lambda event: (event.version, event.author)),
    e.TablePublished: ("table", lambda event: (event.version, event.stamp)),
    e.NotificationPublished: ("notification", lambda event: (event.version, event.author)),
}
_TAKEN: Final[dict[type, tuple[str, Callable[[Any], object]]]] = {
    e.ViewInstalled: ("list", lambda event: (event.version, event.author)),
    e.TableInstalled: ("table", lambda event: (event.version, event.stamp)),
    e.NotificationTaken: ("notification", lambda event: (event.version, event.author)),
}
"""What one sends to all, and each takes for itself."""


def arrows_of(records: Iterable[Record]) -> Sequence[Arrow]:
    reading = _Reading()
    for record in records:
        reading.read(record)
    return reading.end()


class _Reading:
    def __init__(self) -> None:
        self._names: dict[Address, str] = {}
        self._addresses: dict[str, Address] = {}
        self._waiting: dict[tuple[object, ...], deque[tuple[Micros, str]]] = {}
        self._published: dict[tuple[str, object], tuple[Micros, str]] = {}
        self._arrows: list[Arrow] = []

    def read(self, record: Record) -> None:
        event = record.event
        kind = type(event)
        if isinstance(event, NodeNamed):
            self._names[event.address] = event.peer
            self._addresses[event.peer] = event.address
        elif kind in _TO_ALL:
            what, key = _TO_ALL[kind]
            self._published[what, key(event)] = record.time, record.node
        elif kind in _TAKEN:
            self._taken(record, *_TAKEN[kind])
        elif isinstance(event, e.ViewIgnored) and event.why is Why.NOT_NEWER:
            return  # of each periodic publish
        elif isinstance(event, e.FilterMatched):
            receiver = self._names.get(event.address, event.address)
            self._arrows.append(Arrow(event.message, record.node, receiver, record.time, None, False, "caught"))
        else:
            if kind in _ARRIVED:
                self._arrived(record, _ARRIVED[kind])
            if kind in _SENT:
                self._sent(record, _SENT[kind])

    def end(self) -> Sequence[Arrow]:
        for (what, sender, receiver, *_), waiting in self._waiting.items():
            for sent, words in waiting:
                self._arrows.append(Arrow(str(what), str(sender), str(receiver), sent, None, False, words))
        return sorted(self._arrows, key=lambda arrow: (arrow.sent, arrow.sender, arrow.receiver, arrow.what))

    def _sent(self, record: Record, end: _End) -> None:
        to = end.peer(record.event)
        if to is not None:
            key = (end.what, record.node, self._names.get(to, to), end.key(record.event))
            self._waiting.setdefault(key, deque()).append((record.time, end.words(record.event)))

    def _arrived(self, record: Record, end: _End) -> None:
        came_from = end.peer(record.event)
        if came_from is None:
            return
        sender = self._names.get(came_from, came_from)
        waiting = self._waiting.get((end.what, sender, record.node, end.key(record.event)))
        sent, words = waiting.popleft() if waiting else (record.time, "")
        said = end.words(record.event) or words
        self._arrows.append(Arrow(end.what, sender, record.node, sent, record.time, end.good(record.event), said))

    def _taken(self, record: Record, what: str, key: Callable[[Any], object]) -> None:
        sent, sender = self._published.get((what, key(record.event)), (record.time, ""))
        if sender and sender != record.node:
            said = f"v{getattr(record.event, 'version', '')}"
            self._arrows.append(Arrow(what, sender, record.node, sent, record.time, True, said))
