"""The cluster: a row a node, with its state, its role, its list, where it disagrees with its master, and its share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from shaketable.harness.observed import Observed
from shaketable.tui.model import standing as s
from shaketable.tui.model.remembered import Remembered
from shaketable.tui.model.session import Session, Vitals
from shaketable.tui.model.standing import Standing, called, shown_node, standings_of
from shaketable.tui.panels.columns import ROOMY, Column, Layout, head_line, laid_out, row_line
from shaketable.tui.text import Line, Span, fitted, line

HEAD: Final = 1
"""lines that do not scroll"""
SPELLED_OUT: Final = 140
"""from this width on the lists themselves are shown"""
SYMBOLS: Final = {
    s.JOINED: ("●", "good"),
    s.MERGED: ("●", "good"),
    s.MERGING: ("»", "moving"),
    s.STARTING: ("○", "moving"),
    s.NOT_STARTED: ("·", "dim"),
    s.PAUSED: ("‖", "fault"),
    s.HELD: ("■", "fault"),
    s.CRASHED: ("✗", "bad"),
    s.FAILED: ("✗", "bad"),
    s.LEFT: ("–", "dim"),
    s.REFUSED: ("⊘", "bad"),
}
NONE: Final = line(Span("–", "dim"))


@dataclass(frozen=True, slots=True)
class Row:
    of: Standing
    observed: Observed
    mark: Span
    vitals: Vitals | None
    roomy: bool


def cluster(session: Session, width: int, height: int) -> Sequence[Line]:
    observed, shown, other = session.picture().observed, shown_node(session), session.chosen.other
    all_of = standings_of(session)
    if not all_of:
        return [fitted(line(Span(" no node yet", "dim")), width)]
    layout = laid_out(_columns(session, all_of, width), width)
    shape = tuple((column.title, wide) for column, wide in layout)
    lines = [head_line(layout, width)]
    for of in all_of:
        row = Row(of, observed, _mark(of.name, shown, other), session.vitals.get(of.name), width >= ROOMY)
        lines.append(_ROWS.get(session.store, of.name, (shape, *_made_of(row)), partial(_line, layout, row, width)))
    return lines


_ROWS: Final[Remembered[Line]] = Remembered()


def _line(layout: Layout[Row], row: Row, width: int) -> Line:
    return row_line(layout, row, width, f"node:{row.of.name}")


def _made_of(row: Row) -> tuple[object, ...]:
    """All that a row's line depends on."""
    of, node, seen = row.of, row.of.node, row.of.node.partitions
    master = row.observed.is_current(node.master) if node.master is not None else None
    return (
        *(row.mark.text, row.vitals, row.roomy),
        *(of.state, of.role, of.lite, of.follows, of.differs, of.suspected_by, of.owned, of.backed),
        *(node.state, node.joined, node.held_at, node.version, node.members, tuple(node.suspected)),
        *(len(seen.queue), len(seen.under_way), len(seen.active), bool(seen.rows)),
        master.members if master is not None else None,
        len(row.observed.node_of),  # the names of members: a new incarnation may show that another is an old one
    )


def _columns(session: Session, all_of: Sequence[Standing], width: int) -> list[Column[Row]]:
    """The width of a column depends on the run's nodes alone, so that nothing jumps while time goes by."""
    longest = min(20, max(len(of.name) for of in all_of))
    name, state = 4 + max(4, longest), 14 if width < ROOMY else 21
    many = len(all_of)
    listed = len(f"v100 ×{many}")
    members = sum(len(of.name) + 1 for of in all_of)
    columns = [
        Column("    node", _name, name, name, 100),
        Column("state", _state, state, 24, 79),
        Column("role", _role, max(10, 8 + longest), max(10, 8 + longest), 90),
        Column("list", _list, listed, listed + 1, 85),
        Column("as its master", _differs, 13, 32, 95),
        Column("suspects", _suspects, 9, max(9, min(30, 3 * many)), 80),
    ]
    moves = 5 if width < ROOMY else 12
    if any(of.owned is not None for of in all_of):
        columns += [
            Column("owns", _owned, 4, 5, 70, right=True),
            Column("backs", _backed, 5, 5, 50, right=True),
            Column("moves" if width < ROOMY else "moves+queued", _moves, moves, moves, 60, right=True),
        ]
    if session.vitals or (session.live and session.facts.world == "real"):
        columns += [Column("cpu", _cpu, 5, 5, 45, right=True), Column("memory", _memory, 7, 7, 40, right=True)]
    if width >= SPELLED_OUT:
        columns.append(Column("members, oldest first", _members, 30, max(30, members), 30))
    return columns


