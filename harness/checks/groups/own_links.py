"""What each member knows of its own links: a probe over one that is known to be down fails at once (rulings 5.4).

A member that closes its connection, because the other one is gone from its view, knows nothing of that link any
more."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.history.history import History
from shaketable.node.core.env import Micros
from shaketable.node.events import LinkClosed, LinkDown, LinkUp
from shaketable.node.messages import Address, Uuid


class OwnLinks:
    def __init__(self, history: History) -> None:
        self._history = history
        self._changes: dict[tuple[Uuid, Address], list[tuple[Micros, bool]]] = {}
        """of each member and an address, when its own link there was known to be down, and when it was not any more"""
        kinds: tuple[type[LinkUp | LinkDown | LinkClosed], ...] = LinkUp, LinkDown, LinkClosed
        for kind in kinds:
            for record in history.of(kind):
                changes = self._changes.setdefault((record.incarnation, record.event.address), [])
                changes.append((record.time, kind is not LinkDown))
        for changes in self._changes.values():
            changes.sort()

    def down_since(self, of: Uuid, to: Address, time: Micros) -> Micros | None:
        """When it learned that the link is down, which it was until this time. None: it was up, or was never up, or the
        other one was gone from its view meanwhile."""
        since: Micros | None = None
        for changed, is_up in self._changes.get((of, to), ()):
            if changed > time:
                break
            since = None if is_up else changed if since is None else since
        return since if since is not None and not self._was_gone(of, to, since, time) else None

    def held(self, of: Uuid, to: Address, begin: Micros, end: Micros) -> bool:
        """It knew of no trouble with it in this time: it neither came up then nor was down in the end."""
        return not self.came_up(of, to, begin, end) and self.down_since(of, to, end) is None

    def came_up(self, of: Uuid, to: Address, begin: Micros, end: Micros) -> bool:
        """In this time."""
        return bool(self.came_up_at(of, to, begin, end))

    def came_up_at(self, of: Uuid, to: Address, begin: Micros, end: Micros) -> Sequence[Micros]:
        return [changed for changed, is_up in self._changes.get((of, to), ()) if is_up and begin < changed <= end]

    def _was_gone(self, of: Uuid, to: Address, begin: Micros, end: Micros) -> bool:
        process = self._history.by_uuid.get(of)
        return process is not None and any(
            begin <= install.record.time < end and all(member.address != to for member in install.view.members)
            for install in process.installs
        )
