"""The events around the cursor in words, those that the filter leaves: the last up to it, and dimly what comes next.

Beside another panel those alone that are of note: what is told while all is well would push them off the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from shaketable.harness import records as h
from shaketable.harness.checks.result import counted
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import HARNESS, Record
from shaketable.node import events as e
from shaketable.node.why import Why
from shaketable.tui.model.hands.telling import told as said_by
from shaketable.tui.model.history import folding
from shaketable.tui.model.history.filtering import Fits, fits_in
from shaketable.tui.model.history.folding import Fold, Row
from shaketable.tui.model.history.memo import Remembered, Slot
from shaketable.tui.model.history.routine import is_routine
from shaketable.tui.model.session import Session
from shaketable.tui.panels.group_columns import SIGNS
from shaketable.tui.panels.nothing import A_FAULT, nothing
from shaketable.tui.text import Line, Span, cell, fitted, line

MOST_LOOKED_AT: Final = 5_000
"""records, for those that a filter leaves"""
MOST_ROUTINE: Final = 2_000
"""records, for those of note"""
AHEAD: Final = 4
"""one line in so many is for what comes after the cursor"""
ROOMY: Final = 100
"""from this width on the letters of an incarnation stand beside its node"""


def events(session: Session, width: int, height: int) -> Sequence[Line]:
    return _events(session, width, height, _filter(session))


def events_of_note(session: Session, width: int, height: int) -> Sequence[Line]:
    """All that a filter leaves, if there is one; else many that are alike are one row."""
    if session.chosen.filter or not len(session.store):
        return _events(session, width, height, _filter(session))
    store, cursor, opened = session.store, session.cursor, _opened(session)
    ahead = min(height // AHEAD, len(store) - cursor)
    earlier, later = list(islice(_before(session), height)), list(islice(folding.after(store, cursor, opened), height))
    later = later[: max(ahead, height - len(earlier))]
    earlier = earlier[: max(1, height - min(len(later), ahead))]
    later = later[: height - len(earlier)]
    lines = [_row(session, row, width, now=_last(row) == cursor - 1) for row in reversed(earlier)]
    return [*lines, *(_row(session, row, width, to_come=True) for row in later)][:height]


def _opened(session: Session) -> int | None:
    return session.chosen.opened if not session.following else None


def _before(session: Session) -> Iterator[Row]:
    """The one at the cursor is among them, if it was gone to: a step is to be seen."""
    now = session.cursor - 1
    if not session.following and now >= 0 and is_routine(session.store, now):
        yield now
    yield from folding.before(session.store, session.cursor, _opened(session))


def _last(row: Row) -> int:
    return row if isinstance(row, int) else row.last


def _target(row: Row) -> str:
    return f"event:{row}" if isinstance(row, int) else f"alike:{row.last}"


def row_of_note(session: Session) -> str:
    """Where the user stands among them."""
    if session.chosen.filter or session.target is not None:
        return present_row(session)
    row = next(_before(session), None)
    return _target(row) if row is not None else ""


def _row(session: Session, row: Row, width: int, *, now: bool = False, to_come: bool = False) -> Line:
    if isinstance(row, int):
        return event_line(session, row, width, now=now, to_come=to_come)
    return event_line(session, row.last, width, now=now, to_come=to_come, alike=_said_of(session, row))


def _said_of(session: Session, row: Fold) -> str:
    if not row.of_migrations:
        return f"{len(row.places)}×, the last: "
    asked = sum(session.store.kind(place) == folding.ASKED for place in row.places)
    return f"{len(row.places)}× of {counted(asked, 'migration') if asked else 'migrations'}, the last: "


def last_of(session: Session, node: str, known: Sequence[int], most: int) -> list[int]:
    """The places of the last events of note that a node has told; of the last of all `known` are at hand."""
    store, note = session.store, _of_note(session)
    found = [place for place in known if note(place)][-most:]
    if known and len(found) < most:
        earlier = range(known[0] - 1, max(-1, known[0] - 1 - MOST_ROUTINE), -1)
        more, _ = _places(earlier, most - len(found), lambda place: store.node(place) == node and note(place))
        found = [*reversed(more), *found]
    return found


def last_told_by(session: Session, node: str) -> int | None:
    """The place of a node's last event of note."""
    found = last_of(session, node, session.picture().extra(node).last, 1)
    return found[0] if found else None


def last_about(session: Session, partition: int) -> int | None:
    """The place of the last event up to the cursor that names this partition, if it is not long ago."""
    store = session.store
    before = range(session.heading_for - 1, -1, -1)
    found, _ = _places(before, 1, lambda place: getattr(store[place].event, "partition", None) == partition)
    return found[0] if found else None


