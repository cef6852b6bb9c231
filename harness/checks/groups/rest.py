"""Times of rest: calms in which a group has had the time to settle, and in what sets its members then are.

Two members are *linked* if neither link between them is silent in the true graph of links. A *part* hangs together by
links that work in one direction at least. It is *whole* if all its members are linked pairwise. The time that a part
may take depends on how many members of its views it has lost."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.at_rest import AtRest
from shaketable.harness.checks.groups.known import Known
from shaketable.harness.checks.groups.reading import kind_of, told
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.calms import Calm, calms
from shaketable.harness.checks.shared.circumstances import Span, span_of
from shaketable.harness.checks.shared.true_links import TrueLinks
from shaketable.harness.history.history import History, Install, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import WATCHDOG, Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import Leaving, MasterFollowed, ReadmissionAsked, Started
from shaketable.node.messages import Uuid


class Part(NamedTuple):
    standings: Sequence[AtRest]
    linked: frozenset[tuple[str, str]]
    """pairs of nodes, each both ways"""
    whole: bool
    bound: Micros
    """so long it may take to settle"""
    unclear: str
    """why nobody can say how long it takes"""
    since: Micros
    """when its calm began"""


class Rest(NamedTuple):
    calm: Calm
    parts: Sequence[Part]

    def long_enough(self, part: Part) -> bool:
        return self.calm.end - self.calm.begin >= part.bound


class Rests:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self._history = history
        self._bounds = bounds
        self._links = TrueLinks(history)
        self._spans = [span_of(facts) for facts in history.faults.values()]
        self._follows = told(history, Started, MasterFollowed, ReadmissionAsked)
        self._leaving = {uuid: records[0].time for uuid, records in told(history, Leaving).items()}
        self.known = Known(history, bounds.settings)

    def settings_of(self, process: Process) -> Settings:
        return self._history.settings_of(process.node, self._bounds.settings)

    def __iter__(self) -> Iterator[Rest]:
        for calm in map(self._before_it_ends, calms(self._history)):
            standing = [s for process in self._members(calm) if (s := self._standing(process, calm)) is not None]
            yield Rest(calm, [self._part(nodes, standing, calm) for nodes in self._apart(standing, calm)])

    def _before_it_ends(self, calm: Calm) -> Calm:
        """The event that ends it, and all that follows from that in the same moment, is no part of it."""
        return calm if calm.end == self._history.end else Calm(calm.begin, calm.end - 1)

    def _members(self, calm: Calm) -> Iterator[Process]:
        history = self._history
        stops = [span for span in self._spans if span.kind.spoils_own_times and _lies_on(span, calm)]
        stopped = {node for span in stops for node in span.nodes}
        for process in history.processes.values():
            ended = process.ended.time if process.ended is not None else history.end + 1
            leaves = self._leaving.get(process.uuid, calm.end + 1) <= calm.end
            if ended < calm.end or leaves or process.node in stopped or process.member is None:
                continue
            if kind_of(history, process.member, self._bounds.settings) != WATCHDOG:
                yield process

    def _standing(self, process: Process, calm: Calm) -> AtRest | None:
        """None: it is not there yet."""
        said = [record for record in self._follows.get(process.uuid, ()) if record.time <= calm.end]
        if not said:
            return None
        last = said[-1].event
        master = last.master if isinstance(last, MasterFollowed) else None
        return AtRest(process, master, said[-1], installed(process, calm.end))

    def _apart(self, standing: Sequence[AtRest], calm: Calm) -> list[list[str]]:
        """Nodes by the parts that hang together."""
        silent = frozenset(self._links.surely_silent(calm.begin, calm.end))
        left = [each.process.node for each in standing]
        parts: list[list[str]] = []
        while left:
            part = [left.pop(0)]
            for node in part:
                near = [other for other in left if not {(node, other), (other, node)} <= silent]
                part += near
                left = [other for other in left if other not in near]
            parts.append(sorted(part))
        return parts

    def _part(self, nodes: Sequence[str], standing: Sequence[AtRest], calm: Calm) -> Part:
        inside = [each for each in standing if each.process.node in nodes]
        silent = frozenset(self._links.surely_silent(calm.begin, calm.end))
        linked = frozenset((a, b) for a in nodes for b in nodes if a != b and not {(a, b), (b, a)} & silent)
        whole = len(linked) == len(nodes) * (len(nodes) - 1)
        mine = {each.process.uuid: True for each in inside}
        lost = dict.fromkeys(
            member.uuid
            for each in inside
            if (before := installed(each.process, calm.begin)) is not None
            for member in before.view.members
            if member.uuid not in mine
        )
        bound = self._bounds.group.settle_without(len(lost))
        return Part(inside, linked, whole, bound, self._unclear(nodes, calm), calm.begin)

    def _unclear(self, nodes: Iterable[str], calm: Calm) -> str:
        some = frozenset(nodes)
        for span in self._spans:
            if span.silences or span.kind.bounded or not _lies_on(span, calm):
                continue
            ends = {end for link in span.links for end in link.split("->")}
            if span.kind.everywhere or not some.isdisjoint(span.nodes | ends):
                return f"nobody knows how long a group takes under this ({span.verb})"
        return ""


Wrong = tuple[str, Sequence[Record]]
"""What is not as it should be in a part, and the records that prove it."""


def judged(
    history: History, bounds: Bounds, name: str, rule: str, why_not: Callable[[Rests, Part, Micros], list[Wrong]]
) -> CheckResult:
    """Each part that was at rest for long enough, at the end of that; a state that lasts is one violation."""
    findings, rests = Findings(history), Rests(history, bounds)
    members = sets = pending = 0
    notes: dict[str, bool] = {}
    said: dict[str, bool] = {}
    for rest in rests:
        for part in rest.parts:
            wrong = why_not(rests, part, rest.calm.end)
            if not rest.long_enough(part):
                pending += rest.calm.end == history.end and bool(wrong)
                continue
            if part.unclear:
                notes[part.unclear] = True
                continue
            if len(part.standings) > 1:
                members, sets = members + len(part.standings), sets + 1
            for sentence, proof in wrong:
                if sentence not in said:
                    said[sentence] = True
                    findings.add(f"{sentence}, after {rounded(part.bound)} of calm.", proof)
    looked_at = f"{counted(members, 'member')} in {counted(sets, 'set')} after a calm that was long enough"
    return findings.result(name, rule, looked_at, sets, pending=pending, notes=notes)


def installed(process: Process, time: Micros) -> Install | None:
    """Its view at that time."""
    place = bisect_right(process.installs, time, key=lambda install: install.record.time)
    return process.installs[place - 1] if place else None


def first_seen(history: History) -> Mapping[Uuid, Micros]:
    """When a view with a member was first installed, by whomsoever."""
    first: dict[Uuid, Micros] = {}
    for process in history.processes.values():
        for install in process.installs:
            for member in install.view.members:
                first[member.uuid] = min(install.record.time, first.get(member.uuid, install.record.time))
    return first


def following(standings: Iterable[AtRest]) -> dict[Uuid, list[AtRest]]:
    """By the master; a member that follows nobody is by itself."""
    sides: dict[Uuid, list[AtRest]] = {}
    for each in standings:
        sides.setdefault(each.master.uuid if each.master is not None else each.process.uuid, []).append(each)
    return sides


def _lies_on(span: Span, calm: Calm) -> bool:
    return span.begin <= calm.begin and span.end >= calm.end and span.end > span.begin
