"""Agreement at the end of the run.

Clusters that have not merged yet are judged one by one. The check is unknown if the run ended before the settle bound
after the last fault, and the state is not settled or a silent link may not be noticed yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, counted
from shaketable.harness.checks.shared.ending import to_the_end
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import FaultAsked, Record
from shaketable.node.events import (
    ClaimFinished,
    ClaimStarted,
    Event,
    Joined,
    MasterFollowed,
    MergeBegan,
    Merged,
    MergeFailed,
    Merging,
    Started,
    Stopped,
    ViewInstalled,
)

NAME: Final = "settled"
RULE: Final = (
    "At the end every live joined member has the list of the master it follows, in order and version. That master is "
    "its first member, all its members are alive and hold the same list, and no claim is open."
)
NEEDS: Final = (IfSeen(ClaimFinished, (ClaimStarted,)), Joined, MasterFollowed, Started, Stopped, ViewInstalled)
_GOING_OVER: Final[tuple[type[Event], ...]] = (MergeBegan, Merging, Merged, MergeFailed)
"""to another part of the cluster: what is settled has to settle again"""


_HEAL: Final = "A script about this check heals such links before its last `await cluster.calm()`."


def check(history: History, bounds: Bounds) -> CheckResult:
    living = [p for p in history.processes.values() if p.alive and p.joined and p.installs and history.executing(p)]
    unsettled = [found for process in living for found in _why_not(history, process)]
    masters = {process.following.uuid: None for process in living if process.following is not None}
    looked_at = f"{counted(len(living), 'live member')} in {counted(len(masters), 'cluster')} at the end of the run"
    findings = Findings(history)
    went_over = [r.time for kind in _GOING_OVER for r in history.of(kind) if r.time <= history.end]
    due = max(history.calm, *went_over, 0) + bounds.settle()
    if unsettled and history.end < due:
        early = f"the run ended {rounded(due - history.end)} before the settle bound was over: {unsettled[0][0]}"
        return findings.result(NAME, RULE, looked_at, len(living), unknown=True, notes=[early])
    broken = _broken_within(history, living) if history.end < due else ""
    if broken and not unsettled:
        early = f"the run ended {rounded(due - history.end)} before the settle bound was over, and {broken}. {_HEAL}"
        return findings.result(NAME, RULE, looked_at, len(living), unknown=True, notes=[early])
    for sentence, proof in unsettled:
        findings.add(sentence, to_the_end(history, proof))
    return findings.result(NAME, RULE, looked_at, len(living))


def _broken_within(history: History, living: list[Process]) -> str:
    """A link that is silent at the end between two members of one list: it may not have been noticed yet."""
    lists = [{history.names.place(m.address) for m in p.installs[-1].view.members} for p in living]
    for facts in history.faults.values():
        asked = facts.asked.event
        if facts.took is None or facts.ended is not None or not isinstance(asked, FaultAsked) or not asked.silences:
            continue
        for link in asked.links:
            if any(listed.issuperset(link.split("->")) for listed in lists):
                return f"the link {link} between two members of one list is silent"
    return ""


def _why_not(history: History, process: Process) -> Iterator[tuple[str, list[Record]]]:
    """Each with the records that prove it."""
    names, who = history.names, history.name(process)
    last = process.installs[-1]
    view = last.view
    claim = process.claims.open
    if claim is not None:
        yield f"{who} has a claim that is still open.", [claim.began]
        return
    master = process.following
    if master is None or view.members[:1] != (master,):
        whom = "nobody" if master is None else names.member(master)
        yield f"{who} follows {whom}, who is not the first of its list {names.members(view.members)}.", [last.record]
        return
    for member in view.members:
        other = history.by_uuid.get(member.uuid)
        if other is None or not other.alive:
            proof = [] if other is None or other.ended is None else [other.ended]
            yield f"{who} holds v{view.version}, and {names.member(member)} in it is gone.", [last.record, *proof]
        elif not other.installs:
            yield f"{who} holds v{view.version}, and {names.member(member)} in it has no list.", [last.record]
        elif other.installs[-1].key != last.key or other.installs[-1].view.members != view.members:
            theirs = other.installs[-1]
            said = (
                f"{who} holds v{view.version} {names.members(view.members)} by {names.author(view.author)}, and "
                f"{names.member(member)} in it holds v{theirs.view.version} {names.members(theirs.view.members)} "
                f"by {names.author(theirs.view.author)}."
            )
            yield said, [last.record, theirs.record]