def last_of_note(session: Session) -> int | None:
    """The place of the last event up to the cursor that is shown, on any screen."""
    found, _ = _places(range(session.heading_for - 1, -1, -1), 1, _filter(session) or _of_note(session))
    return found[0] if found else None


def _of_note(session: Session) -> Fits:
    """The one at the cursor is, if it was gone to: a step is to be seen."""
    store, now = session.store, -1 if session.following else session.cursor - 1
    return lambda place: place == now or not is_routine(store, place)


def _events(session: Session, width: int, height: int, fits: Fits | None) -> Sequence[Line]:
    store, cursor = session.store, session.cursor
    if not len(store):
        return nothing(
            session, "no event is recorded" if store.complete else "nothing has happened yet", A_FAULT, width
        )
    ahead = min(height // AHEAD, len(store) - cursor)
    before, looked_back = _places(range(cursor - 1, -1, -1), height, fits)
    after, _ = _places(range(cursor, len(store)), max(ahead, height - len(before)), fits)
    before = before[: max(1, height - min(len(after), ahead))]
    after = after[: height - len(before)]
    lines: list[Line] = []
    if not before and session.chosen.filter:
        where = "nothing before here" if looked_back >= cursor else f"none of the last {looked_back} events"
        lines.append(fitted(line(Span(f" {where} matches {session.chosen.filter!r}", "dim")), width))
    lines.extend(event_line(session, place, width, now=place == cursor - 1) for place in reversed(before))
    lines.extend(event_line(session, place, width, to_come=True) for place in after)
    return lines[:height]


def events_title(session: Session) -> str:
    return f"Events with “{session.chosen.filter}”" if session.chosen.filter else "Events"


def events_of_note_title(session: Session) -> str:
    if session.chosen.filter:
        return events_title(session)
    return f"Events of note ({session.keys.get('screen_6', '6')}: all; Enter opens 9×)"


def present_row(session: Session) -> str:
    """Where the user stands among the rows: at the cursor, or at the last before it that the filter leaves."""
    cursor, fits = session.heading_for, _filter(session)
    found, _ = _places(range(cursor - 1, -1, -1), 1, fits)
    return f"event:{found[0]}" if found else ""


def _filter(session: Session) -> Fits | None:
    return fits_in(session.store, session.chosen.filter) if session.chosen.filter else None


def _places(among: range, most: int, fits: Fits | None) -> tuple[list[int], int]:
    """Those to be shown, and at how many was looked for that."""
    if fits is None:
        return list(among[:most]), min(most, len(among))
    found: list[int] = []
    for looked, place in enumerate(among[:MOST_LOOKED_AT], 1):
        if fits(place):
            found.append(place)
            if len(found) == most:
                return found, looked
    return found, min(MOST_LOOKED_AT, len(among))


def event_line(
    session: Session,
    place: int,
    width: int,
    *,
    now: bool = False,
    to_come: bool = False,
    alone: bool = False,
    alike: str = "",
) -> Line:
    """`alone`: among events of one node, which needs no name. `alike`: it is the last of many, and this is said of
    them."""
    known = len(session.picture().observed.node_of)  # a second life at an address, and both are told apart
    clock = max(7, len(rounded(session.store.end)) - 2)
    return session.memo[_LINES].get(
        (place, width, now, to_come, alone, alike),
        (known, longest_name(session), clock),
        lambda: _event_line(session, place, width, clock, now=now, to_come=to_come, alone=alone, alike=alike),
    )


_LINES: Final = Slot(Remembered[Line])


def _event_line(
    session: Session, place: int, width: int, clock: int, *, now: bool, to_come: bool, alone: bool, alike: str
) -> Line:
    record, target = session.store[place], f"alike:{place}" if alike else f"event:{place}"
    symbol, role = symbol_of(record)
    names = session.store.names
    who = "" if record.node == HARNESS else names.process(record.node, record.incarnation)
    told = said_by(record, names)
    said = told.removeprefix(who).lstrip() if who else told
    subject = "dim" if to_come else "name"
    text = "dim" if to_come else role if role in ("bad", "fault", "title") else "plain"
    return fitted(
        line(
            Span("▸" if now else " ", "key", target),
            cell(rounded(record.time).removesuffix(" s"), clock, "dim", target, right=True),
            Span(" "),
            Span(symbol, "dim" if to_come else role, target),
            *(() if alone else _whose(session, record, who, width, subject, target)),
            Span(" "),
            *((Span(alike, "dim" if to_come else "title", target),) if alike else ()),
            Span(said, text, target),
        ),
        width,
    )


def _whose(session: Session, record: Record, who: str, width: int, role: str, target: str) -> Line:
    return line(
        Span(" "),
        cell(record.node, longest_name(session), role, target),
        Span(f" {who[len(record.node) :]:5}" if width >= ROOMY else "", "dim", target),
    )


def longest_name(session: Session) -> int:
    return max(2, min(12, max(map(len, session.picture().observed.nodes), default=2)))


_SYMBOLS: Final[dict[type, tuple[str, str]]] = {
    **dict.fromkeys((h.FaultAsked, h.FaultTook), ("▓", "fault")),
    **dict.fromkeys((h.FaultEndAsked, h.FaultEnded), ("░", "fault")),
    h.FaultWithoutEffect: ("░", "bad"),
    h.FabricTrouble: ("✗", "bad"),
    h.InvariantBroken: ("✗", "bad"),
    **dict.fromkeys((h.StepBegan, h.RunBegan, h.ScriptEnded), ("→", "title")),
    h.NodeEnded: ("✗", "fault"),
    **dict.fromkeys((h.NodeSpawned, e.Started), ("○", "moving")),
    e.Joined: ("●", "good"),
    **dict.fromkeys((e.Leaving, e.Stopped), ("–", "dim")),
    e.Failed: ("✗", "bad"),
    **dict.fromkeys((e.ViewPublished, e.ViewInstalled), ("═", "master")),
    **dict.fromkeys((e.ViewIgnored, e.MemberRemoved), ("≠", "warn")),
    **dict.fromkeys((e.Suspected, e.ExplicitSuspicionSent, e.ExplicitSuspicionReceived), ("!", "warn")),
    **dict.fromkeys((e.ComplaintSent, e.ComplaintReceived, e.TriggerSent, e.TriggerReceived), ("!", "warn")),
    e.SuspicionEnded: ("✓", "good"),
    **dict.fromkeys((e.SuspicionsReported, e.DisconnectionResolved, e.DisconnectionUnresolved), ("◆", "warn")),
    **dict.fromkeys((e.ClaimStarted, e.ClaimAsked, e.ClaimAnswered, e.ClaimConsented), ("◇", "moving")),
    **dict.fromkeys((e.ClaimDeclined,), ("◇", "warn")),
    e.ClaimFinished: ("◆", "moving"),
    e.MasterFollowed: ("◆", "master"),
    **dict.fromkeys((e.SplitBrainSearchBegan, e.SplitBrainSearchEnded), ("»", "dim")),
    **dict.fromkeys((e.MergeJudged, e.MergeBegan, e.Merging), ("»", "moving")),
    **dict.fromkeys((e.MergePutOff, e.MergeFailed), ("»", "warn")),
    e.Merged: ("●", "good"),
    **dict.fromkeys((e.Held, e.Released, e.FilterMatched, h.DatagramCaught), ("■", "fault")),
    **dict.fromkeys((e.MigrationRequested, e.MigrationBegan, e.MigrationCopied, e.CommitSent), ("↻", "moving")),
    **dict.fromkeys((e.ChunkSent, e.ChunkArrived), ("↻", "dim")),
    e.MigrationFinished: ("↻", "good"),
    **dict.fromkeys((e.PartitionLost, e.ServiceFailed), ("✗", "bad")),
    e.NotificationPublished: ("═", "master"),
    e.NotificationTaken: ("═", "dim"),
    **dict.fromkeys((e.NotificationIgnored, e.NotificationsAsked, e.NotificationsLost), ("≠", "warn")),
    e.NotificationsResent: ("═", "warn"),
    **dict.fromkeys((e.ProbeFailed, e.SuspectReported, e.SuspectReportHeard, e.HintTaken), ("!", "warn")),
    e.LeadershipTaken: ("◆", "master"),
    **dict.fromkeys((e.LeadershipYielded, e.MastersCollided), ("◆", "warn")),
    e.ReadmissionAsked: ("○", "warn"),
    **dict.fromkeys((e.GroupStartBegan, e.GroupStartEnded), ("○", "moving")),
}
_HEALTH: Final = {"in doubt": ("!", "warn"), "dead": ("✗", "warn"), "alive": ("✓", "good")}


def symbol_of(record: Record) -> tuple[str, str]:
    """A sign for its category, and the sign's role."""
    event = record.event
    match event:
        case h.Expected():
            return ("✓", "good") if event.held else ("✗", "bad")
        case e.ViewIgnored(why=Why.NOT_NEWER):  # the periodic publish, which tells most nothing new
            return "·", "dim"
        case e.ViewPublished(change=False):
            return "═", "dim"
        case e.Signalled():
            return SIGNS.get(event.signal, ("·", "dim"))
        case e.HealthAnnouncedToAll():
            return _HEALTH.get(event.state, ("–", "dim"))
    return _SYMBOLS.get(type(event), ("·", "dim"))
