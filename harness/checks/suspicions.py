"""Who suspected whom, and when: for a check that asks about certain pairs at certain moments."""

from __future__ import annotations

from bisect import bisect_right

from shaketable.harness.recording.history import History
from shaketable.node.env import Micros
from shaketable.node.events import Suspected, SuspicionEnded
from shaketable.node.messages import Uuid


class Suspicions:
    def __init__(self, history: History) -> None:
        told: dict[tuple[Uuid, Uuid], list[tuple[int, Micros, bool]]] = {}
        for kind in (Suspected, SuspicionEnded):
            for record in history.of(kind):
                event = record.event
                assert isinstance(event, Suspected | SuspicionEnded)
                key = record.incarnation, event.peer.uuid
                told.setdefault(key, []).append((record.sequence, record.time, kind is Suspected))
        self._told = {key: sorted(events) for key, events in told.items()}

    def since(self, who: Uuid, whom: Uuid, now: Micros) -> Micros | None:
        """Since when it has suspected that one without a break; None: it does not."""
        told = self._told.get((who, whom), [])
        place = bisect_right([time for _, time, _ in told], now)
        begin: Micros | None = None
        for _, time, does in reversed(told[:place]):
            if not does:
                break
            begin = time
        return begin
