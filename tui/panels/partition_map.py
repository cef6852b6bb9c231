"""All partitions of a master's table at a glance: by owner, by missing replicas, or by what one node holds of each.

Where there are few each has a line of its own with its whole row; where there are many each is a letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.messages import Row, Uuid
from shaketable.tui.model.history.memo import MadeOf, Slot
from shaketable.tui.model.session import OWNERS, Session
from shaketable.tui.model.standing import tables as t
from shaketable.tui.model.standing.standing import shown_node
from shaketable.tui.model.standing.tables import Place, Table, letters
from shaketable.tui.natural import naturally
from shaketable.tui.panels.nothing import A_CLIENT, nothing
from shaketable.tui.text import Line, Span, cell, fitted, head, line, width_of

HEAD: Final = 2
"""lines that do not scroll"""
FEW: Final = 16
"""partitions, up to which each has a line of its own"""
BAR: Final = 24
"""how wide the longest bar of the legend is, at most"""
COLOURS: Final = 8
NUMBER: Final = 5
"""how wide the number of a partition is, where its whole row stands beside it"""
MARK: Final = 3
BELOW: Final = 9
"""lines for details and the heads"""
ROOMY: Final = 70
NAMES: Final = 4
"""letters of a uuid"""

MARKS: Final[Mapping[str, tuple[str, str]]] = {
    t.MOVING: ("↻", "moving"),
    t.QUEUED: ("+", "moving"),
    t.LOST: ("✗", "bad"),
    t.OWNERLESS: ("!", "bad"),
    t.SHORT: ("!", "warn"),
    t.STILL: (" ", "plain"),
}


class Look(NamedTuple):
    """What each cell is made with."""

    table: Table
    observed: Observed
    label: Mapping[str, str]
    role: Mapping[str, str]
    view: str
    node: str
    """whose places are shown"""
    chosen: int | None

    def called(self, uuid: Uuid | None) -> str:
        return "–" if uuid is None else self.observed.node_of.get(uuid, f"#{uuid[:NAMES]}")

    def of(self, uuid: Uuid | None) -> tuple[str, str]:
        """The label and role of the member that holds an index; one that is gone is no more than a question mark."""
        if uuid is None:
            return "–", "dim"
        name = self.observed.node_of.get(uuid, "")
        node = self.observed.nodes.get(name)
        if node is None or not node.running or node.incarnation != uuid:
            return "?", "bad"
        return self.label[name], self.role[name]


@dataclass(slots=True)
class _Grid:
    """The last frame's grid: of a table with thousands of partitions only a row that has changed is made anew."""

    master: NodeSeen | None = None
    like: object = None
    """what else it depended on"""
    rows: dict[int, tuple[Sequence[Place], Line]] = field(default_factory=dict)


_LAST: Final = Slot(MadeOf[Sequence[Line]])
_GRID: Final = Slot(_Grid)


def partition_map(session: Session, width: int, height: int) -> Sequence[Line]:
    table = t.table(session)
    if table is None:
        return [fitted(each, width) for each in _none_yet(session, width)]
    chosen, observed = session.chosen, session.picture().observed
    label = letters(observed.nodes)
    role = {name: f"node{place % COLOURS}" for place, name in enumerate(label)}
    look = Look(table, observed, label, role, chosen.view, shown_node(session), chosen.partition)
    key = (width, height, look.view, look.node if look.view == t.PLACES else "", look.chosen, len(label))
    return session.memo[_LAST].get(table, key, lambda: _drawn(look, session.memo[_GRID], width, height))


def map_title(session: Session) -> str:
    table = t.table(session)
    if table is None:
        return "Partitions"
    view = f"places of {shown_node(session)}" if session.chosen.view == t.PLACES else session.chosen.view
    return f"Partitions by {view}" if session.chosen.view == OWNERS else f"Partitions: {view}"


def partition_here(session: Session) -> str:
    return f"partition:{session.chosen.partition}" if session.chosen.partition is not None else ""


