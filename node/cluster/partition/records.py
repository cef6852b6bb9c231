"""How long it is remembered which operation of each client was its last one: else that would grow with each restart.

A record is needed as long as the operation may come again. It can come only from a member of my list, for its owner
refuses anybody else, and only until the operation timeout has passed, for then its caller gives up. A node that was
restarted, or has merged, has clients of other names. So the records of a member that has been gone for the operation
timeout are forgotten, wherever they came from: written here, or with the data of a partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from shaketable.node.cluster.partition.state import NODE, PartitionState
from shaketable.node.core.env import Micros, Timer
from shaketable.node.messages import Member

IsOver = Callable[[str], bool]


class KeepsRecords(Protocol):
    """By the name of the client."""

    def forget(self, is_over: IsOver) -> None:
        """Of these clients no operation comes any more: it asks of each."""


class Records:
    def __init__(self, state: PartitionState, *, kept_by: Sequence[KeepsRecords]) -> None:
        self._state = state
        self._kept_by = kept_by
        self._missed: dict[str, Micros] = {}
        """by node, since when I have seen records of a node that is no member"""
        self._due: Timer | None = None

    def members_changed(self, removed: Sequence[Member]) -> None:
        if removed and self._state.table.version:
            self._look()

    def _look(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        state = self._state
        now, keep = state.env.now(), state.settings.operation_timeout
        present = {uuid[:NODE]: True for uuid in (state.me, *state.membership.known)}
        missed: dict[str, Micros] = {}

        def is_over(client: str) -> bool:
            _, at, node = client.rpartition("@")
            if not at or node in present:
                return False
            missed[node] = self._missed.get(node, now)
            return now >= missed[node] + keep

        for keeper in self._kept_by:
            keeper.forget(is_over)
        self._missed = {node: since for node, since in missed.items() if now < since + keep}
        if self._missed:
            self._due = state.env.call_later(min(self._missed.values()) + keep - now, self._look)
