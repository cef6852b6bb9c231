"""Of the check "no lost data": members that their master let go, and that had to be relieved of their data first.

From rulings 3.7: a member that leaves stays until the master has moved its replicas, so a leave is no excuse for lost
data. If all data members leave, no member can take over. A member that got no answer just stops."""

from __future__ import annotations

from collections.abc import Iterator

from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import Leaving, MemberRemoved, Stopped
from shaketable.node.messages import Member, Uuid
from shaketable.node.why import Why


class LetGo:
    def __init__(self, history: History) -> None:
        self._history = history
        self._asked: dict[Uuid, Micros] = {}
        self._removed: dict[Uuid, list[Record[MemberRemoved]]] = {}
        for asked in history.of(Leaving):
            self._asked.setdefault(asked.incarnation, asked.time)
        for removed in history.of(MemberRemoved):
            if removed.event.why is Why.LEFT:
                self._removed.setdefault(removed.incarnation, []).append(removed)

    def by(self, master: Uuid) -> Iterator[tuple[Uuid, Micros]]:
        """With the moment of it, itself at the end."""
        for record in self._removed.get(master, ()):
            if not self._all_leave(record):
                yield record.event.peer.uuid, record.time
        process = self._history.by_uuid.get(master)
        last = process.ended if process is not None else None
        if last is None or not isinstance(last.event, Stopped) or last.event.why is not Why.LEFT:
            return
        if not self._all_leave(last):
            yield master, last.time

    def _all_leave(self, record: Record) -> bool:
        """All data members of its list, which it has had until now, have asked to leave."""
        data_members = [member.uuid for member in self._listed(record) if not member.lite]
        return all(uuid in self._asked and self._asked[uuid] <= record.time for uuid in data_members)

    def _listed(self, record: Record) -> tuple[Member, ...]:
        process = self._history.by_uuid.get(record.incarnation)
        before: tuple[Member, ...] = ()
        for install in process.installs if process is not None else ():
            if install.record.time > record.time or install.record.sequence > record.sequence:
                break
            before = install.view.members
        return before
