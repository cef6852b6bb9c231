"""The picture of a run: what each node believed from when to when, the faults, the script's steps, and the messages
that the history tells of. Plain data, made of the records alone; a page draws it, and a text does.

States and signs are those of the timeline in the terminal UI (docs/terminal-ui.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from shaketable.harness.checks.result import Proof
from shaketable.harness.observed import NodeSeen, Observed
from shaketable.harness.recording.names import Names
from shaketable.harness.records import (
    FaultEnded,
    FaultTook,
    NodeEnded,
    NodeNamed,
    NodeSpawned,
    Record,
    ScriptEnded,
    StepBegan,
)
from shaketable.harness.reports.arrows import Arrow, arrows_of
from shaketable.harness.verdict import FaultReceipt, RunVerdict
from shaketable.node.env import SECOND, Micros
from shaketable.node.events import Started

STARTING: Final = "starting"
MEMBER: Final = "member"
MASTER: Final = "master"
MERGING: Final = "merging"
PAUSED: Final = "paused"
HELD: Final = "held"
CRASHED: Final = "crashed"
LEFT: Final = "left"
REFUSED: Final = "refused"
ENDS: Final = {"killed": CRASHED, "died": CRASHED, "failed": CRASHED, "left": LEFT}
GONE: Final = (CRASHED, LEFT, REFUSED)

MOST_BELIEFS: Final = 1500
MOST_ARROWS: Final = 500
MOST_STEPS: Final = 200
MOST_MARKS: Final = 40


class Belief(msgspec.Struct, frozen=True, array_like=True):
    """What one node held to be true from this time on."""

    time: Micros
    state: str
    follows: str = ""
    version: int = 0
    own: bool = False
    """it has made this list itself"""
    author: str = ""
    members: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    claims: bool = False


class Lane(msgspec.Struct, frozen=True):
    node: str
    beliefs: tuple[Belief, ...]


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
    lanes, cut_beliefs = _lanes(shown, names)
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


# What nodes believed


def _lanes(records: Iterable[Record], names: Names) -> tuple[list[Lane], int]:
    seen = Observed(keys=False)
    tracks: dict[str, list[Belief]] = {}
    count = cut = 0
    for record in records:
        _learn(names, record)
        seen.apply(record)
        for node in _touched(record, seen):
            belief = _belief(seen, node, record.time, names)
            track = tracks.setdefault(node.name, [])
            if belief is None or (track and track[-1] == msgspec.structs.replace(belief, time=track[-1].time)):
                continue
            if track and track[-1].time == belief.time:
                track[-1] = belief  # a picture shows no order within one moment
            elif count >= MOST_BELIEFS:
                cut += 1
            else:
                track.append(belief)
                count += 1
    return [Lane(node, tuple(track)) for node, track in tracks.items() if track], cut


def _learn(names: Names, record: Record) -> None:
    match record.event:
        case NodeNamed(peer=peer, address=address):
            names.learn(peer, address)
        case Started(member=member):
            names.learn_life(member)


def _touched(record: Record, seen: Observed) -> Iterable[NodeSeen]:
    if record.node:
        node = seen.nodes.get(record.node)
        return [node] if node is not None and not seen.is_former(record.incarnation) else []
    match record.event:
        case NodeSpawned(peer=peer) | NodeEnded(peer=peer):
            return [seen.nodes[peer]] if peer in seen.nodes else []
        case FaultTook(fault=number) | FaultEnded(fault=number):
            fault = seen.faults.get(number)
            paused = fault.nodes if fault is not None and fault.verb == "pause" else ()
            return [seen.nodes[name] for name in paused if name in seen.nodes]
    return []


def _belief(seen: Observed, node: NodeSeen, time: Micros, names: Names) -> Belief | None:
    state = _state(seen, node)
    if not state:
        return None
    if state in GONE:
        return Belief(time, state)
    listed = tuple(map(names.member, node.members)) if node.joined else ()
    return Belief(
        time,
        state,
        names.member(node.master) if node.master is not None and node.joined else "",
        node.version if listed else 0,
        bool(listed) and node.author == node.incarnation,
        names.author(node.author) if listed else "",
        listed,
        tuple(sorted(map(names.member, node.suspected.values()))),
        node.claiming,
    )


def _state(seen: Observed, node: NodeSeen) -> str:
    if node.state == "named":
        return ""
    if node.ended:
        return ENDS.get(node.state, REFUSED)
    if node.held_at:
        return HELD
    if seen.paused(node.name):
        return PAUSED
    if node.merging.into is not None:
        return MERGING
    if not node.joined:
        return STARTING
    return MASTER if node.master is not None and node.master.uuid == node.incarnation else MEMBER


def believed_at(lane: Lane, time: Micros) -> Belief | None:
    """The last one that began no later."""
    return next((belief for belief in reversed(lane.beliefs) if belief.time <= time), None)


def in_words(belief: Belief) -> str:
    """ "member, follows n1, holds v3 [n1 n2 n3] by n1, suspects n2"."""
    parts = [belief.state]
    if belief.follows:
        parts.append(f"follows {belief.follows}")
    if belief.version:
        parts.append(f"holds v{belief.version} [{' '.join(belief.members)}] by {belief.author}")
    if belief.suspects:
        parts.append(f"suspects {' '.join(belief.suspects)}")
    if belief.claims:
        parts.append("claims the mastership")
    return ", ".join(parts)
