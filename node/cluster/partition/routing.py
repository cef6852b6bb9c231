"""The caller's side of an operation: it finds the owner by this member's table, and tries again until all is said.

A retry keeps the client's number of the operation, so the operation is never applied twice, whichever member owns the
partition by then. A member that has no partition table asks the master to assign the partitions: the first operation
makes the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from shaketable.node.cluster.partition.parts import Parts
from shaketable.node.cluster.partition.state import PartitionState
from shaketable.node.core.env import MILLISECOND, Micros, Timer
from shaketable.node.core.requests import Ask
from shaketable.node.messages import (
    LARGEST_CHUNK,
    LARGEST_VALUE,
    AssignPartitions,
    Does,
    Member,
    Message,
    Operation,
    OperationAnswer,
    Uuid,
)
from shaketable.node.why import Because, Why, because

Done = Callable[[str, bytes | None, tuple[Uuid, ...], int, Because | None], None]
"""outcome ("ok", "failed", "unknown"), the value that a get found, who has the write, attempts, reason"""

LONGEST_NAME: Final = 200
_QUICKLY: Final = 64
"""the first retry comes after this part of the longest wait"""


class Call:
    """An operation that has not returned yet."""

    __slots__ = (
        "ask", "attempts", "client", "does", "done", "give_up_at", "key", "map", "number", "owner", "partition",
        "pause", "reason", "refusals", "timer", "value",
    )  # fmt: skip

    def __init__(
        self, client: str, number: int, does: Does, name: str, key: str, value: bytes, done: Done, partition: int
    ) -> None:
        self.client = client
        self.number = number
        self.does = does
        self.map = name
        self.key = key
        self.value = value
        self.done = done
        self.partition = partition
        self.give_up_at: Micros = 0
        self.pause: Micros = 0
        self.attempts = 0
        self.refusals = 0
        self.reason: Because | None = None
        self.owner: Member | None = None
        """who is asked"""
        self.ask: Ask | None = None
        self.timer: Timer | None = None
        """until the next attempt, while nobody is asked"""


class Routing:
    def __init__(self, state: PartitionState, *, parts: Parts) -> None:
        self._state = state
        self._parts = parts
        self._maps = state.settings.backup_counts
        self._first_pause = max(MILLISECOND, state.settings.operation_retry // _QUICKLY)
        self._calls: dict[tuple[str, int], Call] = {}
        self._asked_for_a_table: Micros | None = None

    def partition_of(self, key: str) -> int:
        return self._state.partition_of(key)

    def invoke(self, client: str, number: int, does: Does, name: str, key: str, value: bytes, done: Done) -> None:
        """`done` is called once, and never before this has returned."""
        state = self._state
        impossible = self._why_impossible(client, name, key, value)
        if impossible:
            # Not at once: a client that does nothing else would never let time go by.
            state.env.call_later(state.settings.operation_retry, lambda: done("failed", None, (), 0, impossible))
            return
        call = Call(client, number, does, name, key, value, done, state.partition_of(key))
        call.give_up_at = state.env.now() + state.settings.operation_timeout
        call.pause = self._first_pause
        self._calls[client, number] = call
        self._attempt(call)

    def _why_impossible(self, client: str, name: str, key: str, value: bytes) -> Because | None:
        if name not in self._maps:
            return because(Why.NO_SUCH_MAP, name)
        if not (0 < len(client) <= LONGEST_NAME and 0 < len(key) <= LONGEST_NAME):
            return because(Why.BAD_NAME, LONGEST_NAME)
        return because(Why.VALUE_TOO_LARGE, LARGEST_VALUE) if len(value) > LARGEST_VALUE else None

    def _attempt(self, call: Call) -> None:
        state = self._state
        call.timer = None
        left = call.give_up_at - state.env.now()
        if left <= 0:
            self._give_up(call)
            return
        call.owner = owner = self._owner_of(call)
        if owner is None:
            self._wait(call, left)
            return
        me, settings = state.membership.me, state.settings

        def message(request: int) -> Message:
            call.attempts += 1
            return Operation(
                me, request, owner.uuid, call.client, call.number, call.does, call.map, call.key, call.value
            )

        call.ask = state.requests.ask(
            lambda: owner.address,
            message,
            on_answer=lambda answer: self._on_answer(call, answer),
            on_silence=lambda: self._give_up(call),
            retry=state.patience(call.value),
            longest_retry=max(settings.operation_retry, settings.backup_timeout),
            budget=left,
            send=self._parts.ask if len(call.value) > LARGEST_CHUNK else None,
        )

    def _owner_of(self, call: Call) -> Member | None:
        """None: nobody whom I know, for now."""
        state = self._state
        if not state.membership.joined:
            call.reason = because(Why.NO_MEMBER)
            return None
        if state.table.version == 0:
            call.reason = because(Why.NO_TABLE)
            self.ask_for_a_table()
            return None
        owner = state.member(state.table.owner(call.partition))
        if owner is None:
            call.reason = because(Why.NO_OWNER)
        return owner

    def ask_for_a_table(self) -> None:
        """However many operations, or entries that merge, wait for it."""
        state, ms = self._state, self._state.membership
        now, asked = state.env.now(), self._asked_for_a_table
        if ms.master is not None and (asked is None or now >= asked + state.settings.operation_retry):
            self._asked_for_a_table = now
            state.send(ms.master.address, AssignPartitions(ms.me))

    def _wait(self, call: Call, left: Micros) -> None:
        call.timer = self._state.env.call_later(min(call.pause, left), lambda: self._attempt(call))
        call.pause = min(2 * call.pause, max(self._first_pause, self._state.settings.operation_retry))

    def _on_answer(self, call: Call, answer: Message) -> bool:
        owner = call.owner
        if not isinstance(answer, OperationAnswer) or owner is None or answer.sender != owner:
            return False
        call.ask = None
        if answer.outcome == "ok":
            del self._calls[call.client, call.number]
            call.done("ok", answer.value, answer.holders, call.attempts, None)
            return True
        # A member that refuses may not know me yet. A member that never does anything else has surely not applied it.
        call.reason = answer.reason
        if answer.outcome in ("refused", "failed"):
            call.refusals += 1
        if answer.outcome == "failed":
            self._give_up(call)
            return True
        self._wait(call, max(0, call.give_up_at - self._state.env.now()))
        return True

    def _give_up(self, call: Call) -> None:
        del self._calls[call.client, call.number]
        never_applied = call.attempts == call.refusals
        reason = call.reason or because(Why.OWNER_SILENT)
        call.done("failed" if never_applied else "unknown", None, (), call.attempts, reason)

    def end(self, reason: Because) -> None:
        """Of what is under way nobody will know what became of it: this member is at its end."""
        for call in list(self._calls.values()):
            if call.ask is not None:
                call.ask.cancel()
            call.reason = reason
            self._give_up(call)

    def table_changed(self) -> None:
        """Or the list: whoever waits, or asks who is not the owner any more, tries again at once."""
        state = self._state
        if state.table.version == 0:
            self._asked_for_a_table = None  # there may be another master
        for call in list(self._calls.values()):
            if call.ask is not None:
                if call.owner == state.member(state.table.owner(call.partition)):
                    continue
                call.ask.cancel()
                call.ask = None
            elif call.timer is not None:
                call.timer.cancel()
            call.pause = self._first_pause
            self._attempt(call)

    def members_changed(self) -> None:
        self.table_changed()
