"""What an event tells: the words of every report, but a call by hand stands there as a hand would write it."""

from __future__ import annotations

from shaketable.harness.errors import UserError
from shaketable.harness.history.names import Names
from shaketable.harness.history.words.cluster import tell
from shaketable.harness.records import AskedByHand, Record
from shaketable.tui.model.hands.by_hand import call_in
from shaketable.tui.model.hands.saving import written


def told(record: Record, names: Names) -> str:
    if isinstance(record.event, AskedByHand):
        return f"by hand {record.event.number}: {as_written(record.event.call)}"
    return tell(record, names)


def as_written(call: str) -> str:
    """With its times in their units; as it stands, where it is no call."""
    try:
        return written(call_in(call))
    except (UserError, SyntaxError, ValueError):
        return call
