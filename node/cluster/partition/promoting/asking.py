"""The promoted owner's side: who of its backups has what it lacks.

One small message at a time to each, about all partitions that I was promoted in: mostly nobody has more, and I serve
after one round trip. A backup that holds no map at its index is not asked; without others I serve at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from shaketable.node.cluster.partition.promoting.fetching import Fetching
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.core.env import MILLISECOND, Micros, Timer
from shaketable.node.core.requests import Ask
from shaketable.node.events import BackupNotHeard
from shaketable.node.messages import HeldVersions, Member, Message, MoreHeld, MoreWanted, Uuid
from shaketable.node.why import Because, Why, because

ENOUGH: Final = 1024
"""bytes, about, of one message"""
_QUICKLY: Final = 64
"""a backup whose table is older is asked again after this part of the longest wait"""


@dataclass(slots=True)
class Sought:
    """Of a partition: who has not said yet what it has, and who has later writes, each with its index."""

    unheard: dict[Uuid, int]
    later: dict[Uuid, HeldVersions]
    version: int
    """of the table by which I was promoted: who has that knows of it, whether or not later ones have come to it"""
    until: Micros
    """so long a backup is waited for whose table is older"""


class Promoting:
    def __init__(
        self,
        state: PartitionState,
        *,
        store: MapStore,
        streams: Streams,
        serve: Callable[[Sequence[int]], None],
        look: Callable[[], None],
    ) -> None:
        """`serve`: these partitions have all that can be had. `look`: what has changed nobody else sees."""
        self._state = state
        self._store = store
        self._serve = serve
        self._look = look
        self._open: dict[int, Sought] = {}
        self._asked: dict[Uuid, Ask] = {}
        self._again: dict[Uuid, Timer] = {}
        self._pause: dict[Uuid, Micros] = {}
        self._first_pause = max(MILLISECOND, state.settings.operation_retry // _QUICKLY)
        self._fetching = Fetching(state, store=store, streams=streams, ended=self._fetched, silent=self._silent)

    def begin(self, partitions: Sequence[int]) -> None:
        """I own them by the table that has just come."""
        state, settings = self._state, self._state.settings
        until = state.env.now() + settings.partition_table_send_interval + settings.backup_timeout
        for each in partitions:
            if each in self._open:
                self._drop(each)
            colder = {
                uuid: index
                for index, uuid in enumerate(state.row(each))
                if index and uuid is not None and self._store.keeps(index) and state.member(uuid) is not None
            }
            self._open[each] = Sought(colder, {}, state.table.version, until)
            state.promoting[each] = True
        if any(self._open[each].unheard for each in partitions):
            state.env.call_later(0, self._ask_all)  # a master tells of its table first
        self._go_on()

    def table_changed(self) -> None:
        """Called before `begin`."""
        for each, sought in list(self._open.items()):
            row = self._state.row(each)
            if not row or row[0] != self._state.me:
                self._drop(each)
                continue
            for uuid in [*sought.unheard, *sought.later]:
                if uuid not in row:  # what it had it holds no more
                    self._lose(each, uuid)
        self._go_on()

    def members_changed(self, removed: Sequence[Member]) -> None:
        for member in removed:
            self._without(member, because(Why.HAS_LEFT))
        self._go_on()

    def _ask_all(self) -> None:
        holders = {uuid: True for sought in self._open.values() for uuid in sought.unheard}
        for uuid in holders:
            self._ask(uuid)

    def _ask(self, holder: Uuid) -> None:
        state, settings, member = self._state, self._state.settings, self._state.member(holder)
        if member is None or holder in self._asked or holder in self._again:
            return
        versions = self._next(holder)
        if not versions:
            self._pause.pop(holder, None)
            return
        table_version = max([self._open[held.partition].version for held in versions])

        def message(request: int) -> Message:
            return MoreWanted(state.membership.me, request, holder, table_version, tuple(versions))

        self._asked[holder] = state.requests.ask(
            lambda: member.address,
            message,
            on_answer=lambda answer: self._on_answer(member, versions, answer),
            on_silence=lambda: self._silent(member, because(Why.SILENT)),
            retry=settings.operation_retry,
            longest_retry=max(settings.operation_retry, settings.backup_timeout),
            budget=settings.backup_timeout,
        )

    def _next(self, holder: Uuid) -> list[HeldVersions]:
        found: list[HeldVersions] = []
        size = 0
        for each, sought in self._open.items():
            replica = sought.unheard.get(holder)
            if replica is not None and size < ENOUGH:
                versions = self._store.whole_to(each, replica)
                found.append(HeldVersions(each, replica, versions))
                size += 10 + sum([12 + len(name.encode()) for name, _ in versions])
        return found

    def _on_answer(self, member: Member, asked: Sequence[HeldVersions], answer: Message) -> bool:
        if not isinstance(answer, MoreHeld) or answer.sender != member:
            return False
        holder = member.uuid
        del self._asked[holder]
        if answer.done:
            later = {held.partition: held for held in answer.versions}
            for held in asked:
                sought = self._open.get(held.partition)
                if sought is not None and sought.unheard.get(holder) == held.replica:
                    del sought.unheard[holder]
                    if held.partition in later:
                        sought.later[holder] = HeldVersions(held.partition, held.replica, later[held.partition].maps)
            self._go_on()
            self._ask(holder)
        else:
            self._wait_for_its_table(member)
        return True

    def _wait_for_its_table(self, member: Member) -> None:
        holder, now = member.uuid, self._state.env.now()
        for each, sought in list(self._open.items()):
            if holder in sought.unheard and now >= sought.until:
                self._tell_without(each, member, because(Why.ITS_TABLE_IS_OLDER))
                self._lose(each, holder)
        pause = self._pause.get(holder, self._first_pause)
        self._pause[holder] = min(2 * pause, max(self._first_pause, self._state.settings.operation_retry))
        self._again[holder] = self._state.env.call_later(pause, partial(self._ask_again, holder))
        self._go_on()

    def _ask_again(self, holder: Uuid) -> None:
        del self._again[holder]
        self._ask(holder)

    def _silent(self, member: Member, reason: Because) -> None:
        self._without(member, reason)
        self._go_on()
        self._look()

    def _without(self, member: Member, reason: Because) -> None:
        """In all partitions."""
        holder = member.uuid
        ask, timer = self._asked.pop(holder, None), self._again.pop(holder, None)
        if ask is not None:
            ask.cancel()
        if timer is not None:
            timer.cancel()
        self._pause.pop(holder, None)
        for each, sought in list(self._open.items()):
            if holder in sought.unheard or holder in sought.later:
                self._tell_without(each, member, reason)
                self._lose(each, holder)

    def _tell_without(self, partition: int, member: Member, reason: Because) -> None:
        sought, holder = self._open[partition], member.uuid
        replica = sought.unheard[holder] if holder in sought.unheard else sought.later[holder].replica
        self._state.env.report(BackupNotHeard(partition, replica, member, *reason))

    def _lose(self, partition: int, holder: Uuid) -> None:
        sought = self._open[partition]
        sought.unheard.pop(holder, None)
        sought.later.pop(holder, None)
        self._fetching.give_up(partition, holder)

    def _drop(self, partition: int) -> None:
        for holder in list(self._open[partition].later):
            self._fetching.give_up(partition, holder)
        del self._open[partition]
        self._state.promoting.pop(partition, None)

    def _fetched(self, partition: int, member: Member, why_not: Because | None) -> None:
        if why_not:
            self._tell_without(partition, member, why_not)
        del self._open[partition].later[member.uuid]
        self._go_on()

    def _go_on(self) -> None:
        """Fetches what the hottest has, and then what a colder one has beyond that; serves what is complete."""
        complete = []
        for each, sought in list(self._open.items()):
            if sought.unheard:
                continue
            while sought.later:
                holder = min(sought.later, key=lambda uuid: sought.later[uuid].replica)
                if self._store.lacks(each, sought.later[holder].maps):
                    self._fetching.want(each, sought.later[holder].replica, holder, sought.version)
                    break
                del sought.later[holder]
            if not sought.later:
                self._drop(each)
                complete.append(each)
        if complete:
            self._serve(complete)
