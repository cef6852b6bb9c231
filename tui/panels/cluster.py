"""The cluster: a row a node, with its state, its role, its list, whom it follows and whom it suspects."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.tui.model.session import Session
from shaketable.tui.text import Line, Span, cell, line


def cluster(session: Session, width: int, height: int) -> Sequence[Line]:
    picture = session.picture()
    seen = picture.observed
    lines: list[Line] = [line(cell("  node", 10, "title"), cell("state", 12, "title"), cell("list", 40, "title"))]
    for node in picture.nodes():
        chosen = "▸ " if node.name == session.chosen.node else "  "
        lines.append(
            line(
                Span(chosen, "key"),
                cell(node.name, 8, "name", f"node:{node.name}"),
                cell(node.state, 12),
                cell(seen.list_of(node), 40),
            )
        )
    return lines
