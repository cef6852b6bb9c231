"""Under what circumstances a node did what it did: which faults touched it or its links, how late its rounds were.

The parts of the family "detection" share this. The deeds of a node that somebody shakes, or that the machine lets wait,
prove less than those of an undisturbed one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.result import Findings
from shaketable.harness.faults.link_kinds import CUT, SLOW
from shaketable.harness.faults.node_kinds import KILL
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.history.history import FaultFacts, History
from shaketable.harness.records import FabricRestored, FabricTrouble, NodeEnded, NodeNamed, Record
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import RoundLate
from shaketable.node.messages import Member, Uuid

FOR_EVER: Final[Micros] = 2**62
DIED: Final = "died"


class Span(NamedTuple):
    """One fault, from the moment it was asked for to the receipt of its end; or what broke from outside."""

    begin: Micros
    end: Micros
    verb: str
    nodes: frozenset[str]
    links: frozenset[str]
    kind: FaultKind
    silences: bool

    def touches(self, nodes: Iterable[str], links: Iterable[str]) -> bool:
        return self.kind.everywhere or not self.nodes.isdisjoint(nodes) or not self.links.isdisjoint(links)


def both_ways(one: str, other: str) -> tuple[str, str]:
    """The links between two nodes."""
    return f"{one}->{other}", f"{other}->{one}"


class Circumstances:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self.history = history
        self.findings = Findings(history)
        self.excused = 0
        """what would have been a violation if nobody had been late"""
        self._usual = bounds
        self._bounds: dict[str, Bounds] = {}
        self.spans = [*map(span_of, history.faults.values()), *outside(history)]
        self.shifted_from = min((s.begin for s in self.spans if s.kind.shifts), default=history.end + 1)
        """from then on messages may be late, and clocks off"""
        self._late: dict[Uuid, list[tuple[Micros, Micros]]] = {}
        """of each process: when a late round ran, and how late it was"""
        self._very_late: dict[Uuid, list[tuple[Micros, Micros]]] = {}
        for record in history.of(RoundLate):
            self._learn_lateness(record)

    def _learn_lateness(self, record: Record[RoundLate]) -> None:
        event, own = record.event, self.bounds_of(record.node)
        self._late.setdefault(record.incarnation, []).append((record.time, event.lateness))
        if event.lateness > own.settings.heartbeat_timeout // 2:
            margin = own.settings.heartbeat_interval + own.allowance
            span = record.time - event.lateness - margin, record.time + margin
            self._very_late.setdefault(record.incarnation, []).append(span)

    @property
    def usual(self) -> Settings:
        """The run's own settings."""
        return self._usual.settings

    def bounds_of(self, node: str) -> Bounds:
        """By the node's own settings, where it has some."""
        if node not in self._bounds:
            settings = self.history.settings_of(node, self._usual.settings)
            self._bounds[node] = replace(self._usual, settings=settings)
        return self._bounds[node]

    def settings_of(self, node: str) -> Settings:
        return self.bounds_of(node).settings

    def very_late_at(self, uuid: Uuid, time: Micros) -> bool:
        return any(begin <= time <= end for begin, end in self._very_late.get(uuid, ()))

    def very_late_between(self, uuid: Uuid, begin: Micros, end: Micros) -> bool:
        return any(late <= end and until >= begin for late, until in self._very_late.get(uuid, ()))

    def ever_very_late(self, uuid: Uuid) -> bool:
        return uuid in self._very_late

    def late_between(self, uuid: Uuid, begin: Micros, end: Micros) -> bool:
        """It waited in this time for a round that ran late."""
        return any(time >= begin and time - lateness <= end for time, lateness in self._late.get(uuid, ()))

    def lateness_at(self, uuid: Uuid, time: Micros, interval: Micros) -> Micros:
        """Of a round that was not longer than an interval ago."""
        rounds = self._late.get(uuid, ())
        return max((lateness for ran, lateness in rounds if time - interval < ran <= time), default=0)

    def touched(self, begin: Micros, end: Micros, *, nodes: Iterable[str] = (), links: Iterable[str] = ()) -> bool:
        """Some fault acted on one of these in this time."""
        nodes, links = tuple(nodes), tuple(links)
        return any(span.touches(nodes, links) for span in self.spans if span.begin <= end and span.end >= begin)

    def shifted(self, end: Micros, *, nodes: Iterable[str] = (), links: Iterable[str] = ()) -> bool:
        """By a fault that began by then, though it may have ended: messages there come later than they would."""
        nodes, links = tuple(nodes), tuple(links)
        return any(span.kind.shifts and span.begin <= end and span.touches(nodes, links) for span in self.spans)

    def shaken(self, node: str, begin: Micros, end: Micros, *, but: Collection[FaultKind]) -> bool:
        """By another fault than these, which have made it do what is judged; or it was stopped."""
        return self.stopped(node, begin, end) or any(
            node in span.nodes and span.kind not in but
            for span in self.spans
            if span.begin <= end and span.end >= begin
        )

    def stopped(self, node: str, begin: Micros, end: Micros) -> bool:
        """It could not go on as it liked at some time of this, or somebody had set its clock before."""
        return any(
            span.kind.spoils_own_times and (span.kind.everywhere or node in span.nodes)
            for span in self.spans
            if span.begin <= end and (span.end >= begin or span.kind.sets_clock)
        )

    def broken_from(self) -> Micros:
        """Until then nothing was broken."""
        return min((span.begin for span in self.spans), default=self.history.end + 1)

    def dying(self, node: str, time: Micros) -> bool:
        """It may have been gone by then: it ended by itself, and the harness saw that later."""
        return any(s.verb == DIED and node in s.nodes and s.begin <= time <= s.end for s in self.spans)

    def accuse(self, sentence: str, proof: Iterable[Record], *, late: bool) -> None:
        """`late`: somebody was so late then that it proves nothing."""
        if late:
            self.excused += 1
        else:
            self.findings.add(sentence, proof)


