"""The chosen node, or else the master: its list, its suspicions, its claim; on the master the queue and the reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.partitions import MigrationSeen, PartitionsSeen
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.messages import Member, Uuid
from shaketable.tui.model.folds.movements import Movement
from shaketable.tui.model.folds.node_picture import NodePicture
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import is_group
from shaketable.tui.model.standing.group_standing import GroupStanding, group_standings
from shaketable.tui.model.standing.standing import (
    ASKS_AGAIN,
    JOINED,
    MERGED,
    Standing,
    called,
    is_master,
    shown_node,
    standings_of,
)
from shaketable.tui.panels.claim import claim
from shaketable.tui.panels.cluster import role_words, state_words, symbol_of
from shaketable.tui.panels.events import event_line, last_of
from shaketable.tui.panels.group_columns import state_words as state_in_a_group
from shaketable.tui.panels.group_pane import Pane
from shaketable.tui.panels.merging import merging
from shaketable.tui.panels.nothing import A_NODE, nothing
from shaketable.tui.panels.reports import reports
from shaketable.tui.text import Line, Span, bar, cell, fitted, head, line, wrapped

FEWEST_EVENTS: Final = 3
LETTERS: Final = 4
"""of a uuid"""
ENOUGH: Final = 4
"""rows: with fewer of them the list comes first"""
INDENT: Final = 2
"""of a list's further lines"""
MASTER: Final = "its master"
SUSPECTED: Final = "suspected"


@dataclass(frozen=True, slots=True)
class View:
    """What each section is made from."""

    session: Session
    picture: Picture
    of: Standing
    width: int
    group: GroupStanding | None
    """of a member of one"""

    @property
    def node(self) -> NodeSeen:
        return self.of.node

    @property
    def extra(self) -> NodePicture:
        return self.picture.extra(self.node.name)

    @property
    def observed(self) -> Observed:
        return self.picture.observed

    def called(self, uuid: Uuid | None) -> str:
        """By its uuid alone."""
        return "–" if uuid is None else self.observed.node_of.get(uuid, f"#{uuid[:LETTERS]}")


def node_title(session: Session) -> str:
    return f"Node {shown_node(session)}" if shown_node(session) else "Node"


def node_pane(session: Session, width: int, height: int) -> Sequence[Line]:
    name = shown_node(session)
    if not name:
        return nothing(session, "no node yet", A_NODE, width)
    picture = session.picture()
    of = next(each for each in standings_of(session) if each.name == name)
    group = group_standings(session).get(name) if is_group(session.facts) else None
    view = View(session, picture, of, width, group)
    lines: list[Line] = list(_first(view))
    if height < ENOUGH and group is None:
        lines = [*_list(view), *lines]  # its row has the rest
    for section in SECTIONS if group is None else GROUP_SECTIONS:
        if section is not _list or height >= ENOUGH:
            lines.extend(section(view))
    lines.extend(_last(view, max(FEWEST_EVENTS, height - len(lines) - 1)))
    return [fitted(each, width) if each else line(" " * width) for each in lines]


def _first(view: View) -> Sequence[Line]:
    of = view.of
    symbol, role = symbol_of(of)
    parts = [Span(f" {symbol} ", role), *_state(view)]
    if of.role:
        parts += [Span("  "), *role_words(of)]
    if view.node.joined and of.state != ASKS_AGAIN:
        parts += [Span(f"  v{view.node.version}"), Span(f" by {view.called(view.node.author)}", "dim")]
    if view.node.incarnation:
        parts += [Span(f"  #{view.node.incarnation[:LETTERS]}", "dim")]
    vitals = view.session.vitals.get(view.node.name)
    if vitals is not None and vitals.pid and not view.session.in_the_past:
        parts += [Span(f"  pid {vitals.pid}", "dim")]
    parts += [Span(f"  {view.node.address}", "dim")]
    lines: list[Line] = [tuple(parts)]
    if of.differs:
        lines.append(line(Span(f" ≠ {', '.join(of.differs)}", "warn")))
    if of.suspected_by:
        words = "suspected by" if view.group is None else "in doubt with"
        lines.append(line(Span(f" ! {words} ", "warn"), Span(" ".join(of.suspected_by))))
    return lines


