"""What migrates, in the row of a node: on the master how many and how many wait, and of each node its own part."""

from __future__ import annotations

from shaketable.harness.seen.run import Observed
from shaketable.tui.model.folds.movements import Movement
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.standing import standing as s
from shaketable.tui.model.standing.standing import Standing
from shaketable.tui.text import Line, Span, line

Part = tuple[int, str, str, int]
"""a partition, an arrow the way of the data, the node at its other end, and how many per cent have come"""
TO, FROM, OTHER = "→", "←", "·"
ENDS = ""
"""its master knows it to be over, or the history lacks its beginning"""
_ARROWS = {"owner": TO, "destination": FROM}


def parts_of(picture: Picture, of: Standing) -> tuple[Part, ...]:
    """The migrations in which a node takes part, in their order."""
    if not of.node.running:
        return ()
    known = picture.movements.under_way
    return tuple(
        (partition, _ARROWS.get(role, OTHER), *_far_end(picture.observed, known.get(migration), role))
        for migration, (partition, role) in of.node.partitions.active.items()
    )


def _far_end(observed: Observed, movement: Movement | None, role: str) -> tuple[str, int]:
    if movement is None or movement.info is None:
        return ENDS, 0
    info = movement.info
    uuid = info.migration.destination if role == "owner" else info.owner
    percent = 100 * min(movement.arrived, movement.total) // movement.total if movement.total else 0
    return observed.node_of.get(uuid or "", "–"), percent


def moves(of: Standing, parts: tuple[Part, ...]) -> Line:
    seen = of.node.partitions
    if not of.node.running:
        return line(Span(""))
    counts: list[Span] = []
    if of.role == s.MASTER:
        if not seen.queue and not seen.under_way:
            return line(Span("0" if seen.rows else "", "dim"))
        queued = f"+{len(seen.queue)}" if seen.queue else ""
        counts = [Span(f"{len(seen.under_way)}{queued}{' ' if parts else ''}", "moving")]
    if not parts:
        return tuple(counts)
    partition, arrow, other, percent = parts[0]
    more = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
    done = f" {percent} %" if percent else ""
    said = f"{partition}{arrow}{other}{done}" if other != ENDS else f"{partition} ends"
    return (*counts, Span(f"{said}{more}", "moving"))
