"""The order of commits and deletions (text 3.2.1 and 3.2.2). In another order, a crash of the master could leak or lose
data.

- The master decides, or a new master at the end of its search for the newest table.
- A side may end differently only if it had left the list of the master that decided. If two ends differ, one is wrong
  if its side was in that list, and either had ended the migration before or still follows that master.
- A participant may give up by itself only what a former master had begun, when the new master's table has come.
- A deletion needs a table with which the migration is completed, or one of the member's master that no longer lists the
  member there.
- No side ends a migration twice in the same role, unless a late request made it begin again after a rollback."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.partitions.migrations import Decision, Dropped, Ended, MigrationTold, Told
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.tables import killed, not_after
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import (
    CommitSent,
    MasterFollowed,
    MigrationFinished,
    ReplicaDropped,
    TableChanged,
    TableFetched,
    TableInstalled,
    TableSearchEnded,
)
from shaketable.node.messages import NOWHERE

NAME: Final = "commit order"
RULE: Final = (
    "A migration is committed by its destination first, then by the master, then by all others; all end it "
    "once, and alike. A member deletes an index that it gives up only when its table shows that the index is no longer"
    " its own."
)
NEEDS: Final = (
    CommitSent,
    MasterFollowed,
    MigrationFinished,
    ReplicaDropped,
    TableChanged,
    TableFetched,
    TableInstalled,
    TableSearchEnded,
)


def check(history: History, bounds: Bounds) -> CheckResult:
    if not any(history.of(kind) for kind in (MigrationFinished, ReplicaDropped, TableInstalled)):
        return Findings(history).result(NAME, RULE, _looked_at(0, 0), 0)
    judge = _Judge(history)
    notes = [f"{counted(judge.unproven, 'time')} a killed member did not tell of its part"] if judge.unproven else []
    looked_at = _looked_at(judge.migrations, judge.deletions)
    return judge.findings.result(NAME, RULE, looked_at, judge.migrations + judge.deletions, notes=notes)


def _looked_at(migrations: int, deletions: int) -> str:
    return f"{counted(migrations, 'migration')} that ended and {counted(deletions, 'deletion')}"


class _Judge:
    def __init__(self, history: History) -> None:
        self.findings = Findings(history)
        self.unproven = 0
        self._history = history
        self._names = history.names
        self._told = Told(history)
        over = [m for m in self._told.migrations.values() if m.ends or m.decisions]
        self.migrations, self.deletions = len(over), len(self._told.dropped)
        for migration in over:
            for decision in migration.decisions:
                if decision.successful:
                    self._destination_first(migration, decision)
                self._nobody_differs(migration, decision)
            for end in migration.ends:
                self._not_on_its_own(migration, end)
        self._masters_before_others()
        self._nothing_overruled()
        self._nothing_twice()
        for dropped in self._told.dropped:
            self._deletes_last(dropped)

    # The order

    def _destination_first(self, migration: MigrationTold, decision: Decision) -> None:
        sides = [end for end in migration.ends if end.role == "destination" and end.successful]
        first = next((end for end in sides if not_after(end.record, decision.record)), None)
        if first is not None:
            if decision.version not in (None, first.version):
                said = f"commits migration {migration.name} with the partition table v{decision.version}, and its"
                said = f"{said} destination {self._names.author(first.record.incarnation)} with v{first.version}"
                self._accuse(said, decision.record, first.record)
            return
        destination = migration.info.migration.destination if migration.info is not None else None
        if destination is None and sides:
            destination = sides[0].record.incarnation
        if destination is None or killed(self._history, destination):
            self.unproven += 1
            return
        name = self._names.author(destination)
        later = [end.record for end in sides[:1]]
        said = f"commits migration {migration.name} before its destination {name} has"
        self._accuse(said, decision.record, *later)

    def _not_on_its_own(self, migration: MigrationTold, end: Ended) -> None:
        """A destination commits when a master says so, all else waits for a master that has decided."""
        me = end.record.incarnation
        if end.role == "destination" and end.successful:
            if end.following == me or any(c.peer == me and not_after(c.record, end.record) for c in migration.commits):
                return
            said = f"commits migration {migration.name}, and no master has sent it the commit"
        else:
            alike = [d for d in migration.decisions if d.successful == end.successful]
            if any(not_after(decision.record, end.record) for decision in alike):
                return
            if not end.successful and migration.master != end.following == end.table_of:
                return  # of a master before, and the new one's table has come: that one knows nothing of it
            does = "commits" if end.successful else "rolls back"
            said = f"{does} migration {migration.name} as its {end.role} before any master has decided so"
        if any(killed(self._history, uuid) for uuid in (migration.master, end.following)):
            self.unproven += 1
        else:
            self._accuse(said, end.record)

    def _masters_before_others(self) -> None:
        """No table but the one that comes with a commit is with anybody before its master has it."""
        for record in self._told.installed:
            event = record.event
            key = event.master.uuid, event.version
            changed = self._told.changed.get(key)
            if changed is not None and not_after(changed, record):
                continue
            commits = self._told.commits.get(key, ())
            if any(commit.peer == record.incarnation and not_after(commit.record, record) for commit in commits):
                continue
            master = self._names.member(event.master)
            said = f"installs the partition table v{event.version} of {master}"
            if changed is not None:
                self._accuse(f"{said} before {master} has it", record, changed)
            elif killed(self._history, event.master.uuid):
                self.unproven += 1
            else:
                self._accuse(f"{said}, which {master} never had", record)

    # All alike

    def _nobody_differs(self, migration: MigrationTold, decision: Decision) -> None:
        """Compares the sides that ended it before the decision, or later as followers of this master, and were in its
        list then."""
        others = [(each.record, each.successful, each.following, each.before) for each in migration.ends]
        others += [(each.record, each.successful, each.master, each.before) for each in migration.decisions]
        for record, successful, following, before in others:
            if successful == decision.successful or not decision.concerns(record.incarnation):
                continue
            if following != decision.master and not not_after(record, decision.record):
                continue
            if following != decision.master and decision.master in before:
                continue  # it had left that one for another master, who decided for it: two sides of a split
            does = "commits" if decision.successful else "rolls back"
            who = self._names.process(record.node, record.incarnation)
            did = "committed" if successful else "rolled back"
            said = f"{does} migration {migration.name}, which {who}, in its list, has {did}"
            self._accuse(said, decision.record, record)

    def _nothing_overruled(self) -> None:
        for each, fetched, record in self._told.overruled:
            migration = self._told.migrations[each]
            sides = [end for end in migration.ends if end.role == "destination"]
            known = [d.successful for d in migration.decisions if d.record is not record]
            known += [end.successful for end in sides]
            if known and all(known):
                said = f"rolls back migration {each}, of which it was told that it is completed"
                self._accuse(said, record, fetched)

    def _nothing_twice(self) -> None:
        """A migration that was done and forgotten is not done again: it would undo what has come after it."""
        for again in self._told.again:
            self._accuse(f"ends migration {again.migration} as its {again.role} again", again.before, again.record)

    # Giving up an index

    def _deletes_last(self, dropped: Dropped) -> None:
        record, event, following, table, _ = dropped
        does = f"deletes what it holds of partition {event.partition} at index {event.replica}"
        if table is None:
            self._accuse(f"{does}, and has no partition table", record)
            return
        row = self._told.row(table.master, event.partition, table.version)
        if table.version > self._told.newest_of(table.master) and killed(self._history, table.master):
            row = None  # it did not tell of its last changes
        if row is None:
            self.unproven += 1
        elif event.replica < len(row) and row[event.replica] == record.incarnation:
            self._accuse(f"{does}, which it has by the partition table v{table.version}", table.record, record)
            return
        elif event.new_index == NOWHERE and record.incarnation in row:
            colder = f"at index {row.index(record.incarnation)} by the partition table v{table.version}"
            self._accuse(f"{does} and keeps nothing, though it is {colder}", table.record, record)
            return
        if event.migration:
            self._by_what_is_completed(dropped, does, event.migration)
        elif table.master != following:
            whom = self._names.author(following) if following else "nobody"
            said = f"{does} by a partition table of {self._names.author(table.master)}, and follows {whom}"
            self._accuse(said, table.record, record)

    def _by_what_is_completed(self, dropped: Dropped, does: str, name: str) -> None:
        record, table = dropped.record, dropped.table
        assert table is not None
        migration = self._told.migrations.get(name)
        before = [each for each in migration.decisions if not_after(each.record, record)] if migration else []
        ends = migration.ends if migration else []
        # The destination leads another side of a split than the master that has rolled it back.
        has_committed = any(each.successful and each.record.incarnation == table.master for each in ends)
        if not dropped.completed:
            said = (
                f"{does} by migration {name}, which its partition table v{table.version} does not tell to be completed"
            )
            self._accuse(said, table.record, record)
        elif before and not has_committed and not any(each.successful for each in before):
            self._accuse(f"{does} by migration {name}, which is rolled back", record, before[0].record)

    def _accuse(self, said: str, subject: Record, *others: Record) -> None:
        """`subject` does that."""
        who = self._names.process(subject.node, subject.incarnation)
        self.findings.add(f"{who} {said}.", [subject, *others])
