"""Of the family "detection": a suspicion has a reason that the text knows, and no reason is made up.

A silence is told with its length, and measured elsewhere, as is the loss of a connection. What is left is explicit
suspicion, which a member has to have sent; a new identity, which has to be somebody's; another cluster that it leads,
as the two masters have just found; and the master's removals, each of which follows a suspicion of its own, unless the
member leaves or a decision names it."""

from __future__ import annotations

from typing import Final

from shaketable.harness.checks.circumstances import Circumstances
from shaketable.harness.checks.following import NOT_OF_THE_MEMBER
from shaketable.harness.checks.lost_connections import REASON as CONNECTION_LOST
from shaketable.harness.checks.silences import NO_CONFIRMATION
from shaketable.harness.records import Record
from shaketable.node.events import (
    DisconnectionResolved,
    Event,
    ExplicitSuspicionReceived,
    ExplicitSuspicionSent,
    Leaving,
    MemberRemoved,
    MergeJudged,
    Stopped,
    Suspected,
    SuspicionEnded,
)
from shaketable.node.messages import Uuid

NO_HEARTBEAT: Final = "no heartbeat"
EXPLICIT: Final = "explicit suspicion"
RESTARTED: Final = "its address asks to join with a new identity"
LEADS_ANOTHER: Final = "it leads another cluster"
BY_DECISION: Final = "partial member disconnection"
SILENCES: Final = (NO_HEARTBEAT, NO_CONFIRMATION)


class Reasons:
    def __init__(self, circumstances: Circumstances) -> None:
        self._all = circumstances
        self._history = circumstances.history
        self._before: dict[tuple[Uuid, int], Event] = {}
        """what may stand just before an explicit suspicion, by process and place; made when there is one to judge"""
        self._decided: dict[tuple[Uuid, int], Event] = {}
        """what may stand just before a removal by decision, in the same way"""
        self._apart: dict[tuple[Uuid, int], Event] = {}
        """what may stand just before a suspicion of who leads another part, in the same way"""

    def judge_suspicions(self) -> None:
        for record in self._history.of(Suspected):
            event = record.event
            assert isinstance(event, Suspected)
            if record.time > self._history.end:
                return  # the world clears up
            wrong = self._wrong(record, event)
            if wrong:
                self._accuse(record, f"suspects {self._history.names.member(event.peer)} ({event.reason}), {wrong}")

    def _wrong(self, record: Record, event: Suspected) -> str:
        if event.reason in SILENCES:
            return "" if event.silence is not None else "and does not tell how long the silence was"
        if event.reason == CONNECTION_LOST:
            return ""
        if event.reason == EXPLICIT:
            return "" if self._was_told(record, event) else "and nobody has just told it to"
        if event.reason == RESTARTED:
            return "" if self._has_another_life(event) else "and there is no other identity at that address"
        if event.reason == LEADS_ANOTHER:
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
        suspected: dict[tuple[Uuid, Uuid], list[tuple[int, bool]]] = {}
        kinds: tuple[type[Event], ...] = Suspected, SuspicionEnded
        for kind in kinds:
            for record in self._history.of(kind):
                event = record.event
                assert isinstance(event, Suspected | SuspicionEnded)
                told = suspected.setdefault((record.incarnation, event.peer.uuid), [])
                told.append((record.sequence, kind is Suspected))
        for record in removals:
            event = record.event
            assert isinstance(event, MemberRemoved)
            if event.reason == BY_DECISION:
                if not self._is_decided(record, event):
                    name = self._history.names.member(event.peer)
                    self._accuse(record, f"removes {name} ({BY_DECISION}), and has not just decided that it leaves")
                continue
            told = suspected.get((record.incarnation, event.peer.uuid), [])
            _, does = max(((place, does) for place, does in told if place < record.sequence), default=(0, False))
            if not does and event.peer.uuid not in leavers:
                name = self._history.names.member(event.peer)
                self._accuse(record, f"removes {name}, which it does not suspect and which does not leave")

    def _is_decided(self, removal: Record, event: MemberRemoved) -> bool:
        """In the same step: nothing stands between the decision and this but other removals."""
        before = self._all_of(self._decided, DisconnectionResolved, MemberRemoved)
        place = removal.sequence - 1
        while isinstance(before.get((removal.incarnation, place)), MemberRemoved):
            place -= 1
        decision = before.get((removal.incarnation, place))
        return isinstance(decision, DisconnectionResolved) and event.peer in decision.leave

    def _accuse(self, record: Record, said: str) -> None:
        who = self._history.names.process(record.node, record.incarnation)
        self._all.findings.add(f"{who} {said}.", [record])
