"""The master's control loop over the partitions: what it does after a membership change, or a failed migration.

From text 3.3.2: find the most recent table, if the master has changed (search.py does that first); repair the table;
repartition; eliminate cycles; plan, and put the migrations on the queue. It is completely stateless: any join, leave or
failure cancels what is left on the queue, and all is done afresh."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from shaketable.node.cluster.partition.migrating import Migrating
from shaketable.node.cluster.partition.planner import CLEAR, plan, prioritised, with_owner
from shaketable.node.cluster.partition.publishing import Publishing
from shaketable.node.cluster.partition.repartitioning import repartitioned
from shaketable.node.cluster.partition.rows import repaired
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.table import FIRST, Table
from shaketable.node.cluster.partition.under_way import MigrationsUnderWay
from shaketable.node.core.env import Timer
from shaketable.node.events import PartitionLost, PartitionsPlanned, PlanCancelled, PlanDone
from shaketable.node.messages import MigrationInfo, Row, Uuid
from shaketable.node.why import Because, Why, because


class Control:
    def __init__(
        self,
        state: PartitionState,
        *,
        publishing: Publishing,
        migrating: Migrating,
        under_way: MigrationsUnderWay,
        look: Callable[[], None],
    ) -> None:
        """`look` is called when I have begun all afresh, or have come to its end."""
        self._state = state
        self._publishing = publishing
        self._migrating = migrating
        self._under_way = under_way
        self._look = look
        self._queue: deque[MigrationInfo] = deque()
        self._due: Timer | None = None
        self._afresh = False
        """all is to be done again"""
        self._wanted = False
        """somebody wants to use the data: without a table yet, the partitions are to be assigned"""
        self._planned = False
        """the queue is of a plan that has not been carried out to its end"""
        self._new_members = False
        self._held = False
        """none begins: my cluster is about to go over to another one"""
        self._promotes = 0
        """version of the last table by which somebody may have been promoted: I repaired it, or found it"""
        self._last = 0
        self._groups = state.settings.groups
        self._failed: dict[int, int] = {}
        """by partition, how many migrations have failed in a row: it comes after those with fewer, and starves none"""

    @property
    def waits(self) -> int:
        return len(self._queue)

    @property
    def idle(self) -> bool:
        """Nothing is left to do, as far as I know."""
        return not self._queue and not self._afresh and not self._under_way

    def gives_to(self, member: Uuid) -> bool:
        """By what is planned, or under way."""
        planned = any(each.migration.destination == member for each in self._queue)
        return planned or self._under_way.takes_part(member)

    def want(self) -> None:
        """Somebody wants to use the data."""
        self._wanted = True
        if self._state.table.version == 0 and not self._afresh:
            self.begin(because(Why.TO_BE_ASSIGNED))

    def begin(self, reason: Because, *, after: int = 0) -> None:
        """Do it all afresh, as soon as what is under way has ended."""
        state = self._state
        if not state.membership.leads:
            return
        if self._queue:
            state.env.report(PlanCancelled(len(self._queue), *reason))
        self._queue.clear()
        self._planned = False
        self._afresh = True
        self._later(after)

    def members_changed(self, reason: Because) -> None:
        if self._state.membership.leads and (self._state.table.version or self._wanted):
            self._new_members = True
            self.begin(reason)

    def searched(self) -> None:
        """I am the new master, and all who are members now have been sent the newest table."""
        self._promotes = self._state.table.version
        self.members_changed(because(Why.NEW_MASTER))
        self._new_members = False

    def ended(self, partition: int, *, successful: bool, left: bool) -> None:
        """A migration under way has ended; `left`: because a participant is gone."""
        if successful:
            self._failed.pop(partition, None)
        elif not left:
            self._failed[partition] = self._failed.get(partition, 0) + 1
        if self._afresh:  # joins and leaves do not wait; and what a failure has set in motion is put off no further
            if self._due is None and not self._under_way:
                self._later(0)
        elif successful:
            self._go_on()
        else:
            self.begin(because(Why.MIGRATION_FAILED), after=0 if left else self._state.settings.migration_pause)

    def hold(self, held: bool) -> None:
        self._held = held
        if not held and self._state.membership.leads:
            if self._afresh and self._due is None:
                self._later(0)
            elif not self._afresh:
                self._go_on()

    def owners_serve(self) -> None:
        """Some that may have been promoted: who waited for them may be cleared."""
        if self._queue:
            self._go_on()

    def give_up(self) -> None:
        """I do not lead any more."""
        self._queue.clear()
        self._failed.clear()
        self._planned = self._new_members = self._afresh = False
        self._stop_waiting()

    def _later(self, after: int) -> None:
        self._stop_waiting()
        self._due = self._state.env.call_later(after, self._run)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _run(self) -> None:
        self._due = None
        state = self._state
        if not state.membership.leads or state.searching or self._under_way:
            return  # it is begun again when that has ended
        before = state.table.version
        self._repair()
        if self._held:  # all else when that has ended; but who is gone would not ever serve what it owned
            if state.table.version != before:
                self._publishing.publish(change=True)
            return
        self._afresh = False
        staying = [m.uuid for m in state.membership.data_members() if m.uuid not in state.leaving]
        if state.table.version == 0:
            self._assign(staying)
            return
        if staying:
            targets = self._targets(state.table.rows, staying)
            self._give_owners(targets)
            self._plan(targets)
        if state.table.version != before or self._new_members:
            self._new_members = False
            self._publishing.publish(change=True)
        self._go_on()

    def _repair(self) -> None:
        state = self._state
        present = {m.uuid: True for m in state.membership.data_members()}
        mended = {p: after for p, row in enumerate(state.table.rows) if (after := repaired(row, present)) != row}
        if mended:
            self._publishing.change(state.table.with_rows(mended), "repaired", mended, (), because(Why.OFF_THE_TABLE))
            self._promotes = state.table.version

    def _assign(self, members: list[str]) -> None:
        if not self._wanted or not members:
            return
        rows = self._targets([()] * self._state.settings.partition_count, members)
        everything = dict(enumerate(rows))
        self._publishing.change(Table(FIRST, rows), "assigned", everything, (), because(Why.FIRST_TIME))
        self._new_members = False
        self._publishing.publish(change=True)
        self._state.env.report(PlanDone(1))
        if not self._state.membership.others():
            self._look()  # nobody is to acknowledge it: that would be when I look next

    def _targets(self, rows: Iterable[Row], members: list[str]) -> list[Row]:
        groups = self._groups
        if not groups:
            return repartitioned(tuple(rows), members)
        known = self._state.membership.known
        of = {uuid: str(groups.get(known[uuid].address, uuid)) for uuid in members}
        return repartitioned(tuple(rows), members, of)

    def _give_owners(self, targets: list[Row]) -> None:
        """Partitions that have lost all their replicas: there is nothing to migrate."""
        state = self._state
        rows = state.table.rows
        given = {p: with_owner(row or (None,), targets[p]) for p, row in enumerate(rows) if not any(row)}
        if not given:
            return
        table = state.table.with_rows(given)
        for partition in given:
            state.env.report(PartitionLost(partition, table.version))
        self._publishing.change(table, "owner assigned", given, (), because(Why.ALL_HOLDERS_GONE))

    def _plan(self, targets: list[Row]) -> None:
        state = self._state
        master, version = state.me, state.table.version
        plans = []
        rows = state.table.rows
        for partition in sorted(range(len(rows)), key=lambda p: self._failed.get(p, 0)):
            row = rows[partition]
            migrations = plan(row, targets[partition])
            if not migrations:
                continue
            ids = []
            step = row
            for place in prioritised(migrations):
                self._last += 1
                info = MigrationInfo(f"{master[:8]}-{self._last}", master, partition, migrations[place], version, step)
                step = migrations[place].applied_to(step)
                ids.append(info.id)
                self._queue.append(info)
            plans.append((partition, row, step, tuple(ids)))
        self._planned = True
        if plans:
            state.env.report(PartitionsPlanned(version, tuple(plans), len(self._queue)))

    def _go_on(self) -> None:
        """As many at once as may be, none of them two of one partition."""
        state = self._state
        while self._queue and not self._held and len(self._under_way) < state.settings.max_parallel_migrations:
            place = next((n for n, info in enumerate(self._queue) if self._may_begin(info)), None)
            if place is None:
                return
            info = self._queue[place]
            del self._queue[place]
            if info.migration.type == CLEAR:
                self._clear(info)
            else:
                self._migrating.start(info)
        if self._planned and not self._queue and not self._under_way:
            self._planned = False
            state.env.report(PlanDone(state.table.version))
        self._look()

    def _may_begin(self, info: MigrationInfo) -> bool:
        """A CLEAR is the table's next version at once; a destination may have that version of a commit already."""
        if self._under_way.has_one_of(info.partition):
            return False
        return info.migration.type != CLEAR or (
            not self._under_way.is_committing and self._owner_serves(info.partition)
        )

    def all_owners_serve(self) -> bool:
        """None who owns a partition by promotion is still to ask its backups for what it may lack."""
        rows = self._state.table.rows
        return all(row[:1] in ((), (None,)) or self._owner_serves(number) for number, row in enumerate(rows))

    def _owner_serves(self, partition: int) -> bool:
        """Else it was promoted, and still asks its backups for what it lacks: none of them is to drop it before."""
        state = self._state
        owner = state.table.rows[partition][0]
        assert owner is not None, "a plan begins with an owner"
        if owner == state.me:
            return partition not in state.promoting
        return self._publishing.has_acknowledged(owner, self._promotes)

    def _clear(self, info: MigrationInfo) -> None:
        table = self._state.table
        row = info.migration.applied_to(table.rows[info.partition])
        rows = {info.partition: row}
        self._publishing.change(
            table.with_rows(rows), "cleared", rows, (), because(Why.INDEX_CLEARED, info.migration.source_current_index)
        )
        self._publishing.publish(change=True)
