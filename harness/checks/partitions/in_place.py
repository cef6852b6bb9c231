"""No leak and no gap after the calm (text 3.2.1, rulings 3.9).

The check reads what members say that they hold, after the calm, the last write and the last change of the table. A
backup that differs has two rounds of anti-entropy to be mended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.partitions.last_tables import Cluster, clusters
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.operations import operations
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import StockTaken
from shaketable.node.messages import NOWHERE, Member, Uuid

NAME: Final = "in place"
RULE: Final = (
    "When writes and table have come to rest, each member has that table. At each of its indexes within a map's backup"
    " count it has the owner's version, number of entries and checksum of that map, and it holds nothing else."
)
Holding = tuple[int, int, int]
"""of one map in one partition: its version, the number of entries, their checksum"""


class Stock(NamedTuple):
    record: Record
    version: int
    places: dict[int, int]
    """by partition: where it is by its own table"""
    maps: dict[tuple[int, str], Holding]
    """by partition and map, what is there at all"""


class Wrong(NamedTuple):
    said: str
    proof: list[Record]
    due: Micros
    """it may be so until then"""


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    notes: list[str] = []
    members = replicas = too_early = 0
    unknown = False
    found = list(clusters(history, bounds)) if history.of(StockTaken) else []
    stocks = _stocks(history) if found else {}
    written = _last_write(history, bounds) if found else 0
    for cluster in found:
        judge = _Judge(history, cluster, max(history.calm, written, cluster.changed.time), bounds.allowance)
        for member in cluster.members:
            process, stock = history.by_uuid.get(member.uuid), stocks.get(member.uuid)
            if stock is None or process is None or not process.alive:
                continue
            if stock.record.time <= judge.since:
                too_early += 1
            else:
                members += 1
                judge.stocks[member.uuid] = stock
        for wrong in judge.wrong():
            if wrong.proof[-1].time >= wrong.due:
                findings.add(f"{wrong.said}.", wrong.proof)
                continue
            if not unknown:
                early = rounded(wrong.due - wrong.proof[-1].time)
                notes.append(f"stock was taken {early} before all had to be in place: {wrong.said}")
            unknown = True
        replicas += judge.replicas
    if too_early:
        notes.append(f"{counted(too_early, 'member')} not judged: their stock was taken while things still changed")
    looked_at = f"{counted(replicas, 'replica')} of {counted(members, 'member')} at the end of the run"
    return findings.result(NAME, RULE, looked_at, members, unknown=unknown, notes=notes)


class _Judge:
    def __init__(self, history: History, cluster: Cluster, since: Micros, allowance: Micros) -> None:
        self.since = since
        """nothing was done to the data or the table after that"""
        self.stocks: dict[Uuid, Stock] = {}
        self.replicas = 0
        self._names = history.names
        self._cluster = cluster
        settings = cluster.settings
        self._counts = settings.backup_counts
        self._published = since + settings.partition_table_send_interval + allowance
        self._mended = since + 2 * settings.backup_sync_interval + settings.backup_timeout + allowance

    def wrong(self) -> Iterator[Wrong]:
        for member in self._cluster.members:
            stock = self.stocks.get(member.uuid)
            if stock is None:
                continue
            if stock.version != self._cluster.version:
                master = self._names.author(self._cluster.master.uuid)
                said = f"has the partition table v{stock.version}, and {master} has v{self._cluster.version}"
                yield Wrong(f"{self._names.member(member)} {said}", [stock.record], self._published)
            else:
                yield from self._of(member, stock)

    def _of(self, member: Member, stock: Stock) -> Iterator[Wrong]:
        who, proof = self._names.member(member), [stock.record]
        demanded: dict[tuple[int, str], bool] = {}
        for partition, row in self._cluster.rows.items():
            mine, index = stock.places.get(partition, NOWHERE), _index(row, member.uuid)
            if mine != index:
                yield Wrong(f"{who} is at {_at(mine)} of partition {partition}, and not at {_at(index)}", proof, 0)
            if index != NOWHERE:
                self.replicas += 1
                demanded.update(((partition, name), True) for name, backups in self._counts.items() if backups >= index)
        for (partition, name), holding in stock.maps.items():
            if (partition, name) not in demanded:
                at = _at(_index(self._cluster.rows.get(partition, ()), member.uuid))
                said = f"{who}, at {at} of partition {partition}, holds {_shown(holding)} of {name}"
                yield Wrong(f"{said}, and should hold nothing", proof, 0)
        for partition, name in demanded:
            yield from self._as_its_owner(member, stock, partition, name)

    def _as_its_owner(self, member: Member, stock: Stock, partition: int, name: str) -> Iterator[Wrong]:
        owner = self._cluster.rows[partition][0]
        other = self.stocks.get(owner) if owner is not None and owner != member.uuid else None
        if other is None or other.version != stock.version:
            return
        mine, its = stock.maps.get((partition, name)), other.maps.get((partition, name))
        if mine != its:
            index = self._cluster.index_of(partition, member.uuid)
            said = f"{self._names.member(member)}, backup {index} of partition {partition}, holds {_shown(mine)} of "
            said += f"{name}, and its owner {self._names.author(other.record.incarnation)} holds {_shown(its)}"
            proof = sorted((stock.record, other.record), key=lambda record: record.time)
            yield Wrong(said, proof, self._mended)


def _index(row: tuple[Uuid | None, ...], uuid: Uuid) -> int:
    return row.index(uuid) if uuid in row else NOWHERE


def _at(index: int) -> str:
    return "no index" if index == NOWHERE else f"index {index}"


def _shown(holding: Holding | None) -> str:
    if holding is None:
        return "nothing"
    version, entries, checksum = holding
    return f"{counted(entries, 'entry', 'entries')} at v{version} (checksum {checksum})"


def _stocks(history: History) -> dict[Uuid, Stock]:
    """The last of each process."""
    last = {record.incarnation: record for record in history.of(StockTaken) if record.time <= history.end}
    found = {}
    for uuid, record in last.items():
        event = record.event
        places = {partition: at for partition, at, _ in event.holds}
        maps = {
            (partition, name): (version, entries, checksum)
            for partition, _, told in event.holds
            for name, version, entries, checksum in told
            if version or entries
        }
        found[uuid] = Stock(record, event.version, places, maps)
    return found


def _last_write(history: History, bounds: Bounds) -> Micros:
    """After that nothing is written any more. What a client began that did not live to see the end, an owner may still
    be giving to its backups."""
    last = 0
    for key in operations(history).keys.values():
        for write in key.writes:
            if write.returned is not None:
                last = max(last, write.returned.time)
                continue
            settings, caller = history.settings_of(write.called.node, bounds.settings), write.called.incarnation
            end, process = write.called.time + settings.operation_timeout, history.by_uuid.get(caller)
            if process is not None and process.ended is not None:
                end = min(end, process.ended.time + settings.backup_timeout)
            last = max(last, end)
    return last
