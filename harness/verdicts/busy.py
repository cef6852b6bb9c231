"""Whether the machine was too busy: something stood still, or was under way, for longer than the bounds allow for, and
no fault of the script explains it.

An event that did not come in time then proves nothing against a node. A rule that has to hold at any speed does."""

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
from shaketable.harness.verdicts.stretched import Stretched, stretched
from shaketable.node.config import GMS, Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import FramesLate, Started, StoodStill

MOST_TOLD: Final = 3


def unless_late(
    reasons: Iterable[Reason], history: History, settings: Settings, allowance: Micros
) -> tuple[Reason, ...]:
    """Nobody is blamed for what did not come in time if the machine was too late for it, or a fault was there too long
    before anything showed it. That is a reason of its own, also where a check could not judge."""
    machine = Machine(history, settings, allowance)
    told: list[Reason] = []
    why: dict[Late, None] = {}
    unseen: dict[Stretched, None] = {}
    for reason in reasons:
        until = _until(reason, history) if _goes_by_times(reason) else -1
        late, waited_for = machine.too_late(until), machine.unseen(until)
        if (late or waited_for) and reason.outcome == FAILED:
            reason = msgspec.structs.replace(reason, outcome=UNKNOWN)
        why.update(dict.fromkeys(late))
        unseen.update(dict.fromkeys(waited_for))
        told.append(reason)
    for each in unseen:
        told.append(Reason(UNKNOWN, "fault", each.said, (proof_of(history, each.took),)))
    if why:
        worst = sorted(why, key=lambda late: late.begin - late.end)
        proof = tuple(proof_of(history, late.record) for late in worst[:MOST_TOLD])
        told.append(Reason(UNKNOWN, "machine", words_of(worst), proof))
    return tuple(told)


def _goes_by_times(reason: Reason) -> bool:
    """Without proof: it did not see what it was to see. Of a check of the user's own nobody knows."""
    if reason.about == "check":
        return not reason.proof or reason.check in GO_BY_TIMES or reason.check not in CHECK_NAMES
    return reason.about == "expectation"


def _until(reason: Reason, history: History) -> Micros:
    """Lateness after that had no part in it."""
    return max((proof.time for proof in reason.proof), default=history.end)


class Late(NamedTuple):
    begin: Micros
    end: Micros
    most: Micros
    """longer than this alone it is too much"""
    record: Record
    said: str


def patience(settings: Settings) -> Micros:
    """The shortest time that a member waits for an answer before it acts by itself."""
    s = settings
    if s.family == GMS:
        return min(s.detection_window // 2, s.discovery_timeout, s.gms_probe_timeout, s.gms_verify_timeout)
    joins = min(s.join_patience, s.startup_vote_timeout, s.merge_validation_timeout)
    return min(s.heartbeat_timeout // 2, joins, s.backup_timeout)


class Machine:
    def __init__(self, history: History, settings: Settings, allowance: Micros) -> None:
        self._history = history
        self._settings = settings
        self._allowance = allowance
        self._borne = min(allowance, patience(settings) // 2)
        """a question and its answer may both be late"""
        self._spans = [span_of(facts) for facts in history.faults.values()]
        self._late = sorted(each for each in self._found() if each.begin <= history.end)

    def too_late(self, until: Micros) -> list[Late]:
        """What was late by then, if it is too much: so long that a member may have acted by itself, or in all longer
        than each bound allows for."""
        late = [each for each in self._late if each.begin <= until]
        too_much = _together(late) > self._allowance or any(each.end - each.begin > each.most for each in late)
        return late if too_much else []

    def unseen(self, until: Micros) -> list[Stretched]:
        """Faults that lasted too long by then, and no machine was to blame."""
        return [
            each for each in stretched(self._history, self._settings) if each.begin <= until and not each.by_machine
        ]

    def _found(self) -> Iterator[Late]:
        history = self._history
        for stood in history.of(StoodStill):
            late = self._told(stood, stood.event.lasted)
            if not any(_stops(span, stood.node) for span in self._on(late)):
                yield late
        for came in history.of(FramesLate):
            late = self._told(came, came.event.lateness)
            sender = history.names.place(came.event.address)
            if not any(_delays(span, sender, came.node) for span in self._on(late)):
                yield late
        started = history.of(Started)
        for harness in history.of(HarnessLate):
            late = self._told(harness, harness.event.lateness)
            if started and started[0].time < harness.time:  # before that it loads what it needs, and misses nothing
                yield late._replace(begin=max(started[0].time, late.begin), most=self._allowance)
        for fault in stretched(history, self._settings):
            if fault.by_machine:
                yield Late(fault.begin, fault.end, 0, fault.ended, fault.said)

    def _told(self, record: Record, lateness: Micros) -> Late:
        said = f"{tell(record, self._history.names)} at {rounded(record.time)}"
        return Late(record.time - lateness, record.time, self._borne, record, said)

    def _on(self, late: Late) -> Iterable[Span]:
        return (span for span in self._spans if span.begin <= late.end and span.end >= late.begin)


def words_of(late: Sequence[Late]) -> str:
    more = f"; and {len(late) - MOST_TOLD} more" if len(late) > MOST_TOLD else ""
    return f"the machine was too busy: {'; '.join(each.said for each in late[:MOST_TOLD])}{more}"


def _together(late: Sequence[Late]) -> Micros:
    """For how long anything was late. Things that were late at the same time count once."""
    total = reached = 0
    for begin, end, *_ in late:
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
