"""How a group stands at the cursor, as sentences: its masters, its members, the doubts and the last notifications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.config import CORE
from shaketable.tui.model.folds import membership as m
from shaketable.tui.model.folds.notifications import Told
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import standing as s
from shaketable.tui.model.standing import taking as t
from shaketable.tui.model.standing.doubting import doubtings
from shaketable.tui.model.standing.family import told
from shaketable.tui.model.standing.group_standing import GroupStanding, group_standings
from shaketable.tui.model.standing.standing import Standing, agreement, called, in_no_view, standings_of
from shaketable.tui.panels.doubts import Row, stands
from shaketable.tui.panels.notifications import lag_words
from shaketable.tui.text import plain

MOST: Final = 5
"""notifications, and doubts that are over: the last ones"""
_TAKEN: Final[Mapping[str, str]] = {
    t.TAKEN: "taken by",
    t.AGAIN: "taken when it was sent again by",
    t.LAGS: "not taken yet by",
    t.ASKS: "asked for by",
    t.LOST: "lost to",
}


def group(session: Session) -> Iterator[str]:
    yield _agreement(session)
    yield from _masters(session)
    yield f"heartbeats: {told(session.facts, 'gms_detection')}"
    groups = group_standings(session)
    for each in standings_of(session):
        yield _member(session, each, groups[each.name])
    yield from _doubts(session)
    yield from _notifications(session)


def _agreement(session: Session) -> str:
    of = agreement(session.picture().observed, in_no_view(session))
    said = [f"{of.running} of {counted(of.known, 'member')} run"]
    if of.not_joined:
        said.append(f"{of.not_joined} still to join")
    if of.running > of.not_joined:
        said.append("all have one view" if of.lists == 1 else f"there are {of.lists} different views")
    if of.masters > 1:
        said.append(f"there are {of.masters} masters")
    if of.suspected:
        said.append(f"{of.suspected} in doubt")
    return f"group: {', '.join(said)}"


def _masters(session: Session) -> Iterator[str]:
    picture = session.picture()
    found = t.masters(picture)
    if not found:
        yield "master: nobody"
    for node in found:
        leads = picture.extra(node.name).membership.leads_from
        since = f" from notification {leads[0]} on: {session.store.names.spoken(leads[1])}" if leads else ""
        yield f"master: {node.name}, leads{since}; its newest notification is {t.newest(picture, node)}"


# Its members


def _member(session: Session, of: Standing, group: GroupStanding) -> str:
    node, observed = of.node, session.picture().observed
    said = [
        *[group.kind] * (group.kind != CORE),
        _state(of, group),
        *[of.role] * (of.role != s.JOINER and bool(of.role)),
    ]
    if node.running and node.joined:
        members = " ".join(called(observed, member) for member in node.members)
        said.append(f"view {node.version} [{members}]")
        said += [f"follows {of.follows}"] * (of.follows not in ("", of.name))
        said += ["differs: " + ", ".join(each.replace("≠", " and not ") for each in of.differs)] * bool(of.differs)
    if node.running:
        said += _heartbeats(group)
        said += ["doubts " + " ".join(called(observed, each) for each in of.suspects)] * bool(of.suspects)
        said += [f"no longer hears {called(observed, each.member)}" for each in group.silent]
    for state, words in (
        (m.IN_DOUBT, "doubted by"),
        (m.FAILED, "taken to have failed by"),
        (m.LEFT, "taken to have left by"),
    ):
        by = group.believed_by(state)
        said += [f"{words} {_names(by, group)}"] * bool(by)
    if node.running and group.of.notices:
        event = group.of.notices[-1].event
        said.append(f"told its application last: {event.signal} of {called(observed, event.peer)}")
    return f"{of.name}: {', '.join(said)}"


def _state(of: Standing, group: GroupStanding) -> str:
    if of.state != s.JOINED:
        return of.state
    return m.STOPPING if group.of.stopping else group.state


def _heartbeats(group: GroupStanding) -> list[str]:
    watching = group.watching
    said = [("sends to", watching.to), ("watches", watching.watches)]
    return [f"{words} {_names(names, group)}" for words, names in said if names]


def _names(names: Sequence[str], group: GroupStanding) -> str:
    return f"all {group.many} others" if len(names) == group.many > 2 else " ".join(names)


# Doubts and notifications


def _doubts(session: Session) -> Iterator[str]:
    observed, found = session.picture().observed, doubtings(session)
    going = [of for of in found if of.goes_on]
    over = [of for of in found if not of.goes_on][:MOST]
    yield f"doubts that go on: {len(going) or 'none'}"
    for of in (*going, *over):
        by = f" by {' '.join(of.by)}" if of.by else ""
        how = plain([stands(Row(of, observed, " ", roomy=True))])
        yield f"doubt of {called(observed, of.member)} since {rounded(of.since)}{by}: {how}"


def _notifications(session: Session) -> Iterator[str]:
    picture = session.picture()
    all_of = list(picture.notifications.told.values())
    names = t.members_of(picture, session.facts)
    yield f"notifications: {len(all_of) or 'none'}" + (f", the last {MOST} of them:" if len(all_of) > MOST else "")
    for told_last in all_of[-MOST:]:
        yield _notification(session, told_last, names)
    for lag in t.lags(picture):
        yield f"{lag.name} {lag_words(lag)}; the newest is {lag.newest}"


def _notification(session: Session, of: Told, names: Sequence[str]) -> str:
    picture = session.picture()
    peer = f" of {called(picture.observed, of.event.peer)}" if of.event.peer is not None else ""
    states = t.of_each(picture, of, names)
    said = [f"notification {of.event.version} of {of.by} at {rounded(of.time)}: {of.event.change}{peer}"]
    for state, words in _TAKEN.items():
        those = [name for name, its in zip(names, states, strict=True) if its == state and name != of.by]
        said += [f"{words} {' '.join(those)}"] * bool(those)
    return ", ".join(said)
