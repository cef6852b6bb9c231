"""Notifications, once and in order (rulings 6.9).

The check compares what was published with what each member takes, and what its application is told, in the member's own
order. A member must take all to the end if both sides and their links have been well for as long as a group may take to
settle. It takes soon what it is told (taken_soon.py). A heartbeat tells a member soon that it lacks one
(gaps_known.py). It asks for what it lacks until that has come (asks_again.py), and is sent it again (resends.py). A
new master repeats recent ends (repeated_ends.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.asks_again import AsksAgain
from shaketable.harness.checks.groups.gaps_known import Gaps
from shaketable.harness.checks.groups.reading import NEW_MASTER, Told, is_added_itself, of_whom, published, told
from shaketable.harness.checks.groups.repeated_ends import RepeatedEnds
from shaketable.harness.checks.groups.resends import Resends
from shaketable.harness.checks.groups.taken_soon import TakenSoon
from shaketable.harness.checks.result import CheckResult, counted
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways, span_of
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    MasterFollowed,
    NotificationPublished,
    NotificationsAsked,
    NotificationsLost,
    NotificationTaken,
    ReadmissionAsked,
    Signalled,
)
from shaketable.node.messages import Uuid

NAME: Final = "same notifications"
RULE: Final = (
    "Every member sees all notifications of one master incarnation, without gap, repeat or change of order, from its "
    "joining view to its own end or the master's. Those that outlived the resend history are listed as lost, and no "
    "others."
)
NEEDS: Final = (
    MasterFollowed,
    NotificationPublished,
    NotificationsAsked,
    NotificationTaken,
    Signalled,
)


@dataclass(slots=True)
class Stay:
    """Of one member under one master."""

    master: Uuid
    began: Record
    taken: Record | None = None
    last: int | None = None
    """what it has taken, or knows to be lost"""
    told: bool = True
    """its application knows of the one that it took last, or need not"""


def check(history: History, bounds: Bounds) -> CheckResult:
    return _Judge(history, bounds).judged()


class _Judge:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self._history = history
        self._bounds = bounds
        self._all = Circumstances(history, bounds)
        self._findings = self._all.findings
        self._published = published(history)
        self._newest: dict[Uuid, Record[NotificationPublished]] = {}
        """of each master"""
        for (_, uuid), record in self._published.items():
            if uuid not in self._newest or record.event.version > self._newest[uuid].event.version:
                self._newest[uuid] = record
        self._taken = self._lost = self._pending = 0

    def judged(self) -> CheckResult:
        kinds = MasterFollowed, ReadmissionAsked, NotificationsLost, NotificationTaken, Signalled
        takers: dict[Uuid, bool] = {}
        for uuid, records in told(self._history, *kinds).items():
            before = self._taken
            stay = self._judge_member(uuid, records)
            if self._taken > before:
                takers[uuid] = True
            if stay is not None:
                self._judge_end(uuid, stay)
        Gaps(self._history, self._all, self._published).judge()
        TakenSoon(self._history, self._all, self._published).judge()
        AsksAgain(self._history, self._all).judge()
        Resends(self._history, self._all).judge()
        RepeatedEnds(self._history, self._all).judge()
        looked_at = (
            f"{counted(len(self._published), 'notification')} of {counted(len(self._newest), 'master')}, taken "
            f"{counted(self._taken, 'time')} by {counted(len(takers), 'other member')}"
        )
        if self._lost:
            looked_at += f", {self._lost} listed as lost"
        excused = self._all.excused
        notes = [f"{counted(excused, 'gap')} that lasted while rounds were late"] if excused else []
        return self._findings.result(
            NAME, RULE, looked_at, self._taken, unknown=bool(excused), pending=self._pending, notes=notes
        )

    def _judge_member(self, uuid: Uuid, records: list[Record]) -> Stay | None:
        """Its last stay, if it lasts."""
        stay: Stay | None = None
        seen: dict[Told, Record] = {}
        for record in records:
            match record.event:
                case MasterFollowed(master):
                    stay = Stay(master.uuid, record)
                case ReadmissionAsked():
                    stay = None
                case NotificationsLost() as lost:
                    if stay is not None and lost.author == stay.master:
                        self._judge_lost(record, lost)
                        stay.last = lost.version - 1
                case NotificationTaken() as taken:
                    self._judge_taken(record, taken, stay, seen)
                    seen.setdefault((taken.version, taken.author), record)
                    if stay is not None and taken.author == stay.master:
                        stay.taken, stay.last, stay.told = record, taken.version, False
                case Signalled() as signal if signal.version:
                    self._judge_signal(record, signal, stay)
        return stay

    def _judge_taken(
        self, record: Record, taken: NotificationTaken, stay: Stay | None, seen: dict[Told, Record]
    ) -> None:
        who = self._history.names.process(record.node, record.incarnation)
        which = self._which(taken.version, taken.author)
        if taken.author != record.incarnation:
            self._taken += 1
        first = seen.get((taken.version, taken.author))
        if first is not None:
            self._findings.add(f"{who} takes {which} twice.", [first, record])
            return
        known = self._published.get((taken.version, taken.author))
        if known is not None:
            self._judge_content(record, taken, known)
        if stay is None or taken.author != stay.master:
            whom = "nobody" if stay is None else self._history.names.author(stay.master)
            self._findings.add(f"{who} takes {which} while it follows {whom}.", [record])
        elif stay.last is None:
            if not is_added_itself(record) and taken.change != NEW_MASTER:
                said = f"{who} begins its stay under {self._history.names.author(stay.master)} with notification "
                said += f"{taken.version} ({taken.change}{of_whom(self._history, taken.peer)}), and not with its own "
                self._findings.add(f"{said}joining view.", [stay.began, record])
        elif taken.version > stay.last and (is_added_itself(record) or taken.change == NEW_MASTER):
            pass  # it was away, and did not know it; or another reign of that master begins
        elif taken.version != stay.last + 1:
            said = f"{who} takes {which} after {stay.last}"
            gap = taken.version > stay.last + 1
            said += ": what is between has neither come nor is it listed as lost." if gap else "."
            self._findings.add(said, [each for each in (stay.taken or stay.began, record) if each is not None])

    def _judge_content(self, record: Record, taken: NotificationTaken, known: Record[NotificationPublished]) -> None:
        event = known.event
        if (event.change, event.peer) != (taken.change, taken.peer):
            who = self._history.names.process(record.node, record.incarnation)
            said = f"{who} takes {self._which(taken.version, taken.author)} as {taken.change}"
            said += f"{of_whom(self._history, taken.peer)}, and it was {event.change}"
            self._findings.add(f"{said}{of_whom(self._history, event.peer)}.", [known, record])

    def _judge_signal(self, record: Record, signal: Signalled, stay: Stay | None) -> None:
        """Right after the notification, and once."""
        taken = stay.taken.event if stay is not None and stay.taken is not None else None
        same = isinstance(taken, NotificationTaken) and (taken.version, taken.author) == (signal.version, signal.author)
        if stay is not None and same and not stay.told:
            stay.told = True
            return
        who = self._history.names.process(record.node, record.incarnation)
        said = f"{who} tells its application {signal.signal}{of_whom(self._history, signal.peer)} by "
        said += f"{self._which(signal.version, signal.author)}, "
        said += "for the second time." if same else "which it has not just taken."
        self._findings.add(said, [record])

    def _judge_lost(self, record: Record, lost: NotificationsLost) -> None:
        """Each was older than the master keeps them."""
        for version in range(lost.after + 1, lost.version):
            known = self._published.get((version, lost.author))
            self._lost += 1
            if known is None:
                continue
            kept = self._history.settings_of(known.node, self._bounds.settings).gms_resend_history
            age = record.time - known.time
            if age < kept and not self._clock_was_set(known.node, record.time):
                who = self._history.names.process(record.node, record.incarnation)
                said = f"{who} lists {self._which(version, lost.author)} as lost {rounded(age)} after it was published,"
                self._findings.add(f"{said} and the master keeps them for {rounded(kept)}.", [known, record])

    def _clock_was_set(self, node: str, until: Micros) -> bool:
        """It measures by its own clock how long it has kept them."""
        spans = [span_of(facts) for facts in self._history.faults.values() if facts.kind.sets_clock]
        return any(node in span.nodes and span.begin <= until for span in spans)

    def _judge_end(self, uuid: Uuid, stay: Stay) -> None:
        history, newest = self._history, self._newest.get(stay.master)
        process, master = history.by_uuid.get(uuid), history.by_uuid.get(stay.master)
        if newest is None or process is None or master is None or uuid == stay.master:
            return
        event = newest.event
        if (stay.last is not None and stay.last >= event.version) or process.member not in event.members:
            return
        if not all(p.alive and history.executing(p) for p in (process, master)):
            return
        bound = self._bounds.settle()
        if history.end < max(newest.time, history.calm) + bound:
            self._pending += 1
            return
        if self._are_shaken(process.node, master.node):
            return
        who = history.name(process)
        last = "any" if stay.last is None else f"those after {stay.last}"
        said = f"{who} follows {history.name(master)} and lacks {last} of its notifications, though the newest is "
        self._findings.add(f"{said}{event.version}, and all has been well for {rounded(bound)}.", [stay.began, newest])

    def _are_shaken(self, one: str, other: str) -> bool:
        """By a fault that lasts to the end: one of them, or a link between them."""
        spans = [span for facts in self._history.faults.values() if (span := span_of(facts)).end > self._history.end]
        links = both_ways(one, other)
        return any(not span.links.isdisjoint(links) or not span.nodes.isdisjoint((one, other)) for span in spans)

    def _which(self, version: int, author: Uuid) -> str:
        return f"notification {version} of {self._history.names.author(author)}"
