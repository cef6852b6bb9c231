"""The masters' migration queues: what is under way with its bytes, what comes next, what is done; and who is safe.

A new master that looks for the newest table shows whom it has asked. In a split there are two masters, each with its
own queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Final

from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.seen.partitions import MigrationSeen
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.messages import Migration, Uuid
from shaketable.tui.model.folds.movements import Ended, Movement
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.folds.table_search import TableSearch
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.standing import called, is_master
from shaketable.tui.model.standing.tables import queue_of
from shaketable.tui.natural import naturally
from shaketable.tui.panels.node_pane import in_bytes
from shaketable.tui.panels.nothing import A_CLIENT, nothing
from shaketable.tui.text import Line, Span, bar, cell, fitted, head, line, width_of

LEAST: Final = 5
"""of a queue, that are listed, if there are so many"""
OTHERS: Final = 18
"""lines for all the rest"""
LAST: Final = 8
"""finished migrations that are listed"""
BAR: Final = 10
ROOMY: Final = 76
LETTERS: Final = 4
"""of a uuid"""
TYPES: Final = {"SHIFT UP+SHIFT DOWN": "UP+DOWN"}
NOBODY: Final = "–"
Called = Callable[[Uuid | None], str]


def queue(session: Session, width: int, height: int) -> Sequence[Line]:
    picture = session.picture()
    observed = picture.observed

    def name(uuid: Uuid | None) -> str:
        return NOBODY if uuid is None else observed.node_of.get(uuid, f"#{uuid[:LETTERS]}")

    masters = [node for node in observed.running() if _leads(node)]
    masters.sort(key=lambda node: (-node.version, naturally(node.name)))
    lines: list[Line] = []
    most = max(LEAST, (height - OTHERS) // max(1, len(masters)))
    for node in masters:
        lines += _of_master(session, node, name, width, most)
    if not masters:
        lines += nothing(session, "nobody has a partition table to carry out a plan for", A_CLIENT, width)
    lines += _finished(picture.movements.last, name)
    lines += _safety(picture, width)
    return [fitted(each, width) if width_of(each) > width else each for each in lines]


def queue_title(session: Session) -> str:
    seen = [node.partitions for node in session.picture().observed.running() if _leads(node)]
    under_way, queued = sum(len(each.under_way) for each in seen), sum(len(each.queue) for each in seen)
    return f"Migrations: {under_way} under way, {queued} queued" if under_way or queued else "Migrations"


def _leads(node: NodeSeen) -> bool:
    seen = node.partitions
    return is_master(node) and bool(seen.rows or seen.searching or seen.queue or seen.under_way)


# One master


def _of_master(session: Session, node: NodeSeen, name: Called, width: int, most: int) -> list[Line]:
    picture = session.picture()
    seen, extra = node.partitions, picture.extra(node.name)
    done, failed, roomy = seen.done.get(True, 0), seen.done.get(False, 0), width >= ROOMY
    lines = [
        line(
            Span(" ◆ ", "master"),
            Span(node.name, "name", f"node:{node.name}"),
            Span(f"  table {seen.version}", "plain"),
            Span(f"  ↻ {len(seen.under_way)}{' under way' if roomy else ''}", _unless_none(seen.under_way, "moving")),
            Span(f"  + {len(seen.queue)} queued", _unless_none(seen.queue, "moving")),
            Span(f"  ✓ {done} done", "good" if done else "dim"),
            Span(f"  ✗ {failed} failed" if failed or roomy else "", "bad" if failed else "dim"),
        )
    ]
    if extra.search is not None and (seen.searching or extra.search.ended is None):
        lines += _search(picture, extra.search)
    for each, migration in seen.under_way.items():
        lines.append(_under_way(migration, picture.movements.under_way.get(each), name, roomy=roomy))
    queued = queue_of(session, node, most)
    for number, waiting in enumerate(queued, 1):
        lines.append(
            line(
                Span(f" {number:>3} ", "dim", f"partition:{waiting.partition}"),
                *_words(waiting.migration, waiting.partition, name, waiting.owner),
            )
        )
    if len(seen.queue) > len(queued):
        more = len(seen.queue) - len(queued)
        lines.append(line(Span(f"   + {more} more", "moving"), Span(", marked in the map", "dim")))
    if not seen.under_way and not seen.queue and not seen.searching:
        lines.append(line(Span("   ✓ ", "good"), Span("nothing to move", "dim")))
    return lines


def _unless_none(some: Sized, role: str) -> str:
    return role if len(some) else "dim"


def _search(picture: Picture, search: TableSearch) -> list[Line]:
    waiting = len(search.waiting)
    note = f"asked {len(search.asked)}, {waiting} to answer, since {rounded(search.since)}"
    lines = [line(Span("   ↻ ", "moving"), Span("looks for the newest table  ", "moving"), Span(note, "dim"))]
    newest = max((each.version for each in search.fetched.values()), default=0)
    for member in search.asked:
        who = called(picture.observed, member)
        fetched = search.fetched.get(member.uuid)
        said = Span("… waiting", "moving")
        if fetched is not None:
            best = fetched.version == newest
            said = Span(f"table {fetched.version}{' ◂ the newest' if best else ''}", "good" if best else "plain")
        lines.append(line(Span("     "), cell(who, 6, "name"), said))
    return lines


def _under_way(each: MigrationSeen, movement: Movement | None, name: Called, *, roomy: bool) -> Line:
    words = _words(each.info.migration, each.partition, name, each.info.owner)
    phase = each.phase
    if phase == "requested" and movement is not None and movement.total:
        phase = "copying"
    role = "good" if phase == "copied" else "bad" if phase == "not copied" else "moving"
    spans: list[Span] = [Span("   ↻ ", "moving"), *words, Span("  ")]
    wide = BAR if roomy else BAR // 2
    if movement is not None and movement.total:
        spans.append(Span(f"{bar(movement.arrived, movement.total, wide)} ", "moving"))
        if roomy:
            share = f" {in_bytes(movement.arrived)} of {in_bytes(movement.total)}"
            return (*spans, Span(f"{phase} ", role), Span(share, "dim"))
        share = f"{movement.arrived * 100 // movement.total} %" if phase == "copying" else phase
        return (*spans, Span(share, role), Span(f" of {in_bytes(movement.total)}" if phase == "copying" else "", "dim"))
    return (*spans, Span("░" * wide + " ", "dim"), Span(phase, role))


def _words(migration: Migration | None, partition: int, name: Called, owner: Uuid | None) -> Line:
    """Its type, partition, index, from whom and to whom, one below the other."""
    target = f"partition:{partition}"
    if migration is None:
        return line(cell("planned", 10, "dim", target), cell(str(partition), 5, "name", target, right=True))
    m = migration
    new, before = m.destination_new_index, m.destination_current_index
    if m.destination is None:
        index = f"[{m.source_current_index}]"
    else:
        index = f"[{before}→{new}]" if before >= 0 else f"[{new}]"
    source, destination = name(m.source if m.source is not None else owner), name(m.destination)
    whence = "" if source == NOBODY else source
    return line(
        cell(TYPES.get(m.type, m.type), 10, "plain", target),
        cell(str(partition), 5, "name", target, right=True),
        cell(f" {index}", 7, "dim", target),
        cell(f"{whence:>3} → {destination}", 10, "plain", target),
    )


# What is done, and who is safe


def _finished(last: Sequence[Ended], name: Called) -> list[Line]:
    if not last:
        return []
    lines: list[Line] = [head("finished last")]
    for each in reversed(last[-LAST:]):
        info = each.movement.info
        took = each.time - each.movement.since
        lines.append(
            line(
                Span("   ✓ " if each.successful else "   ✗ ", "good" if each.successful else "bad"),
                *_words(info.migration if info else None, each.movement.partition, name, info.owner if info else None),
                Span("" if each.successful else "  rolled back", "bad"),
                Span(f" {rounded(each.time):>9}  in {took // 1000} ms", "dim"),
                Span(f"  {each.movement.reason}" if not each.successful else "", "dim"),
            )
        )
    return lines


def _safety(picture: Picture, width: int) -> list[Line]:
    """As each node says itself."""
    said = [node for node in picture.observed.running() if node.partitions.safe is not None]
    if not said:
        return []
    said.sort(key=lambda node: naturally(node.name))
    safe = [node for node in said if node.partitions.safe]
    lines: list[Line] = [head("safe, as they know", f"{len(safe)} of {len(said)}")]
    reasons: dict[str, list[str]] = {}
    for node in said:
        if not node.partitions.safe:
            reasons.setdefault(node.partitions.why_not_safe, []).append(node.name)
    for why, names in reasons.items():
        lines.append(
            line(
                Span("   ! ", "warn"),
                *(Span(f"{name} ", "name", f"node:{name}") for name in names),
                Span(f" {why}", "warn"),
            )
        )
    row: list[Span] = [Span("   ")]
    for node in safe:
        if len(row) > 1 and width_of(row) + len(node.name) + 4 > width:
            lines.append(tuple(row))
            row = [Span("   ")]
        row += [Span("✓ ", "good"), Span(f"{node.name}  ", "dim", f"node:{node.name}")]
    return [*lines, tuple(row)] if safe else lines