class ListChange(NamedTuple):
    """Of the others: who is new in a list, and who is gone from it."""

    added: Sequence[Member]
    removed: Sequence[Member]


NO_CHANGE: Final = ListChange((), ())


def change_of(before: tuple[Member, ...], after: tuple[Member, ...], me: Uuid) -> ListChange:
    if after[: len(before)] == before:  # mostly lists grow at their end
        return ListChange([m for m in after[len(before) :] if m.uuid != me], ())
    old, new = {m.uuid: m for m in before if m.uuid != me}, {m.uuid: m for m in after if m.uuid != me}
    return ListChange(
        [m for uuid, m in new.items() if uuid not in old], [m for uuid, m in old.items() if uuid not in new]
    )


def span_of(facts: FaultFacts) -> Span:
    asked = facts.asked.event
    last = facts.ended or facts.without_effect or (None if asked.lasts else facts.took or facts.asked)
    end = last.time if last is not None else FOR_EVER
    nodes, links = frozenset(facts.nodes), frozenset(asked.links)
    begin = facts.asked.time
    if facts.is_quiet:
        begin = facts.held.time if facts.held is not None else FOR_EVER
    return Span(begin, end, asked.verb, nodes, links, facts.kind, asked.silences)


def outside(history: History) -> Iterator[Span]:
    """What broke and was no fault of ours. Nodes may know of it before the harness does: it counts from the last sign
    of life of a node whose end no script asked for, and from when the links were last seen in order."""
    for gone in history.of(NodeEnded):
        node = gone.event.peer
        if gone.event.why.unasked and gone.time <= history.end:
            signs = (r.time for r in reversed(history.records) if r.node == node and r.time <= gone.time)
            yield Span(next(signs, 0), gone.time, DIED, frozenset((node,)), frozenset(), KILL, silences=False)
    names = [named.event.peer for named in history.of(NodeNamed)]
    links = frozenset(f"{one}->{other}" for one in names for other in names if one != other)
    for record in history.of(FabricTrouble):
        event, kind = record.event, SLOW if record.event.by_others else CUT
        back = (r.time for r in history.of(FabricRestored) if r.time >= record.time and not event.by_others)
        begin = record.time if event.since is None else event.since
        yield Span(begin, next(back, FOR_EVER), "trouble", frozenset(), links, kind, silences=kind is CUT)
