"""The grounds of an event: the events that it followed from.

Most come from the step itself: what the same step told before, or what the sender of its message had told when it sent
it. A few kinds of event rest on what a node has learnt over time, or on a silence, which nobody sends. For each of
these one function below says where to look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from shaketable.harness.causes.steps import Steps
from shaketable.harness.checks.shared.circumstances import span_of
from shaketable.harness.history.history import History
from shaketable.harness.records import (
    FaultAsked,
    FaultEndAsked,
    FaultEnded,
    FaultTook,
    FaultWithoutEffect,
    NodeEnded,
    NodeSpawned,
    Record,
    StepBegan,
)
from shaketable.node import events as e
from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.events import Event
from shaketable.node.events.base import TIMER
from shaketable.node.messages import Address, Member
from shaketable.node.why import Why

SLACK: Final[Micros] = 500 * MILLISECOND
"""A fault that ended this long before may still be why: messages were under way, links had to come up."""
LATE: Final[Micros] = 100 * MILLISECOND
"""a message that took longer was kept by somebody"""
MOST: Final = 8
"""grounds of one event"""


class How(StrEnum):
    """How the later event followed from the earlier one."""

    STEP = "step"
    """the same step told both"""
    MESSAGE = "message"
    TIMER = "timer"
    LEARNT = "learnt"
    """the node knew it by then"""
    BROKEN = "broken"
    """a fault or an end stood behind it"""
    SCRIPT = "script"


class Ground(NamedTuple):
    record: Record
    how: How
    message: str = ""
    """the kind of the message, if one brought it"""


class Grounds:
    def __init__(self, history: History) -> None:
        self.history = history
        self.steps = Steps(history)
        self._faults = [(facts.asked, span_of(facts)) for facts in history.faults.values()]

    def of(self, record: Record) -> list[Ground]:
        """Nothing: the event stands at the beginning of its chain."""
        rule = _RULES.get(type(record.event))
        found = list(rule(self, record, record.event)) if rule is not None else []
        return (found or self.by_step(record))[:MOST]

    # From the step alone

    def by_step(self, record: Record) -> list[Ground]:
        if not record.node:
            return []
        for before in self.steps.earlier_in_step(record):
            if type(before.event) is not type(record.event) and type(before.event) not in _ASIDE:
                return [Ground(before, How.STEP)]
        sent = self.steps.sent(record)
        if sent is None:
            return []
        assert record.cause is not None
        for before in self.steps.sending_step(sent):
            if type(before.event) not in _ASIDE:
                if record.cause.kind == TIMER:
                    return [Ground(before, How.TIMER)]
                return [Ground(before, How.MESSAGE, record.cause.kind), *self._late(before, record)]
        return []

    def _late(self, sent: Record, came: Record) -> list[Ground]:
        """What kept a message so long that was sent in one step and began the other."""
        if came.time - sent.time < LATE:
            return []
        arrow, ends = f"{sent.node}->{came.node}", {sent.node, came.node}
        return [
            Ground(asked, How.BROKEN)
            for asked, span in self._faults
            if span.begin <= came.time
            and span.end >= sent.time
            and (arrow in span.links or not (span.links or span.nodes.isdisjoint(ends)))
        ]

    def by_sender(self, record: Record, fits: Callable[[Event], bool]) -> list[Ground]:
        """The last event that fits of what the sender of the message had told by then."""
        sent = self.steps.sent(record)
        if sent is None or record.cause is None or record.cause.kind == TIMER:
            return []
        found = next((each for each in self.steps.back(sent.life, sent.after) if fits(each.event)), None)
        if found is None:
            return []
        return [Ground(found, How.MESSAGE, record.cause.kind), *(self._late(found, record) if sent.told else ())]

    def learnt(self, record: Record, fits: Callable[[Event], bool]) -> list[Ground]:
        """The last event of its own process that fits."""
        found = next((each for each in self.steps.before(record) if fits(each.event)), None)
        return [] if found is None else [Ground(found, How.STEP if found.time == record.time else How.LEARNT)]

    # From what was broken

    def broken(
        self, links: Iterable[tuple[str, str]], nodes: Iterable[str], since: Micros, now: Micros
    ) -> list[Ground]:
        """What lay on these links, or had happened to these nodes, at some time of this: what silenced a link, or else
        what stopped or ended a node, or else all that was on."""
        arrows, nodes = {f"{source}->{target}" for source, target in links}, frozenset(nodes)
        on = [
            (asked, span)
            for asked, span in self._faults
            if span.begin <= now
            and span.end >= since - SLACK
            and not (span.links.isdisjoint(arrows) and (span.links or span.nodes.isdisjoint(nodes)))
        ]
        silent = [asked for asked, span in on if span.links and span.silences]
        ends = [end for end in (self._end_of(node, now) for node in sorted(nodes)) if end is not None]
        stopped = [asked for asked, span in on if not span.links and span.kind.spoils_own_times]
        found: list[list[Record]] = [[*silent], [*stopped, *ends], [asked for asked, _ in on]]
        return [Ground(each, How.BROKEN) for each in next(filter(None, found), ())]

    def _end_of(self, node: str, now: Micros) -> Record | None:
        """None: it runs then."""
        ends = [end for end in self.history.of(NodeEnded) if end.event.peer == node and end.time <= now]
        again = [begun for begun in self.history.of(NodeSpawned) if begun.event.peer == node and begun.time <= now]
        return ends[-1] if ends and not (again and again[-1].time > ends[-1].time) else None

    def silence(self, record: Record, peer: Address, since: Micros) -> list[Ground]:
        """What stood between this node and the one at that address, from there to here; if nothing, the other way."""
        name, me = self.history.names.place(peer), record.node
        return self.broken([(name, me)], [name], since, record.time) or self.broken(
            [(me, name)], [me], since, record.time
        )


def _suspected(grounds: Grounds, record: Record, event: e.Suspected) -> Iterator[Ground]:
    if event.why is Why.CONNECTION_LOST:
        lost = grounds.learnt(record, lambda told: isinstance(told, e.LinkDown) and told.address == event.peer.address)
        yield from lost or grounds.broken(
            [(record.node, grounds.history.names.place(event.peer.address))], [], record.time, record.time
        )
    elif event.silence is not None:
        yield from grounds.silence(record, event.peer.address, record.time - event.silence)


def _link_down(grounds: Grounds, record: Record, event: e.LinkDown) -> Iterator[Ground]:
    name = grounds.history.names.place(event.address)
    yield from grounds.broken([(record.node, name)], [name], record.time, record.time)


def _link_silent(grounds: Grounds, record: Record, event: e.LinkSilent | e.ProbeFailed) -> Iterator[Ground]:
    address = event.address if isinstance(event, e.LinkSilent) else event.peer.address
    yield from grounds.silence(record, address, record.time)


def _lacks(grounds: Grounds, record: Record, event: e.MessagesLost) -> Iterator[Ground]:
    sender = grounds.history.names.place(event.address)
    yield from grounds.broken([(sender, record.node)], [record.node], record.time - event.before, record.time)


def _claim_answered(grounds: Grounds, record: Record, event: e.ClaimAnswered) -> Iterator[Ground]:
    if event.answer == "silent":
        yield from grounds.silence(record, event.peer.address, record.time)
    else:
        yield from grounds.by_sender(record, lambda told: isinstance(told, e.ClaimConsented | e.ClaimDeclined))


def _reported(grounds: Grounds, record: Record, event: e.SuspicionsReported) -> Iterator[Ground]:
    for member in event.suspected:
        yield from grounds.by_sender(record, lambda told, of=member: _is_suspicion(told, of))  # type: ignore[misc]
    if not event.suspected:
        yield from grounds.by_sender(record, lambda told: isinstance(told, e.SuspicionEnded))


def _is_suspicion(told: Event, of: Member) -> bool:
    return isinstance(told, e.Suspected) and told.peer == of


def _resolved(grounds: Grounds, record: Record, event: e.DisconnectionResolved) -> Iterator[Ground]:
    """Of all reports those that one who leaves is in."""
    for who, whom in event.reports:
        if who not in event.leave and not any(member in event.leave for member in whom):
            continue
        found = grounds.learnt(
            record,
            lambda told, of=who: isinstance(told, e.SuspicionsReported) and told.peer == of,  # type: ignore[misc]
        )
        own = [] if found else [each for member in whom for each in _own_suspicion(grounds, record, member)]
        yield from found or own


def _own_suspicion(grounds: Grounds, record: Record, of: Member) -> list[Ground]:
    return grounds.learnt(record, lambda told: _is_suspicion(told, of))


def _removed(grounds: Grounds, record: Record, event: e.MemberRemoved) -> Iterator[Ground]:
    """A decision stands just before it in its step. For any other removal the master has its own suspicion, or was told
    that the member leaves."""
    for before in grounds.steps.earlier_in_step(record):
        if isinstance(before.event, e.DisconnectionResolved):
            yield Ground(before, How.STEP)
            return
    if event.why not in (Why.LEFT, Why.LEFT_UNANSWERED):
        yield from _own_suspicion(grounds, record, event.peer)


def _claim_started(grounds: Grounds, record: Record, event: e.ClaimStarted) -> Iterator[Ground]:
    """Its claim says that it suspects each member in front of it."""
    for member in event.members:
        if member.uuid == record.incarnation:
            return
        yield from _own_suspicion(grounds, record, member)


def _claim_finished(grounds: Grounds, record: Record, event: e.ClaimFinished) -> Iterator[Ground]:
    for before in grounds.steps.before(record):
        if isinstance(before.event, e.ClaimAnswered):
            yield Ground(before, How.LEARNT)
        elif isinstance(before.event, e.ClaimStarted):
            yield Ground(before, How.LEARNT)
            return


def _installed(grounds: Grounds, record: Record, event: e.ViewInstalled) -> Iterator[Ground]:
    yield from grounds.by_sender(
        record,
        lambda told: isinstance(told, e.ViewPublished) and (told.version, told.author) == (event.version, event.author),
    )


def _of_fault(grounds: Grounds, record: Record, event: Any) -> Iterator[Ground]:
    facts = grounds.history.faults.get(event.fault)
    if facts is not None:
        yield Ground(facts.asked, How.BROKEN)


def _ended(grounds: Grounds, record: Record, event: NodeEnded) -> Iterator[Ground]:
    """By a fault, or by itself."""
    kills = [
        facts.asked
        for facts in grounds.history.faults.values()
        if event.peer in facts.nodes and not facts.asked.event.lasts and facts.asked.time <= record.time
    ]
    last = [told for told in grounds.history.of(e.Stopped) if told.node == event.peer and told.time <= record.time]
    failed = [told for told in grounds.history.of(e.Failed) if told.node == event.peer and told.time <= record.time]
    found = failed[-1:] or last[-1:] or kills[-1:]
    yield from (Ground(each, How.BROKEN) for each in found)


def _by_script(grounds: Grounds, record: Record, event: Event) -> Iterator[Ground]:
    steps = [step for step in grounds.history.of(StepBegan) if step.time <= record.time]
    yield from (Ground(step, How.SCRIPT) for step in steps[-1:])


def _late(grounds: Grounds, record: Record, event: e.RoundLate) -> Iterator[Ground]:
    yield from grounds.broken([], [record.node], record.time - event.lateness, record.time)


_Rule = Callable[[Grounds, Record, Any], Iterator[Ground]]

_RULES: Final[Mapping[type[Event], _Rule]] = {
    e.Suspected: _suspected,
    e.LinkDown: _link_down,
    e.LinkSilent: _link_silent,
    e.ProbeFailed: _link_silent,
    e.MessagesLost: _lacks,
    e.ClaimAnswered: _claim_answered,
    e.SuspicionsReported: _reported,
    e.DisconnectionResolved: _resolved,
    e.MemberRemoved: _removed,
    e.ClaimStarted: _claim_started,
    e.ClaimFinished: _claim_finished,
    e.ViewInstalled: _installed,
    e.RoundLate: _late,
    e.Held: _of_fault,
    e.Released: _of_fault,
    e.FilterMatched: _of_fault,
    e.Started: _by_script,
    FaultTook: _of_fault,
    FaultEndAsked: _of_fault,
    FaultEnded: _of_fault,
    FaultWithoutEffect: _of_fault,
    FaultAsked: _by_script,
    NodeEnded: _ended,
    NodeSpawned: _by_script,
}

_ASIDE: Final = (
    *(e.FilterMatched, e.Held, e.Released, e.FramesDropped, e.FramesLate, e.MessagesLost, e.StoodStill),
    *(e.LinkHeard, e.RoundLate, e.HeartbeatsCounted),
)
"""Events that a step tells beside what it does: nothing follows from them."""
