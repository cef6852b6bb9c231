"""A promoted owner gets all that one backup has of a partition, in a stream, and adds what it lacks.

From each backup one partition at a time. While the backup says that its data are on their way, and something
comes in each `migration_timeout`, they are waited for, however slow its link is; a backup that falls silent is
done without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.core.env import Micros, Timer
from shaketable.node.core.requests import Ask
from shaketable.node.events import BackupHadMore
from shaketable.node.messages import Member, Message, ReplicaComes, ReplicaWanted, Uuid
from shaketable.node.why import Because, Why, because


@dataclass(slots=True)
class Fetch:
    partition: int
    replica: int
    holder: Member
    table_version: int
    stream: str
    since: Micros
    ask: Ask | None = None
    again: Timer | None = None


class Fetching:
    def __init__(
        self,
        state: PartitionState,
        *,
        store: MapStore,
        streams: Streams,
        ended: Callable[[int, Member, Because | None], None],
        silent: Callable[[Member, Because], None],
    ) -> None:
        """`ended`: the partition has what this backup had, or why not; `silent`: nothing is to be had of it."""
        self._state = state
        self._store = store
        self._streams = streams
        self._ended = ended
        self._silent = silent
        self._from: dict[Uuid, Fetch] = {}
        self._count = 0

    def want(self, partition: int, replica: int, holder: Uuid, table_version: int) -> None:
        """By the table with this version I own it. Unless something comes from that backup already."""
        member = self._state.member(holder)
        if member is None or holder in self._from:
            return
        self._count += 1
        name = f"more {self._count} of {self._state.me}"
        fetch = Fetch(partition, replica, member, table_version, name, self._state.env.now())
        self._from[holder] = fetch
        self._streams.expect(member, fetch.stream, partial(self._came, fetch))
        self._ask(fetch)

    def give_up(self, partition: int, holder: Uuid) -> None:
        fetch = self._from.get(holder)
        if fetch is not None and fetch.partition == partition:
            self._end(fetch)
            self._streams.forget(fetch.stream)

    def _ask(self, fetch: Fetch) -> None:
        state, settings, holder = self._state, self._state.settings, fetch.holder
        fetch.again = None

        def message(request: int) -> Message:
            return ReplicaWanted(
                state.membership.me, request, holder.uuid, fetch.table_version, fetch.partition, fetch.stream
            )

        fetch.ask = state.requests.ask(
            lambda: holder.address,
            message,
            on_answer=partial(self._on_answer, fetch),
            on_silence=lambda: self._silent(holder, because(Why.SILENT)),
            retry=settings.operation_retry,
            longest_retry=max(settings.operation_retry, settings.backup_timeout),
            budget=settings.backup_timeout,
        )

    def _on_answer(self, fetch: Fetch, answer: Message) -> bool:
        if not isinstance(answer, ReplicaComes) or answer.sender != fetch.holder:
            return False
        fetch.ask = None
        if answer.coming and self._is_stuck(fetch):
            self._silent(fetch.holder, because(Why.DATA_DID_NOT_COME))
        elif answer.coming:
            fetch.again = self._state.env.call_later(self._state.settings.heartbeat_interval, partial(self._ask, fetch))
        else:
            self.give_up(fetch.partition, fetch.holder.uuid)
            self._ended(fetch.partition, fetch.holder, because(Why.HOLDS_NOTHING_FOR_ME))
        return True

    def _is_stuck(self, fetch: Fetch) -> bool:
        """Its chunks are lost, though its answers are not."""
        last = max(fetch.since, self._streams.came_at(fetch.holder))
        return self._state.env.now() - last >= self._state.settings.migration_timeout

    def _came(self, fetch: Fetch, data: bytes) -> None:
        if self._from.get(fetch.holder.uuid) is not fetch:
            return
        self._end(fetch)
        why_not = None
        try:
            self._store.take_more(fetch.partition, fetch.replica, data)
        except ValueError as error:
            why_not = because(Why.UNREADABLE, error)
        else:
            maps = self._store.last_versions(fetch.partition, fetch.replica)
            self._state.env.report(BackupHadMore(fetch.partition, fetch.replica, fetch.holder, maps))
        self._ended(fetch.partition, fetch.holder, why_not)

    def _end(self, fetch: Fetch) -> None:
        del self._from[fetch.holder.uuid]
        if fetch.ask is not None:
            fetch.ask.cancel()
        if fetch.again is not None:
            fetch.again.cancel()
