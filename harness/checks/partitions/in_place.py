"""No leak and no gap after the calm (text 3.2.1, rulings 3.9).

The check reads each stock that a member takes after the last fault, write and change of the table until then. A backup
that differs has two rounds of anti-entropy to be mended, and no time at all if its owner says that all is in place. In
the middle of a fault nobody has to be mended in time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.partitions.last_tables import Cluster, clusters, last_write, mended_after
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, counted
from shaketable.harness.checks.shared.tables import in_order
from shaketable.harness.history.history import History
from shaketable.harness.history.names import Names
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    EntriesMerged,
    Held,
    MasterFollowed,
    Merging,
    OperationReturned,
    Released,
    SafetyChanged,
    StockTaken,
    TableChanged,
    ViewInstalled,
)
from shaketable.node.messages import NOWHERE, Member, Uuid

NAME: Final = "in place"
RULE: Final = (
    "When writes and table have come to rest, each member has that table. At each of its indexes within a map's backup"
    " count it has the owner's version, number of entries and checksum of that map, and it holds nothing else."
)
NEEDS: Final = (
    IfSeen(EntriesMerged, (Merging,)),
    MasterFollowed,
    OperationReturned,
    IfSeen(Released, (Held,)),
    StockTaken,
    TableChanged,
    ViewInstalled,
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
    safe: bool
    """its member said then that all was in place"""


class Wrong(NamedTuple):
    said: str
    proof: list[Record]
    due: Micros
    """it may be so until then"""


Stocks = dict[Uuid, Stock]
"""by process"""


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    seen = _Seen(history.names)
    times = _times(history)
    for stocks in times[:-1]:
        _judge(stocks, _until(history, stocks), bounds, findings, seen)
    last = {uuid: stock for stocks in times for uuid, stock in stocks.items()}
    _judge(last, history, bounds, findings, seen, at_the_end=True)
    for stocks in times[-1:]:
        if any(stock.record not in seen.stocks for stock in stocks.values()):
            _judge(stocks, _until(history, stocks), bounds, findings, seen)
    notes = list(seen.early)
    too_early = [record for record in seen.too_early if record not in seen.stocks]
    if too_early:
        notes.append(
            f"{counted(len(too_early), 'member')} not judged: their stock was taken while things still changed"
        )
    before = len(seen.stocks) - seen.members
    if before:
        notes.append(f"earlier stocks that are judged, too: {before}")
    looked_at = f"{counted(seen.replicas, 'replica')} of {counted(seen.members, 'member')} at the end of the run"
    return findings.result(NAME, RULE, looked_at, len(seen.stocks), unknown=bool(seen.early), notes=notes)


@dataclass(slots=True)
class _Seen:
    names: Names
    members: int = 0
    replicas: int = 0
    stocks: dict[Record, bool] = field(default_factory=dict)
    """those that were judged"""
    too_early: list[Record] = field(default_factory=list)
    """for the end of the run"""
    wrong: dict[tuple[Record | str, ...], bool] = field(default_factory=dict)
    """what was found once is not found again"""
    early: list[str] = field(default_factory=list)
    """what may yet have been put in its place after the last stock"""


def _judge(
    stocks: Stocks, history: History, bounds: Bounds, findings: Findings, seen: _Seen, *, at_the_end: bool = False
) -> None:
    """`history`: until these stocks were taken, or all of it."""
    found = list(clusters(history, bounds)) if stocks else []
    written = last_write(history, bounds) if found else 0
    may_be_mended = at_the_end or not _disturbed(history)
    for cluster in found:
        since = max(history.calm, written, cluster.changed.time)
        judge = _Judge(seen.names, cluster, since, bounds.allowance)
        for member in cluster.members:
            process, stock = history.by_uuid.get(member.uuid), stocks.get(member.uuid)
            if stock is None or process is None or not process.alive:
                continue
            if stock.record.time > since:
                judge.stocks[member.uuid] = stock
            elif at_the_end:
                seen.too_early.append(stock.record)
        for wrong in judge.wrong():
            if wrong.proof[-1].time >= wrong.due and (may_be_mended or not wrong.due):
                if (*wrong.proof, wrong.said) not in seen.wrong:
                    findings.add(f"{wrong.said}.", wrong.proof)
                seen.wrong[*wrong.proof, wrong.said] = True
            elif at_the_end and not seen.early:
                early = rounded(wrong.due - wrong.proof[-1].time)
                seen.early.append(f"stock was taken {early} before all had to be in place: {wrong.said}")
        seen.stocks.update((stock.record, True) for stock in judge.stocks.values())
        if at_the_end:
            seen.members += len(judge.stocks)
            seen.replicas += judge.replicas


class _Judge:
    def __init__(self, names: Names, cluster: Cluster, since: Micros, allowance: Micros) -> None:
        self.stocks: dict[Uuid, Stock] = {}
        self.replicas = 0
        self._names = names
        self._cluster = cluster
        settings = cluster.settings
        self._counts = settings.backup_counts
        self._published = since + settings.partition_table_send_interval + allowance
        self._mended = since + mended_after(settings) + allowance

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
            yield Wrong(said, proof, 0 if other.safe else self._mended)


def _index(row: tuple[Uuid | None, ...], uuid: Uuid) -> int:
    return row.index(uuid) if uuid in row else NOWHERE


def _at(index: int) -> str:
    return "no index" if index == NOWHERE else f"index {index}"


def _shown(holding: Holding | None) -> str:
    if holding is None:
        return "nothing"
    version, entries, checksum = holding
    return f"{counted(entries, 'entry', 'entries')} at v{version} (checksum {checksum})"


def _times(history: History) -> list[Stocks]:
    """The stocks that were taken at about one time: at most one of each process."""
    times: list[Stocks] = []
    said = _Said(history)
    for record in in_order(history, (StockTaken,)):
        if not times or record.incarnation in times[-1]:
            times.append({})
        times[-1][record.incarnation] = _stock(record, safe=said.safe(record))
    return times


def _until(history: History, stocks: Stocks) -> History:
    time = max(stock.record.time for stock in stocks.values())
    return History(takewhile(lambda record: record.time <= time, history.records))


def _disturbed(history: History) -> bool:
    """By a fault that is to be ended."""
    return any(f.kind.lasts and f.took is not None and f.ended is None for f in history.faults.values())


class _Said:
    def __init__(self, history: History) -> None:
        self._told: dict[Uuid, list[Record[SafetyChanged]]] = {}
        for record in history.of(SafetyChanged):
            self._told.setdefault(record.incarnation, []).append(record)

    def safe(self, stock: Record) -> bool:
        """Of the member that took this stock: all is in place, by its last word on it."""
        told = [each for each in self._told.get(stock.incarnation, ()) if each.sequence < stock.sequence]
        return bool(told) and told[-1].event.safe


def _stock(record: Record[StockTaken], *, safe: bool) -> Stock:
    event = record.event
    places = {partition: at for partition, at, _ in event.holds}
    maps = {
        (partition, name): (version, entries, checksum)
        for partition, _, told in event.holds
        for name, version, entries, checksum in told
        if version or entries
    }
    return Stock(record, event.version, places, maps, safe)
