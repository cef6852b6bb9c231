"""A new identity for each merge, and for all who come along (rulings 4.3 and 6.1).

A member that takes in an old identity by a request that was sent before that one went over is not accused: it cannot
know better, unless it lists the next one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.checks.shared.merges import Journey, Merge, Merges
from shaketable.harness.checks.shared.not_its_own import NOT_OF_THE_MEMBER
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import NodeEnded, NodeSpawned, Record
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Failed, Merging, ViewInstalled
from shaketable.node.messages import Uuid

NAME: Final = "identities renewed"
RULE: Final = (
    "A member that goes over to another part takes a new uuid; its old one never acts again, and nobody takes it in. "
    "Before the target takes in the first of them, its version is above that of the list that came over. A member "
    "goes with its master, if it hears that one."
)
NEEDS: Final = (Merging, ViewInstalled)
STEP: Final[Micros] = SECOND
"""what the run breaks off so soon after the last word of an identity may lack the first of the next"""


def check(history: History, bounds: Bounds) -> CheckResult:
    merges, findings = Merges(history), Findings(history)
    gone = {journey.former.uuid: journey for journey in merges.journeys}
    for record, journey in _acts(history, gone):
        who = history.name(journey.former)
        findings.add(f"{who} goes on as the one that it was when it went over.", [journey.record, record])
    for journey in merges.journeys:
        _next_one(history, findings, journey, bounds)
    for process in history.processes.values():
        _taken_in(history, findings, process, gone)
    if merges.merges:
        circumstances = Circumstances(history, bounds)
        for merge in merges.merges:
            _raised(history, findings, merge)
            _stays(circumstances, findings, merge)
    arrived = sum(journey.arrived is not None for journey in merges.journeys)
    looked_at = f"{counted(len(gone), 'member')} that went over, {arrived} of them admitted where they went"
    return findings.result(NAME, RULE, looked_at, len(gone))


def _acts(history: History, gone: dict[Uuid, Journey]) -> Iterator[tuple[Record, Journey]]:
    """The first word of each after its last one."""
    said: set[Uuid] = set()
    for record in history.records if gone else ():
        journey = gone.get(record.incarnation)
        if journey is None or record.incarnation in said or type(record.event) in NOT_OF_THE_MEMBER:
            continue
        if record.node == journey.record.node and record.sequence > journey.record.sequence:
            said.add(record.incarnation)
            yield record, journey


def _next_one(history: History, findings: Findings, journey: Journey, bounds: Bounds) -> None:
    who, former = history.name(journey.former), journey.former
    if journey.next is not None:
        twice = [p for p in history.processes.values() if p.uuid == journey.next.uuid and p is not journey.next]
        if twice:
            findings.add(f"{who} takes the uuid of {history.name(twice[0])} as it goes over.", [journey.record])
        return
    changes = [*history.of(NodeEnded), *history.of(NodeSpawned), *history.of(Failed)]
    over = any(r.time >= journey.record.time and former.node in (r.node, getattr(r.event, "peer", "")) for r in changes)
    due = journey.record.time + STEP + bounds.allowance
    if not over and history.executing(former) and due < history.end:
        findings.add(f"{who} gives its identity up to go over, and takes no other one.", [journey.record])


def _taken_in(history: History, findings: Findings, process: Process, gone: dict[Uuid, Journey]) -> None:
    """By a list of its own."""
    for before, after in pairwise(process.installs) if gone else ():
        if after.view.author != process.uuid:
            continue
        held = {member.uuid for member in before.view.members}
        for member in after.view.members:
            journey = gone.get(member.uuid)
            if journey is None or member.uuid in held or journey.record.time >= after.record.time:
                continue
            if not _asked_before(after.record, journey, held):
                who, whom = history.name(process), history.names.member(member)
                said = f"{who} takes in {whom} in v{after.view.version}, an identity that had been given up by then."
                findings.add(said, [journey.record, after.record])


def _asked_before(install: Record, journey: Journey, held: set[Uuid]) -> bool:
    """By a request that was sent before it went over and came late: the member that takes it in had been stopped, say,
    and does not know the next identity."""
    cause = install.cause
    asked = cause is not None and cause.sender == journey.former.uuid and cause.after < journey.record.sequence
    return asked and (journey.next is None or journey.next.uuid not in held)


def _raised(history: History, findings: Findings, merge: Merge) -> None:
    target = history.by_uuid.get(merge.event.peer.uuid)
    uuids = {journey.next.uuid for journey in merge.journeys if journey.next is not None}
    for before, after in pairwise(target.installs) if target is not None else ():
        if uuids.isdisjoint(member.uuid for member in after.view.members):
            continue
        if before.view.version <= merge.event.version:
            who, listed = history.names.member(merge.event.peer), history.names.members(after.view.members)
            said = (
                f"{who} takes somebody in with v{after.view.version} {listed} after v{before.view.version}, and the "
                f"part that comes over holds v{merge.event.version}: it has to raise its version past that first."
            )
            findings.add(said, [merge.record, before.record, after.record])
        return


def _stays(circumstances: Circumstances, findings: Findings, merge: Merge) -> None:
    """A member that nothing has kept from going. Its master goes when it has heard from all, or has waited enough."""
    history, master = circumstances.history, merge.master
    bounds = circumstances.bounds_of(master.node)
    goes = next((journey.record.time for journey in merge.journeys if journey.former is master), history.end)
    begin, end = merge.begin, goes + STEP + bounds.allowance
    went = {journey.former.uuid for journey in merge.journeys if journey.record.time <= end}
    for member in merge.event.members if end < history.end else ():
        process = history.by_uuid.get(member.uuid)
        if process is None or process is master or process.uuid in went:
            continue
        if (process.ended is not None and process.ended.time <= end) or process.followed_at(begin) != master.uuid:
            continue
        nodes = process.node, master.node
        before = begin - bounds.settings.heartbeat_interval
        shaken = circumstances.touched(before, end, nodes=nodes, links=both_ways(*nodes))
        if not shaken and not any(circumstances.late_between(each.uuid, before, end) for each in (process, master)):
            who, whom = history.name(process), history.name(master)
            peer = history.names.member(merge.event.peer)
            findings.add(f"{who} does not go over to {peer} with {whom}, its master.", [merge.record])