def _none_yet(session: Session, width: int) -> Sequence[Line]:
    """Nobody has a table before somebody uses the data: that is no fault."""
    searching = [n.name for n in session.picture().observed.running() if n.partitions.searching]
    told = session.facts.settings.get("partition_count", "")
    count = f": {told} partitions are assigned then" if told != "" else ""
    lines = [
        *nothing(session, "no partition table yet", A_CLIENT, width),
        line(Span(f" it is made when a client first uses the data{count}", "dim")),
    ]
    if searching:
        lines.append(line(Span(f" ↻ {' '.join(searching)} looks for the newest table", "moving")))
    return lines


# The grid


def _drawn(look: Look, before: _Grid, width: int, height: int) -> Sequence[Line]:
    table = look.table
    lines: list[Line] = [_summary(look, width)]
    if len(table.places) <= FEW:
        lines += _list(look, width)
    else:
        lines += _whole_rows(look, width, height) or _grid(look, before, width, height)
    lines.append(line())
    if look.chosen is not None and len(table.places) > FEW:
        lines += _details(look)
    lines += _legend(look, width)
    return [fitted(each, width) if width_of(each) > width else each for each in lines]


def _summary(look: Look, width: int) -> Line:
    table = look.table
    spans: list[Span] = [
        Span(
            f" {table.of.name}'s {'' if table.of.running else 'last '}table {table.of.partitions.version}",
            "title",
            f"node:{table.of.name}",
        ),
        Span(f"  {len(table.places)} partitions", "plain"),
        Span(f", {table.wanted} replicas each" if width >= ROOMY else f" × {table.wanted}", "dim"),
    ]
    for state, words in (
        (t.OWNERLESS, "without owner"),
        (t.MOVING, "move"),
        (t.QUEUED, "queued"),
        (t.SHORT, "lack a replica"),
        (t.LOST, "lost"),
    ):
        count = table.count(state)
        if count:
            symbol, role = MARKS[state]
            spans.append(Span(f"  {symbol} {count} {words}", role))
    if not any(place.state for place in table.places):
        spans.append(Span("  ✓ all in place", "good"))
    return tuple(spans)


def _grid(look: Look, before: _Grid, width: int, height: int) -> list[Line]:
    """A blank more for each cell where there is room for it."""
    places = look.table.places
    head_wide = len(str(places[-1].number)) + 2
    wide = max(map(len, look.label.values()), default=1) + 2
    per = _in_a_row(width - head_wide - 1, wide)
    if len(places) > per * height // 2:
        wide -= 1
        per = _in_a_row(width - head_wide - 1, wide)
    lines: list[Line] = [_columns(head_wide, wide, per)]
    like = (look.view, look.node, look.chosen, look.label, wide, look.table.live)
    if before.master is not look.table.of or before.like != like:
        before.master, before.like, before.rows = look.table.of, like, {}
    for start in range(0, len(places), per):
        chunk = places[start : start + per]
        drawn = before.rows.get(start)
        if drawn is None or drawn[0] != chunk:
            drawn = before.rows[start] = chunk, _row_of_cells(look, chunk, head_wide, wide)
        lines.append(drawn[1])
    return lines


def _row_of_cells(look: Look, places: Sequence[Place], head_wide: int, wide: int) -> Line:
    spans: list[Span] = [Span(f"{places[0].number:>{head_wide - 1}} ", "dim")]
    for offset, place in enumerate(places):
        if offset and offset % 10 == 0:
            spans.append(Span(" "))
        spans += _cell(look, place, wide)
    return tuple(spans)


