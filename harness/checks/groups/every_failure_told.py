"""S5, every failure told once.

The check counts only members whose view held the incarnation then.

- A *survivor* stays in its group until the first time of rest that is long enough. A member that follows nobody
  meanwhile, or has lost notifications, gets a view without the crashed one and nothing more. So does one that has lost
  the word of a removal before the crash.
- An end is told once, even if another master repeats it. A living member that was removed and added again has another
  end to come.
- A new master that has not heard of a removal may keep the member in its view. Then the member is not added again, and
  its end has been told.
- Nobody hears that a member of its own view has failed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.reading import ADD, FAILED, FAILURE, JOIN, SHUTDOWN, is_core, told
from shaketable.harness.checks.groups.rest import Rest, Rests, installed
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import NodeEnded, Record
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import (
    Failed,
    Leaving,
    NotificationPublished,
    NotificationsLost,
    NotificationTaken,
    ReadmissionAsked,
    Signalled,
    Started,
    ViewInstalled,
)
from shaketable.node.messages import Address, Uuid

NAME: Final = "every failure told"
RULE: Final = (
    "If an incarnation that was in a view crashes, each survivor is told of it exactly once within the bound, by "
    "FAILURE or by a rejoin."
)
NEEDS: Final = (Leaving, Signalled, Started, ViewInstalled)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    heard = {uuid: _heard(history, findings, records, bounds) for uuid, records in _told(history).items()}
    breaks, untold = _breaks(history), _untold(history)
    lefts = {uuid: [record.time for record in records] for uuid, records in told(history, ReadmissionAsked).items()}
    rests = list(Rests(history, bounds))
    crashes = pairs = pending = aside = 0
    for crashed, time in _crashes(history):
        survivors = 0
        for process in history.processes.values():
            view = installed(process, time)
            in_it = view is not None and any(member.uuid == crashed.uuid for member in view.view.members)
            if process is crashed or not in_it or not _lives(process, time):
                continue
            if view is not None and any(view.record.time <= left <= time for left in lefts.get(process.uuid, ())):
                continue  # it follows nobody, and has no view
            end = _due(history, process, time, rests)
            broken_off = any(time <= record.time <= (end or history.end) for record in breaks.get(process.uuid, ()))
            broken_off |= (process.uuid, crashed.uuid) in untold
            if process.uuid in heard and heard[process.uuid].of(crashed.uuid, time):
                survivors += 1
            elif broken_off or (end is None and not _may_still(history, process, rests)):
                aside += 1
            elif end is None:
                pending += 1
            else:
                survivors += 1
                whom = history.name(crashed)
                said = (
                    f"{history.name(process)} had {whom} in its view when that one crashed, and has heard of neither "
                )
                proof = [view.record if view is not None else None, crashed.ended]
                said += f"a FAILURE nor a rejoin of it {rounded(end - time)} later."
                findings.add(said, [record for record in proof if record is not None])
        crashes, pairs = crashes + bool(survivors), pairs + survivors
    looked_at = f"{counted(crashes, 'crash', 'crashes')}, told to {counted(pairs, 'survivor')} in all"
    notes = [f"{counted(aside, 'member')} aside, whose group or links were broken, or that lost notifications"]
    return findings.result(NAME, RULE, looked_at, pairs, pending=pending, notes=notes if aside else ())


def _breaks(history: History) -> dict[Uuid, list[Record]]:
    """Where a member's stay in its group was broken off, or it may have missed something."""
    found = told(history, ReadmissionAsked, NotificationsLost, NotificationTaken)
    for uuid, records in found.items():
        found[uuid] = [record for record in records if not _goes_on(record)]
    return found


def _untold(history: History) -> frozenset[tuple[Uuid, Uuid]]:
    """Each member, and whose end was told by a notification that it has lost."""
    ends: dict[Uuid, list[tuple[int, Uuid]]] = {}
    for record in history.of(NotificationPublished):
        if record.event.change in (FAILURE, SHUTDOWN) and record.event.peer is not None:
            ends.setdefault(record.incarnation, []).append((record.event.version, record.event.peer.uuid))
    return frozenset(
        (record.incarnation, whom)
        for record in history.of(NotificationsLost)
        for version, whom in ends.get(record.event.author, ())
        if record.event.after < version < record.event.version
    )


