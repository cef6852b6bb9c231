"""How the stories of tests/data/core write entries that merge (interaction.py).

k=1B@2.5s x3                    in a message: key, size of the value, when it was last updated, hits
data k=v                        in an event: map, key, value
k=v lost (by discard)           what became of it; `kept`, `there`; `changed to w`"""

from __future__ import annotations

from typing import Any

from shaketable.node.core.env import SECOND
from shaketable.node.messages import EntryMerged, MergingEntry

ENTRIES = {"entries", "not_brought", "results"}


def entries_written(entries: tuple[Any, ...]) -> str:
    return f"[{', '.join(map(_written, entries))}]"


def _written(entry: Any) -> str:
    match entry:
        case MergingEntry(_, key, value, updated, hits):
            return f"{key}={len(value)}B@{updated / SECOND:g}s x{hits}"
        case EntryMerged(outcome, value, reason):
            return _end(outcome, value, reason.words)
        case (key, value):
            return f"{key}={value}"
        case (name, key, value):
            return f"{name} {key}={value}"
        case (key, value, outcome, now, reason):
            return f"{key}={value} {_end(outcome, now, reason)}"
    raise ValueError(f"{entry} is no entry")


def _end(outcome: str, value: str | None, reason: str) -> str:
    return f"{outcome}{f' to {value}' if outcome == 'changed' else ''} ({reason})"
