"""What is known at one place of a history: the harness's own fold, and what only a screen asks for.

Each part of a picture is a small fold of its own, in a file of its own. A picture can be copied, so that a screen may
go back in time without reading the history from its beginning."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.observed import NodeSeen, Observed
from shaketable.harness.records import Record
from shaketable.node.env import Micros
from shaketable.node.events import Suspected, SuspicionEnded
from shaketable.node.messages import Uuid

LAST_EVENTS: Final = 50
"""kept for each node"""


@dataclass(slots=True)
class Suspicion:
    since: Micros
    reason: str


@dataclass(slots=True)
class NodePicture:
    """Of one node, beside what the harness's fold knows of it."""

    suspicions: dict[Uuid, Suspicion] = field(default_factory=dict)
    last: deque[int] = field(default_factory=lambda: deque(maxlen=LAST_EVENTS))
    """places of its last events in the history"""


class Picture:
    def __init__(self) -> None:
        self.observed = Observed()
        self.extras: dict[str, NodePicture] = {}
        self.count = 0
        """of records that it is made of"""

    def apply(self, record: Record) -> None:
        self.observed.apply(record)
        if record.node:
            extra = self.extra(record.node)
            extra.last.append(self.count)
            event = record.event
            if type(event) is Suspected:
                extra.suspicions.setdefault(event.peer.uuid, Suspicion(record.time, event.reason))
            elif type(event) is SuspicionEnded:
                extra.suspicions.pop(event.peer.uuid, None)
        self.count += 1

    def extra(self, node: str) -> NodePicture:
        found = self.extras.get(node)
        if found is None:
            found = self.extras[node] = NodePicture()
        return found

    def copy(self) -> Picture:
        return copy.deepcopy(self)

    def nodes(self) -> list[NodeSeen]:
        return list(self.observed.nodes.values())
