"""The second line: the screens by their numbers, the present one marked."""

from __future__ import annotations

from collections.abc import Iterable

from shaketable.tui.text import Line, Span


def tabs(titles: Iterable[tuple[str, str]], present: str) -> Line:
    """`titles`: each screen's id and title."""
    spans: list[Span] = [Span(" ")]
    for number, (name, title) in enumerate(titles, 1):
        now, target = name == present, f"screen:{name}"
        spans.append(Span("[" if now else " ", "title", target))
        spans.append(Span(f"{number} ", "key", target))
        spans.append(Span(title, "title" if now else "dim", target))
        spans.append(Span("]" if now else " ", "title", target))
    return tuple(spans)