def _goes_on(record: Record) -> bool:
    taken = record.event
    if not isinstance(taken, NotificationTaken):
        return False
    return taken.change != ADD or taken.peer is None or taken.peer.uuid != record.incarnation


def _told(history: History) -> dict[Uuid, list[Record]]:
    return told(history, ViewInstalled, NotificationTaken, Signalled, ReadmissionAsked)


class Heard(NamedTuple):
    """The members whose end one member was told, as a failure or by a rejoin, and where last."""

    heard: dict[Uuid, Record]
    over: dict[Uuid, Record]
    """of these, those that were not added since, as far as its last stay goes"""

    def of(self, crashed: Uuid, time: Micros) -> bool:
        return crashed in self.over or (crashed in self.heard and self.heard[crashed].time >= time - SECOND)


def _heard(history: History, findings: Findings, records: list[Record], bounds: Bounds) -> Heard:
    heard: dict[Uuid, Record] = {}
    over: dict[Uuid, Record] = {}
    at: dict[Address, Uuid] = {}
    before: dict[Address, Uuid] = {}
    for record in records:
        gone: Uuid | None = None
        match record.event:
            case ViewInstalled(_, _, _, members):
                before, at = at, {member.address: member.uuid for member in members}
            case Signalled(signal, peer) if signal == FAILED:
                gone = peer.uuid
                if at.get(peer.address) == gone:
                    hears = f"{history.names.process(record.node, record.incarnation)} hears that "
                    findings.add(f"{hears}{history.names.member(peer)} has failed, which is in its view.", [record])
            case Signalled(signal, peer, rejoin=rejoin) if signal == JOIN and rejoin is not None:
                gone = before.get(peer.address)
            case ReadmissionAsked():
                over = {}
            case NotificationTaken(_, _, peer, change) if change == ADD and peer is not None:
                over.pop(peer.uuid, None)
                unseen = at.get(peer.address)  # a spectator raises no JOIN
                if unseen not in (None, peer.uuid, *over) and not is_core(history, peer, bounds.settings):
                    gone = unseen
        if gone is None:
            continue
        if gone in over:
            who = history.names.process(record.node, record.incarnation)
            whom = history.by_uuid.get(gone)
            name = history.name(whom) if whom is not None else f"#{gone[:4]}"
            findings.add(f"{who} hears twice that {name} has failed or rejoined.", [over[gone], record])
        heard[gone] = over[gone] = record
    return Heard(heard, over)


def _crashes(history: History) -> Iterator[tuple[Process, Micros]]:
    """Of those that were in a view, and had not said that they would shut down."""
    leaving = told(history, Leaving)
    for process in history.processes.values():
        ended = process.ended
        if ended is None or not process.installs or process.uuid in leaving or ended.time > history.end:
            continue
        if isinstance(ended.event, NodeEnded | Failed):
            yield process, ended.time


def _lives(process: Process, time: Micros) -> bool:
    return process.ended is None or process.ended.time > time


def _due(history: History, process: Process, time: Micros, rests: list[Rest]) -> Micros | None:
    """The end of the first rest after this that was long enough for it, if it lives to see it."""
    first = bisect_left(rests, time, key=lambda rest: rest.calm.begin)
    for rest in rests[first:]:
        for part in rest.parts:
            clear = rest.long_enough(part) and part.whole and not part.unclear
            if clear and any(each.process is process for each in part.standings):
                return rest.calm.end
    return None


def _may_still(history: History, process: Process, rests: list[Rest]) -> bool:
    """It lives at the end, in a part where all is well: the run has only ended too soon."""
    return any(
        part.whole and not part.unclear and any(each.process is process for each in part.standings)
        for part in (rests[-1].parts if rests else ())
    )
