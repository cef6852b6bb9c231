"""The notifications of a group's masters, the newest first: the number, the author, the change, and for each member
whether it has taken it. Above them are the members that lag behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.run import Observed
from shaketable.tui.model.folds.notifications import Told
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import Itself, Remembered, Slot
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import taking as t
from shaketable.tui.model.standing.standing import called
from shaketable.tui.model.standing.taking import Lag, lags, masters, members_of, newest, of_each
from shaketable.tui.panels import belief
from shaketable.tui.panels.columns import Column, Layout, head_lines, laid_out, row_line
from shaketable.tui.panels.nothing import A_NODE, nothing
from shaketable.tui.text import Line, Span, fitted, line

LETTERS: Final[Mapping[str, tuple[str, str]]] = {
    t.TAKEN: ("+", "good"),
    t.AGAIN: ("a", "moving"),
    t.LAGS: (".", "warn"),
    t.ASKS: ("?", "warn"),
    t.LOST: ("x", "bad"),
    t.NOT_ITS: ("-", "dim"),
    t.GONE: (" ", "dim"),
}
LEGEND: Final = "+ taken, a sent again, . lags, ? asks, x lost, - not for it"
A_THIRD: Final = 3
"""of the panel's rows, for the members that lag"""
WITH_A_UUID: Final = 5
"""columns more for the name of a member that is none any more"""
_DRAWN: Final = Slot(Remembered["Drawn"])


@dataclass(frozen=True, slots=True)
class Drawn:
    above: Sequence[Line]
    """they do not scroll"""
    rows: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Row:
    told: Told
    states: Sequence[str]
    observed: Observed
    cell: int


def notifications(session: Session, width: int, height: int) -> Sequence[Line]:
    if not session.picture().notifications.told:
        return nothing(session, "no notification yet", A_NODE, width)
    drawn = _drawn(session, width, height)
    return [*drawn.above, *drawn.rows]


def head_height(session: Session, width: int, height: int) -> int:
    return len(_drawn(session, width, height).above) if session.picture().notifications.told else 0


def notifications_title(session: Session) -> str:
    return f"Notifications: {LEGEND}" if session.picture().notifications.told else "Notifications"


def newest_event(session: Session) -> str:
    """Enter explains it."""
    told = session.picture().notifications.told
    return f"event:{next(reversed(told.values())).place}" if told else ""


def _drawn(session: Session, width: int, height: int) -> Drawn:
    picture = session.picture()
    made_of = (picture.touched_group, Itself(picture.observed), session.facts)
    return session.memo[_DRAWN].get((width, height), made_of, lambda: _made(session, picture, width, height))


def _made(session: Session, picture: Picture, width: int, height: int) -> Drawn:
    names = members_of(picture, session.facts)
    layout, cell = _best(picture, names, width)
    rows = [
        Row(told, of_each(picture, told, names), picture.observed, cell)
        for told in reversed(picture.notifications.told.values())
    ]
    above = [*_behind(picture, max(1, height // A_THIRD), width), *head_lines(layout, width)]
    return Drawn(
        [fitted(each, width) for each in above],
        [fitted(row_line(layout, row, width, f"event:{row.told.place}"), width) for row in rows],
    )


# Those that lag


def _behind(picture: Picture, most: int, width: int) -> list[Line]:
    found = lags(picture)
    if not found:
        said = ", ".join(f"{newest(picture, master)} of {master.name}" for master in masters(picture))
        return [line(Span(" ✓ ", "good"), Span(f"all have taken {said}", "dim"))] if said else []
    shown = found if len(found) <= most else found[: most - 1]
    lines = [_lags(each) for each in shown]
    if rest := [each.name for each in found[len(shown) :]]:
        many = f" ! {len(rest)} {'more lag' if shown else 'lag'}: "
        lines.append(line(Span(many, "warn"), Span(" ".join(rest), "name")))
    return lines


def lag_words(of: Lag) -> str:
    if of.asks_again:
        has = "has no view any more, and asks to be added again"
    elif of.taken is not None:
        has = f"has {of.taken} of {of.master}"
    else:
        has = f"has none of {of.master}, " + (f"follows {of.follows}" if of.follows else "follows nobody")
    asks = f", asks for {' to '.join(map(str, dict.fromkeys(of.asks)))}" if of.asks is not None else ""
    return f"{has}{asks}"


def _lags(of: Lag) -> Line:
    return line(
        Span(" ! ", "warn"),
        Span(of.name, "name", f"node:{of.name}"),
        Span(f" {lag_words(of)}", "warn"),
        Span(f"; the newest is {of.newest}", "dim"),
    )


# The table


def _best(picture: Picture, names: Sequence[str], width: int) -> tuple[Layout[Row], int]:
    """The columns of the members are as wide as they can be without pushing another one out."""
    dense = laid_out(_columns(names, 1), width)
    for cell in belief.cells_that_fit(names):
        layout = laid_out(_columns(names, cell), width)
        if len(layout) == len(dense):
            return layout, cell
    return dense, 1


def _columns(names: Sequence[str], cell: int) -> list[Column[Row]]:
    longest = min(20, max(map(len, names)))
    upper, lower = belief.titles(names, cell)
    wide = belief.width_of(names, cell)
    return [
        Column("no.", _number, 5, 5, 100, right=True),
        Column("author", _author, max(6, longest), max(6, longest), 90),
        Column("change", _change, 16, 16, 95),
        Column("of", _of, longest, longest + WITH_A_UUID, 96),
        Column(lower, _states, wide, wide, 98, above=upper),
        Column("at", _time, 10, 10, 60, right=True),
    ]


def _number(row: Row) -> Line:
    return line(Span(str(row.told.event.version)))


def _author(row: Row) -> Line:
    return line(Span(row.told.by, "name"))


def _change(row: Row) -> Line:
    return line(Span(row.told.event.change))


def _of(row: Row) -> Line:
    peer = row.told.event.peer
    return line(Span(called(row.observed, peer) if peer is not None else "", "name"))


def _states(row: Row) -> Line:
    spans: list[Span] = []
    for role, run in groupby((LETTERS[state] for state in row.states), key=lambda each: each[1]):
        spans.append(Span("".join(f"{letter:<{row.cell}}" for letter, _ in run), role))
    return (*spans[:-1], spans[-1]._replace(text=spans[-1].text.rstrip()))


def _time(row: Row) -> Line:
    return line(Span(rounded(row.told.time), "dim"))
