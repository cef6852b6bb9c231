"""What two nodes believe, side by side, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.tui.model.session import Session
from shaketable.tui.text import Line, Span, line


def difference(session: Session, width: int, height: int) -> Sequence[Line]:
    return [line(Span("not built yet", "dim"))]
