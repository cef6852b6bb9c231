"""Of the check "group detection": crashes that nothing else disturbs, compared with what is promised.

It measures when each crash was missed, when a master told it, and when each survivor's application heard FAILURE.
("Every failure told" checks that all survivors hear.) Members that crash within one period are one case: of j in a ring
each is found only when the next one is gone. Times count from the crash, which is up to a period after the last
heartbeat. If a cut came first, the crash is up to another period after the cut. If all survivors know that their links
to the crashed members are down, a probe fails at once, and R is 0.

A master that shuts down hands over what it has heard (text 5.2.2.2). So where the master watches all members, a change
of the master before anybody can have missed the crash changes none of these times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from shaketable.harness.bounds.group import RINGS, GroupBounds
from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import FAILED, FAILURE
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.result import counted
from shaketable.harness.checks.shared.circumstances import Circumstances, Span
from shaketable.harness.faults.node_kinds import KILL, LEAVE
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import NodeEnded, Record
from shaketable.node.config import ALL_TO_ALL
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    HintTaken,
    LeadershipTaken,
    Leaving,
    NotificationPublished,
    ProbeFailed,
    Signalled,
    Suspected,
)
from shaketable.node.messages import Uuid
from shaketable.node.why import Why

MOST_NOTES: Final = 12


class Case(NamedTuple):
    crashed: Sequence[Process]
    survivors: Sequence[Process]
    """who had all of them in its view"""
    own: GroupBounds
    promised: Micros
    end: Micros
    """by then all has been told"""
    late: bool
    """rounds of survivors were"""


class Crashes:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self.judged = 0
        self._missed: dict[Uuid, list[Record]] = {}
        """who could not be reached by a probe, and where that was told; it may have been so before, too"""
        self._told: dict[Uuid, list[Record]] = {}
        kinds: tuple[type[ProbeFailed | Suspected], ...] = ProbeFailed, Suspected
        for kind in kinds:
            for missed in history.of(kind):
                self._missed.setdefault(missed.event.peer.uuid, []).append(missed)
        for told in history.of(NotificationPublished):
            if told.event.change == FAILURE and told.event.peer is not None:
                self._told.setdefault(told.event.peer.uuid, []).append(told)
        self._heard: dict[Uuid, dict[Uuid, list[Record]]] = {}
        """of whom an application was told FAILURE, by whose application that was"""
        for heard in history.of(Signalled):
            if heard.event.signal == FAILED and heard.time <= history.end:
                self._heard.setdefault(heard.event.peer.uuid, {}).setdefault(heard.incarnation, []).append(heard)
        self._links = OwnLinks(history)
        self._left = {record.incarnation: record.time for record in history.of(Leaving)}
        self._handed_over = [r.time for r in history.of(LeadershipTaken) if r.event.why is Why.MASTER_SHUTS_DOWN]

    def judge(self) -> list[str]:
        notes: list[str] = []
        for crashed in self._cases():
            notes += self._judge_case(crashed)
        more = len(notes) - MOST_NOTES
        return notes if more <= 0 else [*notes[:MOST_NOTES], f"{more} more crashes"]

    def _cases(self) -> list[list[Process]]:
        """Members of a view that ended without a word, those of one moment together."""
        crashed = [
            process
            for process in self._history.processes.values()
            if process.ended is not None
            and process.ended.time <= self._history.end
            and isinstance(process.ended.event, NodeEnded)
            and not process.ended.event.why.unasked  # nobody knows when
            and process.installs
            and process.uuid not in self._left
        ]
        crashed.sort(key=_time)
        cases: list[list[Process]] = [crashed[:1]] if crashed else []
        for before, process in pairwise(crashed):
            if _time(process) - _time(before) <= self._period(process):
                cases[-1].append(process)
            else:
                cases.append([process])
        return cases

    def _period(self, process: Process) -> Micros:
        return self._all.settings_of(process.node).gms_heartbeat_period

    def _judge_case(self, crashed: Sequence[Process]) -> list[str]:
        begin, last = _time(crashed[0]), _time(crashed[-1])
        survivors = self._survivors(crashed, begin)
        if not survivors:
            return []
        own = self._all.bounds_of(survivors[0].node).group
        if all(self._knows_its_link_is_down(each, process) for each in survivors for process in crashed):
            own = replace(own, settings=replace(own.settings, gms_probe_timeout=0))
        masters = [process for process in crashed if process.following == process.member]
        others = len(crashed) - len(masters)
        promised = own.take_over_and_failures(others, others) if masters else own.failure(others)
        if masters and not others:
            promised = own.take_over()
        end = last + promised
        if end > self._history.end or self._disturbed(crashed, begin - own.shortest_suspicion, end):
            return []
        late = any(self._all.late_between(p.uuid, begin, end) for p in survivors)
        self.judged += len(crashed)
        case = Case(crashed, survivors, own, promised, end, late)
        return [self._judge_crash(process, case) for process in crashed]

    def _knows_its_link_is_down(self, survivor: Process, crashed: Process) -> bool:
        """Soon enough for the first probe, and it has not come up again before anybody has told the crash."""
        if crashed.member is None:
            return False
        told = _first(self._told, crashed.uuid, _ended(crashed))
        until = told.time if told is not None else self._history.end
        since = self._links.down_since(survivor.uuid, crashed.member.address, until)
        return since is not None and since <= _time(crashed) + self._period(crashed)

    def _survivors(self, crashed: Sequence[Process], begin: Micros) -> list[Process]:
        uuids = {process.uuid for process in crashed}
        found = []
        for process in self._history.processes.values():
            view = installed(process, begin)
            if process.uuid in uuids or view is None or (process.ended is not None and _time(process) <= begin):
                continue
            if uuids.issubset(member.uuid for member in view.view.members):
                found.append(process)
        return found

    def _disturbed(self, crashed: Sequence[Process], begin: Micros, end: Micros) -> bool:
        """By a fault that is none of these crashes, or by a member that comes or goes; or a watchdog was faster."""
        nodes = frozenset(process.node for process in crashed)
        gone = [p for p in self._history.processes.values() if self._has_handed_over(p, _time(crashed[0]))]
        leave = frozenset(process.node for process in gone)
        earliest = _time(crashed[0]) - self._period(crashed[0])
        if any(begin <= record.time <= end for record in self._history.of(HintTaken)):
            return True
        for process in self._history.processes.values():
            starts = process.installs[0].record.time if process.installs else begin - 1
            if process not in (*crashed, *gone) and (
                begin <= starts <= end or (process.ended and begin <= _time(process) <= end)
            ):
                return True
        return any(
            span.begin <= end
            and span.end >= begin
            and not self._makes(span, nodes, earliest)
            and not (span.kind is LEAVE and span.nodes <= leave)
            for span in self._all.spans
        )

    def _has_handed_over(self, process: Process, crash: Micros) -> bool:
        """It was the master, and has shut down. Another one has led since before anybody can have missed the crash, and
        knows how long nothing has been heard of whom it alone watches."""
        own = self._all.bounds_of(process.node).group
        if own.settings.gms_detection in RINGS or process.uuid not in self._left:
            return False
        until = crash + own.shortest_suspicion - own.settings.gms_heartbeat_period
        view = installed(process, self._left[process.uuid])
        led = view is not None and view.view.author == process.uuid
        return led and any(self._left[process.uuid] <= time <= until for time in self._handed_over)

    def _makes(self, span: Span, nodes: frozenset[str], earliest: Micros) -> bool:
        """It is part of such a crash: it kills one of them, or cuts it off just before."""
        ends = [link.split("->") for link in span.links]
        inside = span.nodes <= nodes and all(not nodes.isdisjoint(two) for two in ends)
        return inside and span.begin >= earliest and (span.kind is KILL or span.silences)

    def _judge_crash(self, process: Process, case: Case) -> str:
        history, crash, own, promised = self._history, _ended(process), case.own, case.promised
        who = history.name(process)
        missed, told = _first(self._missed, process.uuid, crash), _first(self._told, process.uuid, crash)
        least = max(0, own.shortest_suspicion - 2 * self._period(process) - own.allowance)
        if process.following == process.member and own.settings.gms_detection != ALL_TO_ALL:
            least = 0  # who gets no heartbeat of the master asks it for a sign now and then
        most = own.suspicion if len(case.crashed) == 1 else promised
        if missed is None or told is None or told.time > case.end:
            when = "never" if told is None else f"{rounded(told.time - crash.time)} after it"
            said = f"The crash of {who} was to be told within {rounded(promised)}, and was {when}."
            self._all.accuse(said, [crash] if told is None else [crash, told], late=case.late)
            return f"{who}: its crash was told {when}, promised {rounded(promised)}"
        if not least <= missed.time - crash.time <= most:
            said = f"{who} was missed {rounded(missed.time - crash.time)} after its crash: that is not within "
            said += f"{rounded(least)} and {rounded(most)}."
            self._all.accuse(said, [crash, missed], late=case.late)
        return (
            f"{who}: missed {rounded(missed.time - crash.time)} after its crash, promised {rounded(least)} to "
            f"{rounded(most)}; told {rounded(told.time - missed.time)} later, {rounded(told.time - crash.time)} after "
            f"the crash{self._judge_hearing(process, crash, case)}, promised {rounded(promised)}"
        )

    def _judge_hearing(self, process: Process, crash: Record, case: Case) -> str:
        heard = self._heard.get(process.uuid, {})
        first = [record for each in case.survivors if (record := _first(heard, each.uuid, crash))]
        for record in first:
            if record.time > case.end:
                who = self._history.names.process(record.node, record.incarnation)
                said = f"{who} hears of the crash of {self._history.name(process)} {rounded(record.time - crash.time)} "
                said += f"after it: that is not within {rounded(case.promised)}."
                self._all.accuse(said, [crash, record], late=case.late)
        if not first:
            return ""
        times = sorted(record.time - crash.time for record in first)
        span = rounded(times[0]) if times[0] == times[-1] else f"{rounded(times[0])} to {rounded(times[-1])}"
        return f" and heard by {counted(len(first), 'survivor')} after {span}"


def _first(records: Mapping[Uuid, Sequence[Record]], uuid: Uuid, crash: Record) -> Record | None:
    """Of this crash."""
    since = [record for record in records.get(uuid, ()) if record.time >= crash.time]
    return min(since, key=lambda record: record.time, default=None)


def _ended(process: Process) -> Record:
    assert process.ended is not None
    return process.ended


def _time(process: Process) -> Micros:
    return _ended(process).time
