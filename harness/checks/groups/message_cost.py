"""S11, message cost (rulings 5.5).

M is the number of members in a view, X the number of likely successors. In steady state the member's view does not
change. Probes, reports and the first heartbeat, which goes to all, do not count. In a ring with inferred heartbeats
some other message stands for one now and then (spared.py). Heartbeats go to those that watch (watchers.py), and leave
in each period (counted_beats.py): with those that were spared as many as the formula says."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.counted_beats import CountedBeats
from shaketable.harness.checks.groups.reading import told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.spared import Spared
from shaketable.harness.checks.groups.watchers import Watchers
from shaketable.harness.checks.result import CheckResult, counted
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.node.config import ALL_TO_ALL, INFERRED, MASTER_AND_LIKELY, Settings
from shaketable.node.events import (
    HealthAnnouncedToAll,
    HeartbeatsCounted,
    HeartbeatTargets,
    MasterFollowed,
    NotificationPublished,
    ReadmissionAsked,
    ViewInstalled,
)

NAME: Final = "message cost"
RULE: Final = (
    "In steady state each member's heartbeats in a period are within its policy's formula: M-1 (all to all); 1, of the"
    " master the smaller of X and M-1 (master and likely); 1 (ring); 1, or none where other messages stand for it "
    "(ring with inferred); 1 ping (swim, lifeguard). Members watch those that send them heartbeats, and each is "
    "watched."
)
NEEDS: Final = (
    HealthAnnouncedToAll,
    HeartbeatsCounted,
    HeartbeatTargets,
    NotificationPublished,
    ReadmissionAsked,
    ViewInstalled,
)


def check(history: History, bounds: Bounds) -> CheckResult:
    circumstances = Circumstances(history, bounds)
    findings = circumstances.findings
    counts = periods = sent = most = 0
    for uuid, records in told(history, HeartbeatsCounted, MasterFollowed, ReadmissionAsked).items():
        changed = 0
        for record in records:
            event = record.event
            if not isinstance(event, HeartbeatsCounted):
                changed = record.time
                continue
            process, own = history.by_uuid.get(uuid), history.settings_of(record.node, bounds.settings)
            view = installed(process, record.time) if process is not None else None
            begin = record.time - event.periods * own.gms_heartbeat_period - bounds.allowance
            if view is None or max(view.record.time, changed) >= begin:
                continue
            members, leads = len(view.view.members), view.view.author == uuid
            each = heartbeats_of_one(own, members, leads)
            counts, periods = counts + 1, periods + event.periods
            sent, most = sent + event.sent, most + each * event.periods
            who, of = history.names.process(record.node, uuid), "as the master " if leads else ""
            if event.sent > each * event.periods:
                said = (
                    f"{who} has sent {counted(event.sent, 'heartbeat')} in {counted(event.periods, 'period')} {of}of "
                )
                said += f"{counted(members, 'member')}: {own.gms_detection} allows {each} a period."
                findings.add(said, [view.record, record])
            elif event.sent + event.spared < each * event.periods and not own.swims:
                said = f"{who} has sent {counted(event.sent, 'heartbeat')} and spared {event.spared} in "
                said += (
                    f"{counted(event.periods, 'period')} {of}of {counted(members, 'member')}: {own.gms_detection} has "
                )
                findings.add(f"{said}{each} a period.", [view.record, record])
            elif event.spared and own.gms_detection != INFERRED:
                said = (
                    f"{who} has spared {counted(event.spared, 'heartbeat')}: under {own.gms_detection} no other message"
                )
                findings.add(f"{said} stands for one.", [record])
    Spared(history, circumstances).judge()
    Watchers(history, circumstances).judge()
    CountedBeats(history, circumstances).judge()
    looked_at = f"{counted(counts, 'count')} in steady state"
    if periods:
        looked_at += f": {sent / periods:.2f} heartbeats of a member in a period, of {most / periods:.2f} allowed"
    excused = circumstances.excused
    notes = [f"{counted(excused, 'member')} that spared nothing while rounds were late"] if excused else []
    return findings.result(NAME, RULE, looked_at, counts, unknown=bool(excused), notes=notes)


def heartbeats_of_one(settings: Settings, members: int, leads: bool) -> int:
    """In a period, by one of so many members of a view."""
    others = members - 1
    if settings.gms_detection == ALL_TO_ALL:
        return others
    if settings.gms_detection == MASTER_AND_LIKELY and leads:
        return min(settings.likely_successors, others)
    return min(1, others)
