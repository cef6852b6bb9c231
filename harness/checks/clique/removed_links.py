"""Of the check "best clique": no link stays up between the members that stay and those that left by a decision.

From text 2.1, figure 3: a member that gets the new list drops its connection to each member that the list lacks. After
the settle bound no side has a link up to the address of a member that its list no longer has. This holds as long as
neither has the other in its list."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

from shaketable.harness.checks.clique.decisions import Decided
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import LinkClosed, LinkDown, LinkUp
from shaketable.node.messages import Address, Member, Uuid


class StillUp(NamedTuple):
    process: Process
    to: Member
    proof: Record


class RemovedLinks:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances

    @cached_property
    def _told(self) -> dict[tuple[Uuid, Address], list[Record]]:
        """Of each process's link to an address, in its order: up, down, hung up."""
        told: dict[tuple[Uuid, Address], list[Record]] = {}
        kinds: tuple[type[LinkUp | LinkDown | LinkClosed], ...] = LinkUp, LinkDown, LinkClosed
        for kind in kinds:
            for record in self._history.of(kind):
                told.setdefault((record.incarnation, record.event.address), []).append(record)
        for records in told.values():
            records.sort(key=lambda record: record.sequence)
        return told

    def judge(self, decided: Decided, settle: Micros) -> tuple[list[StillUp], bool]:
        """The links that are still up though they should not be; and whether the run ended before they had to be down,
        and they were not."""
        due = decided.record.time + settle
        at = min(due, self._history.end)
        up: list[StillUp] = []
        pending = False
        for leaver in decided.event.leave:
            for stayer in decided.stay:
                for one, other in ((stayer, leaver), (leaver, stayer)):
                    process = self._awake(one, at)
                    if process is None or self._awake(other, at) is None:
                        continue
                    proof = self._up_since(process, other, at)
                    apart = self._apart(one, other, at)
                    if at < due:
                        pending = pending or apart is None or proof is not None
                    elif proof is not None and apart is not None:
                        own = self._all.bounds_of(process.node)
                        if max(proof.time, apart) <= at - own.hanging_up:
                            up.append(StillUp(process, other, proof))
        return up, pending

    def _awake(self, member: Member, at: Micros) -> Process | None:
        """It lived then, and was not stopped on the way there."""
        process = self._history.by_uuid.get(member.uuid)
        if process is None or (process.ended is not None and process.ended.time <= at):
            return None
        hanging_up = self._all.bounds_of(process.node).hanging_up
        return None if self._all.stopped(process.node, at - hanging_up, at) else process

    def _up_since(self, process: Process, other: Member, at: Micros) -> Record | None:
        """What told that its link there is up; None: it is not."""
        told = self._told.get((process.uuid, other.address), [])
        place = bisect_right(told, at, key=lambda record: record.time)
        found: Record | None = None
        for record in reversed(told[:place]):
            if not isinstance(record.event, LinkUp):
                break
            found = record
        return found

    def _apart(self, one: Member, other: Member, at: Micros) -> Micros | None:
        """Since when neither of them has had the other's address in its list; None: one has, or the first never had."""
        installs = self._history.by_uuid[one.uuid].installs
        if not any(m.address == other.address for install in installs for m in install.view.members):
            return None
        begins = self._without(one, other, at), self._without(other, one, at)
        return None if begins[0] is None or begins[1] is None else max(begins[0], begins[1])

    def _without(self, one: Member, other: Member, at: Micros) -> Micros | None:
        begin: Micros | None = None
        for install in reversed(self._history.by_uuid[one.uuid].installs):
            if install.record.time > at:
                continue
            if any(m.address == other.address for m in install.view.members):
                return begin
            begin = install.record.time
        return begin