def _whole_rows(look: Look, width: int, height: int) -> list[Line]:
    """Where there is much room: of each partition all who hold it, the owner first."""
    places, replicas = look.table.places, max(1, look.table.wanted)
    label = max(map(len, look.label.values()), default=1)
    entry = NUMBER + replicas * (label + 1) + MARK
    per = (width + MARK - 1) // entry
    if look.view != OWNERS or not per or -(-len(places) // per) + len(look.label) + BELOW > height:
        return []
    lines: list[Line] = [line(cell("  of each its owner, then its backups by index", width, "dim"))]
    for start in range(0, len(places), per):
        spans: list[Span] = []
        for place in places[start : start + per]:
            target, here = f"partition:{place.number}", place.number == look.chosen
            mark, mark_role = MARKS[place.state]
            spans.append(Span(f"{place.number:>{NUMBER - 1}} ", "mark" if here else "dim", target))
            for index in range(replicas):
                symbol, role = look.of(place.row[index] if index < len(place.row) else None)
                spans.append(Span(f"{symbol:<{label}} ", role, target))
            spans.append(Span(mark.ljust(MARK), mark_role, target))
        lines.append(tuple(spans))
    return lines


def _in_a_row(room: int, wide: int) -> int:
    """Tens of them where that goes, with a blank after each ten."""
    return (room + 1) // (10 * wide + 1) * 10 or max(1, room // wide)


def _columns(head_wide: int, wide: int, per: int) -> Line:
    tens = [cell(f"+{number}" if number else "0", 10 * wide + 1, "dim") for number in range(0, per, 10)]
    return line(Span(" " * head_wide), *tens)


def _cell(look: Look, place: Place, wide: int) -> tuple[Span, ...]:
    target = f"partition:{place.number}"
    label, role = _what(look, place)
    mark, mark_role = MARKS[place.state]
    if look.view == t.MISSING and place.state == t.SHORT:
        mark = " "  # the number says it
    if place.number == look.chosen:
        return (Span(f"{label}{mark}".ljust(wide), "mark", target),)
    if mark == " ":
        return (Span(label.ljust(wide), role, target),)
    return Span(label, role, target), Span(mark.ljust(wide - len(label)), mark_role, target)


def _what(look: Look, place: Place) -> tuple[str, str]:
    if look.view == t.MISSING:
        return (str(place.missing), "warn") if place.missing else ("·", "good")
    if look.view == t.PLACES:
        node = look.observed.nodes.get(look.node)
        index = place.row.index(node.incarnation) if node is not None and node.incarnation in place.row else None
        if index is None:
            return "·", "dim"
        return str(index), "master" if index == 0 else "plain"
    return look.of(place.row[0] if place.row else None)


# Few partitions: a line each


def _list(look: Look, width: int) -> list[Line]:
    places = look.table.places
    widest = max((len(place.row) for place in places), default=1)
    name = max(3, *(len(look.called(uuid)) for place in places for uuid in place.row)) + 1
    shown = max(1, min(widest, (width - 24) // name))
    heads = [cell(f"[{index}]", name, "dim") for index in range(shown)]
    lines: list[Line] = [line(Span("      "), *heads)]
    for place in places:
        target = f"partition:{place.number}"
        here = place.number == look.chosen
        mark, role = MARKS[place.state]
        spans = [Span("▸" if here else " ", "key", target), Span(f"{place.number:>3}  ", "plain", target)]
        for index in range(shown):
            uuid = place.row[index] if index < len(place.row) else None
            spans.append(_holder(look, uuid, name, target, expected=index < look.table.wanted))
        spans.append(Span(f" {mark} ", role, target))
        spans += _to_come(look, place, target)
        lines.append(fitted(tuple(spans), width))
    return lines


def _holder(look: Look, uuid: Uuid | None, wide: int, target: str, *, expected: bool) -> Span:
    if uuid is None:
        return cell("–", wide, "warn" if expected else "dim", target)
    symbol, role = look.of(uuid)
    said = look.called(uuid)
    if symbol == "?":
        return cell(f"{said}?", wide, "bad", target)
    dim = look.view == t.PLACES and said != look.node
    return cell(said, wide, "dim" if dim else role, target)


def _to_come(look: Look, place: Place, target: str) -> list[Span]:
    """What differs in the row that it is to have; else what is not as it should be."""
    if place.target is not None:
        return [Span(f"to {_row(look, place.target)}", "moving", target)]
    if place.state == t.LOST:
        return [Span("all replicas were lost once", "bad", target)]
    return [Span(f"{place.missing} missing", "warn", target)] if place.missing else []


def _row(look: Look, row: Row) -> str:
    last = max((index for index, uuid in enumerate(row) if uuid is not None), default=-1)
    return " ".join(look.called(uuid) for uuid in row[: last + 1])


# Below


def _details(look: Look) -> list[Line]:
    """Of the chosen partition."""
    place = next((each for each in look.table.places if each.number == look.chosen), None)
    if place is None:
        return []
    words = {
        t.OWNERLESS: "its owner is gone",
        t.MOVING: "moves now",
        t.QUEUED: "is on the queue",
        t.LOST: "lost all its replicas once",
    }
    mark, role = MARKS[place.state]
    lines: list[Line] = [
        line(
            Span(f" partition {place.number}", "title"),
            Span(f"  {mark} {words[place.state]}" if place.state in words else "", role),
            Span(f"  {place.missing} of {look.table.wanted} replicas missing" if place.missing else "", "warn"),
        )
    ]
    spans: list[Span] = [Span("   ")]
    for index, uuid in enumerate(place.row):
        if uuid is None and index >= look.table.wanted:
            continue
        spans += [
            Span("owner " if not index else f"  [{index}] ", "dim"),
            _holder(look, uuid, len(look.called(uuid)) + (look.of(uuid)[0] == "?"), "", expected=True),
        ]
    lines.append(tuple(spans))
    if place.target is not None:
        lines.append(line(Span("   to come  ", "dim"), Span(_row(look, place.target), "moving")))
    else:
        lines.append(line(Span("   nothing is planned for it", "dim")))
    lines.append(line())
    return lines


def _legend(look: Look, width: int) -> list[Line]:
    """Each node's letter, how much it owns and backs up, as bars; and how even that is."""
    table, observed = look.table, look.observed
    uuids = dict.fromkeys((*(m.uuid for m in table.of.members if not m.lite), *table.owned, *table.backed), True)
    rows = sorted(((look.called(uuid), uuid) for uuid in uuids), key=lambda each: naturally(each[0]))
    most = max((table.owned.get(uuid, 0) + table.backed.get(uuid, 0) for _, uuid in rows), default=1)
    wide = max((len(name) for name, _ in rows), default=2)
    long = max(4, min(BAR, width - wide - (30 if width >= ROOMY else 16)))
    lines: list[Line] = [_balance(table, [uuid for _, uuid in rows])]
    for name, uuid in rows:
        owned, backed = table.owned.get(uuid, 0), table.backed.get(uuid, 0)
        symbol, role = look.of(uuid)
        full = round(owned * long / max(1, most))
        part = max(0, round((owned + backed) * long / max(1, most)) - full)
        lines.append(
            line(
                Span(f"   {symbol:>2} ", role),
                cell(
                    name, wide + 1, role if symbol != "?" else "bad", f"node:{name}" if name in observed.nodes else ""
                ),
                Span("█" * full, role),
                Span("░" * part, role),
                Span(" " * (long - full - part)),
                Span(
                    f" {owned:>4} owned {backed:>4} backed up" if width >= ROOMY else f" {owned:>4} {backed:>4}", "dim"
                ),
            )
        )
    return lines


def _balance(table: Table, uuids: Sequence[Uuid]) -> Line:
    owned = [table.owned.get(uuid, 0) for uuid in uuids]
    spread = max(owned, default=0) - min(owned, default=0)
    words = "even" if spread <= 1 else f"{min(owned)} to {max(owned)} owned"
    return head("shares", f"{words}  █ owned  ░ backed up")
