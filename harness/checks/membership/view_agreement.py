"""M2, view agreement (text 1.4), as far as a run that ends can show it.

The text's "immediate successor" would forbid its own example, where members skip views. The end of q is no excuse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History, Install, Key, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import ViewInstalled
from shaketable.node.messages import Member, Uuid

NAME: Final = "view agreement"
RULE: Final = (
    "A process installs a view that has q in it. Within the settle bound q installs that view or a later one of that "
    "process, or that process installs a later view without q, or ends."
)
NEEDS: Final = (ViewInstalled,)

Times = dict[Uuid, Micros]
"""When each process first installed one view."""


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    bound = bounds.settle()
    installed = _first_installs(history)
    pending = judged = 0
    for process in history.processes.values():
        deadlines = [max(install.record.time, history.calm) + bound for install in process.installs]
        if all(_by_everybody(i, installed[i.key], at) for i, at in zip(process.installs, deadlines, strict=True)):
            judged += sum(len(install.view.members) for install in process.installs)
            continue
        able = not process.alive or history.executing(process)
        discharges = _discharges(process, installed)
        for install, deadline, discharged in zip(process.installs, deadlines, discharges, strict=True):
            for q in install.view.members:
                at = discharged[q.uuid]
                if at is not None and at <= deadline:
                    judged += 1
                elif deadline > history.end or not able:
                    pending += 1
                else:
                    judged += 1
                    findings.add(
                        _sentence(history, process, install, q, at, bound), _proof(history, process, install, q)
                    )
    looked_at = f"{counted(judged, 'mention')} of members in installed views"
    if pending:
        looked_at += f", {pending} more were still pending when the run ended"
    return findings.result(NAME, RULE, looked_at, judged, pending=pending)


def _first_installs(history: History) -> dict[Key, Times]:
    installed: dict[Key, Times] = {}
    for process in history.processes.values():
        for install in process.installs:
            installed.setdefault(install.key, {}).setdefault(process.uuid, install.record.time)
    return installed


def _by_everybody(install: Install, times: Times, deadline: Micros) -> bool:
    """Everybody in it installed this very view: so it is nearly always."""
    members = install.view.members
    return len(times) >= len(members) and all(m.uuid in times and times[m.uuid] <= deadline for m in members)


def _discharges(process: Process, installed: dict[Key, Times]) -> list[dict[Uuid, Micros | None]]:
    """For each install of the process, when it stopped owing anything for each member of that view.

    From the last to the first: q in a view is discharged by its own install of it, or with the next view, or by it."""
    ended = process.ended.time if process.ended is not None else None
    found: list[dict[Uuid, Micros | None]] = []
    next_time: Micros | None = None
    next_view: dict[Uuid, Micros | None] = {}
    for install in reversed(process.installs):
        times = installed[install.key]
        next_view = {
            member.uuid: _earliest(ended, times.get(member.uuid), next_view.get(member.uuid, next_time))
            for member in install.view.members
        }
        next_time = install.record.time
        found.append(next_view)
    return found[::-1]


def _earliest(*times: Micros | None) -> Micros | None:
    return min((time for time in times if time is not None), default=None)


def _sentence(history: History, process: Process, install: Install, q: Member, at: Micros | None, bound: Micros) -> str:
    who, whom = history.name(process), history.names.member(q)
    when = f"{rounded(bound)} of calm" if at is None else f"{rounded(bound)} of calm, but only at {rounded(at)},"
    return (
        f"{who} installs v{install.view.version} {history.names.members(install.view.members)}, and within {when} "
        f"{whom} neither installs it or a later view of {who}'s nor is excluded by one."
    )


def _proof(history: History, process: Process, install: Install, q: Member) -> Iterable[Record]:
    yield install.record
    last = process.installs[-1]
    if last is not install:
        yield last.record
    other = history.by_uuid.get(q.uuid)
    if other is not None and other.installs:
        yield other.installs[-1].record
    if other is not None and other.ended is not None:
        yield other.ended
