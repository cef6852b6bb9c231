"""Data: put, get, remove; clients that write and read on and on (work); reading all back, and taking stock.

None of these is a fault: they are steps of the script, and calm is not counted from them."""

# ruff: noqa: A002 - a script says map="data"

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shaketable.harness.conditions import data as conditions
from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.actions import Command, NoEffect
from shaketable.harness.records import StepKind
from shaketable.harness.scripting.steps import Act, Unmet, Until
from shaketable.harness.scripting.verbs.base import Verbs, whole
from shaketable.harness.seen.partitions import ClientSeen
from shaketable.node.core.commands import (
    DataCommand,
    OperateCommand,
    ReadCommand,
    StopWorkCommand,
    TakeStockCommand,
    WorkCommand,
)
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import StockTaken
from shaketable.node.messages import LARGEST_VALUE, Does, Uuid


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one operation."""

    outcome: str
    """ "ok", "failed" (surely not applied) or "unknown" """
    value: str | None
    """what a get found, up to the first blank, at most 200 letters; None: nothing"""
    holders: tuple[str | None, ...]
    """nodes that have the write, the owner first"""
    reason: str = ""
    why: str | None = None
    """the kind of the reason, which stays when words change; None: the cluster gave no reason"""


@dataclass(frozen=True, slots=True)
class Work:
    """Clients that a script has set to work, for `stop_work` and `until_worked`."""

    number: int
    clients: tuple[tuple[str, Uuid, tuple[str, ...]], ...]
    """node, incarnation and names of its clients"""
    operations: int | None
    """of each client; None: until they are stopped"""


@dataclass(frozen=True, slots=True)
class Reading:
    """How many keys were read, and how many of them with which outcome."""

    keys: int
    outcomes: Mapping[str, int]

    @property
    def complete(self) -> bool:
        """All were read."""
        return self.outcomes.get("ok", 0) == self.keys


class DataVerbs(Verbs):
    async def put(
        self,
        via: str,
        key: str,
        value: str,
        *,
        map: str = "data",
        within: Micros | None = None,
        patience: Micros | None = None,
    ) -> Result:
        """A client at this node puts the value, and the verb waits until it has returned. If it has not returned
        `within` that time, the run has failed. With `patience` the verb waits at most that long; then the outcome is
        "unknown", because the client goes on trying. Give each write to a key another value, so that a lost one can be
        named."""
        tag = value.partition(" ")[0] if isinstance(value, str) else ""
        if not tag:
            raise ScriptError(f"a value is a text that begins with a word of its own, not {value!r}")
        if len(value.encode()) > LARGEST_VALUE:
            raise ScriptError(f"a value has at most {LARGEST_VALUE} bytes")
        if (map, key, tag) in self._tags:
            raise ScriptError(f"{tag} was put at {key} already: give each write another value")
        self._tags[map, key, tag] = True
        return await self._operate(via, "put", map, key, value, within, patience)

    async def get(
        self, via: str, key: str, *, map: str = "data", within: Micros | None = None, patience: Micros | None = None
    ) -> Result:
        """Gets the map's value at this key. It waits as `put` does."""
        return await self._operate(via, "get", map, key, "", within, patience)

    async def remove(
        self, via: str, key: str, *, map: str = "data", within: Micros | None = None, patience: Micros | None = None
    ) -> Result:
        """Removes this key from the map. It waits as `put` does."""
        return await self._operate(via, "remove", map, key, "", within, patience)

    async def work(
        self,
        via: str | Sequence[str],
        *,
        map: str = "data",
        clients: int = 1,
        keys: int = 10,
        size: int = 0,
        writes_percent: int = 50,
        operations: int | None = None,
        pause: Micros = 10 * MILLISECOND,
    ) -> Work:
        """Starts `clients` clients at each of these nodes. Each writes and reads `keys` keys of its own, one operation
        at a time, with a `pause` between two. Each does `operations` operations, or goes on until it is stopped.
        `size`: bytes of a value."""
        nodes = self._all_known(via)
        if not nodes or len(set(nodes)) < len(nodes):
            raise ScriptError("work takes at least one node, and each once")
        whole(clients, "the number of clients", least=1)
        whole(keys, "the number of keys of a client", least=1)
        if whole(size, "the size of a value") > LARGEST_VALUE:
            raise ScriptError(f"a value has at most {LARGEST_VALUE} bytes")
        if whole(writes_percent, "writes_percent") > 100:
            raise ScriptError(f"writes_percent is at most 100, not {writes_percent}")
        if operations is not None:
            whole(operations, "the number of operations of a client", least=1)
        if whole(pause, "the pause between two operations") < MILLISECOND and operations is None:
            raise ScriptError("work without a number of operations takes a pause of at least a millisecond")
        self._is_map(map)
        number = self._next_client()
        names = {node: f"load{number}-{node}" for node in nodes}
        ends = "" if operations is None else f", {operations} operations each"
        who = "1 client" if clients == 1 else f"{clients} clients"
        each, works = " each" * (len(nodes) > 1), "works" if clients == 1 else "work"
        self._step(f"{who}{each} at {', '.join(nodes)} {works} on {keys} keys each of {map}{ends}")
        for node in nodes:
            amount = (clients, keys, size, writes_percent, operations, pause)
            await self._command(node, WorkCommand(names[node], map, *amount), "work")
        seen = self._world.observed.nodes
        at = tuple(
            (node, seen[node].incarnation, tuple(f"{names[node]}.{n + 1}" for n in range(clients))) for node in nodes
        )
        return Work(number, at, operations)

    async def stop_work(self, work: Work, *, within: Micros | None = None) -> None:
        """No client of this work begins another operation. Goes on when the last ones have returned."""
        work = _is_work(work)
        self._step(f"stop the work of {', '.join(node for node, _, _ in work.clients)}")
        for node, _, _ in work.clients:
            if not self._world.observed.nodes[node].ended:
                # After a merge they work on under its next identity; a member that was restarted has none of them.
                stop = StopWorkCommand(f"load{work.number}-{node}")
                await Act(Command(node, stop), f"stop_work at {node}")  # if it ends meanwhile that is as good
        await self._met(conditions.idle(work.clients), self._time(within))

    async def until_worked(self, work: Work, *, within: Micros) -> None:
        """Goes on when each client of this work has done its operations, or its node has ended."""
        if _is_work(work).operations is None:
            raise ScriptError("until_worked takes work with a number of operations: this one has no end")
        self._step(f"until the work of {', '.join(node for node, _, _ in work.clients)} is done", StepKind.WAITS)
        await self._met(conditions.worked(work.clients, work.operations or 0), whole(within, "within"))

    async def read_back(self, via: str, *, map: str = "data", within: Micros | None = None) -> Reading:
        """A client at this node reads every key that any client has asked to put or to remove so far."""
        self._is_map(map)
        keys = tuple(self._world.observed.written.get(map, ()))
        if not keys:
            raise ScriptError(f"nobody has written to {map}: there is nothing to read back")
        self._step(f"read back {len(keys)} keys of {map} at {self._known(via)}")
        client = f"read{self._next_client()}"
        life = await self._command(via, ReadCommand(client, map, keys), "read_back")
        time = self._time(within) + len(keys) * self.settings.operation_retry
        await self._met(conditions.returned(via, life, client, len(keys)), time)
        return Reading(len(keys), dict(self._client(via, life, client).outcomes))

    async def take_stock(self, *, within: Micros | None = None) -> dict[str, StockTaken]:
        """All awake nodes report what they hold. Returns it by name of the node, without nodes that end meanwhile."""
        self._step("take stock")
        asked: list[tuple[str, Uuid, int]] = []
        for node in self._world.observed.awake():
            asked.append((node.name, node.incarnation, node.partitions.stocks_taken + 1))
            await Act(Command(node.name, TakeStockCommand()), f"take_stock at {node.name}")
        for each in asked:
            await self._met(conditions.stock_taken(*each), self._time(within))
        seen = self._world.observed.nodes
        taken = {name: (seen[name], incarnation) for name, incarnation, _ in asked}
        return {
            name: node.partitions.stock
            for name, (node, incarnation) in taken.items()
            if node.incarnation == incarnation and node.partitions.stock is not None
        }

    async def _operate(
        self, via: str, does: Does, map: str, key: str, value: str, within: Micros | None, patience: Micros | None
    ) -> Result:
        self._is_map(map)
        if not isinstance(key, str) or not 0 < len(key) <= 200:
            raise ScriptError(f"a key is a text of 1 to 200 letters, not {key!r}")
        if within is not None and patience is not None:
            raise ScriptError(f"{does} takes within (or the run has failed) or patience (or it is unknown), not both")
        time = self._time(within)
        # With more patience than any operation takes, the caller would never hear of one that does not return.
        impatient = patience is not None and whole(patience, "patience") < time
        enough = patience if patience is not None and impatient else time + self._world.allowance
        self._step(f"{does} {key}{f' = {value[:40]}' if value else ''} of {map} at {self._known(via)}")
        client = f"script{self._next_client()}"
        life = await self._command(via, OperateCommand(client, does, map, key, value), does)
        why_not = await Until(conditions.returned(via, life, client), self._world.now() + enough)
        seen = self._world.observed
        last = self._client(via, life, client).last
        if last is not None:
            found = last.value.partition(" ")[0] if last.value is not None else None
            return Result(last.outcome, found, seen.holders_of(last.holders), last.reason, last.why)
        if why_not is None:
            return Result("unknown", None, (), f"{via} has ended")
        if seen.nodes[via] not in seen.awake():
            return Result("unknown", None, (), f"{via} is paused or holds")
        not_yet = f"has not returned within {enough / SECOND:g} s"
        if impatient:
            return Result("unknown", None, (), not_yet)
        advice = "; with patience= instead of within= its outcome would be unknown" if within is not None else ""
        raise Unmet(f"{does} {key} at {via} {not_yet}{advice}")

    async def _command(self, node: str, command: DataCommand, verb: str) -> Uuid:
        """By which incarnation it was taken; a node that does not run takes none, and that is the script's mistake."""
        receipt = await Act(Command(node, command), f"{verb} at {node}")
        if isinstance(receipt, NoEffect):
            raise ScriptError(f"{verb} at {node}: {receipt}")
        return self._world.observed.nodes[node].incarnation

    def _client(self, node: str, life: Uuid, client: str) -> ClientSeen:
        seen = self._world.observed.nodes[node]
        return seen.partitions.client(client) if seen.incarnation == life else ClientSeen()

    def _next_client(self) -> int:
        self._clients += 1
        return self._clients

    def _time(self, within: Micros | None) -> Micros:
        return self.bounds.operation if within is None else whole(within, "within")

    def _is_map(self, name: str) -> None:
        maps = self.settings.backup_counts
        if name not in maps:
            raise ScriptError(f"there is no map {name}; the setting maps has {', '.join(maps)}")


def _is_work(work: object) -> Work:
    if not isinstance(work, Work):
        raise ScriptError(f"that takes what work gave when it was awaited, not {type(work).__name__}")
    return work
