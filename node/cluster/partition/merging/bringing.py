"""A member that has merged brings the entries that were set aside to their owners in its present cluster.

As in the real system. It sends batches, one at a time to each owner, so that no thin link gets them in one burst. It
sends again while partitions move or have no owner. It does so wherever it has been admitted: in the cluster that it was
sent to, in another one, or in one of its own. It tells of each batch when the batch leaves and when it is decided on,
and of what it gives up."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from shaketable.node.cluster.partition.merging.setting_aside import SetAside
from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.routing import Routing
from shaketable.node.cluster.partition.state import MERGING, PartitionState, wire_name
from shaketable.node.core.env import MILLISECOND, Micros, Timer
from shaketable.node.core.requests import Ask
from shaketable.node.events import EntriesBrought, EntriesGivenUp, EntriesMerged, MergeDataDone
from shaketable.node.messages import (
    LARGEST_CHUNK,
    MOST_MERGING,
    EntryMerged,
    Member,
    MergeEntries,
    MergeEntriesAnswer,
    MergingEntry,
    Message,
    Uuid,
)
from shaketable.node.why import Because, Why, because

_QUICKLY: Final = 8
"""the first retry comes after this part of the longest wait"""


class Batch:
    __slots__ = ("ask", "attempts", "entries", "first", "map", "owner", "partition")

    def __init__(self, name: str, partition: int, first: int, entries: list[SetAside]) -> None:
        self.map = name
        self.partition = partition
        self.first = first
        """the number of its first entry"""
        self.entries = entries
        self.attempts = 0
        self.owner: Member | None = None
        """who is asked"""
        self.ask: Ask | None = None


class Bringing:
    def __init__(self, state: PartitionState, *, routing: Routing, parts: Parts, look: Callable[[], None]) -> None:
        """`look`: there may be nothing left to bring."""
        self._state = state
        self._parts = parts
        self._routing = routing
        self._look = look
        self._client = wire_name(MERGING, state.me)
        self._number = 0
        self._waiting: dict[int, deque[Batch]] = {}
        """by partition: the first one may be on its way"""
        self._asked: dict[Uuid, Batch] = {}
        """by owner"""
        self._timer: Timer | None = None
        self._pause: Micros = 0
        self._give_up_at: Micros | None = None
        self._counts = {"kept": 0, "there": 0, "changed": 0, "lost": 0}

    @property
    def to_bring(self) -> int:
        """So many batches."""
        return sum([len(batches) for batches in self._waiting.values()])

    def take_over(self, entries: Iterable[SetAside]) -> None:
        """Of the identity before mine."""
        parts: dict[tuple[int, str], list[SetAside]] = {}
        for each in entries:
            parts.setdefault((self._state.partition_of(each.key), each.map), []).append(each)
        for (partition, name), several in parts.items():
            batches = self._waiting.setdefault(partition, deque())
            for some in cut(several):
                batches.append(Batch(name, partition, self._number + 1, some))
                self._number += len(some)
        self.go_on()

    def rest(self) -> list[SetAside]:
        """Entries that have not been decided on, as far as I know: my next identity brings them."""
        for batch in self._asked.values():
            if batch.ask is not None:
                batch.ask.cancel()
        if self._timer is not None:
            self._timer.cancel()
        rest = [each for batches in self._waiting.values() for batch in batches for each in batch.entries]
        self._asked, self._waiting, self._timer = {}, {}, None
        return rest

    def go_on(self) -> None:
        """The table or the list may be another one."""
        if not self._waiting or not self._state.membership.joined:
            return
        self._pause = self._first_pause
        self._take_back()
        self._bring()

    @property
    def _first_pause(self) -> Micros:
        return max(MILLISECOND, self._state.settings.operation_retry // _QUICKLY)

    def _take_back(self) -> None:
        """From a member that is not the owner any more."""
        state = self._state
        for uuid, batch in list(self._asked.items()):
            if batch.owner != state.member(state.table.owner(batch.partition)):
                assert batch.ask is not None
                batch.ask.cancel()
                del self._asked[uuid]

    def _bring(self) -> None:
        state = self._state
        now = state.env.now()
        if self._give_up_at is None:
            self._give_up_at = now + state.settings.merge_data_patience
        if now >= self._give_up_at:  # who is asked still has its patience, and nobody is asked anew
            if not self._asked:
                self._give_up(because(Why.NO_OWNER_IN_TIME))
            return
        if state.table.version == 0:
            self._routing.ask_for_a_table()
        under_way = {batch.partition: True for batch in self._asked.values()}
        for partition, batches in self._waiting.items():
            owner = state.member(state.table.owner(partition)) if state.table.version else None
            if owner is not None and owner.uuid not in self._asked and partition not in under_way:
                self._send(batches[0], owner)
        if self._timer is None and len(under_way) < len(self._waiting):
            self._timer = state.env.call_later(self._pause, self._again)
            self._pause = min(2 * self._pause, max(self._first_pause, state.settings.operation_retry))

    def _again(self) -> None:
        self._timer = None
        if self._waiting and self._state.membership.joined:
            self._bring()

    def _send(self, batch: Batch, owner: Member) -> None:
        state, settings = self._state, self._state.settings
        entries = tuple(
            MergingEntry(number, each.key, each.entry.value, each.entry.updated, each.entry.hits)
            for number, each in enumerate(batch.entries, batch.first)
        )
        if batch.owner != owner:
            batch.owner = owner
            told = tuple([each.told[1:] for each in batch.entries])
            state.env.report(EntriesBrought(owner, batch.map, batch.partition, batch.first, told))
        self._asked[owner.uuid] = batch
        largest = max(batch.entries, key=lambda each: len(each.entry.value)).entry.value

        def message(request: int) -> Message:
            batch.attempts += 1
            return MergeEntries(
                state.membership.me, request, owner.uuid, self._client, batch.partition, batch.map, entries
            )

        batch.ask = state.requests.ask(
            lambda: owner.address,
            message,
            on_answer=partial(self._on_answer, batch, owner),
            on_silence=partial(self._come_back, owner),
            retry=max(state.patience(largest), settings.heartbeat_interval),
            longest_retry=max(settings.operation_retry, settings.backup_timeout, settings.heartbeat_interval),
            budget=settings.merge_data_patience,
            send=self._parts.ask if len(largest) > LARGEST_CHUNK else None,
        )

    def _on_answer(self, batch: Batch, owner: Member, answer: Message) -> bool:
        if not isinstance(answer, MergeEntriesAnswer) or answer.sender != owner:
            return False
        if answer.outcome != "ok" or len(answer.results) != len(batch.entries):
            self._come_back(owner)
            return True
        del self._asked[owner.uuid]
        batches = self._waiting[batch.partition]
        batches.popleft()
        if not batches:
            del self._waiting[batch.partition]
        state = self._state
        results = tuple([_told(each, result) for each, result in zip(batch.entries, answer.results, strict=True)])
        for _, _, outcome, _, _ in results:
            self._counts[outcome] += 1
        state.env.report(
            EntriesMerged(
                owner,
                batch.map,
                batch.partition,
                batch.first,
                results,
                answer.holders,
                batch.attempts,
                tuple([result.reason.why for result in answer.results]),
            )
        )
        self._give_up_at = state.env.now() + state.settings.merge_data_patience
        self._pause = self._first_pause
        if self._waiting:
            self._bring()
        else:
            self._done(0)
        return True

    def _come_back(self, owner: Member) -> None:
        """Later, and perhaps to another owner."""
        self._asked.pop(owner.uuid, None)
        if self._timer is None:
            self._timer = self._state.env.call_later(self._pause or self._first_pause, self._again)

    def _give_up(self, reason: Because) -> None:
        given_up = tuple([each.told for each in self.rest()])
        self._state.env.report(EntriesGivenUp(given_up, *reason))
        self._done(len(given_up))

    def _done(self, given_up: int) -> None:
        counts = self._counts
        self._state.env.report(
            MergeDataDone(counts["kept"], counts["there"], counts["changed"], counts["lost"], given_up)
        )
        self._look()


def cut(entries: list[SetAside]) -> list[list[SetAside]]:
    """So many of them go together as fit in one chunk; a large one goes alone."""
    several: list[list[SetAside]] = []
    room = 0
    for each in entries:
        size = len(each.key) + len(each.entry.value)
        if not several or size > room or len(several[-1]) == MOST_MERGING:
            several.append([])
            room = LARGEST_CHUNK
        several[-1].append(each)
        room -= size
    return several


def _told(each: SetAside, result: EntryMerged) -> tuple[str, str, str, str | None, str]:
    _, key, tag = each.told
    return key, tag, result.outcome, result.value, result.reason.words
