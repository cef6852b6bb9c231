"""The picture of a run: what each node believed from when to when, the faults, the script's steps, and the messages
that the history tells of. Plain data, made of the records alone; a page draws it, and a text does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from shaketable.harness.checks.result import Proof
from shaketable.harness.history.names import Names
from shaketable.harness.records import Record, ScriptEnded, StepBegan
from shaketable.harness.reports.arrows import Arrow, arrows_of
from shaketable.harness.reports.beliefs import Lane, lanes_of
from shaketable.harness.verdicts.verdict import FaultReceipt, RunVerdict
from shaketable.node.core.env import SECOND, Micros

MOST_ARROWS: Final = 500
MOST_STEPS: Final = 200
MOST_MARKS: Final = 40


class Band(msgspec.Struct, frozen=True):
    """A fault: from its receipt to its end, or a moment."""

    number: int
    words: str
    began: Micros
    ended: Micros | None
    """None: it lasted to the end, or has no end of its own"""
    lasts: bool
    without_effect: bool


class Mark(msgspec.Struct, frozen=True):
    """One record of a proof. `number` is how the text beside the picture calls it."""

    number: int
    time: Micros
    node: str
    told: str


class Picture(msgspec.Struct, frozen=True):
    end: Micros
    focus: tuple[Micros, Micros]
    """what is worth looking at first"""
    lanes: tuple[Lane, ...]
    bands: tuple[Band, ...]
    steps: tuple[tuple[Micros, str], ...]
    arrows: tuple[Arrow, ...]
    marks: tuple[Mark, ...]
    left_out: str = ""
    """in words, where there was more than a page should hold"""


def picture_of(records: Sequence[Record], verdict: RunVerdict) -> Picture:
    marks = tuple(marks_of(verdict))
    end = next((r.time for r in records if isinstance(r.event, ScriptEnded)), records[-1].time if records else 0)
    shown = [record for record in records if record.time <= end]
    names = Names()
    lanes, cut_beliefs = lanes_of(shown, names)
    focus = _focus(marks, verdict, end)
    arrows, cut_arrows = _nearest(arrows_of(shown), focus)
    steps = [(r.time, names.spoken(r.event.step)) for r in shown if isinstance(r.event, StepBegan)]
    return Picture(
        end=end,
        focus=focus,
        lanes=tuple(lanes),
        bands=tuple(map(_band, verdict.faults)),
        steps=tuple(steps[:MOST_STEPS]),
        arrows=tuple(arrows),
        marks=marks,
        left_out=_said(cut_beliefs, cut_arrows),
    )


def proofs_of(verdict: RunVerdict) -> Iterable[Sequence[Proof]]:
    """Of all that is to be explained, in the order of the page: reasons first, then what checks found."""
    for reason in verdict.reasons:
        if reason.proof:
            yield reason.proof
    for result in verdict.checks:
        for violation in result.violations[:MOST_VIOLATIONS]:
            yield violation.proof


MOST_VIOLATIONS: Final = 3
"""of a check, that a page shows"""


Place = tuple[Micros, str, str, int]


def place_of(proof: Proof) -> Place:
    return proof.time, proof.node, proof.incarnation, proof.sequence


def numbers_of(verdict: RunVerdict) -> dict[Place, int]:
    """Each record of a proof once, in order of time: by its place its number in picture and text."""
    places = {place_of(record): True for proof in proofs_of(verdict) for record in proof}
    return {place: number for number, place in enumerate(sorted(places)[:MOST_MARKS], 1)}


def marks_of(verdict: RunVerdict) -> Iterable[Mark]:
    proofs = {place_of(record): record for proof in proofs_of(verdict) for record in proof}
    for place, number in numbers_of(verdict).items():
        yield Mark(number, proofs[place].time, proofs[place].node, proofs[place].told)


def _focus(marks: Sequence[Mark], verdict: RunVerdict, end: Micros) -> tuple[Micros, Micros]:
    """Around the proof, and from the last fault before it on; without a proof as long as anything happens."""
    if not marks:
        return 0, end
    first, last = min(mark.time for mark in marks), max(mark.time for mark in marks)
    before = [fault.took for fault in verdict.faults if fault.took is not None and fault.took <= last]
    first = min([first, *before[-1:]])
    margin = max((last - first) // 6, SECOND // 2)
    return max(0, first - margin), min(end, last + margin)


def _band(fault: FaultReceipt) -> Band:
    began = fault.asked if fault.took is None else fault.took
    return Band(fault.number, fault.what, began, fault.ended, fault.lasts, bool(fault.without_effect))


def _nearest(arrows: Iterable[Arrow], focus: tuple[Micros, Micros]) -> tuple[list[Arrow], int]:
    """So many as a page can hold: those in sight first."""
    every = list(arrows)
    begin, end = focus

    def away(arrow: Arrow) -> Micros:
        return max(begin - arrow.sent, arrow.sent - end, 0)

    kept = sorted(sorted(every, key=away)[:MOST_ARROWS], key=lambda arrow: arrow.sent)
    return kept, len(every) - len(kept)


def _said(beliefs: int, arrows: int) -> str:
    parts = [f"{arrows} messages far from it"] if arrows else []
    parts += [f"{beliefs} changes of what nodes believed"] if beliefs else []
    return f"left out: {' and '.join(parts)}; the recorded history has them" if parts else ""
