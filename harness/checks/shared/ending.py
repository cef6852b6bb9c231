"""Where a run ends that is judged by how it ends."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.history.history import History
from shaketable.harness.records import Record, ScriptEnded


def to_the_end(history: History, proof: Sequence[Record]) -> list[Record]:
    """The proof with the record at which the run ends: what may come right until then is wrong only there."""
    ends = history.of(ScriptEnded)
    last = ends[0] if ends else history.records[-1]
    return [*(record for record in proof if record != last), last]
