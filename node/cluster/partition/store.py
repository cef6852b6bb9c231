"""The data that one member holds: of each partition several key-value maps, each with its own number of backups.

From text 3.1.1 and 3.0.5: a service that keeps data and is told of migrations. An index beyond a map's backup count
holds nothing of that map. Only what was written takes memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final
from zlib import crc32

import msgspec

from shaketable.node.cluster.partition.held import Copy, Entry, Held, MapData, Taken, Write
from shaketable.node.cluster.partition.services import PartitionMigrationEvent
from shaketable.node.cluster.partition.state import PartitionState, brings_what_merges
from shaketable.node.core.env import Micros
from shaketable.node.messages import MOST_REPLICAS, NOWHERE, Does

Holds = tuple[int, int, tuple[tuple[str, int, int, int], ...]]
"""partition, my index, and by name of each map its version, the number of entries and their checksum"""

FIRST_OF_AN_OWNER: Final = 1 << 32
"""an owner that was promoted with table version T counts its writes from T times this on"""
_HIGHEST_TABLE: Final = (1 << 28) - 1
"""so that a version is still a `Number`"""
_CHECKSUM: Final = (1 << 60) - 1

_Maps = dict[str, Held]
_decoder: msgspec.msgpack.Decoder[list[MapData]] = msgspec.msgpack.Decoder(list[MapData])
_copies: msgspec.msgpack.Decoder[list[Copy]] = msgspec.msgpack.Decoder(list[Copy])
_encoder: Final = msgspec.msgpack.Encoder()


class MapStore:
    def __init__(self, state: PartitionState) -> None:
        self._state = state
        self.backup_counts: Mapping[str, int] = state.settings.backup_counts
        names = sorted(self.backup_counts)
        self._at = [[name for name in names if self.backup_counts[name] >= index] for index in range(MOST_REPLICAS)]
        """the maps of which each index holds something, in the order of the alphabet"""
        self._partitions: dict[int, _Maps] = {}
        self._noted: dict[int, list[Write]] = {}
        """by partition: the writes since a sync of it has begun"""

    # What the owner does

    def read(self, partition: int, name: str, key: str) -> bytes | None:
        entry = self.entry(partition, name, key)
        if entry is None:
            return None
        entry.hits += 1
        return entry.value

    def entry(self, partition: int, name: str, key: str) -> Entry | None:
        """Without counting that as a hit."""
        held = self._partitions.get(partition, {}).get(name)
        return held.data.entries.get(key) if held is not None else None

    def last(self, partition: int, name: str, client: str) -> int:
        """The number of this client's last write that is applied here, 0: none."""
        held = self._partitions.get(partition, {}).get(name)
        return held.data.last.get(client, 0) if held is not None else 0

    def write(
        self, partition: int, name: str, client: str, number: int, does: Does, key: str, value: bytes,
        updated: Micros = 0, hits: int | None = None,
    ) -> Write:  # fmt: skip
        """`hits`: of an entry that has merged; else this is one more. As its backups get it, with the map's version."""
        held = self._held(partition, name)
        if hits is None:
            before = held.data.entries.get(key)
            hits = 1 if before is None else before.hits + 1
        write = Write(held.data.version + 1, name, client, number, does, key, value, updated, hits)
        held.write(write)
        return write

    def entries(self, partition: int) -> Iterator[tuple[str, str, Entry]]:
        """Map, key and entry, the maps in the order of the alphabet."""
        for name, held in sorted(self._partitions.get(partition, {}).items()):
            for key, entry in held.data.entries.items():
                yield name, key, entry

    def forget(self, is_over: Callable[[str], bool]) -> None:
        """Of these clients no operation comes any more."""
        for maps in self._partitions.values():
            for held in maps.values():
                held.forget(is_over)

    # What a backup does

    def take(self, partition: int, write: Write) -> Taken:
        noted = self._noted.get(partition)
        if noted is not None:
            noted.append(write)
        return self._held(partition, write.map).apply(write)

    def misses_a_write(self, partition: int, name: str) -> bool:
        held = self._partitions.get(partition, {}).get(name)
        return held is not None and held.misses_a_write

    def sync_begins(self, partition: int) -> None:
        """Keeps all writes from now on, so that none is lost when the owner's older data take the place of mine. Called
        before they are asked for."""
        self._noted[partition] = []

    def sync_ended(self, partition: int) -> None:
        """They have come, or will not."""
        self._noted.pop(partition, None)

    # What a migration-aware service does

    def before_migration(self, event: PartitionMigrationEvent) -> None:
        pass

    def commit_migration(self, event: PartitionMigrationEvent) -> None:
        partition, index = event.partition, event.new_replica_index
        self.sync_ended(partition)
        if index == NOWHERE:
            self._partitions.pop(partition, None)
            return
        maps = self._partitions.get(partition, {})
        self._put(partition, {name: held for name, held in maps.items() if self.backup_counts[name] >= index})

    def rollback_migration(self, event: PartitionMigrationEvent) -> None:
        pass

    def replication_data(self, partition: int, replica_index: int) -> bytes:
        maps = self._partitions.get(partition, {})
        return _encoder.encode([maps[name].data for name in self._at[replica_index] if name in maps])

    def check_data(self, partition: int, replica_index: int, data: bytes) -> None:
        """ValueError: these are no data for this index."""
        self._decoded(replica_index, data)

    def replicate(self, partition: int, replica_index: int, data: bytes) -> None:
        """ValueError, with nothing changed: these are no data for this index, or older than what came since."""
        maps = {found.name: Held(found) for found in self._decoded(replica_index, data)}
        noted = self._noted.get(partition)
        if noted is not None:
            self._bring_up_to_date(partition, replica_index, maps, noted)
            self.sync_ended(partition)
        self._put(partition, maps)

    def promoted(self, partition: int, table_version: int) -> None:
        """No two owners ever give different contents the same version, so that anti-entropy mends the other backups by
        me: each map counts on from a version that no owner before me has reached, those without an entry as well."""
        self.sync_ended(partition)
        least = min(table_version, _HIGHEST_TABLE) * FIRST_OF_AN_OWNER
        for name in self._at[0]:
            held = self._held(partition, name)
            if held.misses_a_write:
                # Of a batch that merges, the last write that is here says nothing of those before it.
                held.forget(brings_what_merges)
            held.is_whole_at(max(held.data.version, least))

    # What a promoted owner asks of its backups, and they answer

    def keeps(self, replica: int) -> bool:
        """Whether this index holds any map at all."""
        return bool(self._at[replica])

    def whole_to(self, partition: int, replica: int) -> tuple[tuple[str, int], ...]:
        """Of each map that this index should hold too, up to which version I miss none; without those with none."""
        maps = self._partitions.get(partition, {})
        return tuple([(name, maps[name].whole_to) for name in self._at[replica] if name in maps])

    def last_versions(self, partition: int, replica: int) -> tuple[tuple[str, int], ...]:
        """Of each map that this index should hold too: the version of my last write, whether or not I miss another."""
        maps = self._partitions.get(partition, {})
        return tuple([(name, maps[name].data.version) for name in self._at[replica] if name in maps])

    def later_than(
        self, partition: int, replica: int, whole_to: Iterable[tuple[str, int]]
    ) -> tuple[tuple[str, int], ...]:
        """Of each map of this index of which I have a later write than that, or any if it is not named: the version of
        the last."""
        known = dict(whole_to)
        last = self.last_versions(partition, replica)
        return tuple([(name, version) for name, version in last if version > known.get(name, 0)])

    def copies(self, partition: int) -> bytes:
        maps = self._partitions.get(partition, {})
        return _encoder.encode([maps[name].copy() for name in sorted(maps)])

    def take_more(self, partition: int, replica: int, data: bytes) -> None:
        """From the member that holds this index: what it has and I lack. ValueError, with nothing changed: that is no
        data."""
        try:
            copies = _copies.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"no copies of maps: {error}") from error
        for copy in copies:
            if copy.data.name in self._at[replica]:
                mine = self._held(partition, copy.data.name)
                self._partitions[partition][copy.data.name] = mine.with_more(copy)

    def lacks(self, partition: int, versions: Iterable[tuple[str, int]]) -> bool:
        """A map with this last write may have one that I lack."""
        maps = self._partitions.get(partition, {})
        return any(version > (maps[name].whole_to if name in maps else 0) for name, version in versions)

    # What others want to know

    def versions(self, partition: int, replica: int) -> tuple[tuple[str, int], ...]:
        """Of each map that this index holds, in the order of the alphabet. None is made before its first write, or a
        promotion, so a version is above 0."""
        maps = self._partitions.get(partition)
        if maps is None:
            return ()
        return tuple([(name, maps[name].version) for name in self._at[replica] if name in maps])

    def stock(self) -> tuple[Holds, ...]:
        """Of all partitions of which I hold an index by my table, or anything at all."""
        me = self._state.me
        held = {partition: row.index(me) for partition, row in enumerate(self._state.table.rows) if me in row}
        return tuple(
            (
                partition,
                held.get(partition, NOWHERE),
                tuple(
                    (name, each.version, len(each.data.entries), checksum(each.data.entries))
                    for name, each in sorted(self._partitions.get(partition, {}).items())
                ),
            )
            for partition in sorted({**held, **self._partitions})
        )

    def _put(self, partition: int, maps: _Maps) -> None:
        if maps:
            self._partitions[partition] = maps
        else:
            self._partitions.pop(partition, None)

    def _held(self, partition: int, name: str) -> Held:
        maps = self._partitions.get(partition)
        if maps is None:
            maps = self._partitions[partition] = {}
        held = maps.get(name)
        if held is None:
            held = maps[name] = Held(MapData(name, 0, {}, {}))
        return held

    def _decoded(self, index: int, data: bytes) -> list[MapData]:
        try:
            found = _decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"no data of maps: {error}") from error
        names = [each.name for each in found]
        if len(set(names)) < len(names) or not set(names) <= set(self._at[index]):
            raise ValueError(f"index {index} does not hold just these maps: {', '.join(names)}")
        return found

    def _bring_up_to_date(self, partition: int, index: int, maps: _Maps, noted: list[Write]) -> None:
        for write in sorted(noted, key=lambda write: write.version):
            name = write.map
            if name not in maps and self.backup_counts[name] >= index:
                maps[name] = Held(MapData(name, 0, {}, {}))
            if name in maps:
                maps[name].apply(write)
        for name, mine in self._partitions.get(partition, {}).items():
            if self.backup_counts[name] >= index and (name not in maps or maps[name].data.version < mine.data.version):
                raise ValueError(f"they lack writes to {name} that I have")


def checksum(entries: Mapping[str, Entry]) -> int:
    """The same for the same entries, in whichever order they came: key, value, and the time of the last update. Hits
    are none of the data: a backup learns of them late."""
    return sum([_checksum(key, entry) for key, entry in entries.items()]) & _CHECKSUM


def _checksum(key: str, entry: Entry) -> int:
    return crc32(entry.value, crc32(b"%s\0%d\0" % (key.encode(), entry.updated)))
