"""How a member's master and list may change (text 1.9 and 1.5).

An event's reason is not believed: beside a change must stand the event that belongs to it (finalize join, claim
started, claim accepted, claim finished, member removed). A follower's list must be one that its master made. Another
test looks at what is sent to a suspect (tests/harness/worlds/sim/test_no_heartbeat_to_suspects.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, Watch, counted
from shaketable.harness.checks.shared.not_its_own import NOT_OF_THE_MEMBER
from shaketable.harness.history.history import History, Key
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.events import (
    ClaimConsented,
    ClaimFinished,
    ClaimStarted,
    Event,
    Joined,
    MasterFollowed,
    MemberRemoved,
    Started,
    SuspicionEnded,
    ViewInstalled,
)
from shaketable.node.messages import Member, Uuid

NAME: Final = "following"
RULE: Final = (
    "A member follows another master only by finalize join, its own claim or a claim that it accepts. A follower's "
    "list changes only by its master's list or its own finished claim, a master's list only by its own joins and "
    "removals."
)
NEEDS: Final = (
    ClaimConsented,
    ClaimFinished,
    ClaimStarted,
    Joined,
    MasterFollowed,
    MemberRemoved,
    Started,
    ViewInstalled,
)

_NOT_JOINED: Final = "installs its first list, and does not say that it has joined"


def check(history: History, bounds: Bounds) -> Watch:
    return _Judge(history, bounds)


@dataclass(slots=True)
class _Process:
    """What was told last by one process, as far as the next event has to fit it."""

    last: Record | None = None
    turned: Record[MasterFollowed] | None = None
    """it follows somebody, and its next event has to say why"""
    joining: Record | None = None
    """it installed its first list, and is to say next that it has joined"""
    removed: dict[Uuid, int] = field(default_factory=dict)
    """members that the next list leaves out, and in which version"""


class _Judge:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self.findings = Findings(history)
        self.turns = self.installs = self.unproven = 0
        self._history = history
        self._bounds = bounds
        self._processes: dict[tuple[str, Uuid], _Process] = {}
        self._made: dict[Uuid, set[Key]] = {}
        """by each process: the lists that it installed as its own, or published"""
        for process in history.processes.values():
            keys = [*(install.key for install in process.installs), *(publish.key for publish in process.publishes)]
            self._made[process.uuid] = {key for key in keys if key[1] == process.uuid}

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        if node is None or type(record.event) in NOT_OF_THE_MEMBER:
            return
        key = record.node, record.incarnation
        process = self._processes.get(key)
        if process is None:
            process = self._processes[key] = _Process()
        event = record.event
        if process.turned is not None:
            self._explain(record, node, process, process.turned)
        elif process.joining is not None and type(event) is not Joined:
            self._accuse(record, process.joining, _NOT_JOINED)
            process.joining = None
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, record, event, node, process)
        consented = process.last is not None and type(process.last.event) is ClaimConsented
        if not (consented and type(event) is SuspicionEnded):  # the suspicion of whose claim was accepted ends
            process.last = record

    def _explain(self, record: Record, node: NodeSeen, process: _Process, turned: Record[MasterFollowed]) -> None:
        process.turned = None
        claims = isinstance(record.event, ClaimStarted) and turned.event.master.uuid == record.incarnation
        joins = isinstance(record.event, ViewInstalled) and not node.joined
        if not claims and not joins:
            self._turned_without_reason(turned, record)

    def _turned_without_reason(self, turned: Record[MasterFollowed], after: Record | None = None) -> None:
        whom = self._history.names.member(turned.event.master)
        said = f"follows {whom}, and neither joins, nor claims the mastership, nor has accepted a claim of {whom}"
        self._accuse(after or turned, turned, said)

    def result(self) -> CheckResult:
        self._end()
        looked_at = f"{counted(self.turns, 'change')} of master and {counted(self.installs, 'install')}"
        unproven = self.unproven
        notes = [f"{counted(unproven, 'list')} that a killed master did not tell of"] if unproven else []
        return self.findings.result(NAME, RULE, looked_at, self.turns + self.installs, notes=notes)

    def _end(self) -> None:
        """A process that lives on has explained its last words, unless it was stopped over them or the run ended with
        them."""
        history = self._history
        for key, process in self._processes.items():
            open_: Record | None = process.turned or process.joining
            if open_ is None or open_.time + self._bounds.allowance >= history.end:
                continue
            life = history.processes[key]
            if life.ended is not None or not history.executing(life):
                continue
            if process.turned is None:
                self._accuse(open_, None, _NOT_JOINED)
            else:
                self._turned_without_reason(process.turned)

    # Each of these judges one kind of event.

    def _followed(
        self, record: Record[MasterFollowed], event: MasterFollowed, node: NodeSeen, process: _Process
    ) -> None:
        self.turns += 1
        before = process.last.event if process.last is not None else None
        if not isinstance(before, ClaimConsented) or before.peer != event.master:
            process.turned = record

    def _claim_started(self, record: Record, event: ClaimStarted, node: NodeSeen, process: _Process) -> None:
        if node.master is None or node.master.uuid != record.incarnation:
            self._accuse(record, process.last, f"claims the mastership while it follows {self._whom(node)}")

    def _joined(self, record: Record, event: Joined, node: NodeSeen, process: _Process) -> None:
        if process.joining is None:
            self._accuse(record, process.last, "says that it has joined, and has not just got its first list")
        elif event.founded != (node.master is not None and node.master.uuid == record.incarnation):
            how = "founds a cluster" if event.founded else "has joined a cluster"
            self._accuse(record, process.joining, f"{how} while it follows {self._whom(node)}")
        process.joining = None

    def _removed(self, record: Record, event: MemberRemoved, node: NodeSeen, process: _Process) -> None:
        process.removed[event.peer.uuid] = event.version
        if node.master is None or node.master.uuid != record.incarnation or node.claiming:
            who = "in the middle of its claim" if node.claiming else f"while it follows {self._whom(node)}"
            self._accuse(record, None, f"removes {self._history.names.member(event.peer)} {who}")

    def _installed(self, record: Record, event: ViewInstalled, node: NodeSeen, process: _Process) -> None:
        self.installs += 1
        removed, process.removed = process.removed, {}
        before = process.last.event if process.last is not None else None
        if not node.joined:
            process.joining = record
        if node.master is None or node.master != event.master:
            told = "that it follows nobody" if node.master is None else f"that it follows {self._whom(node)}"
            whom = self._history.names.member(event.master)
            self._accuse(record, None, f"installs v{event.version} as one who follows {whom}, after it had told {told}")
        elif node.claiming:
            self._accuse(record, None, f"installs v{event.version} in the middle of its claim")
        elif isinstance(before, ClaimFinished):
            if (before.version, before.members) != (event.version, event.members):
                said = f"installs v{event.version} {self._listed(event.members)}, which its claim did not end with"
                self._accuse(record, process.last, said)
        elif node.master.uuid != record.incarnation:
            self._of_its_master(record, event, node.master)
        elif node.joined:
            self._of_its_own(record, event, node, removed)

    def _of_its_master(self, record: Record, event: ViewInstalled, master: Member) -> None:
        if (event.version, event.author) in self._made.get(master.uuid, ()):
            return
        process = self._history.by_uuid.get(master.uuid)
        if process is not None and process.ended is not None and event.author == master.uuid:
            self.unproven += 1  # the last words of a killed member may be lost
            return
        names = self._history.names
        said = f"installs v{event.version} {self._listed(event.members)} by {names.author(event.author)}"
        self._accuse(record, None, f"{said}, a list that its master {names.member(master)} never made")

    def _of_its_own(self, record: Record, event: ViewInstalled, node: NodeSeen, removed: dict[Uuid, int]) -> None:
        before, after = node.members, event.members
        if after[: len(before)] == before:
            return
        said = f"is master and installs v{event.version} {self._listed(after)} after {self._listed(before)}"
        listed = {m.uuid: True for m in after}
        staying = [m for m in before if m.uuid in listed]
        for member in before:
            if member.uuid not in listed and removed.get(member.uuid) != event.version:
                name = self._history.names.member(member)
                self._accuse(record, None, f"{said}: it never told that it removes {name} in that version")
        if list(after[: len(staying)]) != staying:
            self._accuse(record, None, f"{said}: a member that stays keeps its place, and a joiner is the youngest")

    def _accuse(self, record: Record, other: Record | None, said: str) -> None:
        who = self._history.names.process(record.node, record.incarnation)
        proof = [other, record] if other is not None and other is not record else [record]
        self.findings.add(f"{who} {said}.", proof)

    def _whom(self, node: NodeSeen) -> str:
        return self._history.names.member(node.master) if node.master is not None else "nobody"

    def _listed(self, members: tuple[Member, ...]) -> str:
        return self._history.names.members(members)


_HANDLERS: Final[dict[type[Event], Callable[[_Judge, Record[Any], Any, NodeSeen, _Process], None]]] = {
    MasterFollowed: _Judge._followed,
    ClaimStarted: _Judge._claim_started,
    Joined: _Judge._joined,
    MemberRemoved: _Judge._removed,
    ViewInstalled: _Judge._installed,
}
