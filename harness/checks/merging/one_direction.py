"""The direction of a merge (rulings 4.1 and 4.7).

The check reads what the merging master tells, and the lists that the other master held. The merging part still has the
list that it asked with. Its master leads that list, claims nothing and migrates nothing, and nobody of the other part
is in the list."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, Watch, counted
from shaketable.harness.checks.shared.goes_over import goes_over
from shaketable.harness.checks.shared.merges import Journey, Merge, Merges
from shaketable.harness.history.history import History, Install
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import NodeEnded, Record, tells
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.events import (
    ClaimFinished,
    ClaimStarted,
    MergeBegan,
    MigrationBegan,
    MigrationFinished,
    MigrationRequested,
    SplitBrainSearchBegan,
    ViewInstalled,
)
from shaketable.node.messages import Member

NAME: Final = "one direction"
RULE: Final = (
    "Of two parts of a cluster, the one with fewer data members goes over, or of equal ones the one with the larger "
    "master address. All its members go to the same part, which does not go over to them meanwhile."
)
NEEDS: Final = (
    IfSeen(ClaimFinished, (ClaimStarted,)),
    MergeBegan,
    IfSeen(MigrationFinished, (MigrationRequested, MigrationBegan)),
    SplitBrainSearchBegan,
    ViewInstalled,
)


def check(history: History, bounds: Bounds) -> CheckResult | Watch:
    judge = _Judge(history)
    return judge if judge.merges.merges or judge.merges.journeys else judge.result()


class _Judge:
    def __init__(self, history: History) -> None:
        self._history = history
        self._findings = Findings(history)
        self.merges = Merges(history)
        self._by_record = {merge.record: merge for merge in self.merges.merges}
        self._asked: dict[str, Record[SplitBrainSearchBegan]] = {}
        """by identity: its last search"""
        self._unproven = 0

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        event = record.event
        if tells(record, SplitBrainSearchBegan):
            self._asked[record.incarnation] = record
        elif isinstance(event, MergeBegan) and node is not None:
            merge = self._by_record[record]
            for wrong in (*_gates(node, event), *self._by_its_list(merge), *self._by_theirs(merge)):
                self._accuse(merge, wrong)

    def result(self) -> CheckResult:
        for one, other in combinations(self.merges.merges, 2):
            self._against_each_other(one, other)
        for journey in self.merges.journeys:
            if self.merges.of(journey) is None:
                self._on_its_own(journey)
        many, ways = len(self.merges.merges), len(self.merges.journeys)
        looked_at = f"{counted(many, 'merge')} with {counted(ways, 'member')} that went over"
        notes = [f"{counted(self._unproven, 'merge')} of which a killed member cannot tell"] if self._unproven else []
        return self._findings.result(NAME, RULE, looked_at, many + ways, notes=notes)

    def _by_its_list(self, merge: Merge) -> Iterator[str]:
        search = self._asked.get(merge.record.incarnation)
        if search is None:
            yield "and has never looked for other parts"
            return
        asked = search.event
        if asked.version != merge.event.version:
            yield f"with v{merge.event.version}, and had asked with v{asked.version}"

    def _by_theirs(self, merge: Merge) -> Iterator[str]:
        """Each list that the other part held since it was asked is enough."""
        search, event = self._asked.get(merge.record.incarnation), merge.event
        held = list(self._held(event.peer, search or merge.record, merge.record))
        if not held:
            self._unproven += 1
            return
        names = self._history.names
        here = {member.address for member in event.members}
        last = held[-1].view.members
        if all(not here.isdisjoint(member.address for member in install.view.members) for install in held):
            both = names.members(member for member in event.members if any(m.address == member.address for m in last))
            yield f"and both lists have {both}"
        elif not any(goes_over(event.members, install.view.members) for install in held):
            yield f"with {names.members(event.members)}, and {names.members(last)} is to come to it"

    def _held(self, master: Member, asked: Record, began: Record) -> Iterator[Install]:
        process = self._history.by_uuid.get(master.uuid)
        if process is None or not process.installs:
            return
        before = [i for i in process.installs if i.record.time <= asked.time][-1:]
        yield from before
        yield from (i for i in process.installs if asked.time < i.record.time <= began.time)

    def _against_each_other(self, one: Merge, other: Merge) -> None:
        if other.begin > one.end(self._history) or one.begin > other.end(self._history):
            return
        if not (_is_in(one.event.peer, other) and _is_in(other.event.peer, one)):
            return
        first, second = sorted((one, other), key=lambda merge: merge.record)
        names = self._history.names
        who, whom = self._history.name(second.master), names.member(second.event.peer)
        said = f"{who} begins to merge into {whom}, whose part has been on its way to it since {rounded(first.begin)}."
        self._findings.add(said, [first.record, second.record])

    def _on_its_own(self, journey: Journey) -> None:
        """Its master had not begun that, as far as it told."""
        master = journey.former.following
        leader = self._history.by_uuid.get(master.uuid) if master is not None else None
        if leader is not journey.former and (leader is None or _was_killed(leader.ended)):
            self._unproven += 1
            return
        who, whom = self._history.name(journey.former), self._history.names.member(journey.event.peer)
        self._findings.add(f"{who} goes over to {whom}, and its master has not begun that with it.", [journey.record])

    def _accuse(self, merge: Merge, wrong: str) -> None:
        who, whom = self._history.name(merge.master), self._history.names.member(merge.event.peer)
        search = self._asked.get(merge.record.incarnation)
        proof = [merge.record] if search is None else [search, merge.record]
        self._findings.add(f"{who} begins to merge into {whom} {wrong}.", proof)


def _gates(node: NodeSeen, event: MergeBegan) -> Iterator[str]:
    if node.master is None or node.master.uuid != node.incarnation:
        yield "and is no master"
    if node.claiming:
        yield "in the middle of a claim"
    if (node.version, node.members) != (event.version, event.members):
        yield "with another list than it holds"
    if node.partitions.under_way:
        yield "in the middle of a migration"


def _is_in(member: Member, merge: Merge) -> bool:
    return any(member.uuid == other.uuid for other in merge.event.members)


def _was_killed(ended: Record | None) -> bool:
    """The last words of a killed process may be lost."""
    return ended is not None and isinstance(ended.event, NodeEnded)
