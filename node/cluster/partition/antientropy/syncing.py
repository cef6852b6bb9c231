"""The owner mends its backups: all the data of a partition in a stream, few at once, one to a backup.

Hotter ones first: should the owner be gone, the hottest is promoted, and what a colder one has more is for nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from shaketable.node.cluster.partition.replication import packed
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.core.env import Micros
from shaketable.node.messages import Member, StartSync, Uuid
from shaketable.node.why import Because

MOST_AT_ONCE: Final = 10
"""as in the real system"""

_WAITING: Final = ""

Doubts = dict[tuple[int, Uuid], bool]
"""by partition and backup, of those that I own: it may not have what it should have; true: asked since the doubt
arose"""


class Syncing:
    def __init__(
        self,
        state: PartitionState,
        *,
        streams: Streams,
        doubts: Doubts,
        synced: Callable[[int, Uuid], None],
    ) -> None:
        """`synced`: all the data of this partition have arrived at this backup."""
        self._state = state
        self._streams = streams
        self._doubts = doubts
        self._synced = synced
        self._wanted: dict[tuple[int, Uuid], str] = {}
        """by partition and backup, the stream"""
        self._mended: dict[tuple[int, Uuid], Micros] = {}
        """when its data had come last: if that has changed nothing, the same at once would change nothing either"""
        self._count = 0

    def is_wanted(self, partition: int, holder: Uuid) -> bool:
        """This backup's data are on their way to it, or will be."""
        return (partition, holder) in self._wanted

    def want(self, partition: int, replica: int, holder: Uuid) -> None:
        """Told that it differs. It is in doubt then, and will be asked again."""
        state = self._state
        now, mended = state.env.now(), self._mended.pop((partition, holder), None)
        if mended is not None and now - mended < state.settings.heartbeat_interval:
            self._mended[partition, holder] = mended
        elif self._is_backup_of_mine(partition, holder) and state.row(partition)[replica : replica + 1] == (holder,):
            self._wanted.setdefault((partition, holder), _WAITING)

    def table_changed(self) -> None:
        for (partition, holder), stream in list(self._wanted.items()):
            if not self._is_backup_of_mine(partition, holder):
                del self._wanted[partition, holder]
                if stream != _WAITING:
                    self._streams.cancel(stream)
        for which in [each for each in self._mended if not self._is_backup_of_mine(*each)]:
            del self._mended[which]
        self.go_on()

    def _is_backup_of_mine(self, partition: int, holder: Uuid) -> bool:
        row = self._state.row(partition)
        return bool(row) and row[0] == self._state.me and holder in row[1:]

    def go_on(self) -> None:
        state = self._state
        busy = {holder: True for (_, holder), stream in self._wanted.items() if stream != _WAITING}
        for (partition, holder), stream in list(self._wanted.items()):
            if len(busy) >= MOST_AT_ONCE:
                return
            if stream == _WAITING and holder not in busy:
                member = state.member(holder)
                if member is None or partition in state.active or partition in state.promoting:
                    del self._wanted[partition, holder]
                elif not self._comes_later(partition, holder):
                    busy[holder] = True
                    self._begin(partition, member)

    def _comes_later(self, partition: int, holder: Uuid) -> bool:
        row = self._state.row(partition)
        return any(uuid is not None and (partition, uuid) in self._doubts for uuid in row[1 : row.index(holder)])

    def _begin(self, partition: int, member: Member) -> None:
        state, holder = self._state, member.uuid
        self._count += 1
        stream = f"sync {self._count} of {state.me}"
        self._wanted[partition, holder] = stream
        replica = state.table.index_of(partition, holder)
        data = packed(state, partition, replica)
        state.send(
            member.address,
            StartSync(state.membership.me, holder, state.table.version, stream, partition, replica),
        )
        self._streams.send(member, stream, data, partial(self._ended, partition, holder, stream))

    def _ended(self, partition: int, holder: Uuid, stream: str, done: bool, reason: Because | None) -> None:
        if self._wanted.get((partition, holder)) != stream:
            return
        del self._wanted[partition, holder]
        if done:
            self._mended[partition, holder] = self._state.env.now()
            self._synced(partition, holder)
        self.go_on()
