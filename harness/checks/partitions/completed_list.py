"""When a completed migration is forgotten (text 3.2.1).

A member's own words tell which table it has. A follower's entries came with a publish or with a commit (which has one
entry more). A table that comes again with fewer entries is no event, so what it leaves is not judged."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any, Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.tables import STANDING, Standings, in_order, killed
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    CommitSent,
    CompletedDropped,
    Event,
    MigrationFinished,
    TableChanged,
    TableFetched,
    TableInstalled,
    TablePublished,
    TableSearchEnded,
)
from shaketable.node.messages import Uuid

NAME: Final = "completed list"
RULE: Final = (
    "The master drops a completed migration, rolled back or not, only when every other member of its list has a table "
    "of that version or a later one. A follower keeps those that came with its last table."
)
NEEDS: Final = (CommitSent, CompletedDropped, TableInstalled, TablePublished)
MOST_NAMED: Final = 3
"""ids in one sentence"""

Ids = dict[str, bool]


def check(history: History, bounds: Bounds) -> CheckResult:
    judge = _Judge(history)
    if history.has(TableInstalled, TablePublished, CompletedDropped):
        judge.learn_versions()
        for record in in_order(history, (*STANDING, *_HANDLERS)):
            judge.see(record)
        judge.compare_lists()
    looked_at = f"{counted(judge.dropped, 'completed migration')} dropped, and {counted(judge.lists, 'list')} of them"
    notes = [f"{counted(judge.unproven, 'time')} a killed member did not tell of its part"] if judge.unproven else []
    return judge.findings.result(NAME, RULE, looked_at, judge.dropped + judge.lists, notes=notes)


class _Judge:
    def __init__(self, history: History) -> None:
        self.findings = Findings(history)
        self.dropped = self.lists = self.unproven = 0
        self._history = history
        self._names = history.names
        self._standings = Standings()
        self._listed: dict[Uuid, Ids] = {}
        """what each process has as completed since it leads, as far as it has told"""
        self._carried: dict[tuple[Uuid, int], dict[frozenset[str], bool]] = {}
        """by master and version: the lists that it sent with its table"""
        self._since: dict[tuple[Uuid, str], int] = {}
        """by master: from which version of the table on that holds"""
        self._undone: dict[Uuid, tuple[str, ...]] = {}
        """what a new master rolls back with the table that it is about to have"""
        self._first: dict[str, int] = {}
        """the same, whoever says so"""
        self._installs: list[Record[TableInstalled]] = []
        self._tables: dict[Uuid, tuple[list[Micros], list[int]]] = {}
        """of each process: when it had which version"""

    def learn_versions(self) -> None:
        for finished in self._history.of(MigrationFinished):
            event = finished.event
            self._first[event.migration] = min(event.version, self._first.get(event.migration, event.version))
        for installed in in_order(self._history, (TableInstalled,)):
            times, versions = self._tables.setdefault(installed.incarnation, ([], []))
            times.append(installed.time)
            versions.append(installed.event.version)

    def see(self, record: Record) -> None:
        if not self._standings.see(record):
            _HANDLERS[type(record.event)](self, record, record.event)

    def _list_of(self, record: Record) -> Ids:
        return self._listed.setdefault(record.incarnation, {})

    # What a master has as completed, and sends

    def _finished(self, record: Record, event: MigrationFinished) -> None:
        if event.role == "master":
            self._list_of(record)[event.migration] = True
            self._since[record.incarnation, event.migration] = event.version

    def _fetched(self, record: Record, event: TableFetched) -> None:
        self._list_of(record).update(dict.fromkeys(event.completed, True))

    def _search_ended(self, record: Record, event: TableSearchEnded) -> None:
        self._list_of(record).update(dict.fromkeys((*event.committed, *event.rolled_back), True))
        self._undone[record.incarnation] = event.rolled_back

    def _changed(self, record: Record, event: TableChanged) -> None:
        me = record.incarnation
        self._since.update({(me, name): event.version for name in self._undone.pop(me, ())})

    def _commit_sent(self, record: Record, event: CommitSent) -> None:
        sent = frozenset((*self._list_of(record), event.migration))
        self._carried.setdefault((record.incarnation, event.version), {})[sent] = True

    def _published(self, record: Record, event: TablePublished) -> None:
        sent = dict.fromkeys(event.completed, True)
        missing = [name for name in self._list_of(record) if name not in sent]
        if missing:
            said = f"publishes the partition table v{event.version} without {_named(missing)}"
            self._accuse(f"{said}, and never dropped {'it' if len(missing) == 1 else 'them'}", record)
        self._listed[record.incarnation] = sent
        self._carried.setdefault((record.incarnation, event.version), {})[frozenset(sent)] = True

    def _dropped(self, record: Record, event: CompletedDropped) -> None:
        self.dropped += len(event.migrations)
        listed, me = self._list_of(record), record.incarnation
        since: dict[str, int] = {}
        for name in event.migrations:
            listed.pop(name, None)
            version = self._since.get((me, name), self._first.get(name))
            if version is None:
                self.unproven += 1
            else:
                since[name] = version
        newest = max(since.values(), default=0)
        for member in self._standings.of(me).members:
            has = self._version_of(member.uuid, record.time)
            if member.uuid == me or has >= newest:
                continue
            if killed(self._history, member.uuid):
                self.unproven += 1
                continue
            ids = [name for name, version in since.items() if version > has]
            theirs = f"the partition table v{has}" if has else "no partition table"
            said = f"drops {_named(ids)}, of v{since[ids[0]]}, while {self._names.member(member)} has {theirs}"
            self._accuse(said, record)

    def _version_of(self, uuid: Uuid, time: Micros) -> int:
        times, versions = self._tables.get(uuid, ((), ()))
        place = bisect_right(times, time)
        return versions[place - 1] if place else 0

    # What a follower keeps

    def _installed(self, record: Record[TableInstalled], event: TableInstalled) -> None:
        self._listed.pop(record.incarnation, None)  # the same table may come again with fewer, of which nobody tells
        self._installs.append(record)

    def compare_lists(self) -> None:
        for record in self._installs:
            event = record.event
            carried = self._carried.get((event.master.uuid, event.version), {})
            kept = frozenset(event.completed)
            self.lists += bool(kept or any(carried))
            if kept in carried:
                continue
            if killed(self._history, event.master.uuid):
                self.unproven += 1
                continue
            does = f"has with the partition table v{event.version} {_named(event.completed)} as completed"
            master = self._names.member(event.master)
            if carried:
                came = " or ".join(_named(sorted(sent)) for sent in carried)
                self._accuse(f"{does}; with it {master} sent {came}", record)
            else:
                self._accuse(f"{does}, which {master} never sent", record)

    def _accuse(self, said: str, record: Record) -> None:
        who = self._names.process(record.node, record.incarnation)
        self.findings.add(f"{who} {said}.", [record])


def _named(ids: Iterable[str]) -> str:
    ids = list(ids)
    if not ids:
        return "no migration"
    more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
    return f"{'migration' if len(ids) == 1 else 'migrations'} {' '.join(ids[:MOST_NAMED])}{more}"


_HANDLERS: Final[dict[type[Event], Callable[[_Judge, Record[Any], Any], None]]] = {
    MigrationFinished: _Judge._finished,
    TableFetched: _Judge._fetched,
    TableSearchEnded: _Judge._search_ended,
    TableChanged: _Judge._changed,
    CommitSent: _Judge._commit_sent,
    TablePublished: _Judge._published,
    CompletedDropped: _Judge._dropped,
    TableInstalled: _Judge._installed,
}
