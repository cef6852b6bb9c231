"""The doubts of a group: a row for each, with those that have it, since when, and how far the master is with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.run import Observed
from shaketable.tui.model.folds.doubts import CLEARED, DEAD, LEFT
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.doubting import ANNOUNCED, SILENT, UNSAID, VERIFIED, Doubting, counted, doubtings
from shaketable.tui.model.standing.standing import called, shown_node
from shaketable.tui.panels.columns import ROOMY, Column, head_line, laid_out, row_line
from shaketable.tui.panels.nothing import A_FAULT, nothing
from shaketable.tui.text import Line, Span, fitted, line

SIGNS: Final[Mapping[str, tuple[str, str]]] = {
    SILENT: ("?", "warn"),
    UNSAID: ("!", "warn"),
    ANNOUNCED: ("!", "warn"),
    VERIFIED: ("!", "warn"),
    CLEARED: ("✓", "good"),
    DEAD: ("✗", "warn"),
    LEFT: ("–", "dim"),
}
TITLES: Final[Mapping[str, str]] = {
    SILENT: "silent",
    UNSAID: "not announced",
    ANNOUNCED: "announced",
    VERIFIED: "under verification",
}
"""of those that go on"""
FEW: Final = 3


@dataclass(frozen=True, slots=True)
class Row:
    of: Doubting
    observed: Observed
    mark: str
    roomy: bool


def doubts(session: Session, width: int, height: int) -> Sequence[Line]:
    observed = session.picture().observed
    if not observed.nodes:
        return nothing(session, "nobody is in doubt", A_FAULT, width)
    found = doubtings(session)
    if not found:
        return [fitted(line(Span(" ✓ ", "good"), Span("nobody is in doubt", "dim")), width)]
    here, roomy = shown_node(session), width >= ROOMY
    wide = max(6, *(len(called(observed, of.member)) for of in found)) + 4
    columns = [
        Column("    member", _member, wide, wide, 100),
        Column("since", _since, 10, 10, 90, right=True),
        Column("doubted by", _by, 10, 22, 80),
        Column("how it stands", stands, 10, 90, 95),
    ]
    layout = laid_out(columns, width)
    rows = [Row(of, observed, "▸" if called(observed, of.member) == here else " ", roomy) for of in found]
    targets = [f"node:{called(observed, of.member).partition('#')[0]}" for of in found]
    return [
        fitted(head_line(layout, width), width),
        *(fitted(row_line(layout, row, width, to), width) for row, to in zip(rows, targets, strict=True)),
    ]


def doubts_title(session: Session) -> str:
    counts = counted(doubtings(session))
    said = [f"{counts[state]} {words}" for state, words in TITLES.items() if state in counts]
    return f"Doubts: {', '.join(said)}" if said else "Doubts"


def _member(row: Row) -> Line:
    sign, role = SIGNS[row.of.state]
    role = "bad" if _is_wrong(row.of) else role
    return line(Span(f"{row.mark} ", "key"), Span(f"{sign} ", role), Span(called(row.observed, row.of.member), "name"))


def _since(row: Row) -> Line:
    return line(Span(rounded(row.of.since), "plain" if row.of.goes_on else "dim"))


def _by(row: Row) -> Line:
    by, many = row.of.by, row.of.many
    if not by:
        return ()
    if len(by) == many > FEW:
        return line(Span(f"all {many}", "warn"))
    return line(Span(" ".join(by) if len(by) <= FEW else f"{len(by)} of {many}", "warn"))


def stands(row: Row) -> Line:
    of = row.of
    if of.state == SILENT:
        return _silent(row)
    if of.state == UNSAID:
        return line(Span("not announced", "warn"))
    return _announced(row) if of.goes_on else _over(row)


def _silent(row: Row) -> Line:
    of = row.of
    to = " ".join(called(row.observed, each) for each in of.reported_to)
    told = f", reported to {to}" if to else ""
    probed = f"; probe failed {rounded(of.probed)}" if of.probed is not None else ""
    return line(Span(f"silent{told}", "warn"), Span(probed, "dim"))


def _announced(row: Row) -> Line:
    of = row.of
    assert of.announced is not None
    at = f" {rounded(of.announced.time)}" if row.roomy else ""
    due = rounded(of.verified_from or of.announced.time)
    how = f"verified since {due}" if of.state == VERIFIED else f"verified from {due} on"
    return line(Span(f"announced by {of.announced.by}{at}, ", "dim"), Span(how, "warn"))


def _is_wrong(of: Doubting) -> bool:
    """It was declared dead, and runs."""
    return of.state == DEAD and of.runs and not of.is_back


def _over(row: Row) -> Line:
    of = row.of
    word = f"by {of.ended.by} {rounded(of.ended.time)}" if of.ended is not None else ""
    word += f", told as {of.told}" if of.told else ""
    if of.state == DEAD:
        now = ", but it runs: " if _is_wrong(of) else ", and is back: " if of.is_back else " "
        return line(Span(f"dead{now}", "bad" if _is_wrong(of) else "warn"), Span(word, "dim"))
    if of.state == LEFT:
        return line(Span(f"left {word}", "dim"))
    return line(Span("cleared ", "good"), Span(word, "dim"))
