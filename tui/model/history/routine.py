"""What is told again and again while all is well: where somebody looks for what happened, it is in the way.

A list or a table that is published once more, whoever learns nothing from it, a search for other parts that finds none,
what clients ask of their nodes; of a group the heartbeats that were counted, that a notification has come (what its
member tells its application says as much), and each period's word that somebody is still silent."""

from __future__ import annotations

import re
from typing import Final

from shaketable.node import events as e
from shaketable.node.core.env import SECOND
from shaketable.node.messages import Uuid
from shaketable.node.why import Why
from shaketable.tui.model.history.kinds import CODE_OF
from shaketable.tui.model.history.memo import Slot
from shaketable.tui.model.history.store import Store

MOST_KNOWN: Final = 200_000
_ALWAYS: Final = frozenset(
    CODE_OF[kind] for kind in (e.OperationCalled, e.OperationReturned, e.SplitBrainSearchBegan, e.HeartbeatsCounted)
)
"""how a search ends says all that it has found"""
_PERHAPS: Final = frozenset(
    CODE_OF[kind]
    for kind in (
        *(e.ViewPublished, e.ViewIgnored, e.TablePublished, e.SplitBrainSearchEnded),
        *(e.NotificationTaken, e.NotificationIgnored),
    )
)
_STILL: Final = frozenset(CODE_OF[kind] for kind in (e.ProbeFailed, e.SuspectReported, e.SuspectReportHeard))
_NEWS_OF_SILENCE: Final = re.compile(b"[" + re.escape(bytes((*_STILL, CODE_OF[e.SuspicionEnded]))) + b"]", re.DOTALL)
_LOOKED_BACK: Final = 500
"""records"""
_APART: Final = 20 * SECOND
"""at most, between two periods' words"""
_KNOWN: Final = Slot(dict[int, bool])
"""by place: the next frame asks about nearly the same ones"""


def is_routine(store: Store, place: int) -> bool:
    """Most are told by their kind, without being decoded."""
    kind = store.kind(place)
    if kind in _ALWAYS:
        return True
    if kind not in _PERHAPS and kind not in _STILL:
        return False
    known = store.memo[_KNOWN]
    if len(known) > MOST_KNOWN:
        known.clear()
    found = known.get(place)
    if found is None:
        found = known[place] = _is_told_again(store, place) if kind in _STILL else _says_nothing_new(store[place].event)
    return found


def _is_told_again(store: Store, place: int) -> bool:
    """The same node has said so before, not long ago, and nobody that it was not so."""
    record, kind = store[place], store.kind(place)
    about = _about(record.event)
    for before in reversed(store.where(_NEWS_OF_SILENCE, max(0, place - _LOOKED_BACK), place)):
        if store.time_at(place + 1) - store.time_at(before + 1) > _APART:
            return False
        if store.node(before) == record.node and about[-1] in (told := _about(store[before].event)):
            if store.kind(before) == CODE_OF[e.SuspicionEnded]:
                return False
            if store.kind(before) == kind and told == about:
                return True
    return False


def _about(event: e.Event) -> tuple[Uuid, ...]:
    """The peers that an event names. The last one is the member that the event is about."""
    match event:
        case e.SuspectReported(peer, suspect) | e.SuspectReportHeard(peer, suspect):
            return peer.uuid, suspect.uuid
        case e.ProbeFailed(peer=peer) | e.SuspicionEnded(peer=peer):
            return (peer.uuid,)
    return ("",)


def _says_nothing_new(event: e.Event) -> bool:
    match event:
        case e.ViewPublished(change=change) | e.TablePublished(change=change):
            return not change
        case e.ViewIgnored(why=why):
            return why is Why.NOT_NEWER
        case e.SplitBrainSearchEnded(answered=answered):
            return not answered
        case e.NotificationTaken(again=again):
            return not again
        case e.NotificationIgnored(why=why):
            return why is Why.HAS_COME
    return False