def _state(view: View) -> Line:
    """By whom it is suspected stands below."""
    of = view.of
    if view.group is not None:
        return state_in_a_group(of, view.group, state_words(of, roomy=True, alone=True), roomy=True)
    return line(Span(of.state)) if of.state in (JOINED, MERGED) else state_words(of, roomy=True)


# Sections, each of which takes no room where there is nothing to tell


def _list(view: View) -> Sequence[Line]:
    """The whole of it, over as many lines as it takes."""
    node = view.node
    if not node.joined or not node.running:
        return ()
    spans = [Span(f" list of {len(node.members)}, oldest first:", "dim")]
    for member in node.members:
        name, marks = called(view.observed, member), _marks(view, member)
        target = f"node:{name.partition('#')[0]}"
        spans.append(Span(f" {name}{marks}", "warn" if SUSPECTED in marks else "name", target))
    return wrapped(spans, view.width, indent=INDENT)


def _marks(view: View, member: Member) -> str:
    master = MASTER if view.node.master is not None and view.node.master.uuid == member.uuid else ""
    suspected = SUSPECTED if member.uuid in view.node.suspected else ""
    said = ", ".join(each for each in (master, suspected) if each)
    return f" ({said})" if said else ""


def _members(view: View) -> Sequence[Line]:
    node, observed = view.node, view.observed
    if not node.joined or not node.running:
        return ()
    lines: list[Line] = [head("members", "oldest first")]
    names = [called(observed, member) for member in node.members]
    wide = max(map(len, names), default=2)
    for number, (member, name) in enumerate(zip(node.members, names, strict=True), 1):
        lines.append(
            line(
                Span(f" {number:>3} ", "dim"),
                cell(name, wide, "name", f"node:{name.partition('#')[0]}"),
                Span(f"  {member.uuid[:LETTERS]}  ", "dim"),
                *_its_version(observed, node, member),
                Span("  "),
                *_thought_of(view, member),
            )
        )
    for each in node.given_up.values():
        lines.append(line(Span("   – ", "dim"), Span(called(observed, each.peer), "dim"), Span("  given up", "dim")))
    return lines


def _its_version(observed: Observed, node: NodeSeen, member: Member) -> Line:
    """Which list the member has itself, beside this one."""
    other = observed.is_current(member)
    if other is None:
        return line(cell("gone", 7, "bad"))
    if not other.joined:
        return line(cell("no list", 7, "moving"))
    same = other.version == node.version and other.members == node.members
    return line(cell(f"v{other.version}" if same else f"v{other.version} ≠", 7, "dim" if same else "warn"))


def _thought_of(view: View, member: Member) -> Line:
    node = view.node
    if member.uuid == node.incarnation:
        return line(Span("itself", "dim"))
    words = line(Span("◆ its master", "master")) if node.master == member else ()
    why = node.suspected.get(member.uuid)
    if why is not None:
        since = f" since {rounded(why.since)}, {why.reason}"
        return (*words, Span("  " if words else ""), Span(f"! suspected{since}", "warn"))
    return words


def _claim(view: View) -> Sequence[Line]:
    return claim(view.picture, view.node)


def _reports(view: View) -> Sequence[Line]:
    return reports(view.picture, view.node)


def _merging(view: View) -> Sequence[Line]:
    return merging(view.session, view.node)


