"""The story of a run in moments: steps, faults with their receipts, installed lists, and suspicions.

If several members install a view one after the other, that is one moment. So are suspicions that the master is told of
one after the other, and a decision by them does not repeat them. Each moment knows whether it matters: a report on a
long story leaves out the others first (abridged.py). Two things are left out: what its consequence tells (messages of a
claim, links that come up), and that a member ignores a list that it holds already, as with each periodic publish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from shaketable.harness import records as h
from shaketable.harness.history.abridged import abridged
from shaketable.harness.history.history import History, Key
from shaketable.harness.history.story_rows import Row, Rows, kind_of
from shaketable.harness.history.words.cluster import rounded, tell
from shaketable.harness.records import HARNESS, Record
from shaketable.node import events as e
from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.messages import Uuid
from shaketable.node.why import Why

MOST_MOMENTS: Final = 2000
"""A verdict stays a document that a person may open; the history has the rest."""


class Moment(msgspec.Struct, frozen=True):
    time: Micros
    kind: str
    """ "step", "fault", "view", "suspicion", "decision", "claim", "merge", "node", "table", "migration", "data",
    "trouble", "outcome" """
    told: str
    matters: bool = True
    """in a long story too"""
    left_out: int = 0
    """of a very long one: so many are left out before it"""


_KINDS: Final[dict[type[Event], str]] = {
    h.StepBegan: "step",
    h.AskedByHand: "step",
    h.FaultAsked: "fault",
    h.FaultTook: "fault",
    h.FaultEnded: "fault",
    h.FaultWithoutEffect: "trouble",
    h.FabricTrouble: "trouble",
    h.FabricRestored: "trouble",
    h.HarnessLate: "trouble",
    h.NotUnderstood: "trouble",
    h.NodeEnded: "node",
    h.Expected: "outcome",
    h.InvariantBroken: "outcome",
    h.ScriptEnded: "outcome",
    e.JoinRefusedBy: "node",
    e.JoinBatched: "node",
    e.JoinRequestIgnored: "node",
    e.Leaving: "node",
    e.Failed: "trouble",
    e.Suspected: "suspicion",
    e.SuspicionEnded: "suspicion",
    e.ComplaintReceived: "suspicion",
    e.ExplicitSuspicionSent: "suspicion",
    e.ExplicitSuspicionReceived: "suspicion",
    e.MembersSeen: "node",
    e.StaleHeartbeat: "node",
    e.ConfirmationIgnored: "node",
    e.DisconnectionResolved: "decision",
    e.DisconnectionUnresolved: "decision",
    e.ClaimStarted: "claim",
    e.ClaimConsented: "claim",
    e.ClaimDeclined: "claim",
    e.ClaimFinished: "claim",
    e.RoundLate: "node",
    e.StoodStill: "node",
    e.FramesDropped: "node",
    e.FramesLate: "node",
    e.MessagesLost: "node",
    e.Held: "node",
    e.Released: "node",
    e.FilterMatched: "node",
    e.TableSearchBegan: "table",
    e.TableSearchEnded: "table",
    e.PartitionsPlanned: "migration",
    e.PlanCancelled: "migration",
    e.PlanDone: "migration",
    e.MergePutOff: "merge",
    e.MergeBegan: "merge",
    e.Merging: "merge",
    e.Merged: "merge",
    e.MergeFailed: "merge",
    e.AddressForgotten: "node",
    e.JoinAddressesChangeEnded: "node",
}
_MATTERS: Final[tuple[type[Event], ...]] = (
    *(h.StepBegan, h.AskedByHand, h.FaultAsked, h.FaultEnded, h.FaultWithoutEffect),
    *(h.FabricTrouble, h.FabricRestored, h.NodeEnded),
    *(h.Expected, h.InvariantBroken, h.ScriptEnded, e.Leaving, e.Stopped, e.Failed),
    *(e.DisconnectionResolved, e.DisconnectionUnresolved, e.ClaimFinished, e.TableSearchEnded, e.MigrationFinished),
    *(e.MergeBegan, e.MergeFailed),
)


def story_of(history: History) -> tuple[Moment, ...]:
    moments: list[_AnyMoment] = []
    open_views: dict[Key, _Installs] = {}
    ignored, decisions = _Ignored(), _Decisions()
    reports: _Reports | None = None
    last_reports: _Reports | None = None
    lists = _Lists()
    rows = Rows()
    for record in sorted(history.records, key=_cause_first):
        if record.time > history.end:
            break
        event = record.event
        if isinstance(event, e.ViewInstalled):
            ignored.hold(record, event)
            key = (event.version, event.author)
            removes = lists.install(record, event)
            if key not in open_views:
                rows.end_scene()
                open_views[key] = _Installs(event, removes)
                moments.append(open_views[key])
                reports = None
            open_views[key].take(record, event)
            continue
        if isinstance(event, e.SuspicionsReported):
            if reports is not None and reports.take(record, event):
                _take_out(moments, reports)  # it comes after the suspicions that it tells of
            else:
                reports = last_reports = _Reports(record, event)
            moments.append(reports)
            continue
        kind = _KINDS.get(type(event))
        if isinstance(event, e.Stopped) and event.refused:
            kind = "node"  # after a leave it is told by its consequence
        if isinstance(event, e.ViewIgnored) and ignored.is_news(record, event):
            kind = "view"
        if isinstance(event, e.MigrationFinished) and event.role == "master" and not event.successful:
            kind = "migration"
        if isinstance(event, e.MergeJudged) and decisions.is_news(record, event):
            kind = "merge"
        if in_a_row := kind_of(event):
            row = rows.take(record, in_a_row)
            moments += [row] if row is not None else []
            continue
        if kind is not None:
            reports = reports if kind == "suspicion" else None
            if record.node == HARNESS:
                open_views.clear()  # who installs it after a new step or fault does so in another scene
                rows.end_scene()
            if kind == "decision" and last_reports is not None:
                last_reports.matters = True
            moments.append(_One(record, kind))
    return tuple(_told(abridged(moments, MOST_MOMENTS), history))


def _told(moments: Iterable[_AnyMoment | int], history: History) -> Iterator[Moment]:
    left_out = 0
    for each in moments:
        if isinstance(each, int):
            left_out = each
            continue
        time, told = each.told(history)
        yield Moment(time, each.kind, told, each.matters, left_out)
        left_out = 0


def _cause_first(record: Record) -> tuple[Micros, int]:
    """At one and the same time, as virtual time often is: what a script does follows from what nodes told before,
    except for what a node does because it was asked to."""
    if record.node == HARNESS:
        return record.time, 1
    return record.time, 2 if isinstance(record.event, e.Leaving | e.Stopped) else 0


def _take_out(moments: list[_AnyMoment], reports: _Reports) -> None:
    """It is one of the last."""
    place = next(i for i in range(len(moments) - 1, -1, -1) if moments[i] is reports)
    del moments[place]


class _Lists:
    """Which lists remove somebody, told of each when the first member installs it."""

    def __init__(self) -> None:
        self._held: dict[str, frozenset[Uuid]] = {}
        self._known: set[Key] = set()

    def install(self, record: Record, view: e.ViewInstalled) -> bool:
        before, now = self._held.get(record.incarnation, frozenset()), frozenset(m.uuid for m in view.members)
        new = (view.version, view.author) not in self._known
        self._held[record.incarnation] = now
        self._known.add((view.version, view.author))
        return new and not before <= now


class _Ignored:
    """Which of the lists that members ignored are worth telling: each once, and not the one that a member holds."""

    def __init__(self) -> None:
        self._held: dict[str, Key] = {}
        self._told: set[tuple[str, e.ViewIgnored]] = set()

    def hold(self, record: Record, view: e.ViewInstalled) -> None:
        self._held[record.incarnation] = (view.version, view.author)

    def is_news(self, record: Record, view: e.ViewIgnored) -> bool:
        known = (record.incarnation, view) in self._told
        self._told.add((record.incarnation, view))
        everyday = view.why is Why.NOT_NEWER and self._held.get(record.incarnation) == (view.version, view.author)
        return not known and not everyday


class _Decisions:
    """A master looks for other parts again and again; the same finding is told once."""

    def __init__(self) -> None:
        self._told: set[tuple[Uuid, Uuid, str]] = set()

    def is_news(self, record: Record, event: e.MergeJudged) -> bool:
        said = record.incarnation, event.peer.uuid, event.decision
        known = said in self._told
        self._told.add(said)
        return not known


class _One:
    """A moment of one record."""

    left_out = 0

    def __init__(self, record: Record, kind: str) -> None:
        self.kind = kind
        self.matters = isinstance(record.event, _MATTERS)
        self._record = record

    def told(self, history: History) -> tuple[Micros, str]:
        record, event, names = self._record, self._record.event, history.names
        if not isinstance(event, e.DisconnectionResolved):
            return record.time, tell(record, names)
        who, reports = names.process(record.node, record.incarnation), len(event.reports)
        by = "1 report" if reports == 1 else f"{reports} reports"
        return record.time, f"{who} decides that {names.members(event.leave)} leave v{event.version} (by {by})"


class _Reports:
    """What followers tell one master of their suspicions, one after the other."""

    kind = "suspicion"
    left_out = 0

    def __init__(self, first: Record, event: e.SuspicionsReported) -> None:
        self._last = first
        self._said: dict[Uuid, e.SuspicionsReported] = {}
        self.matters = False
        """if a decision follows from it"""
        self.take(first, event)

    def take(self, record: Record, event: e.SuspicionsReported) -> bool:
        """False: that is another moment, for somebody else is told, or somebody says something new."""
        if record.incarnation != self._last.incarnation or event.peer.uuid in self._said:
            return False
        self._said[event.peer.uuid] = event
        self._last = record
        return True

    def told(self, history: History) -> tuple[Micros, str]:
        last, names = self._last, history.names
        if len(self._said) == 1:
            return last.time, tell(last, names)
        said = ", ".join(
            f"{names.member(each.peer)} {names.members(each.suspected) if each.suspected else 'nobody any more'}"
            for each in self._said.values()
        )
        who = names.process(last.node, last.incarnation)
        return last.time, f"{who} is told who suspects whom: {said}"


class _Installs:
    """The installs of one view in one scene."""

    kind = "view"
    left_out = 0

    def __init__(self, view: e.ViewInstalled, matters: bool) -> None:
        self.view = view
        self.records: list[Record] = []
        self.matters = matters
        """if it is a list that removes somebody, and is told of for the first time"""
        self._reasons: dict[Uuid, str] = {}
        """by the member that installed it"""

    def take(self, record: Record, view: e.ViewInstalled) -> None:
        self.records.append(record)
        self._reasons[record.incarnation] = view.reason

    def told(self, history: History) -> tuple[Micros, str]:
        first, view, names = self.records[0], self.view, history.names
        if len(self.records) == 1:
            return first.time, tell(first, names)
        who = " ".join(names.process(record.node, record.incarnation) for record in self.records)
        what = f"v{view.version} {names.members(view.members)} by {names.author(view.author)}"
        reason = self._reason()
        reason = f" ({names.spoken(reason)})" if reason else ""
        took = rounded(self.records[-1].time - first.time)
        within = f", within {took}" if took != "0.000 s" else ""
        return first.time, f"{who} install {what}{reason}{within}"

    def _reason(self) -> str:
        """The one that all have; else its author's, to whom alone a list is not just an update; else none."""
        if len(set(self._reasons.values())) == 1:
            return next(iter(self._reasons.values()))
        return self._reasons.get(self.view.author, "")


_AnyMoment = _One | _Installs | _Reports | Row
