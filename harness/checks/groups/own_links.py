"""What each member knows of its own links: a probe over one that is known to be down fails at once (rulings 5.4)."""

from __future__ import annotations

from shaketable.harness.history.history import History
from shaketable.node.core.env import Micros
from shaketable.node.events import LinkClosed, LinkDown, LinkUp
from shaketable.node.messages import Address, Uuid


class OwnLinks:
    def __init__(self, history: History) -> None:
        self._changes: dict[tuple[Uuid, Address], list[tuple[Micros, bool]]] = {}
        """of each member and an address, when its own link there was up, and when it was known to be down"""
        kinds: tuple[type[LinkUp | LinkDown | LinkClosed], ...] = LinkUp, LinkDown, LinkClosed
        for kind in kinds:
            for record in history.of(kind):
                changes = self._changes.setdefault((record.incarnation, record.event.address), [])
                changes.append((record.time, kind is LinkUp))

    def down_since(self, of: Uuid, to: Address, time: Micros) -> Micros | None:
        """When it learned that the link is down, which it was until this time. None: it was up, or was never up."""
        since: Micros | None = None
        for changed, is_up in sorted(self._changes.get((of, to), ())):
            if changed > time:
                break
            since = None if is_up else changed if since is None else since
        return since