def _queue(view: View) -> Sequence[Line]:
    seen = view.node.partitions
    if not view.node.running or not (seen.queue or seen.under_way):
        return ()
    done = f", {seen.done.get(True, 0)} done" if seen.done.get(True) else ""
    failed = f", {seen.done[False]} rolled back" if seen.done.get(False) else ""
    note = f"{len(seen.under_way)} under way, {len(seen.queue)} queued{done}{failed}"
    lines = [head("migrations", note)]
    lines.extend(_migration(view, each) for each in seen.under_way.values())
    if seen.queue:
        nearest = list(dict.fromkeys(seen.queue.values()))
        most = max(1, (view.width - 16) // 4)
        more = " …" if len(nearest) > most else ""
        lines.append(line(Span("     then of ", "dim"), Span(" ".join(map(str, nearest[:most])) + more)))
    return lines


def _migration(view: View, each: MigrationSeen) -> Line:
    what, index, whence, to = migration_words(view.called, each)
    progress = _progress(view.picture.movements.under_way.get(each.info.id), each.phase)
    return line(
        Span("   ↻ ", "moving"),
        cell(what, 10),
        cell(str(each.partition), 5, "name", f"partition:{each.partition}", right=True),
        Span(f" [{index}] ", "dim"),
        cell(f"{whence} → {to}", 9),
        Span("  "),
        *progress,
    )


def _progress(movement: Movement | None, phase: str) -> Line:
    """Its phase, with what has arrived of what there is; the queue's word counts where the two differ."""
    said = Span(f"{phase} ", "good" if phase == "copied" else "moving")
    if movement is None or not movement.total:
        return line(said)
    if phase == "requested":
        said = Span("")
    share = f" {in_bytes(movement.arrived)} of {in_bytes(movement.total)}"
    return line(Span(f"{bar(movement.arrived, movement.total, 8)} ", "moving"), said, Span(share.strip(), "dim"))


def migration_words(name: Callable[[Uuid | None], str], each: MigrationSeen) -> tuple[str, int, str, str]:
    """Its type, the index that changes hands, from whom and to whom."""
    m = each.info.migration
    index = m.destination_new_index if m.destination is not None else m.source_current_index
    return m.type, index, name(m.source if m.source is not None else each.info.owner), name(m.destination)


def in_bytes(number: int) -> str:
    for unit, size in (("MB", 1_000_000), ("kB", 1_000)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} B"


def _data(view: View) -> Sequence[Line]:
    seen, of = view.node.partitions, view.of
    if not view.node.running or not (seen.version or seen.active):
        return ()
    parts = [Span(f"     table {seen.version}" if seen.version else "     no table yet")]
    if of.owned is not None:
        parts += [Span(f"  owns {of.owned}, backs up {of.backed}")]
    if seen.safe is not None:
        safe = ("safe", "good") if seen.safe else (f"not safe: {seen.why_not_safe}", "warn")
        parts += [Span("  "), Span(("✓ " if seen.safe else "! ") + safe[0], safe[1])]
    lines: list[Line] = [head("data"), tuple(parts)]
    if seen.searching:
        answered = sum(version >= 0 for version in seen.found.values())
        lines.append(line(Span(f"     looks for the newest table, {answered} of {len(seen.found)} answered", "moving")))
    lines.extend(_part_of(view, seen))
    lines.extend(_clients(seen))
    return lines


def _part_of(view: View, seen: PartitionsSeen) -> Sequence[Line]:
    if is_master(view.node) or not seen.active:
        return ()
    parts = [f"{partition} as {role}" for partition, role in seen.active.values()]
    return [line(Span("   ↻ ", "moving"), Span("moves ", "dim"), Span(", ".join(parts)))]


def _clients(seen: PartitionsSeen) -> Sequence[Line]:
    if not seen.clients:
        return ()
    outcomes: dict[str, int] = {}
    for client in seen.clients.values():
        for outcome, count in client.outcomes.items():
            outcomes[outcome] = outcomes.get(outcome, 0) + count
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items(), key=lambda each: -each[1]))
    waiting = f", {seen.operations_open} waiting" if seen.operations_open else ""
    many = len(seen.clients)
    return [line(Span(f"     {many} client{'s' * (many != 1)}: {counts or 'nothing done yet'}{waiting}"))]


def _of_a_group(section: Callable[[Pane], Sequence[Line]]) -> Callable[[View], Sequence[Line]]:
    return lambda view: section(Pane(view.session, view.node))


SECTIONS: Final[tuple[Callable[[View], Sequence[Line]], ...]] = (
    _list,
    _claim,
    _merging,
    _reports,
    _queue,
    _members,
    _data,
)
GROUP_SECTIONS: Final = tuple(
    _of_a_group(section) for section in (Pane.astray, Pane.members, Pane.heartbeats, Pane.notifications)
)


def _last(view: View, most: int) -> Sequence[Line]:
    places = last_of(view.session, view.node.name, view.extra.last, most)
    if not places:
        return ()
    cursor = view.session.cursor
    return [
        head("its last events of note"),
        *(event_line(view.session, place, view.width, now=place == cursor - 1, alone=True) for place in places),
    ]
