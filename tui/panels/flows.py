"""The chosen link, or all that are not sound: faults, receipts, what both ends say."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.tui.model.session import Session
from shaketable.tui.text import Line, Span, line


def flows(session: Session, width: int, height: int) -> Sequence[Line]:
    return [line(Span("not built yet", "dim"))]
