"""S7: each FAILURE after an announced shutdown is judged, and each word to all that such a member is dead.

The announcement could reach a master that was there at that moment if each had the other in its view, and nothing
touched them or the link between. A member that shuts down is soon taken off the view (taken_off.py). It founds no group
and adds nobody (begins_nothing.py). No application hears of its failure by a word that tells of its shutdown
(told_as_planned.py). If a whole group shuts down, all of its core do (whole_group_stops.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.begins_nothing import BeginsNothing
from shaketable.harness.checks.groups.reading import FAILURE, SHUTDOWN, UNDER_WAY, published, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.taken_off import TakenOff
from shaketable.harness.checks.groups.told_as_planned import ToldAsPlanned
from shaketable.harness.checks.groups.whole_group_stops import WholeGroupStops
from shaketable.harness.checks.result import CheckResult, counted
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.faults.node_kinds import LEAVE
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import HealthAnnouncedToAll, Leaving, NotificationPublished
from shaketable.node.messages import Uuid

NAME: Final = "shutdown is no failure"
RULE: Final = (
    "A planned shutdown never ends in FAILURE, and nobody is told that the member is dead, if its announcement could "
    "reach the master. It is soon told as planned. A member that shuts down adds nobody. A whole group shuts down with "
    "all its core members, and no other."
)
NEEDS: Final = (HealthAnnouncedToAll, Leaving, NotificationPublished)


def check(history: History, bounds: Bounds) -> CheckResult:
    circumstances = Circumstances(history, bounds)
    announced: dict[Uuid, Record] = {}
    leaving = told(history, Leaving)
    for uuid, records in told(history, HealthAnnouncedToAll).items():
        for announcement in records:
            if announcement.event.peer.uuid == uuid and uuid in leaving:
                announced.setdefault(uuid, announcement)
    ends = planned = unheard = 0
    for record in published(history).values():
        event = record.event
        said = announced.get(event.peer.uuid) if event.peer is not None else None
        if said is None or event.change not in (FAILURE, SHUTDOWN) or record.time < said.time:
            continue
        if event.change == SHUTDOWN:
            ends, planned = ends + 1, planned + 1
        elif _could_hear(history, circumstances, said, record, bounds):
            ends += 1
            _accuse(circumstances, said, record, "publishes the failure of {}")
        else:
            unheard += 1
    for said, dead in _told_dead(history, announced):
        if _could_hear(history, circumstances, said, dead, bounds):
            ends += 1
            _accuse(circumstances, said, dead, "tells all that {} is dead")
    TakenOff(history, circumstances).judge()
    WholeGroupStops(history, circumstances).judge()
    BeginsNothing(history, circumstances).judge()
    ToldAsPlanned(history, circumstances.findings).judge()
    looked_at = f"{counted(len(announced), 'announced shutdown')}, {planned} told as planned"
    notes = [f"{counted(unheard, 'announcement')} that may not have reached the master"] if unheard else []
    excused = circumstances.excused
    notes += [f"{counted(excused, 'member')} that stayed while rounds were late"] if excused else []
    return circumstances.findings.result(NAME, RULE, looked_at, ends, unknown=bool(excused), notes=notes)


def _accuse(all_: Circumstances, said: Record, record: Record, does: str) -> None:
    who, whom = (all_.history.names.process(each.node, each.incarnation) for each in (record, said))
    all_.findings.add(f"{who} {does.format(whom)}, which had announced that it shuts down.", [said, record])


def _told_dead(history: History, announced: dict[Uuid, Record]) -> Iterator[tuple[Record, Record]]:
    """The announcement, and the word that it is dead."""
    for records in told(history, HealthAnnouncedToAll).values():
        for record in records:
            said = announced.get(record.event.peer.uuid)
            if record.event.state == "dead" and said is not None and said.time < record.time:
                yield said, record


def _could_hear(history: History, all_: Circumstances, said: Record, failure: Record, bounds: Bounds) -> bool:
    master = history.processes[failure.node, failure.incarnation]
    leaver = history.processes[said.node, said.incarnation]
    if not (_holds(master, leaver, said.time) and _holds(leaver, master, said.time)):
        return False
    begin, end = said.time - UNDER_WAY, said.time + UNDER_WAY + bounds.allowance
    if any(
        span.kind is not LEAVE and said.node in span.nodes and span.begin <= end and span.end >= begin
        for span in all_.spans
    ):
        return False
    return not all_.touched(begin, end, nodes=(master.node,), links=(f"{said.node}->{master.node}",))


def _holds(process: Process, other: Process, time: Micros) -> bool:
    view = installed(process, time)
    return view is not None and any(member.uuid == other.uuid for member in view.view.members)
