"""The first line: what runs, where the cursor stands, whether all agree, and what the checks say."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.checks.result import BROKEN, HELD
from shaketable.harness.recording.words import rounded
from shaketable.tui.model.session import Session
from shaketable.tui.text import Line, Span, line


def heading(session: Session, width: int, height: int) -> Sequence[Line]:
    facts = session.facts
    where = "▶ live" if session.following and session.live else "⏸ halted" if session.live else "▪ recorded"
    broken = sum(check.status == BROKEN for check in session.checks)
    held = sum(check.status == HELD for check in session.checks)
    return [
        line(
            Span(" shaketable ", "title"),
            Span(f" {facts.script or 'by hand'} · {facts.world} · seed {facts.seed} · {facts.preset} ", "dim"),
            Span(f" {rounded(session.time)} ", "plain"),
            Span(where, "good" if session.following else "warn"),
            Span(f"  ✓ {held}", "good"),
            Span(f"  ✗ {broken}", "bad" if broken else "dim"),
        )
    ]
