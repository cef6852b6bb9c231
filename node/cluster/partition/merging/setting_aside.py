"""The last that a member does for its data: what it owns is taken out of its store, for its next identity to bring.

As in the real system (rulings 7.4): each member of the smaller part sets aside the entries of the partitions that it
owns by its own table. A partition whose owner does not go - it is off the list already, has crashed, or is silent - is
the next one's: whom its table would promote."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from shaketable.node.cluster.partition.held import Entry
from shaketable.node.cluster.partition.publishing import Publishing
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.tags import tag_in
from shaketable.node.events import EntriesSetAside
from shaketable.node.messages import Member, Uuid


class SetAside(NamedTuple):
    map: str
    key: str
    entry: Entry

    @property
    def told(self) -> tuple[str, str, str]:
        """As events tell it: with the tag of its value."""
        return self.map, self.key, tag_in(self.entry.value)


class SettingAside:
    """From its beginning on no operation changes anything here: what is set aside is all that there is."""

    def __init__(self, state: PartitionState, *, store: MapStore, publishing: Publishing) -> None:
        self._state = state
        self._store = store
        self._publishing = publishing
        self._partitions: list[int] | None = None
        self.entries: list[SetAside] = []
        """what my next identity is to bring, once I am at my end"""

    def table_version(self) -> int:
        return self._state.table.version

    def is_ready(self, table_version: int) -> bool:
        return self._state.table.version >= table_version and not self._state.promoting

    def send_table(self, member: Member) -> None:
        self._publishing.publish_to([member])

    def set_aside(self, going: Collection[Uuid], silent: Collection[Uuid] = ()) -> None:
        self._state.goes_over = True
        partitions = owned(self._state, going, silent)
        if partitions != self._partitions:
            self._partitions, self.entries = partitions, set_aside(self._store, partitions)
            if partitions:
                self._tell(())

    def resume(self) -> None:
        self._state.goes_over, self._partitions, self.entries = False, None, []

    def end(self, rest: Sequence[SetAside]) -> None:
        """`rest`: what I had not brought yet of an earlier merge."""
        if self._partitions is None:
            self.set_aside(self._state.membership.known)
        if rest:
            self._tell(rest)
        self.entries = [*self.entries, *rest]

    def _tell(self, rest: Iterable[SetAside]) -> None:
        told = tuple([each.told for each in self.entries]), tuple([each.told for each in rest])
        self._state.env.report(EntriesSetAside(self._state.table.version, tuple(self._partitions or ()), *told))


def owned(state: PartitionState, going: Collection[Uuid], silent: Collection[Uuid] = ()) -> list[int]:
    """Of those who go I am the first in its row; or a silent one is, and I hold it, too."""
    me = state.me
    firsts = [(row, next((uuid for uuid in row if uuid in going), None)) for row in state.table.rows]
    return [p for p, (row, first) in enumerate(firsts) if first == me or (first in silent and me in row)]


def set_aside(store: MapStore, partitions: list[int]) -> list[SetAside]:
    return [SetAside(name, key, entry) for each in partitions for name, key, entry in store.entries(each)]
