"""Suspicions over time: which member suspected which, and when, for checks that ask about certain pairs and moments.

The harness's fold (seen/suspicions.py) has only those of one moment. A list without a member that the list before had
ends the suspicion of it, and nobody says so: the same identity may come back later."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import Suspected, SuspicionEnded
from shaketable.node.messages import Uuid


class Suspicions:
    def __init__(self, history: History) -> None:
        told: dict[tuple[Uuid, Uuid], list[tuple[int, Micros, bool]]] = {}
        kinds: tuple[type[Suspected | SuspicionEnded], ...] = Suspected, SuspicionEnded
        for kind in kinds:
            for record in history.of(kind):
                key = record.incarnation, record.event.peer.uuid
                told.setdefault(key, []).append((record.sequence, record.time, kind is Suspected))
        for process in history.processes.values():
            for before, after in pairwise(process.installs):
                listed = {member.uuid: True for member in after.view.members}
                for gone in [member.uuid for member in before.view.members if member.uuid not in listed]:
                    if (process.uuid, gone) in told:
                        told[process.uuid, gone].append((after.record.sequence, after.record.time, False))
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

    def just_before(self, record: Record, whom: Uuid) -> bool:
        """Whether the process that told this suspected that one, by what it had told until then."""
        told = self._told.get((record.incarnation, whom), [])
        return max(((place, does) for place, _, does in told if place < record.sequence), default=(0, False))[1]
