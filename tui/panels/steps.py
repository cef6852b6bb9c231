"""The script: its steps as they go by, its faults with their receipts, its expectations and the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.tui.model.session import Session
from shaketable.tui.text import Line, Span, line


def steps(session: Session, width: int, height: int) -> Sequence[Line]:
    return [line(Span("not built yet", "dim"))]
