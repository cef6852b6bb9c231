"""How a migration ends on each member that it concerns, and what a new table changes for a member that holds something.

From text 3.2.1 and 3.2.2: a member commits or rolls back by the list of completed migrations that comes with a table,
never on its own; the old owner, or backup, deletes last. A backup whose owner is gone becomes the owner by the master's
table alone (text 3.1.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.cluster.partition.antientropy import AntiEntropy
from shaketable.node.cluster.partition.promoting import Promoting
from shaketable.node.cluster.partition.replication import hand_over
from shaketable.node.cluster.partition.services import DESTINATION, SOURCE, PartitionMigrationEvent
from shaketable.node.cluster.partition.state import ActiveMigration, PartitionState
from shaketable.node.cluster.partition.table import FIRST, Table
from shaketable.node.events import MigrationFinished, ReplicaDropped, ReplicaPromoted
from shaketable.node.messages import NOWHERE, CompletedMigration, Migration
from shaketable.node.why import Because, Why, because


class Finishing:
    def __init__(
        self,
        state: PartitionState,
        *,
        promoting: Promoting,
        antientropy: AntiEntropy,
        ended: Callable[[ActiveMigration], None],
    ) -> None:
        """`ended` hears of each migration that is no longer active here."""
        self._state = state
        self._promoting = promoting
        self._antientropy = antientropy
        self._ended = ended
        self._new_own: list[int] = []
        """by a migration, partitions that I own by the table that is about to be there, or has just come"""

    def begin(self, active: ActiveMigration) -> None:
        """The services hear of it, if my own index is to change."""
        self._antientropy.migration_begins(active.info.partition)
        event = self._event_of(active.info.partition, active.info.migration)
        if event is not None:
            for service in self._state.services:
                service.before_migration(event)

    def installed(self, before: Table, completed: Sequence[CompletedMigration]) -> None:
        """A new table is there, and with it these completed migrations that I do not know, the oldest first.

        Some of them I may have known before: my master had dropped them, and a new one was told of them by somebody
        who keeps more. If the table before this one had a migration in it, that has happened here, and does not
        again."""
        expected: dict[int, int] = {}
        for entry in sorted(completed, key=lambda entry: entry.version):
            partition = entry.info.partition
            if entry.version <= before.version and not self._is_active(entry):
                continue
            mine = self._new_index(entry)
            if mine is not None:
                expected[partition] = mine
            self.finish(entry)
        self._give_up_what_is_undecided()
        promoted = self._compare(before, expected)
        if promoted:
            self._promoting.begin(promoted)
        if self._new_own:
            own, self._new_own = self._new_own, []
            self._antientropy.owns(own)  # who had them may have known of a backup that missed something

    def _is_active(self, entry: CompletedMigration) -> bool:
        active = self._state.active.get(entry.info.partition)
        return active is not None and active.info.id == entry.info.id

    def finish(self, entry: CompletedMigration) -> None:
        """For all that I am in it. Once: what has ended is not active any more."""
        state, info = self._state, entry.info
        migration, me = info.migration, state.me
        active = state.active.get(info.partition)
        if active is not None and self._is_active(entry):
            del state.active[info.partition]
            if active.owns:
                if migration.source == me:
                    self._end("source", entry)
                else:
                    self._tell("owner", entry, 0, 0)
            else:
                self._end("destination", entry, active)
            self._ended(active)
        elif migration.source == me and entry.successful and info.owner != me:
            # The old backup took no part: it learns of all at once.
            event = self._event_of(info.partition, migration)
            if event is not None:
                for service in state.services:
                    service.before_migration(event)
            self._end("source", entry)

    def _end(self, role: str, entry: CompletedMigration, active: ActiveMigration | None = None) -> None:
        state, info = self._state, entry.info
        event = self._event_of(info.partition, info.migration)
        assert event is not None, "a source and a destination change their index"
        current, new = event.current_replica_index, event.new_replica_index
        self._tell(role, entry, current, new)
        data = active.data if active is not None else None
        for number, service in enumerate(state.services):
            if not entry.successful:
                service.rollback_migration(event)
                continue
            if data is not None:
                hand_over(state, service, info.partition, new, data[number])
            service.commit_migration(event)
        if entry.successful and new == 0:
            self._new_own.append(info.partition)
        if entry.successful and event.endpoint == SOURCE:
            self._dropped(info.partition, current, new, info.id, because(Why.MIGRATION_COMPLETED))

    def _tell(self, role: str, entry: CompletedMigration, current: int, new: int) -> None:
        info = entry.info
        self._state.env.report(
            MigrationFinished(info.partition, info.id, role, entry.successful, entry.version, current, new)
        )

    def _dropped(self, partition: int, current: int, new: int, migration: str, reason: Because) -> None:
        state = self._state
        state.env.report(ReplicaDropped(partition, current, new, migration, state.table.version, *reason))

    def _event_of(self, partition: int, migration: Migration) -> PartitionMigrationEvent | None:
        """What it is for this member; None: my index stays."""
        me = self._state.me
        if migration.destination == me:
            return PartitionMigrationEvent(
                DESTINATION, partition, migration.destination_current_index, migration.destination_new_index
            )
        if migration.source == me:
            return PartitionMigrationEvent(
                SOURCE, partition, migration.source_current_index, migration.source_new_index
            )
        return None

    def _new_index(self, entry: CompletedMigration) -> int | None:
        """Where I am after it; None: it has not changed that."""
        event = self._event_of(entry.info.partition, entry.info.migration) if entry.successful else None
        return event.new_replica_index if event is not None else None

    def _give_up_what_is_undecided(self) -> None:
        """A safeguard: with a table a master tells how each migration ended that anybody had active. Had it missed one
        that another master had begun, or that no longer fits the row, then that one has come to nothing: else the
        partition would wait for its end for ever."""
        state = self._state
        master = state.membership.master
        for partition, active in list(state.active.items()):
            info = active.info
            elsewhere = master is None or info.master != master.uuid
            if elsewhere or state.row(partition) != info.row:
                failed = CompletedMigration(info, False, state.table.version)
                self.finish(failed)

    def told_under_way(self) -> None:
        """By my master. A request or a copy that came too late may have made me begin what had ended already. A later
        request is not meant: this was sent before it."""
        state = self._state
        for active in list(state.active.values()):
            if state.has_ended(active.info):
                self.finish(CompletedMigration(active.info, False, state.table.version))

    def _compare(self, before: Table, expected: dict[int, int]) -> list[int]:
        """My index changes by a table alone, too: who is promoted, or is not listed any more. Where I am promoted.

        No table may have reached me that said that I am a backup there: then others may have the data that I lack."""
        state, me, after = self._state, self._state.me, self._state.table
        promoted: list[int] = []
        if me not in before.held() and me not in after.held():
            return promoted
        for partition in {**dict.fromkeys(after.changes_since(before)), **dict.fromkeys(expected)}:
            row = state.row(partition)
            was = before.rows[partition] if partition < len(before.rows) else ()
            if was == row and partition not in expected:
                continue
            current = expected.get(partition, was.index(me) if me in was else NOWHERE)
            new = row.index(me) if me in row else NOWHERE
            if new == current:
                continue
            if new == 0 and (current != NOWHERE or (after.version > FIRST and len(row) > 1)):
                state.env.report(ReplicaPromoted(partition, current, after.version))
                promoted.append(partition)
            elif current != NOWHERE and (new == NOWHERE or new > current):
                self._drop(partition, current, new)
        return promoted

    def _drop(self, partition: int, current: int, new: int) -> None:
        """Nobody migrates from me, and the master's table has me no longer there."""
        event = PartitionMigrationEvent(SOURCE, partition, current, new)
        for service in self._state.services:
            service.before_migration(event)
            service.commit_migration(event)
        self._dropped(partition, current, new, "", because(Why.NOT_LISTED))
