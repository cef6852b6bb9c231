"""S3, suspected first.

It is judged at the master that publishes the failure first, and at each member that must have been told of the doubt
(suspected_elsewhere.py). The same holds for word that a suspect lives (all_clears.py). A doubt that a new master does
not take up ends (old_doubts.py), and so does one of a member that is added again (added_again.py). A new master repeats
recent failures; members that have heard of them ignore that."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.added_again import AddedAgain
from shaketable.harness.checks.groups.all_clears import AllClears
from shaketable.harness.checks.groups.old_doubts import OldDoubts
from shaketable.harness.checks.groups.reading import (
    FAILED,
    FAILURE,
    NO_LONGER_SUSPECTED,
    PLANNED_SHUTDOWN,
    SUSPECTED,
    repeats,
    told,
)
from shaketable.harness.checks.groups.suspected_elsewhere import Elsewhere
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import (
    HealthAnnouncedToAll,
    HintTaken,
    NotificationPublished,
    NotificationTaken,
    ReadmissionAsked,
    Signalled,
    Suspected,
    SuspicionEnded,
    ViewInstalled,
)
from shaketable.node.messages import Uuid

NAME: Final = "suspected first"
RULE: Final = (
    "Before each FAILURE comes FAILURE_SUSPECTED of the same incarnation, and that suspicion has not ended; a "
    "watchdog's hint needs none. The application hears of each suspicion that ends, and of each one once."
)
NEEDS: Final = (
    HealthAnnouncedToAll,
    HintTaken,
    NotificationPublished,
    ReadmissionAsked,
    Signalled,
    Suspected,
    SuspicionEnded,
)


def check(history: History, bounds: Bounds) -> CheckResult:
    elsewhere = Elsewhere(history, bounds)
    findings, names = elsewhere.all.findings, history.names
    failures = hints = 0
    again = repeats(history)
    kinds = Suspected, SuspicionEnded, HintTaken, NotificationPublished, Signalled
    for records in told(history, Signalled, ReadmissionAsked, NotificationTaken, ViewInstalled).values():
        _told_twice(history, findings, records)
        _told_in_vain(history, findings, records)
    for uuid, records in told(history, *kinds).items():
        _all_clears(history, findings, records)
        doubts: dict[Uuid, Record] = {}
        hinted: dict[Uuid, bool] = {}
        for record in records:
            match record.event:
                case Suspected(peer) | SuspicionEnded(peer):
                    doubts[peer.uuid] = record
                case HintTaken(_, failed):
                    hinted[failed.uuid] = True
                case NotificationPublished(version, _, peer, change) if change == FAILURE and peer is not None:
                    if (version, uuid) in again:
                        continue
                    if hinted.get(peer.uuid):
                        hints += 1
                        continue
                    failures += 1
                    last = doubts.get(peer.uuid)
                    if last is not None and isinstance(last.event, Suspected):
                        continue
                    said = f"{names.process(record.node, uuid)} publishes the failure of {names.member(peer)} "
                    said += f"(notification {version}), which it "
                    said += "did not suspect before." if last is None else "had ceased to suspect."
                    findings.add(said, [record] if last is None else [last, record])
    elsewhere.judge()
    AllClears(history, elsewhere.all).judge()
    OldDoubts(history, elsewhere.all).judge()
    AddedAgain(history, findings).judge()
    looked_at = counted(failures, "published failure")
    if elsewhere.judged:
        looked_at += f", heard of by {counted(elsewhere.judged, 'member')} that had to be told of the doubt"
    if hints:
        looked_at += f", and {hints} more by a watchdog's hint"
    excused = elsewhere.all.excused
    notes = [f"{counted(excused, 'failure')} while rounds were late"] if excused else []
    return findings.result(NAME, RULE, looked_at, failures, unknown=bool(excused), notes=notes)


def _told_twice(history: History, findings: Findings, records: list[Record]) -> None:
    """An application that is told of a suspect is not told so again until it hears something else of it, whichever
    master its member follows. That begins anew if the suspect is added anew, or is in no view, or if the member asks to
    be added itself."""
    suspects: dict[Uuid, Record] = {}
    for record in records:
        match record.event:
            case Signalled(signal, peer) if signal == SUSPECTED:
                before = suspects.setdefault(peer.uuid, record)
                if before is not record:
                    who, whom = history.names.process(record.node, record.incarnation), history.names.member(peer)
                    said = f"{who} tells its application twice that {whom} is suspected, and nothing in between."
                    findings.add(said, [before, record])
            case Signalled(_, peer):
                suspects.pop(peer.uuid, None)
            case NotificationTaken(_, _, about):
                if about is not None:
                    suspects.pop(about.uuid, None)
            case ViewInstalled() as view:
                there = {member.uuid for member in view.members}
                suspects = {uuid: told for uuid, told in suspects.items() if uuid in there}
            case _:
                suspects = {}


def _told_in_vain(history: History, findings: Findings, records: list[Record]) -> None:
    """An application that hears that a member is no longer suspected has heard before that it is. It has heard nothing
    of its end since."""
    suspects: dict[Uuid, bool] = {}
    for record in records:
        match record.event:
            case Signalled(signal, peer) if signal == SUSPECTED:
                suspects[peer.uuid] = True
            case Signalled(signal, peer) if signal in (NO_LONGER_SUSPECTED, FAILED, PLANNED_SHUTDOWN):
                was = suspects.pop(peer.uuid, False)
                if signal == NO_LONGER_SUSPECTED and not was:
                    who, whom = history.names.process(record.node, record.incarnation), history.names.member(peer)
                    said = f"{who} tells its application that {whom} is no longer suspected, which it was not."
                    findings.add(said, [record])
            case ReadmissionAsked():
                suspects = {}
            case _:
                pass


def _all_clears(history: History, findings: Findings, records: list[Record]) -> None:
    """Next to the end of a suspicion. The last words of a killed member may be lost."""
    for record, following in pairwise(records):
        ended = record.event
        if not isinstance(ended, SuspicionEnded):
            continue
        said = following.event
        if isinstance(said, Signalled) and (said.signal, said.peer) == (NO_LONGER_SUSPECTED, ended.peer):
            continue
        who, whom = history.names.process(record.node, record.incarnation), history.names.member(ended.peer)
        findings.add(f"{who} suspects {whom} no longer, and does not tell its application.", [record])
