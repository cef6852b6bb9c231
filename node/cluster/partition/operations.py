"""The owner's side of an operation: it reads, or writes and waits until the backups have the write too.

From the text on avoiding data loss on migration: a partition that is migrating is not written to, and only the owner by
the master's table serves it. If an operation is refused here for now, its caller tries again. Each client numbers its
operations, so none is applied twice, nor after a later one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import Literal, Protocol

from shaketable.node.cluster.partition.held import Write
from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.protection import Protection
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.core.requests import Ask
from shaketable.node.events import BackupMissed
from shaketable.node.messages import (
    LARGEST_CHUNK,
    Address,
    Backup,
    BackupAnswer,
    Member,
    Message,
    Operation,
    OperationAnswer,
    Row,
    Uuid,
)
from shaketable.node.why import Because, Why, because

Outcome = Literal["ok", "retry", "refused", "failed"]
Holders = tuple[Uuid, ...]
Ended = Callable[[Outcome, Because | None, Holders], None]


def holders_in(row: Row, backups: int, held_by: Container[Uuid]) -> Holders:
    """The owner, and the backups that have the write: a colder one, too, if a hotter one has missed it, for a promoted
    member asks those that are left."""
    return tuple([uuid for uuid in row[: backups + 1] if uuid is not None and (uuid == row[0] or uuid in held_by)])


class UnderWay:
    """A write that is applied here and not acknowledged yet."""

    __slots__ = ("answer_to", "ended", "held_by", "key", "partition", "waits_for", "write")

    def __init__(self, write: Write, partition: int) -> None:
        self.key: tuple[str, int] = (write.client, write.number)
        self.write = write
        self.partition = partition
        self.waits_for: dict[Uuid, Ask] = {}
        self.held_by: dict[Uuid, bool] = {}
        self.answer_to: dict[tuple[Address, int], bool] = {}
        """a repeated operation joins its first"""
        self.ended: Ended | None = None
        """who else waits for it"""


class TakesDoubts(Protocol):
    def doubt(self, partition: int, holder: Uuid) -> None:
        """This backup may lack a write to the partition."""


class Operations:
    def __init__(
        self,
        state: PartitionState,
        *,
        store: MapStore,
        antientropy: TakesDoubts,
        parts: Parts,
        look: Callable[[], None],
    ) -> None:
        """`look`: I may know of a backup in doubt."""
        self._state = state
        self._parts = parts
        self._store = store
        self._antientropy = antientropy
        self._look = look
        self._protection = Protection(state)
        self._under_way: dict[tuple[str, int], UnderWay] = {}
        """by client and number; entries that merge have no client, and are numbered here"""
        self._merged = 0
        self._in_partition: Counter[int] = Counter()
        self._to_be_idle: dict[int, Callable[[int], None]] = {}
        """partitions in which no other write begins, for a migration is to: who is told when it can"""
        self._unsure: dict[int, bool] = {}
        """partitions of which a backup says that I own them no more: until a newer table or list tells"""
        self._holders: dict[str, tuple[int, Holders]] = {}
        """by client, its last write, and the members that were said to have it"""

    def busy(self, partition: int, idle: Callable[[int], None]) -> bool:
        """A write to it waits for its backups. If so, no other begins there before `idle` was called."""
        if partition not in self._in_partition:
            return False
        self._to_be_idle[partition] = idle
        return True

    def on_operation(self, message: Operation) -> None:
        state, ms = self._state, self._state.membership
        under_way = self._under_way.get((message.client, message.number))
        if under_way is not None:
            under_way.answer_to[message.sender.address, message.request] = True
            return
        if message.target != ms.me.uuid:
            self._answer(message, "retry", because(Why.ANOTHER_ONE_HERE))
            return
        if not ms.joined:
            self._answer(message, "retry", because(Why.NO_MEMBER))
            return
        if not ms.is_member(message.sender):
            self._answer(message, "refused", because(Why.SENT_BY_A_STRANGER))
            return
        backups = self._store.backup_counts.get(message.map)
        if backups is None:
            self._answer(message, "refused", because(Why.NO_SUCH_MAP, message.map))
            return
        partition = state.partition_of(message.key)
        row = state.row(partition)
        if not_now := self.not_now(partition, row, message.does != "get"):
            self._answer(message, "retry", not_now)
        elif message.does == "get" and (below := self._protection.refuses(message.map, "get")):
            self._answer(message, "failed", below)
        elif message.does == "get":
            self._answer(message, "ok", None, value=self._store.read(partition, message.map, message.key))
        else:
            self._write(message, partition, row, backups)

    def not_now(self, partition: int, row: Row, writes: bool) -> Because | None:
        """Why it is to be tried again, perhaps elsewhere."""
        state = self._state
        if not row or row[0] != state.me:
            return because(Why.NOT_THE_OWNER)
        if state.goes_over:
            return because(Why.GOES_OVER)
        if state.searching:
            return because(Why.SEARCHING)
        if partition in state.promoting:
            return because(Why.ASKS_THE_BACKUPS)
        active = state.active.get(partition)
        if active is not None and (writes or active.info.migration.destination_new_index == 0):
            return because(Why.MIGRATING)
        if writes and partition in self._to_be_idle:
            return because(Why.ABOUT_TO_MIGRATE)
        if partition in self._unsure:
            return because(Why.BACKUP_KNOWS_MORE)
        return None

    def _write(self, message: Operation, partition: int, row: Row, backups: int) -> None:
        store, me = self._store, self._state.me
        client, number = message.client, message.number
        last = store.last(partition, message.map, client)
        if number < last:
            self._answer(message, "refused", because(Why.DONE_ALREADY, last))
            return
        if number == last:
            told, held_by = self._holders.get(client, (0, ()))
            if told != number:
                held_by = ()  # another one owned the partition when it was done
            self._answer(message, "ok", None, holders=holders_in(row, backups, held_by))
            return
        if below := self._protection.refuses(message.map, message.does):
            self._answer(message, "failed", below)
            return
        write = store.write(
            partition, message.map, client, number, message.does, message.key, message.value, self._state.cluster_time()
        )
        if not any(row[1 : backups + 1]):
            self._remember(client, number, (me,))
            self._answer(message, "ok", None, holders=(me,))
            return
        under_way = UnderWay(write, partition)
        under_way.answer_to[message.sender.address, message.request] = True
        self._to_backups(under_way, row[1 : backups + 1])

    def write_merged(self, partition: int, row: Row, write: Write, ended: Ended) -> None:
        """An entry that has merged is written as any other. `ended` may be called before this returns."""
        backups = self._store.backup_counts[write.map]
        under_way = UnderWay(write, partition)
        under_way.ended = ended
        self._merged += 1
        under_way.key = ("", self._merged)
        self._to_backups(under_way, row[1 : backups + 1])

    def _to_backups(self, under_way: UnderWay, backups: Row) -> None:
        self._under_way[under_way.key] = under_way
        self._in_partition[under_way.partition] += 1
        for index, uuid in enumerate(backups, 1):
            member = self._state.member(uuid)
            if member is not None:
                under_way.waits_for[member.uuid] = self._ask(under_way, member, index)
        if not under_way.waits_for:  # they have left, and the table is not repaired yet
            self._end(under_way)

    def _ask(self, under_way: UnderWay, backup: Member, index: int) -> Ask:
        state, settings, write = self._state, self._state.settings, under_way.write

        def message(request: int) -> Message:
            return Backup(
                state.membership.me, request, backup.uuid, state.table.version, under_way.partition, index,
                write.version, write.client, write.number, write.does, write.map, write.key, write.value,
                write.updated, write.hits,
            )  # fmt: skip

        return state.requests.ask(
            lambda: backup.address,
            message,
            on_answer=partial(self._on_backup_answer, under_way, backup, index),
            on_silence=partial(self._missed, under_way, backup, index, because(Why.SILENT)),
            retry=state.patience(write.value),
            longest_retry=settings.backup_timeout,
            budget=settings.backup_timeout,
            # A backup takes writes in their order: none overtakes one that travels in parts.
            send=self._parts.ask if len(write.value) > LARGEST_CHUNK or self._parts.under_way(backup) else None,
        )

    def _on_backup_answer(self, write: UnderWay, backup: Member, index: int, answer: Message) -> bool:
        if not isinstance(answer, BackupAnswer) or answer.sender != backup:
            return False
        if answer.done:
            del write.waits_for[backup.uuid]
            write.held_by[backup.uuid] = True
            if not write.waits_for:
                self._end(write)
        elif answer.final:
            assert answer.reason is not None, "who refuses for good says why"
            if answer.reason.why is Why.SENDER_OWNER_NO_MORE:
                self._unsure[write.partition] = True
            self._missed(write, backup, index, answer.reason)
        return answer.done or answer.final

    def _missed(self, write: UnderWay, backup: Member, index: int, reason: Because) -> None:
        del write.waits_for[backup.uuid]
        self._state.env.report(BackupMissed(write.partition, index, backup, write.write.map, *reason))
        if not write.waits_for or write.partition in self._unsure:
            self._end(write)
        self._antientropy.doubt(write.partition, backup.uuid)
        self._look()

    def _end(self, write: UnderWay) -> None:
        """The table of now says which replicas have the write: only a replica that is still listed counts."""
        client, number, partition, me = write.write.client, write.write.number, write.partition, self._state.me
        for ask in write.waits_for.values():
            ask.cancel()
        del self._under_way[write.key]
        row = self._state.row(partition)
        if not row or row[0] != me or partition in self._unsure:
            # It may be held by the member that owns the partition now, which then answers the retry, or is about to be
            # lost.
            self._tell(write, "retry", because(Why.OWNER_NO_MORE), ())
        else:
            holders = holders_in(row, self._store.backup_counts[write.write.map], write.held_by)
            self._remember(client, number, holders)
            self._tell(write, "ok", None, holders)
        self._in_partition[partition] -= 1
        if not self._in_partition[partition]:
            del self._in_partition[partition]
            idle = self._to_be_idle.pop(partition, None)
            if idle is not None:
                idle(partition)

    def _remember(self, client: str, number: int, holders: Holders) -> None:
        """An earlier write may end later, when its client has given it up and written elsewhere."""
        if number >= self._holders.get(client, (0, ()))[0]:
            self._holders[client] = number, holders

    def _tell(self, write: UnderWay, outcome: Outcome, reason: Because | None, holders: Holders) -> None:
        for address, request in write.answer_to:
            self._send(address, request, outcome, reason, holders=holders)
        if write.ended is not None:
            write.ended(outcome, reason, holders)

    def forget(self, is_over: Callable[[str], bool]) -> None:
        """Of these clients no operation comes any more."""
        self._holders = {client: last for client, last in self._holders.items() if not is_over(client)}

    def table_changed(self) -> None:
        """Of each write under way: I may not own its partition any more, nor its backups hold their index."""
        self._unsure.clear()
        for write in list(self._under_way.values()):
            row = self._state.row(write.partition)
            owns = bool(row) and row[0] == self._state.me
            backups = row[1 : self._store.backup_counts[write.write.map] + 1] if owns else ()
            self._wait_no_longer(write, [uuid for uuid in write.waits_for if uuid not in backups])

    def members_changed(self, removed: Sequence[Member]) -> None:
        self._unsure.clear()
        if removed:
            gone = {member.uuid: True for member in removed}
            for write in list(self._under_way.values()):
                self._wait_no_longer(write, [uuid for uuid in write.waits_for if uuid in gone])

    def _wait_no_longer(self, write: UnderWay, backups: Sequence[Uuid]) -> None:
        for uuid in backups:
            write.waits_for.pop(uuid).cancel()
        if not write.waits_for:
            self._end(write)

    def _answer(
        self,
        message: Operation,
        outcome: Outcome,
        reason: Because | None,
        *,
        value: bytes | None = None,
        holders: Holders = (),
    ) -> None:
        self._send(message.sender.address, message.request, outcome, reason, value=value, holders=holders)

    def _send(
        self,
        to: Address,
        request: int,
        outcome: Outcome,
        reason: Because | None,
        *,
        value: bytes | None = None,
        holders: Holders = (),
    ) -> None:
        state = self._state
        answer = OperationAnswer(state.membership.me, request, outcome, value, holders, reason)
        if value is not None and len(value) > LARGEST_CHUNK:
            self._parts.answer(to, answer)
        else:
            state.send(to, answer)
