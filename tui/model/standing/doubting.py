"""How each doubt of a group stands at the cursor: who has it, whether it is announced or verified, how it ended.

A member that is silent to the one that watches it stands here, too, before anybody is in doubt of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shaketable.harness.seen.run import Observed
from shaketable.node.core.env import Micros
from shaketable.node.messages import Member, Uuid
from shaketable.tui.model.folds import doubts as d
from shaketable.tui.model.folds.doubts import Doubt, Word
from shaketable.tui.model.folds.membership import silent
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.group_standing import renewed_within, seconds_of
from shaketable.tui.model.standing.links import now
from shaketable.tui.natural import naturally

SILENT: Final = "silent"
"""to the member that watches it, and to nobody else"""
UNSAID: Final = "unsaid"
"""a member doubts it, and nobody has announced that"""
ANNOUNCED: Final = "announced"
VERIFIED: Final = "verified"
"""it has had its time, and a probe is under way"""
GOES_ON: Final = (VERIFIED, ANNOUNCED, UNSAID, SILENT)


@dataclass(frozen=True, slots=True)
class Doubting:
    member: Member
    state: str
    """one of `GOES_ON`, or how it ended: `CLEARED`, `DEAD`, `LEFT` of doubts.py"""
    since: Micros
    by: tuple[str, ...]
    """the names of those that doubt it now; or to whom it is silent"""
    many: int
    """of members that could"""
    announced: Word | None = None
    verified_from: Micros | None = None
    ended: Word | None = None
    reported_to: tuple[Member, ...] = ()
    """by those to whom it is silent"""
    probed: Micros | None = None
    """when a probe of those has failed last"""
    runs: bool = True
    is_back: bool = False
    """the member that said how it ended has it in its view again"""
    told: int = 0
    """the notification of its end; 0: none so far"""

    @property
    def goes_on(self) -> bool:
        return self.state in GOES_ON


def doubtings(session: Session) -> Sequence[Doubting]:
    """Those that go on first, the oldest of them first; then those that are over, the last one first."""
    picture = session.picture()
    here = now(session)
    verify = seconds_of(session.facts, "gms_verify_timeout_seconds")
    many = sum(node.running and node.joined for node in picture.observed.nodes.values())
    past = [doubt._replace(by=()) for doubt in picture.doubts.past]
    known = [_standing(picture.observed, doubt, here, verify, many) for doubt in (*past, *picture.doubts.of.values())]
    going = [*(of for of in known if of.goes_on), *_silences(session, picture, known, many)]
    over = [of for of in known if not of.goes_on]
    going.sort(key=lambda of: of.since)
    over.sort(key=lambda of: -(of.ended.time if of.ended is not None else of.since))
    return [*going, *over]


def _standing(observed: Observed, doubt: Doubt, here: Micros, verify: Micros, many: int) -> Doubting:
    by = tuple(name for name in doubt.by if _has_it(observed, name, doubt.member.uuid))
    runs = observed.is_current(doubt.member) is not None
    due = doubt.announced.time + verify if doubt.announced is not None else None
    state = doubt.state
    if state == d.OPEN:
        state = UNSAID if due is None else VERIFIED if here >= due else ANNOUNCED
    others = many - runs
    of = Doubting(doubt.member, state, doubt.since, by, others, doubt.announced, due, doubt.ended, runs=runs)
    return replace(of, is_back=_is_back(observed, doubt), told=doubt.told)


def _has_it(observed: Observed, name: str, uuid: Uuid) -> bool:
    node = observed.nodes.get(name)
    return node is not None and node.running and uuid in node.suspected


def _is_back(observed: Observed, doubt: Doubt) -> bool:
    """In a later view than the one that it was taken off."""
    node = observed.nodes.get(doubt.ended.by) if doubt.ended is not None and doubt.told else None
    return node is not None and node.version > doubt.told and doubt.member in node.members


def _silences(session: Session, picture: Picture, known: Sequence[Doubting], many: int) -> list[Doubting]:
    """Of a member about which a doubt goes on, or that is dead, nothing more is said."""
    said = {of.member.uuid: True for of in known if of.state != d.CLEARED}
    renewed, at = renewed_within(session.facts), picture.observed.time
    found: dict[Uuid, Doubting] = {}
    for node in sorted(picture.observed.nodes.values(), key=lambda node: naturally(node.name)):
        for each in silent(picture.extra(node.name).membership, at, renewed) if node.running else ():
            if each.member.uuid in said:
                continue
            runs = picture.observed.is_current(each.member) is not None
            since = each.since - (each.silent_for or 0)
            before = found.get(each.member.uuid)
            by, to = (before.by, before.reported_to) if before is not None else ((), ())
            if each.reported_to is not None and each.reported_to not in to:
                to = (*to, each.reported_to)
            probed = max(each.since, before.probed or 0) if before is not None else each.since
            since = min(since, before.since) if before is not None else since
            others = many - runs
            found[each.member.uuid] = Doubting(
                each.member, SILENT, since, (*by, node.name), others, reported_to=to, probed=probed, runs=runs
            )
    return list(found.values())


def counted(of: Sequence[Doubting]) -> Mapping[str, int]:
    """How many there are in each state."""
    counts: dict[str, int] = {}
    for each in of:
        counts[each.state] = counts.get(each.state, 0) + 1
    return counts
