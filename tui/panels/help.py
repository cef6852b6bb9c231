"""All keys by what they are about, and what the symbols mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from shaketable.tui.panels.belief import ABSENT, FORMER, LISTED, MASTER, SUSPECTED, SUSPECTED_MASTER
from shaketable.tui.text import Line, Span, cell, fitted, line, width_of

Entry = tuple[str, str]
"""a key, and what it does"""
SYMBOLS: Final[Sequence[tuple[str, Sequence[tuple[str, str, str]]]]] = (
    (
        "A node",
        (
            ("●", "good", "has joined"),
            ("○", "moving", "starts, or is about to join"),
            ("»", "moving", "goes over to another part of its cluster"),
            ("‖", "fault", "paused"),
            ("■", "fault", "held at a crash point"),
            ("!", "warn", "suspected by somebody"),
            ("✗", "bad", "crashed, or failed"),
            ("–", "dim", "has left"),
            ("⊘", "bad", "was refused"),
            ("≠", "warn", "its list is not its master's"),
            ("▸", "key", "the chosen one"),
        ),
    ),
    (
        "A node's list, one letter a member",
        (
            (LISTED, "good", "a member"),
            (MASTER, "master", "its master"),
            (SUSPECTED, "warn", "a member that the node suspects"),
            (SUSPECTED_MASTER, "warn", "its master, which it suspects"),
            (ABSENT, "dim", "not in its list"),
            (FORMER, "warn", "a member that ran under this name before"),
        ),
    ),
    (
        "An event",
        (
            ("▓", "fault", "a fault begins"),
            ("░", "fault", "a fault ends"),
            ("═", "master", "a member list, or a group's view"),
            ("!", "warn", "a suspicion"),
            ("◆", "master", "mastership: whom a node follows"),
            ("◇", "moving", "a mastership claim"),
            ("↻", "moving", "a migration"),
            ("»", "moving", "parts of a cluster that find each other"),
            ("→", "title", "a step of the script"),
            ("·", "dim", "anything else"),
        ),
    ),
    (
        "A group",
        (
            ("→", "good", "heartbeats go there"),
            ("→?", "warn", "they do, and are not looked for there"),
            ("▓→", "fault", "and something is done to the link"),
            ("←", "good", "its heartbeats are watched"),
            ("n?", "warn", "silent to the member that watches it, and not in doubt yet"),
        ),
    ),
    (
        "A guarantee",
        (
            ("✓", "good", "holds"),
            ("✗", "bad", "broken: Enter goes to the proof"),
            ("○", "dim", "nothing was seen that could break it"),
            ("?", "warn", "it cannot be said"),
        ),
    ),
)
KEY: Final = 11
SYMBOL: Final = 4
GAP: Final = 2
TWO_COLUMNS: Final = 110
"""from this width on"""


def help_lines(groups: Iterable[tuple[str, Sequence[Entry]]], width: int) -> Sequence[Line]:
    """In two columns where there is room for them."""
    columns = 2 if width >= TWO_COLUMNS else 1
    wide = (width - GAP * (columns - 1)) // columns
    blocks = [_keys(title, entries, wide) for title, entries in groups]
    blocks += [_symbols(title, entries, wide) for title, entries in SYMBOLS]
    if columns == 1:
        return [each for block in blocks for each in block]
    split = min(range(len(blocks) + 1), key=lambda at: max(_height(blocks[:at]), _height(blocks[at:])))
    left = [each for block in blocks[:split] for each in block]
    right = [each for block in blocks[split:] for each in block]
    rows = max(len(left), len(right))
    left += [()] * (rows - len(left))
    right += [()] * (rows - len(right))
    return [(*fitted(a, wide), Span(" " * GAP), *fitted(b, wide)) for a, b in zip(left, right, strict=True)]


def _height(blocks: Sequence[Sequence[Line]]) -> int:
    return sum(map(len, blocks))


def _keys(title: str, entries: Sequence[Entry], width: int) -> list[Line]:
    lines = [line(Span(title, "title"))]
    for key, text in entries:
        lines.extend(_wrapped(cell(f" {key}", KEY, "key"), text, width))
    return [*lines, ()]


def _symbols(title: str, entries: Sequence[tuple[str, str, str]], width: int) -> list[Line]:
    lines = [line(Span(title, "title"))]
    for symbol, role, text in entries:
        lines.extend(_wrapped(cell(f" {symbol}", SYMBOL, role), text, width))
    return [*lines, ()]


def _wrapped(first: Span, text: str, width: int) -> list[Line]:
    lines: list[Line] = []
    room = max(1, width - width_of([first]))
    words, said = text.split(), ""
    for word in words:
        if said and len(said) + 1 + len(word) > room:
            lines.append(line(first if not lines else Span(" " * width_of([first])), Span(said)))
            said = word
        else:
            said = f"{said} {word}".strip()
    lines.append(line(first if not lines else Span(" " * width_of([first])), Span(said)))
    return lines
