"""The data of a part that goes over to another part, by the merge policies (rulings 7.4).

- The master's table says what a member owns. Data of a crashed member are set aside from a backup (left_behind.py). The
  last write that was acknowledged before the member went over counts.
- A member that is ready has its master's table, or a newer one: by an older one it may not own what it sets aside.
- Each entry is kept, lost or given up. An identity need not tell which if it ended before, or had no time left.
- The policy decides what is kept, by what the other part had acknowledged until then.

"No lost data" asks whether it can be read afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.data.kept_writes import Judge
from shaketable.harness.checks.data.left_behind import LeftBehind
from shaketable.harness.checks.data.merged_policies import PolicyJudge
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.merged_entries import decisions
from shaketable.harness.checks.shared.merges import Merges
from shaketable.harness.checks.shared.operations import Key, Operation, operations
from shaketable.harness.checks.shared.tables import in_order, not_after
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    EntriesGivenUp,
    EntriesMerged,
    EntriesSetAside,
    MasterFollowed,
    MergeBegan,
    MergeDataDone,
    Merging,
    OperationCalled,
    OperationReturned,
    TableChanged,
    TableInstalled,
    ViewInstalled,
)
from shaketable.node.messages import PrepareMerge, Uuid

NAME: Final = "merged data"
RULE: Final = (
    "A member that goes over to another part sets aside all that it owns, or has of a crashed member, and nothing "
    "else, with the last acknowledged write to each key. Its next identity tells what became of each entry and why, by "
    "the policy of its map."
)
NEEDS: Final = (EntriesGivenUp, EntriesMerged, EntriesSetAside, MasterFollowed, Merging, ViewInstalled)
Entry = tuple[str, str, str]
"""map, key, value"""


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    if not history.of(Merging):
        return findings.result(NAME, RULE, "no merge", 0)
    keys = operations(history).keys
    judge = Judge(history, bounds, findings)
    merged = _MergedData(history, findings, judge)
    for told in in_order(history, (EntriesSetAside,)):
        merged.sets_aside(told)
    for record in in_order(history, (Merging,)):
        merged.goes_over(record, keys)
    behind = merged.behind(bounds)
    policies = PolicyJudge(history, bounds, findings, judge)
    for decision in decisions(history):
        policies.judge(decision, keys.get((decision.event.map, decision.key)))
    ends = ", ".join(f"{many} {end}" for end, many in merged.ends.items())
    looked_at = f"{counted(merged.entries, 'entry', 'entries')} set aside by {counted(merged.members, 'member')}"
    looked_at += f"; {ends}" if ends else ""
    notes = [f"{counted(policies.judged, 'decision')} held against what the other part had acknowledged"]
    if policies.unsure:
        notes.append(f"{counted(policies.unsure, 'decision')} not judged: nobody knows what was there")
    if merged.astray:
        notes.append(
            f"{counted(merged.astray, 'entry', 'entries')} with a member that ended before it had brought them"
        )
    if behind.astray:
        notes.append(f"{counted(behind.astray, 'partition')} with a member that ended before it had gone")
    if behind.lost:
        notes.append(
            f"{counted(behind.lost, 'partition')} of which no member that went held anything: lost with those that did"
        )
    count = merged.entries or merged.members
    return findings.result(NAME, RULE, looked_at, count, pending=merged.pending, notes=notes)


class _MergedData:
    def __init__(self, history: History, findings: Findings, judge: Judge) -> None:
        self.members = self.entries = self.pending = self.astray = 0
        self.ends: Counter[str] = Counter()
        self._history = history
        self._findings = findings
        self._judge = judge
        self._set_aside = {record.incarnation: record for record in in_order(history, (EntriesSetAside,))}
        self._done = {record.incarnation: record for record in in_order(history, (MergeDataDone,))}
        self._merges = Merges(history)
        self._next = {journey.former.uuid: journey.next for journey in self._merges.journeys}
        """None: its process was killed before there was one"""
        self._began_with = _began_with(history)
        self._first_table: dict[Uuid, Micros] = {}
        for record in in_order(history, (TableInstalled, TableChanged)):
            self._first_table.setdefault(record.incarnation, record.time)
        self._told: dict[Uuid, dict[Entry, str]] = {}
        for record in in_order(history, (EntriesMerged, EntriesGivenUp, EntriesSetAside)):
            self._told.setdefault(record.incarnation, {}).update(_told(record))

    def behind(self, bounds: Bounds) -> LeftBehind:
        """Of those who did not go."""
        behind = LeftBehind(self._history, bounds, self._findings, self._judge.line_of, self._set_aside)
        behind.judge(self._merges)
        return behind

    def sets_aside(self, record: Record[EntriesSetAside]) -> None:
        """By its own table it holds each of these partitions. When all are told to set aside what they own, nobody of
        its list stands before it there."""
        process = self._history.by_uuid.get(record.incarnation)
        rows = self._judge.line_of(process, record.time).rows_of(record.event.version) if process is not None else None
        if process is None or rows is None:
            return
        everybody = record.cause is not None and record.cause.kind == PrepareMerge.__name__
        who = self._history.names.process(record.node, process.uuid)
        theirs = self._began_with.get(process.followed_at(record.time) or "", 0) if everybody else 0
        if record.event.version < theirs:
            said = f"{who} is ready to go over with table {record.event.version}, and its master began with {theirs}."
            self._findings.add(said, [record])
        installs = [install for install in process.installs if not_after(install.record, record)]
        listed = {member.uuid for member in installs[-1].view.members} if everybody and installs else set()
        others = []
        for partition in record.event.partitions:
            row = rows.get(partition, ())
            if process.uuid not in row or not listed.isdisjoint(row[: row.index(process.uuid)]):
                others.append(partition)
        if others:
            what = f"{counted(len(others), 'partition')}, {', '.join(map(str, others[:8]))}"
            self._findings.add(f"{who} sets aside {what}, and another one owns that.", [record])

    def goes_over(self, record: Record, keys: dict[tuple[str, str], Key]) -> None:
        """A member has said its last word under this identity."""
        process = self._history.by_uuid.get(record.incarnation)
        aside = self._set_aside.get(record.incarnation)
        if process is None:
            return
        event = aside.event if aside is not None else None
        assert event is None or isinstance(event, EntriesSetAside)
        line = self._judge.line_of(process, record.time)
        # A member that was cut off before its first table came owns nothing, whatever its master has put there.
        has_a_table = self._first_table.get(process.uuid, record.time + 1) <= record.time
        owned = line.owned_by(process.uuid, record.time) if has_a_table else []
        left = [partition for partition in owned if event is None or partition not in event.partitions]
        if left:
            who = self._history.names.process(record.node, record.incarnation)
            what = f"{counted(len(left), 'partition')} that it owns, {', '.join(map(str, left[:8]))}"
            self._findings.add(f"{who} goes over and leaves {what}.", [record] if aside is None else [aside, record])
        if aside is None or event is None:
            return
        self.members += 1
        self.entries += len(event.entries)
        held = {(name, key): value for name, key, value in event.entries}
        judged = dict.fromkeys(owned, True)
        in_stead = dict.fromkeys(event.partitions, True)
        for key in keys.values():
            if key.several_at_once:
                continue
            read = _as_read(record, key, held.get((key.map, key.name)))
            # In the stead of another one it sets aside what it has: that one may not have heard it say so.
            if key.partition in judged or (key.partition in in_stead and self._holds(process, key, read)):
                self._judge.judge(key, read, "sets aside", (aside, record))
        self._account(aside, event, process)

    def _holds(self, process: Process, key: Key, read: Operation) -> bool:
        """The last write that counts, as far as it was told."""
        fate = self._judge.last_kept(key, read)[1]
        return fate is not None and process.uuid in fate.holders

    def _account(self, aside: Record, event: EntriesSetAside, former: Process) -> None:
        process = self._next.get(former.uuid)
        told = self._told.get(process.uuid, {}) if process is not None else {}
        missing = []
        for entry in (*event.entries, *event.not_brought):
            if entry in told:
                self.ends[told[entry]] += 1
            elif process is None or process.ended is not None:
                self.astray += 1
            elif process.uuid in self._done:
                missing.append(entry)
            else:
                self.pending += 1
        if missing and process is not None:
            name, key, value = missing[0]
            who = self._history.names.process(aside.node, process.uuid)
            more = f", nor of {len(missing) - 1} more" if missing[1:] else ""
            said = f"{who} never tells what became of {value!r} at {key} of {name}{more}, which it was to bring."
            self._findings.add(said, [aside, self._done[process.uuid]])


def _began_with(history: History) -> dict[Uuid, int]:
    """By master: the version of its table when it had its cluster go over. It begins that once: there is no way back,
    and its next identity is another master."""
    version: dict[Uuid, int] = {}
    found: dict[Uuid, int] = {}
    for record in in_order(history, (MergeBegan, TableChanged, TableInstalled)):
        if isinstance(record.event, MergeBegan):
            found[record.incarnation] = version.get(record.incarnation, 0)
        elif isinstance(record.event, TableChanged | TableInstalled):
            version[record.incarnation] = record.event.version
    return found


def _told(record: Record) -> Iterator[tuple[Entry, str]]:
    event = record.event
    if isinstance(event, EntriesMerged):
        for key, value, outcome, _, reason in event.entries:
            yield (event.map, key, value), outcome if outcome in ("kept", "there") else f"{outcome} ({reason})"
    elif isinstance(event, EntriesGivenUp):
        for entry in event.entries:
            yield entry, f"given up ({event.reason})"
    elif isinstance(event, EntriesSetAside):
        for entry in event.not_brought:
            yield entry, "set aside once more"


def _as_read(merging: Record, key: Key, value: str | None) -> Operation:
    """The value set aside is the one that a get would have found just before this identity ended."""
    call = OperationCalled("", 0, "get", key.map, key.name, "", key.partition)
    before = merging._replace(time=merging.time - 1)
    return Operation(before, call, before, OperationReturned("", 0, "ok", value, (), 0, "", None))
