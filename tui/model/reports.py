"""What a master collects for a partial disconnection: who has reported whom, since when; and how it decided before."""

from __future__ import annotations

from typing import Final, NamedTuple

from shaketable.node.env import Micros
from shaketable.node.events import (
    DisconnectionResolved,
    DisconnectionUnresolved,
    SuspicionsReported,
    ViewInstalled,
)
from shaketable.node.messages import Member, Uuid

DECISIONS: Final = 5
"""that are kept"""


class Report(NamedTuple):
    by: Member
    since: Micros
    """when this follower first reported anybody"""
    told: Micros
    """when it last reported something else"""
    suspected: tuple[Member, ...]


class Decision(NamedTuple):
    time: Micros
    place: int
    """of its event in the history"""
    event: DisconnectionResolved | DisconnectionUnresolved


Reports = dict[Uuid, Report]


def reported(reports: Reports, time: Micros, event: SuspicionsReported) -> None:
    before = reports.get(event.peer.uuid)
    if event.suspected:
        since = before.since if before is not None else time
        reports[event.peer.uuid] = Report(event.peer, since, time, event.suspected)
    else:
        reports.pop(event.peer.uuid, None)


def installed(reports: Reports, time: Micros, event: ViewInstalled) -> None:
    """Whoever is off the list neither reports nor is reported."""
    listed = {member.uuid: True for member in event.members}
    for uuid, report in list(reports.items()):
        whom = tuple(m for m in report.suspected if m.uuid in listed)
        if uuid not in listed or not whom:
            del reports[uuid]
        elif whom != report.suspected:
            reports[uuid] = report._replace(suspected=whom)
