"""The owner's side of a merge of entries: the policy of their map decides on each, and what it keeps is written.

A written entry goes to the backups like any other write, with the time and the hits that the entry had; only then is
the answer given. None is decided on twice: a batch that comes again while its first is under way joins it, and one that
comes again later gets the same answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from shaketable.node.cluster.partition.held import Write
from shaketable.node.cluster.partition.merging.policies import BUILT_IN, Decide, MergeEntry
from shaketable.node.cluster.partition.operations import Operations
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.cluster.partition.store import MapStore
from shaketable.node.cluster.partition.tags import tag_in
from shaketable.node.core.foreign import words_of
from shaketable.node.messages import (
    LARGEST_VALUE,
    Address,
    Does,
    EntryMerged,
    MergeEntries,
    MergeEntriesAnswer,
    MergingEntry,
    Row,
    Uuid,
)
from shaketable.node.why import Because, Why, because

Answer = tuple[tuple[EntryMerged, ...], tuple[Uuid, ...]]


class Batch:
    """Some of whose entries wait for their backups."""

    __slots__ = ("again", "answer_to", "holders", "results", "waits")

    def __init__(self, message: MergeEntries, holders: tuple[Uuid, ...]) -> None:
        self.answer_to: dict[tuple[Address, int], bool] = {(message.sender.address, message.request): True}
        self.results: list[EntryMerged] = []
        self.holders = holders
        self.waits = 1
        """for so many writes, and until all entries are decided on"""
        self.again: Because | None = None
        """why it has to be brought once more"""


class Taking:
    def __init__(self, state: PartitionState, *, store: MapStore, operations: Operations) -> None:
        self._state = state
        self._store = store
        self._operations = operations
        self._names: Mapping[str, str] = state.settings.policies
        self.policies: dict[str, Decide] = {}
        """those of a user's own, by their names"""
        self._under_way: dict[tuple[str, int], Batch] = {}
        self._last: dict[str, tuple[int, Answer]] = {}
        """by client: the number of its last batch here, and what it was told"""

    def on_merge_entries(self, message: MergeEntries) -> None:
        state, ms = self._state, self._state.membership
        number = message.entries[0].number
        under_way = self._under_way.get((message.client, number))
        if under_way is not None:
            under_way.answer_to[message.sender.address, message.request] = True
            return
        row = state.row(message.partition)
        why_not = state.not_mine(message.target)
        if not why_not and not ms.is_member(message.sender):
            why_not = because(Why.SENT_BY_A_STRANGER)
        if why_not := why_not or self._operations.not_now(message.partition, row, writes=True):
            self._answer(message.sender.address, message.request, why_not)
            return
        last, answer = self._last.get(message.client, (0, ((), ())))
        if last == number:
            self._answer(message.sender.address, message.request, None, answer)
            return
        self._decide(message, row)

    def forget(self, is_over: Callable[[str], bool]) -> None:
        """Of these clients no entry comes any more."""
        self._last = {client: last for client, last in self._last.items() if not is_over(client)}

    def _decide(self, message: MergeEntries, row: Row) -> None:
        key = message.client, message.entries[0].number
        batch = self._under_way[key] = Batch(message, tuple([uuid for uuid in row if uuid is not None]))
        for entry in message.entries:
            result, value = self._decided(message, entry)
            batch.results.append(result)
            if result.outcome in ("kept", "changed"):
                batch.waits += 1
                write = self._written(message, entry, value)
                self._operations.write_merged(message.partition, row, write, partial(self._ended, key, batch))
        self._ended(key, batch, "ok", None, batch.holders)

    def _ended(
        self, key: tuple[str, int], batch: Batch, outcome: str, reason: Because | None, holders: tuple[Uuid, ...]
    ) -> None:
        if outcome != "ok":
            batch.again = reason
        batch.holders = tuple([uuid for uuid in batch.holders if uuid in holders])
        batch.waits -= 1
        if batch.waits:
            return
        del self._under_way[key]
        answer = tuple(batch.results), batch.holders
        if not batch.again:
            self._last[key[0]] = key[1], answer
        for address, request in batch.answer_to:
            self._answer(address, request, batch.again, answer)

    def _decided(self, message: MergeEntries, entry: MergingEntry) -> tuple[EntryMerged, bytes | None]:
        """With what is to be there now."""
        policy = self._names.get(message.map, "put-if-absent")
        decide = BUILT_IN.get(policy) or self.policies.get(policy)
        if message.map not in self._store.backup_counts or decide is None:
            unknown = (Why.NO_SUCH_POLICY, policy) if decide is None else (Why.NO_SUCH_MAP, message.map)
            return EntryMerged("lost", None, because(*unknown)), None
        if message.partition != self._state.partition_of(entry.key):
            return EntryMerged("lost", None, because(Why.KEY_OF_ANOTHER_PARTITION)), None
        held = self._store.entry(message.partition, message.map, entry.key)
        before = None if held is None else held.value
        if before == entry.value:
            return EntryMerged("there", tag_in(entry.value), because(Why.SAME_VALUE)), before
        if entry.number <= self._store.last(message.partition, message.map, message.client):
            told = None if before is None else tag_in(before)
            return EntryMerged("lost", told, because(Why.DECIDED_BEFORE)), before
        existing = None if held is None else MergeEntry(entry.key, held.value, held.updated, held.hits)
        return self._judged(policy, decide, entry, existing)

    def _judged(
        self, policy: str, decide: Decide, entry: MergingEntry, existing: MergeEntry | None
    ) -> tuple[EntryMerged, bytes | None]:
        before = None if existing is None else existing.value
        reason = because(Why.BY_POLICY, policy)
        try:
            value = decide(MergeEntry(entry.key, entry.value, entry.updated, entry.hits), existing)
            if value is not None and not isinstance(value, bytes):
                raise TypeError(f"a value is bytes, not {type(value).__name__}")
            if value is not None and len(value) > LARGEST_VALUE:
                raise ValueError(f"a value has at most {LARGEST_VALUE} bytes")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever the user's own code may raise
            value, reason = before, because(Why.POLICY_FAILED, policy, words_of(error))
        told = None if value is None else tag_in(value)
        if value == entry.value:
            return EntryMerged("kept", told, reason), value
        return EntryMerged("lost" if value == before else "changed", told, reason), value

    def _written(self, message: MergeEntries, entry: MergingEntry, value: bytes | None) -> Write:
        held = self._store.entry(message.partition, message.map, entry.key)
        updated, hits = entry.updated, entry.hits
        if value != entry.value and held is not None:
            updated, hits = max(updated, held.updated), max(hits, held.hits)
        does: Does = "remove" if value is None else "put"
        return self._store.write(
            message.partition, message.map, message.client, entry.number, does, entry.key, value or b"", updated, hits
        )

    def _answer(self, to: Address, request: int, again: Because | None, answer: Answer = ((), ())) -> None:
        state = self._state
        results, holders = ((), ()) if again else answer
        outcome: Literal["ok", "retry"] = "retry" if again else "ok"
        state.send(
            to,
            MergeEntriesAnswer(state.membership.me, request, outcome, results, holders, again.words if again else ""),
        )
