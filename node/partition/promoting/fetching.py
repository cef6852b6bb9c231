"""A promoted owner gets all that one backup has of a partition, in a stream, and adds what it lacks.

From each backup one partition at a time. While the backup says that its data are on their way, and something
comes in each `migration_timeout`, they are waited for, however slow its link is; who falls silent is done without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from shaketable.node.env import Micros, Timer
from shaketable.node.events import BackupHadMore
from shaketable.node.messages import Member, Message, ReplicaComes, ReplicaWanted, Uuid
from shaketable.node.partition.state import PartitionState
from shaketable.node.partition.store import MapStore
from shaketable.node.requests import Ask


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
        store: MapStore,
        expect: Callable[[Member, str, Callable[[bytes], None]], None],
        forget: Callable[[str], None],
        came_at: Callable[[Member], Micros],
        ended: Callable[[int, Member, str], None],
        silent: Callable[[Member, str], None],
    ) -> None:
        """`ended`: the partition has what this backup had, or why not; `silent`: nothing is to be had of it."""
        self._state = state
        self._store = store
        self._expect = expect
        self._forget = forget
        self._came_at = came_at
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
        self._expect(member, fetch.stream, partial(self._came, fetch))
        self._ask(fetch)

    def give_up(self, partition: int, holder: Uuid) -> None:
        fetch = self._from.get(holder)
        if fetch is not None and fetch.partition == partition:
            self._end(fetch)
            self._forget(fetch.stream)

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
            on_silence=lambda: self._silent(holder, "it did not answer"),
            retry=settings.operation_retry,
            longest_retry=max(settings.operation_retry, settings.backup_timeout),
            budget=settings.backup_timeout,
        )

    def _on_answer(self, fetch: Fetch, answer: Message) -> bool:
        if not isinstance(answer, ReplicaComes) or answer.sender != fetch.holder:
            return False
        fetch.ask = None
        if answer.coming and self._is_stuck(fetch):
            self._silent(fetch.holder, "its data did not come")
        elif answer.coming:
            fetch.again = self._state.env.call_later(self._state.settings.heartbeat_interval, partial(self._ask, fetch))
        else:
            self.give_up(fetch.partition, fetch.holder.uuid)
            self._ended(fetch.partition, fetch.holder, "it holds nothing for me")
        return True

    def _is_stuck(self, fetch: Fetch) -> bool:
        """Its chunks are lost, though its answers are not."""
        last = max(fetch.since, self._came_at(fetch.holder))
        return self._state.env.now() - last >= self._state.settings.migration_timeout

    def _came(self, fetch: Fetch, data: bytes) -> None:
        if self._from.get(fetch.holder.uuid) is not fetch:
            return
        self._end(fetch)
        why_not = ""
        try:
            self._store.take_more(fetch.partition, fetch.replica, data)
        except ValueError as error:
            why_not = str(error)
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
