"""Operations of clients are most of a long history, and few are ever asked for: so many are folded at a time.

Of many operations with one code (history/codes.py) only the last is decoded, and the others are counted; and of many
tables that a node installs one after the other only the last."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from shaketable.harness.records import NodeNamed, NodeSpawned
from shaketable.node.events import OperationCalled, OperationReturned, Started, TableInstalled
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.kinds import CODE_OF
from shaketable.tui.model.history.store import Store

_OPERATIONS: Final = bytes((CODE_OF[OperationCalled], CODE_OF[OperationReturned]))
_OTHERS: Final = re.compile(b"[^" + re.escape(_OPERATIONS) + b"]")
_TABLE: Final = CODE_OF[TableInstalled]
_BEGINNINGS: Final = frozenset((CODE_OF[NodeNamed], CODE_OF[NodeSpawned], CODE_OF[Started]))
"""after which nothing is known of a node's clients"""


def fold(picture: Picture, store: Store, stop: int) -> None:
    """The same as to apply each record up to there, and much quicker where most are of operations."""
    start = picture.count
    names, codes = store.told_by(start, stop), store.codes[start:stop]
    if not codes or 0 in codes or not all(name in picture.extras for name in frozenset(names) if name):
        for record in store.between(start, stop):
            picture.apply(record)
        return
    since = start
    for place in _others(store, names, codes, start, stop):
        if store.kind(place) in _BEGINNINGS:
            _operations(picture, store, codes[since - start : place - start], since)
            since = place
        picture.count = place
        picture.change(store[place])
    _operations(picture, store, codes[since - start :], since)
    picture.count = start
    picture.passed(names, store.time_at(stop))


def _others(store: Store, names: Sequence[str], codes: array[int], start: int, stop: int) -> Iterator[int]:
    """The places of all but operations, and but tables that the same node has replaced before it told anything else."""
    needed: list[int] = []
    later: dict[str, int] = {}
    for place in reversed(store.where(_OTHERS, start, stop)):
        name, code = names[place - start], codes[place - start]
        if store.kind(place) != _TABLE or later.get(name) != code:
            needed.append(place)
        later[name] = code
    return reversed(needed)


def _operations(picture: Picture, store: Store, codes: array[int], start: int) -> None:
    """Of the records at these places."""
    many, last = Counter(codes), dict(zip(codes, range(start, start + len(codes)), strict=True))
    for place, code in sorted((place, code) for code, place in last.items()):
        if store.kind(place) in _OPERATIONS:
            record = store[place]
            picture.change(record)
            event = record.event
            if type(event) is OperationReturned and not picture.observed.is_former(record.incarnation):
                client = picture.observed.nodes[record.node].partitions.clients[event.client]
                client.outcomes[event.outcome] += many[code] - 1
