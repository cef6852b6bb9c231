"""Of the check "commit order": all that a history tells of each migration, of the master that decided it, and of the
tables.

Read in one pass, judged afterwards: what happened on several members at one instant has no order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from shaketable.harness.checks.shared.tables import STANDING, Standings, in_order
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import (
    CommitSent,
    Event,
    MigrationBegan,
    MigrationFinished,
    MigrationRequested,
    ReplicaDropped,
    TableChanged,
    TableFetched,
    TableInstalled,
    TableSearchBegan,
    TableSearchEnded,
)
from shaketable.node.messages import Member, MigrationInfo, Row, Uuid


class Decision(NamedTuple):
    """A master says how it ends."""

    record: Record
    successful: bool
    version: int | None
    """of its table with that; None: what it is to be is not told"""
    members: tuple[Member, ...]
    """its list then"""
    before: frozenset[Uuid]
    """whom it followed once itself"""

    @property
    def master(self) -> Uuid:
        return self.record.incarnation

    def concerns(self, uuid: Uuid) -> bool:
        return uuid == self.master or any(member.uuid == uuid for member in self.members)


class Ended(NamedTuple):
    """A side ends it, while it follows this one, and with the table that it has from the one named last."""

    record: Record
    role: str
    successful: bool
    version: int
    following: Uuid
    table_of: Uuid
    before: frozenset[Uuid]
    """whom it followed once, and has left for another one"""


class Again(NamedTuple):
    """A process ends a migration in the same role as before, and has not begun it anew."""

    migration: str
    role: str
    before: Record
    record: Record


class Commit(NamedTuple):
    record: Record
    peer: Uuid


@dataclass(slots=True)
class MigrationTold:
    name: str
    info: MigrationInfo | None = None
    master: Uuid = ""
    """who requested it"""
    commits: list[Commit] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    ends: list[Ended] = field(default_factory=list)


class HeldTable(NamedTuple):
    """`master` made it."""

    master: Uuid
    version: int
    record: Record


class Dropped(NamedTuple):
    record: Record
    event: ReplicaDropped
    following: Uuid
    table: HeldTable | None
    completed: bool
    """the migration that it names, by what came with that table; to a master by what it decided or was told"""


class Overruled(NamedTuple):
    """A new master rolls back what somebody had told it to be completed."""

    migration: str
    fetched: Record
    record: Record


class Told:
    def __init__(self, history: History) -> None:
        self.migrations: dict[str, MigrationTold] = {}
        self.dropped: list[Dropped] = []
        self.installed: list[Record[TableInstalled]] = []
        self.overruled: list[Overruled] = []
        self.again: list[Again] = []
        self._over: dict[tuple[Uuid, str, str], Record] = {}
        """by process, migration and role, how it has ended there"""
        self.changed: dict[tuple[Uuid, int], Record] = {}
        """by master and version of the table"""
        self.commits: dict[tuple[Uuid, int], list[Commit]] = {}
        self._versions: dict[Uuid, int] = {}
        self._rows: dict[tuple[Uuid, int], tuple[list[int], list[Row]]] = {}
        """by master and partition: from which version on it has which row"""
        self._tables: dict[Uuid, HeldTable] = {}
        self._completed: dict[Uuid, dict[str, bool]] = {}
        """what each process knows to be completed"""
        self._fetched: dict[Uuid, list[Record[TableFetched]]] = {}
        self._standings = Standings()
        for record in in_order(history, (*STANDING, *_HANDLERS)):
            if not self._standings.see(record):
                _HANDLERS[type(record.event)](self, record, record.event)

    def newest_of(self, master: Uuid) -> int:
        return self._versions.get(master, 0)

    def row(self, master: Uuid, partition: int, version: int) -> Row | None:
        """None: it did not tell."""
        versions, rows = self._rows.get((master, partition), ((), ()))
        place = bisect_right(versions, version)
        return rows[place - 1] if place else None

    def _migration(self, name: str) -> MigrationTold:
        migration = self.migrations.get(name)
        if migration is None:
            migration = self.migrations[name] = MigrationTold(name)
        return migration

    def _requested(self, record: Record, event: MigrationRequested) -> None:
        migration = self._migration(event.info.id)
        migration.info, migration.master = event.info, record.incarnation

    def _commit_sent(self, record: Record, event: CommitSent) -> None:
        commit = Commit(record, event.peer.uuid)
        self._migration(event.migration).commits.append(commit)
        self.commits.setdefault((record.incarnation, event.version), []).append(commit)

    def _began(self, record: Record, event: MigrationBegan) -> None:
        """A request, or a copy, that came too late may have it begin once more what was rolled back."""
        for role in ("owner", "source") if event.role == "owner" else (event.role,):
            before = self._over.get((record.incarnation, event.migration, role))
            if before is not None and not _successful(before):
                del self._over[record.incarnation, event.migration, role]

    def _finished(self, record: Record, event: MigrationFinished) -> None:
        before = self._over.setdefault((record.incarnation, event.migration, event.role), record)
        if before is not record:
            self.again.append(Again(event.migration, event.role, before, record))
        migration, standing = self._migration(event.migration), self._standings.of(record.incarnation)
        if event.role == "master":
            migration.decisions.append(
                Decision(record, event.successful, event.version, standing.members, standing.before)
            )
            self._known_by(record)[event.migration] = True
            return
        table = self._tables.get(record.incarnation)
        of = table.master if table is not None else ""
        migration.ends.append(
            Ended(record, event.role, event.successful, event.version, standing.following, of, standing.before)
        )

    def _search_began(self, record: Record, event: TableSearchBegan) -> None:
        self._fetched[record.incarnation] = []

    def _table_fetched(self, record: Record[TableFetched], event: TableFetched) -> None:
        self._fetched.setdefault(record.incarnation, []).append(record)
        self._known_by(record).update(dict.fromkeys(event.completed, True))

    def _search_ended(self, record: Record, event: TableSearchEnded) -> None:
        standing = self._standings.of(record.incarnation)
        members, before = standing.members, standing.before
        self._known_by(record).update(dict.fromkeys(event.committed, True))
        for ids, successful in ((event.committed, True), (event.rolled_back, False)):
            for name in ids:
                self._migration(name).decisions.append(Decision(record, successful, None, members, before))
        for fetched in self._fetched.get(record.incarnation, ()):
            for name in fetched.event.completed:
                if name not in event.rolled_back and self._is_taken_over(self._migration(name), event.version):
                    self._migration(name).decisions.append(Decision(record, True, None, members, before))
        for fetched in self._fetched.get(record.incarnation, ()) if event.rolled_back else ():
            completed = dict.fromkeys(fetched.event.completed)
            self.overruled += [Overruled(name, fetched, record) for name in event.rolled_back if name in completed]

    @staticmethod
    def _is_taken_over(migration: MigrationTold, newest: int) -> bool:
        """A new master was told that its destination has committed it, and nobody of its side has it as active; nor has
        any heard of another decision, with a table that it would have found."""
        committed = any(end.role == "destination" and end.successful for end in migration.ends)
        return committed and not any(
            decision.successful or (decision.version or 0) <= newest for decision in migration.decisions
        )

    def _changed(self, record: Record, event: TableChanged) -> None:
        master = record.incarnation
        self.changed.setdefault((master, event.version), record)
        self._versions[master] = event.version
        self._tables[master] = HeldTable(master, event.version, record)
        for partition, row in event.rows:
            versions, rows = self._rows.setdefault((master, partition), ([], []))
            versions.append(event.version)
            rows.append(row)

    def _installed(self, record: Record[TableInstalled], event: TableInstalled) -> None:
        self.installed.append(record)
        self._tables[record.incarnation] = HeldTable(event.master.uuid, event.version, record)
        self._completed[record.incarnation] = dict.fromkeys(event.completed, True)

    def _dropped(self, record: Record, event: ReplicaDropped) -> None:
        following = self._standings.of(record.incarnation).following
        completed = event.migration in self._known_by(record)
        self.dropped.append(Dropped(record, event, following, self._tables.get(record.incarnation), completed))

    def _known_by(self, record: Record) -> dict[str, bool]:
        return self._completed.setdefault(record.incarnation, {})


def _successful(record: Record) -> bool:
    return isinstance(record.event, MigrationFinished) and record.event.successful


_HANDLERS: Final[dict[type[Event], Callable[[Told, Record[Any], Any], None]]] = {
    MigrationRequested: Told._requested,
    CommitSent: Told._commit_sent,
    MigrationBegan: Told._began,
    MigrationFinished: Told._finished,
    TableSearchBegan: Told._search_began,
    TableFetched: Told._table_fetched,
    TableSearchEnded: Told._search_ended,
    TableChanged: Told._changed,
    TableInstalled: Told._installed,
    ReplicaDropped: Told._dropped,
}
