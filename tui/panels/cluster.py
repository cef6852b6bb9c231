"""The cluster: a row a node, with its state, its role, its list member by member, where it disagrees with its master,
and what it moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from shaketable.harness.seen.run import Observed
from shaketable.node.config import CORE
from shaketable.tui.model.history.memo import Remembered, Slot
from shaketable.tui.model.run_facts import Vitals
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing import standing as s
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.group_standing import GroupStanding, group_standings
from shaketable.tui.model.standing.standing import Standing, called, shown_node, standings_of
from shaketable.tui.natural import naturally
from shaketable.tui.panels import belief
from shaketable.tui.panels import group_columns as g
from shaketable.tui.panels.columns import ROOMY, Column, Layout, head_lines, laid_out, row_line
from shaketable.tui.panels.folded import folded
from shaketable.tui.panels.moving import Part, moves, parts_of
from shaketable.tui.panels.nothing import A_NODE, nothing
from shaketable.tui.panels.watching import watching_lines
from shaketable.tui.text import Line, Span, line

WIDENED: Final = 24
"""columns for how a list differs, before those of the matrix get any wider"""
BESIDE: Final = 14
"""columns for all else: with less than that there is no matrix"""
STATE: Final = "state"
"""a column's title"""
IN_WORDS: Final = 30
"""the worth of the column that has the lists in words"""
SPELLED_OUT: Final = 140
"""from this width on the lists themselves are shown"""
SYMBOLS: Final = {
    s.JOINED: ("●", "good"),
    s.MERGED: ("●", "good"),
    s.MERGING: ("»", "moving"),
    s.STARTING: ("○", "moving"),
    s.ASKS_AGAIN: ("○", "moving"),
    s.OUTSIDE: ("●", "dim"),
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
class NodeRow:
    of: Standing
    observed: Observed
    mark: Span
    vitals: Vitals | None
    roomy: bool
    group: GroupStanding | None = None
    """of a member of one"""
    moved: tuple[Part, ...] = ()


def cluster_title(session: Session) -> str:
    """With what the letters of the matrix mean."""
    suspected = "in doubt" if is_group(session.facts) else "suspected"
    return f"Cluster · {belief.legend(suspected)}" if session.picture().observed.nodes else "Cluster"


def head_height(session: Session, width: int, height: int) -> int:
    """How many lines do not scroll."""
    all_of = standings_of(session)
    return len(head_lines(_laid_out(session, all_of, width), width)) if all_of else 0


def cluster(session: Session, width: int, height: int) -> Sequence[Line]:
    picture, shown, other = session.picture(), shown_node(session), session.chosen.other
    all_of = standings_of(session)
    if not all_of:
        return nothing(session, "no node yet", A_NODE, width)
    layout = _laid_out(session, all_of, width)
    shape = tuple((column.title, column.above, wide) for column, wide in layout)
    lines = head_lines(layout, width)
    groups = group_standings(session) if is_group(session.facts) else {}
    rows: list[tuple[NodeRow, Line]] = []
    for of in all_of:
        mark, vitals = _mark(of.name, shown, other), session.vitals.get(of.name)
        moved = parts_of(picture, of)
        row = NodeRow(of, picture.observed, mark, vitals, width >= ROOMY, groups.get(of.name), moved)
        rows.append(
            (row, session.memo[_ROWS].get(of.name, (shape, *_made_of(row)), partial(_line, layout, row, width)))
        )
    if groups:
        return [*lines, *(drawn for _, drawn in rows), *watching_lines(session, width)]
    if len(lines) + len(rows) > height:
        return [*lines, *folded([(row.of.name, _of_note(row), drawn) for row, drawn in rows], width)]
    return [*lines, *(drawn for _, drawn in rows)]


_ROWS: Final = Slot(Remembered[Line])


def _of_note(row: NodeRow) -> tuple[object, ...]:
    """What is the same of nodes that are alike; a node of note is like no other."""
    of, node = row.of, row.of.node
    plain = of.state == s.JOINED and of.role == s.FOLLOWER and not of.suspected_by and not node.suspected
    alike = plain and not of.differs and not row.moved and not row.mark.text.strip()
    return ("", of.lite, of.follows, node.version, node.members) if alike else (of.name,)


def _line(layout: Layout[NodeRow], row: NodeRow, width: int) -> Line:
    return row_line(layout, row, width, f"node:{row.of.name}")


def _made_of(row: NodeRow) -> tuple[object, ...]:
    """All that a row's line depends on."""
    of, node, seen = row.of, row.of.node, row.of.node.partitions
    master = row.observed.is_current(node.master) if node.master is not None else None
    return (
        *(row.mark.text, row.vitals, row.roomy, row.moved),
        *(of.state, of.role, of.lite, of.follows, of.differs, of.suspected_by, of.owned, of.backed),
        *(node.state, node.joined, node.held_at, node.version, node.members, tuple(node.suspected), node.master),
        *(len(seen.queue), len(seen.under_way), len(seen.active), bool(seen.rows)),
        master.members if master is not None else None,
        len(row.observed.node_of),  # the names of members: a new incarnation may show that another is an old one
        *_made_of_group(row.group),
    )


def _made_of_group(group: GroupStanding | None) -> tuple[object, ...]:
    if group is None:
        return ()
    of = group.of
    believed = (group.kind, group.state, group.others, group.many, of.told, of.stopping)
    return *believed, group.watching, group.silent


def _laid_out(session: Session, all_of: Sequence[Standing], width: int) -> Layout[NodeRow]:
    """Made once for as long as there are the same nodes, with the same kinds of facts."""
    groups = group_standings(session).values() if is_group(session.facts) else ()
    made_of = (
        tuple(of.name for of in all_of),
        tuple(group.kind for group in groups),
        any(of.owned is not None for of in all_of),
        (bool(session.vitals), session.live),
    )
    return session.memo[_LAYOUTS].get(width, made_of, lambda: _best(session, all_of, width))


_LAYOUTS: Final = Slot(Remembered[Layout["NodeRow"]])


def _best(session: Session, all_of: Sequence[Standing], width: int) -> Layout[NodeRow]:
    """The columns of the matrix are as wide as they can be without pushing another one out, but for the list in
    words."""
    names = [of.name for of in all_of]
    both = is_group(session.facts) or (width >= ROOMY and _fits_both(session, all_of, width))
    dense = laid_out(_columns(session, all_of, width, 1, both), width)
    for cell in belief.cells_that_fit(names):
        layout = laid_out(_columns(session, all_of, width, cell, both), width)
        if _beside_words(layout) == _beside_words(dense) and _has_matrix(layout, names, cell):
            return layout
    return dense


def _beside_words(layout: Layout[NodeRow]) -> int:
    return sum(column.worth > IN_WORDS for column, _ in layout)


def _fits_both(session: Session, all_of: Sequence[Standing], width: int) -> bool:
    """Whether state and role have a column each; else they share one."""
    layout = laid_out(_columns(session, all_of, width, 1, True), width)
    return any(column.title == STATE for column, _ in layout)


def _has_matrix(layout: Layout[NodeRow], names: Sequence[str], cell: int) -> bool:
    return any((column.above, column.title) == belief.titles(names, cell) for column, _ in layout)


def _columns(session: Session, all_of: Sequence[Standing], width: int, cell: int, both: bool) -> list[Column[NodeRow]]:
    """The width of a column depends on the run's nodes alone, so that nothing jumps while time goes by. `cell`: how
    wide that of one member is in the matrix. `both`: state and role have a column each."""
    names = [of.name for of in all_of]
    longest = min(20, max(map(len, names)))
    name, state = 4 + max(4, longest), 14 if width < ROOMY else 21
    many = len(all_of)
    listed = len(f"v100 ×{many}")
    members = sum(len(each) + 1 for each in names)
    in_a_group = is_group(session.facts)
    state += in_a_group and width >= ROOMY  # behind it stands how the others take it to be
    wide = belief.width_of(names, cell)
    matrix = wide + name + BESIDE <= width
    narrow = matrix and width < ROOMY
    role = max(10 if in_a_group else 11, 8 + longest)
    columns = [Column("    node", _name, name, name, 100)]
    if matrix and not both:
        columns.append(Column("role/state", _role_or_state, role, role, 94))
    else:
        columns += [Column(STATE, _state, state, 24, 79), Column("role", _role, role, role, 90)]
    columns.append(Column("view" if in_a_group else "list", _list, listed, listed + 1, 97))
    if matrix:
        upper, lower = belief.titles(names, cell)
        columns.append(Column(lower, _beliefs(names, cell), wide, wide, 98, above=upper))
    least = 8 if narrow else 13
    if matrix and cell > 1:
        least = WIDENED
    columns.append(Column("≠ master" if narrow else "as its master", _differs, least, max(least, 32), 95))
    if not narrow or in_a_group:
        doubted = max(9, min(30, 3 * many))
        columns.append(Column("in doubt" if in_a_group else "suspects", _suspects, 9, doubted, 80))
    if in_a_group:
        columns += _group_columns(session)
    if any(of.owned is not None for of in all_of):
        columns += [
            Column("owns", _owned, 4, 5, 70, right=True),
            Column("backs", _backed, 5, 5, 50, right=True),
            Column("migrates", _moves, 9 if narrow else 14, 14, 96),
        ]
    if session.vitals or (session.live and session.facts.world == "real"):
        columns += [Column("cpu", _cpu, 5, 5, 45, right=True), Column("memory", _memory, 7, 7, 40, right=True)]
    if width >= SPELLED_OUT:
        first = "the master" if in_a_group else "oldest"
        columns.append(Column(f"members, {first} first", _members, 30, max(30, members), IN_WORDS))
    return columns


def _group_columns(session: Session) -> list[Column[NodeRow]]:
    columns = [
        Column("watches", _of_group(lambda of: g.names_of(of.watching.watches, of)), 7, 14, 78),
        Column("watched by", _of_group(lambda of: g.names_of(of.watching.watched_by, of)), 10, 14, 77),
        Column("sends to", _of_group(lambda of: g.names_of(of.watching.to, of)), 8, 14, 65),
        Column("last told", _last_told, 20, 28, 40),
    ]
    if any(group.kind != CORE for group in group_standings(session).values()):
        columns.insert(0, Column("kind", _of_group(g.kind), 9, 9, 76))
    return columns


def _of_group(show: Callable[[GroupStanding], Line]) -> Callable[[NodeRow], Line]:
    return lambda row: show(row.group) if row.group is not None else ()


def _last_told(row: NodeRow) -> Line:
    return g.last_told(row.observed, row.of.node, row.group) if row.group is not None else ()


def _mark(name: str, node: str, other: str) -> Span:
    if name == node:
        return Span("▸ ", "key")
    return Span("◂ ", "key") if name == other else Span("  ")


def _name(row: NodeRow) -> Line:
    symbol, role = symbol_of(row.of)
    return line(row.mark, Span(f"{symbol} ", role), Span(row.of.name, "name" if row.of.node.running else "dim"))


def symbol_of(of: Standing) -> tuple[str, str]:
    return ("!", "warn") if of.state in (s.JOINED, s.MERGED) and of.suspected_by else SYMBOLS[of.state]


def state_words(of: Standing, roomy: bool, *, alone: bool = False) -> Line:
    """`alone`: and not who suspects it."""
    _, role = SYMBOLS[of.state]
    by = 0 if alone else len(of.suspected_by)
    if of.state in (s.JOINED, s.MERGED):
        return line(Span(f"suspected by {by}", "warn") if by else Span(of.state))
    if of.state == s.HELD:
        said = f"held at {of.node.held_at}"
    else:
        said = f"refused: {of.node.state}" if of.state == s.REFUSED else of.state
    doubts = Span(f", suspected by {by}" if roomy else f", !{by}", "warn") if by else Span("")
    return line(Span(said, role), doubts)


def _state(row: NodeRow) -> Line:
    if row.group is not None:
        return g.state_words(row.of, row.group, state_words(row.of, row.roomy, alone=True), row.roomy)
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
        case s.WATCHDOG:
            return line(Span("watchdog"))
    return line(Span(""))


def _role(row: NodeRow) -> Line:
    return role_words(row.of)


def _role_or_state(row: NodeRow) -> Line:
    """Where there is little room: a node that is well has its role, any other its state."""
    return role_words(row.of) if row.of.state in (s.JOINED, s.MERGED) else state_words(row.of, False, alone=True)


def _beliefs(names: Sequence[str], cell: int) -> Callable[[NodeRow], Line]:
    def show(row: NodeRow) -> Line:
        node = row.of.node
        if not node.running or not node.joined or row.of.state == s.ASKS_AGAIN:
            return line(Span(""))
        master = row.observed.is_current(node.master) if node.master is not None else None
        return belief.believes(row.observed, node, master, names, cell)

    return show


def _list(row: NodeRow) -> Line:
    node = row.of.node
    if not node.joined or row.of.state == s.ASKS_AGAIN:
        return NONE if node.running else line(Span(""))
    role = "dim" if not node.running else "plain"
    return line(Span(f"v{node.version}", role), Span(f" ×{len(node.members)}", "dim"))


def _differs(row: NodeRow) -> Line:
    of = row.of
    if of.differs:
        return line(Span(f"≠ {', '.join(of.differs)}", "warn"))
    return line(Span("=" if of.role in (s.FOLLOWER, s.CLAIMING) else "", "dim"))


def _suspects(row: NodeRow) -> Line:
    if row.group is not None:
        return g.doubts(row.observed, row.of.node, row.group)
    names = [called(row.observed, member) for member in row.of.suspects]
    return line(Span(" ".join(sorted(names, key=naturally)), "warn"))


def _owned(row: NodeRow) -> Line:
    return _number(row.of.owned)


def _backed(row: NodeRow) -> Line:
    return _number(row.of.backed)


def _number(number: int | None) -> Line:
    return line(Span("")) if number is None else line(Span(str(number), "plain" if number else "dim"))


def _moves(row: NodeRow) -> Line:
    return moves(row.of, row.moved)


def _cpu(row: NodeRow) -> Line:
    return line(Span(f"{row.vitals.cpu:.0f} %")) if row.vitals is not None else NONE


def _memory(row: NodeRow) -> Line:
    return line(Span(f"{row.vitals.rss / 1_000_000:.0f} MB")) if row.vitals is not None else NONE


def _members(row: NodeRow) -> Line:
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