def _mark(name: str, node: str, other: str) -> Span:
    if name == node:
        return Span("▸ ", "key")
    return Span("◂ ", "key") if name == other else Span("  ")


def _name(row: Row) -> Line:
    symbol, role = symbol_of(row.of)
    return line(row.mark, Span(f"{symbol} ", role), Span(row.of.name, "name" if row.of.node.running else "dim"))


def symbol_of(of: Standing) -> tuple[str, str]:
    return ("!", "warn") if of.state in (s.JOINED, s.MERGED) and of.suspected_by else SYMBOLS[of.state]


def state_words(of: Standing, roomy: bool) -> Line:
    _, role = SYMBOLS[of.state]
    by = len(of.suspected_by)
    if of.state in (s.JOINED, s.MERGED):
        return line(Span(f"suspected by {by}", "warn") if by else Span(of.state))
    if of.state == s.HELD:
        said = f"held at {of.node.held_at}"
    else:
        said = f"refused: {of.node.state}" if of.state == s.REFUSED else of.state
    doubts = Span(f", suspected by {by}" if roomy else f", !{by}", "warn") if by else Span("")
    return line(Span(said, role), doubts)


def _state(row: Row) -> Line:
    return state_words(row.of, row.roomy)


def role_words(of: Standing) -> Line:
    match of.role:
        case s.MASTER:
            return line(Span("◆ master", "master"))
        case s.CLAIMING:
            return line(Span("◇ claiming", "moving"))
        case s.JOINER:
            return line(Span("joiner", "moving"))
        case s.FOLLOWER:
            return line(Span("lite → " if of.lite else "follows ", "dim"), Span(of.follows))
    return line(Span(""))


def _role(row: Row) -> Line:
    return role_words(row.of)


def _list(row: Row) -> Line:
    node = row.of.node
    if not node.joined:
        return NONE if node.running else line(Span(""))
    role = "dim" if not node.running else "plain"
    return line(Span(f"v{node.version}", role), Span(f" ×{len(node.members)}", "dim"))


def _differs(row: Row) -> Line:
    of = row.of
    if of.differs:
        return line(Span(f"≠ {', '.join(of.differs)}", "warn"))
    return line(Span("=" if of.role in (s.FOLLOWER, s.CLAIMING) else "", "dim"))


def _suspects(row: Row) -> Line:
    names = [called(row.observed, member) for member in row.of.suspects.values()]
    return line(Span(" ".join(sorted(names, key=s.naturally)), "warn"))


def _owned(row: Row) -> Line:
    return _number(row.of.owned)


def _backed(row: Row) -> Line:
    return _number(row.of.backed)


def _number(number: int | None) -> Line:
    return line(Span("")) if number is None else line(Span(str(number), "plain" if number else "dim"))


def _moves(row: Row) -> Line:
    """On the master: under way and still on the queue. On the others: those it takes part in."""
    seen = row.of.node.partitions
    if not row.of.node.running:
        return line(Span(""))
    if row.of.role == s.MASTER:
        if not seen.queue and not seen.under_way:
            return line(Span("0" if seen.rows else "", "dim"))
        queued = f"+{len(seen.queue)}" if seen.queue else ""
        return line(Span(f"{len(seen.under_way)}{queued}", "moving"))
    return line(Span(str(len(seen.active)), "moving") if seen.active else Span(""))


def _cpu(row: Row) -> Line:
    return line(Span(f"{row.vitals.cpu:.0f} %")) if row.vitals is not None else NONE


def _memory(row: Row) -> Line:
    return line(Span(f"{row.vitals.rss / 1_000_000:.0f} MB")) if row.vitals is not None else NONE


def _members(row: Row) -> Line:
    """Those who are suspected by this node, or not on its master's list, stand out."""
    node, observed = row.of.node, row.observed
    if not node.running or not node.joined:
        return line(Span(""))
    master = observed.is_current(node.master) if node.master is not None else None
    listed = {m.uuid: True for m in master.members} if master is not None else None
    spans: list[Span] = []
    quiet: list[str] = []
    for member in node.members:
        sign = "!" if member.uuid in node.suspected else "≠" if listed is not None and member.uuid not in listed else ""
        name = called(observed, member)
        if not sign:
            quiet.append(name)
            continue
        if quiet:
            spans.append(Span(f"{' '.join(quiet)} ", "dim"))
            quiet = []
        spans.append(Span(f"{sign}{name} ", "warn"))
    return (*spans, Span(" ".join(quiet), "dim"))
