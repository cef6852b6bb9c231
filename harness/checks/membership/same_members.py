"""Agreement at the end of the run, for systems whose members are a set without versions: name it in `own_checks`.

It is unknown where the run ended before the settle bound after the last fault."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import Check, CheckResult, Findings, counted
from shaketable.harness.checks.shared.ending import to_the_end
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.events import MembersSeen

NAME: Final = "same members"
RULE: Final = "At the end all whom a live member takes for alive are alive, and see the same members."


def check(history: History, bounds: Bounds) -> CheckResult:
    last = {record.incarnation: record for record in history.of(MembersSeen) if record.time <= history.end}
    living = [p for p in history.processes.values() if p.alive and p.uuid in last and history.executing(p)]
    findings = Findings(history)
    looked_at = f"{counted(len(living), 'live member')} at the end of the run"
    names = history.names
    for process in living:
        record = last[process.uuid]
        members = frozenset(record.event.members)
        for member in record.event.members:
            other = history.by_uuid.get(member.uuid)
            said = f"{history.name(process)} sees {names.members(record.event.members)}, and {names.member(member)}"
            if other is None or not other.alive:
                gone = [] if other is None or other.ended is None else [other.ended]
                findings.add(f"{said} is gone.", to_the_end(history, [record, *gone]))
            elif member.uuid not in last:
                findings.add(f"{said} sees nobody.", to_the_end(history, [record]))
            elif members != frozenset(last[member.uuid].event.members):
                theirs = last[member.uuid]
                sees = f"{said} sees {names.members(theirs.event.members)}."
                findings.add(sees, to_the_end(history, [record, theirs]))
    due = history.calm + bounds.settle()
    if findings and history.end < due:
        early = f"the run ended {rounded(due - history.end)} before the settle bound was over"
        return Findings(history).result(NAME, RULE, looked_at, len(living), unknown=True, notes=[early])
    return findings.result(NAME, RULE, looked_at, len(living))


SAME_MEMBERS: Final = Check(NAME, RULE, check, needs=(MembersSeen,))
