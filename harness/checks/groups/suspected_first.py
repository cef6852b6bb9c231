"""Suspected first (S3): a master declares nobody failed whom it did not suspect, as this very incarnation.

Judged where the failure is published first. Elsewhere a suspicion is word by a health message, which may be lost and
is not repaired (rulings 5.9). A watchdog's hint is believed without any suspicion."""

from __future__ import annotations

from typing import Final

from shaketable.harness.checks.bounds import Bounds
from shaketable.harness.checks.groups.reading import FAILURE, repeats, told
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.recording.history import History
from shaketable.harness.records import Record
from shaketable.node.events import HintTaken, NotificationPublished, Suspected, SuspicionEnded
from shaketable.node.messages import Uuid

NAME: Final = "suspected first"
RULE: Final = (
    "Every FAILURE is preceded by FAILURE_SUSPECTED of the same incarnation at the master that publishes it, and that "
    "suspicion has not ended; a watchdog's hint needs none."
)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings, names = Findings(history), history.names
    failures = hints = 0
    again = repeats(history)
    for uuid, records in told(history, Suspected, SuspicionEnded, HintTaken, NotificationPublished).items():
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
    looked_at = counted(failures, "published failure")
    if hints:
        looked_at += f", and {hints} more by a watchdog's hint"
    return findings.result(NAME, RULE, looked_at, failures)
