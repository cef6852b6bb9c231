"""Whether the machine was too busy: something stood still, or was under way, for longer than the bounds allow for, and
no fault of the script explains it.

What did not come in time then proves nothing against a node. What has to hold at any speed does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from shaketable.harness.checks.registry import CHECK_NAMES, GO_BY_TIMES
from shaketable.harness.checks.result import UNKNOWN, proof_of
from shaketable.harness.checks.shared.circumstances import Span, span_of
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded, tell
from shaketable.harness.records import HarnessLate, Record
from shaketable.harness.verdicts.reasons import FAILED, Reason
from shaketable.node.config import GMS, Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import FramesLate, StoodStill

TOLD_IF_LATE: Final = (StoodStill, FramesLate, HarnessLate)
MOST_TOLD: Final = 3


def unless_late(
    reasons: Iterable[Reason], history: History, settings: Settings, allowance: Micros
) -> tuple[Reason, ...]:
    """Nobody is blamed for what did not come in time if the machine was too late for it. That is a reason of its own,
    also where a check could not judge."""
    machine = Machine(history, settings, allowance)
    told: list[Reason] = []
    why: dict[Late, None] = {}
    for reason in reasons:
        late = machine.too_late(_until(reason, history)) if _goes_by_times(reason) else []
        if late and reason.outcome == FAILED:
            reason = msgspec.structs.replace(reason, outcome=UNKNOWN)
        why.update(dict.fromkeys(late))
        told.append(reason)
    if why:
        worst = sorted(why, key=lambda late: late.begin - late.end)
        told.append(
            Reason(
                UNKNOWN, "machine", machine.told(worst), tuple(proof_of(history, w.record) for w in worst[:MOST_TOLD])
            )
        )
    return tuple(told)


def _goes_by_times(reason: Reason) -> bool:
    """Without proof: it did not see what it was to see. Of a check of the user's own nobody knows."""
    if reason.about == "check":
        return not reason.proof or reason.check in GO_BY_TIMES or reason.check not in CHECK_NAMES
    return reason.about == "expectation"


def _until(reason: Reason, history: History) -> Micros:
    """What was late after that had no part in it."""
    return max((proof.time for proof in reason.proof), default=history.end)


class Late(NamedTuple):
    begin: Micros
    end: Micros
    record: Record


class Machine:
    def __init__(self, history: History, settings: Settings, allowance: Micros) -> None:
        self._history = history
        self._settings = settings
        self._allowance = allowance
        self._spans = [span_of(facts) for facts in history.faults.values()]
        self._late = sorted(each for each in self._found() if each.begin <= history.end)

    def too_late(self, until: Micros) -> list[Late]:
        """What was late by then, if it is too much: once as long as a node takes for a silence, or in all longer than
        each bound allows for."""
        late = [each for each in self._late if each.begin <= until]
        too_much = _together(late) > self._allowance or any(each.end - each.begin > self._borne for each in late)
        return late if too_much else []

    @property
    def _borne(self) -> Micros:
        """A member that finds itself later than this cannot tell who was silent meanwhile."""
        settings = self._settings
        silence = settings.detection_window if settings.family == GMS else settings.heartbeat_timeout
        return min(self._allowance, silence // 2)

    def _found(self) -> Iterator[Late]:
        history = self._history
        for stood in history.of(StoodStill):
            late = Late(stood.time - stood.event.lasted, stood.time, stood)
            if not any(_stops(span, stood.node) for span in self._on(late)):
                yield late
        for came in history.of(FramesLate):
            late = Late(came.time - came.event.lateness, came.time, came)
            sender = history.names.place(came.event.address)
            if not any(_delays(span, sender, came.node) for span in self._on(late)):
                yield late
        for harness in history.of(HarnessLate):
            yield Late(harness.time - harness.event.lateness, harness.time, harness)

    def _on(self, late: Late) -> Iterable[Span]:
        return (span for span in self._spans if span.begin <= late.end and span.end >= late.begin)

    def told(self, late: Sequence[Late]) -> str:
        names = self._history.names
        words = [f"{tell(each.record, names)} at {rounded(each.record.time)}" for each in late[:MOST_TOLD]]
        more = f"; and {len(late) - MOST_TOLD} more" if len(late) > MOST_TOLD else ""
        return f"the machine was too busy: {'; '.join(words)}{more}"


def _together(late: Sequence[Late]) -> Micros:
    """For how long anything was late. What was late at the same time is late once."""
    total = reached = 0
    for begin, end, _ in late:
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def _stops(span: Span, node: str) -> bool:
    return span.kind.sleeps and node in span.nodes


def _delays(span: Span, sender: str, receiver: str) -> bool:
    """Or it stops one of the two: what comes to a node that sleeps waits for it."""
    if span.links:
        return f"{sender}->{receiver}" in span.links
    return _stops(span, sender) or _stops(span, receiver)
