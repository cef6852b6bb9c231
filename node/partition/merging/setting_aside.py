"""The last that a member does for its data: what it owns is taken out of its store, for its next identity to bring.

From the text on split-brain recovery and the real system: each member of the smaller part sets aside the entries of
the partitions that it owns by its own table. A partition whose owner is off the list already is the next one's: whom
its table would promote."""

from __future__ import annotations

from typing import NamedTuple

from shaketable.node.partition.held import Entry
from shaketable.node.partition.state import PartitionState
from shaketable.node.partition.store import MapStore
from shaketable.node.partition.tags import tag_in


class SetAside(NamedTuple):
    map: str
    key: str
    entry: Entry

    @property
    def told(self) -> tuple[str, str, str]:
        """As events tell it: with the tag of its value."""
        return self.map, self.key, tag_in(self.entry.value)


def owned(state: PartitionState) -> list[int]:
    known, me = state.membership.known, state.me
    return [
        partition
        for partition, row in enumerate(state.table.rows)
        if me in row and next((uuid for uuid in row if uuid in known), None) == me
    ]


def set_aside(store: MapStore, partitions: list[int]) -> list[SetAside]:
    return [SetAside(name, key, entry) for each in partitions for name, key, entry in store.entries(each)]
