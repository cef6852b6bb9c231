"""What a recorded run once had and has no more, as far as that can be known: a file that is gone leaves no gap."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shaketable.harness.records import HARNESS, NodeSpawned
from shaketable.harness.verdicts.verdict import RunVerdict
from shaketable.tui.model.history.kinds import CODE_OF
from shaketable.tui.model.history.store import Store

_SPAWNED: Final = re.compile(re.escape(bytes([CODE_OF[NodeSpawned]])))


def lost_events(store: Store, verdict: RunVerdict | None) -> int:
    """Of how many events that are not here the verdict was made."""
    return max(0, verdict.counts.get("events", 0) - len(store)) if verdict is not None else 0


def what_is_lost(store: Store, verdict: RunVerdict | None, said: int) -> Iterator[str]:
    """In sentences. `said`: how many events are known to be lost already, each in a sentence of its own."""
    lost = lost_events(store, verdict)
    if lost > said and verdict is not None:
        yield f"{lost} of the {verdict.counts['events']} events that were judged are lost"
    if len(store) and (lost or verdict is None):
        for who in _without_a_word(store):
            yield f"no event of {who} is here: its file is missing, or empty"


def _without_a_word(store: Store) -> Iterator[str]:
    told = dict.fromkeys(store.told_by(0, len(store)), True)
    if HARNESS not in told:
        yield "the harness"
    spawned = (store[place].event for place in store.where(_SPAWNED, 0, len(store)))
    names = dict.fromkeys(event.peer for event in spawned if isinstance(event, NodeSpawned))
    yield from (name for name in names if name not in told)
