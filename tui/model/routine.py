"""What is told again and again while all is well: where somebody looks for what happened, it is in the way.

A list or a table that is published once more, whoever learns nothing from it, a search for other parts that finds none,
what clients ask of their nodes; of a group the heartbeats that were counted, and that a notification has come: what its
member tells its application says as much."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

from shaketable.node import events as e
from shaketable.tui.model.kinds import CODE_OF
from shaketable.tui.model.store import Store

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
_KNOWN: Final[WeakKeyDictionary[Store, dict[int, bool]]] = WeakKeyDictionary()
"""of each history, by place: the next frame asks about nearly the same ones"""


def is_routine(store: Store, place: int) -> bool:
    """Most are told by their kind, without being decoded."""
    kind = store.kind(place)
    if kind in _ALWAYS:
        return True
    if kind not in _PERHAPS:
        return False
    known = _KNOWN.get(store)
    if known is None or len(known) > MOST_KNOWN:
        known = _KNOWN[store] = {}
    found = known.get(place)
    if found is None:
        found = known[place] = _says_nothing_new(store[place].event)
    return found


def _says_nothing_new(event: e.Event) -> bool:
    match event:
        case e.ViewPublished(change=change) | e.TablePublished(change=change):
            return not change
        case e.ViewIgnored(reason=reason):
            return reason == "not newer"
        case e.SplitBrainSearchEnded(answered=answered):
            return not answered
        case e.NotificationTaken(again=again):
            return not again
        case e.NotificationIgnored(reason=reason):
            return reason == "it has come already"
    return False
