"""A lane a node over time: faults as bands, views as marks, claims and migrations as bars."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.tui.model.session import Session
from shaketable.tui.text import Line, Span, line


def lanes(session: Session, width: int, height: int) -> Sequence[Line]:
    return [line(Span("not built yet", "dim"))]
