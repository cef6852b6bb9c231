"""Of the family "detection": a suspicion has a reason that the text knows, and no reason is made up.

The length of a silence and the loss of a connection are judged elsewhere. This module judges the other reasons: an
explicit suspicion, which a member must have sent; a new identity, which must belong to a process; another cluster that
the member leads, as the two masters have just found; and the master's removals. Each removal follows a suspicion of the
master's own, unless the member leaves or a decision names it."""

from __future__ import annotations

from typing import Final

from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.checks.shared.not_its_own import NOT_OF_THE_MEMBER
from shaketable.harness.checks.shared.suspicions import Suspicions
from shaketable.harness.records import Record
from shaketable.node.events import (
    DisconnectionResolved,
    Event,
    ExplicitSuspicionReceived,
    ExplicitSuspicionSent,
    Leaving,
    LinkDown,
    LinkUp,
    MemberRemoved,
    MergeJudged,
    Stopped,
    Suspected,
    ViewInstalled,
    ViewPublished,
)
from shaketable.node.messages import Uuid
from shaketable.node.why import Why

SILENCES: Final = (Why.NO_HEARTBEAT, Why.NO_CONFIRMATION)
_ONE_BY_ONE: Final[tuple[type[Event], ...]] = (LinkDown, LinkUp, MemberRemoved, ViewInstalled, ViewPublished)


class Reasons:
    def __init__(self, circumstances: Circumstances) -> None:
        self._all = circumstances
        self._history = circumstances.history
        self._before: dict[tuple[Uuid, int], Event] = {}
        """what may stand just before an explicit suspicion, by process and place; made when there is one to judge"""
        self._decided: dict[tuple[Uuid, int], Event] = {}
        """what may stand just before a removal by decision, in the same way"""
        self._apart: dict[tuple[Uuid, int], Event] = {}
        """what may stand just before a suspicion of the leader of another part, in the same way"""

    def judge_suspicions(self) -> None:
        for record in self._history.of(Suspected):
            event = record.event
            if record.time > self._history.end:
                return  # the world clears up
            wrong = self._wrong(record, event)
            if wrong:
                self._accuse(record, f"suspects {self._history.names.member(event.peer)} ({event.reason}), {wrong}")

    def _wrong(self, record: Record, event: Suspected) -> str:
        if event.why in SILENCES:
            return "" if event.silence is not None else "and does not tell how long the silence was"
        if event.why is Why.CONNECTION_LOST:
            return ""
        if event.why is Why.EXPLICIT:
            return "" if self._was_told(record, event) else "and nobody has just told it to"
        if event.why is Why.NEW_IDENTITY:
            return "" if self._has_another_life(event) else "and there is no other identity at that address"
        if event.why is Why.LEADS_ANOTHER:
            return "" if self._leads_another(record, event) else "and has not just found that both lists share a member"
        return "a reason that nobody knows"

    def _leads_another(self, record: Record, event: Suspected) -> bool:
        """In the same step it has judged that one's list, and may have told it so."""
        before = self._all_of(self._apart, MergeJudged, ExplicitSuspicionSent, *NOT_OF_THE_MEMBER)
        place = record.sequence - 1
        while (told := before.get((record.incarnation, place))) is not None:
            if isinstance(told, MergeJudged):
                return told.decision == "no" and told.peer == event.peer
            place -= 1
        return False

    def _all_of(self, known: dict[tuple[Uuid, int], Event], *kinds: type[Event]) -> dict[tuple[Uuid, int], Event]:
        """By process and place, made once."""
        for kind in kinds if not known else ():
            known.update(((r.incarnation, r.sequence), r.event) for r in self._history.of(kind))
        return known

    def _was_told(self, record: Record, event: Suspected) -> bool:
        before = self._all_of(self._before, ExplicitSuspicionReceived, *NOT_OF_THE_MEMBER)
        place = record.sequence - 1
        while (told := before.get((record.incarnation, place))) is not None:
            if isinstance(told, ExplicitSuspicionReceived):
                return told.obeyed and told.peer.address == event.peer.address
            place -= 1
        return False

    def _has_another_life(self, event: Suspected) -> bool:
        lives = [process.member for process in self._history.processes.values() if process.member is not None]
        return any(life.address == event.peer.address and life.uuid != event.peer.uuid for life in lives)

    def judge_removals(self) -> None:
        """The master's only: that nobody else removes anybody is the check `following`'s matter."""
        removals = [record for record in self._history.of(MemberRemoved) if record.time <= self._history.end]
        if not removals:
            return
        leavers = {record.incarnation for record in self._history.of(Leaving)}
        leavers |= {record.incarnation for record in self._history.of(Stopped)}
        suspicions = Suspicions(self._history)
        for removal in removals:
            event = removal.event
            if event.why is Why.DISCONNECTED:
                if not self._is_decided(removal, event):
                    name = self._history.names.member(event.peer)
                    self._accuse(removal, f"removes {name} ({event.reason}), and has not just decided that it leaves")
                continue
            if not suspicions.just_before(removal, event.peer.uuid) and event.peer.uuid not in leavers:
                name = self._history.names.member(event.peer)
                self._accuse(removal, f"removes {name}, which it does not suspect and which does not leave")

    def _is_decided(self, removal: Record, event: MemberRemoved) -> bool:
        """In the same step: nothing stands between the decision and this but other removals, and if these are one by
        one their lists, and links that go down meanwhile."""
        between = _ONE_BY_ONE if self._history.system.one_by_one else (MemberRemoved,)
        before = self._all_of(self._decided, DisconnectionResolved, *between)
        place = removal.sequence - 1
        while isinstance(before.get((removal.incarnation, place)), between):
            place -= 1
        decision = before.get((removal.incarnation, place))
        return isinstance(decision, DisconnectionResolved) and event.peer in decision.leave

    def _accuse(self, record: Record, said: str) -> None:
        who = self._history.names.process(record.node, record.incarnation)
        self._all.findings.add(f"{who} {said}.", [record])
