"""What a master collects for a partial disconnection: which follower has reported which members, and since when.

A part of the fold of a history (run.py)."""

from __future__ import annotations

from typing import NamedTuple

from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import SuspicionsReported, ViewInstalled
from shaketable.node.messages import Member, Uuid


class Report(NamedTuple):
    by: Member
    since: Micros
    """when this follower first reported anybody"""
    told: Micros
    """when it last reported something else"""
    suspected: tuple[Member, ...]


Reports = dict[Uuid, Report]
"""by follower"""


def reported(reports: Reports, record: Record[SuspicionsReported]) -> None:
    time, event = record.time, record.event
    before = reports.get(event.peer.uuid)
    if event.suspected:
        reports[event.peer.uuid] = Report(event.peer, before.since if before else time, time, event.suspected)
    else:
        reports.pop(event.peer.uuid, None)


def installed(reports: Reports, record: Record[ViewInstalled]) -> None:
    """A member that is off the list neither reports nor is reported."""
    listed = {member.uuid: True for member in record.event.members} if reports else {}
    for uuid, report in list(reports.items()):
        whom = tuple(m for m in report.suspected if m.uuid in listed)
        if uuid not in listed or not whom:
            del reports[uuid]
        elif whom != report.suspected:
            reports[uuid] = report._replace(suspected=whom)
