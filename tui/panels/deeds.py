"""The menu of what can be done by hand, by what it is done to; dim, and with the reason, what cannot be done now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from shaketable.tui.model.hands.calls import OF_A_LINK, OF_A_NODE, OF_ALL, Deed
from shaketable.tui.text import Line, Span, cell, fitted, line

GROUPS: Final = ((OF_A_LINK, "Links"), (OF_A_NODE, "Nodes"), (OF_ALL, "All"))
VERB: Final = 11
"""columns, at the least"""
LEAST_TITLE: Final = 16


def deeds(entries: Iterable[tuple[Deed, str]], present: str, width: int) -> Sequence[Line]:
    """Each with the reason why it cannot be done, or "". `present`: the verb on which the user stands."""
    entries = list(entries)
    longest = max((len(deed.verb) + 1 for deed, _ in entries), default=VERB)
    wide = max(VERB, min(longest, width - LEAST_TITLE))
    lines: list[Line] = []
    for of, title in GROUPS:
        lines.append(line(Span(f" {title}", "title")))
        for deed, why_not in entries:
            if deed.of == of:
                lines.append(fitted(_row(deed, why_not, deed.verb == present, wide), width))
    return lines


def in_order(deeds: Iterable[Deed]) -> list[str]:
    """Their verbs, as they stand there."""
    deeds = list(deeds)
    return [deed.verb for of, _ in GROUPS for deed in deeds if deed.of == of]


def _row(deed: Deed, why_not: str, now: bool, wide: int) -> Line:
    target = f"deed:{deed.verb}"
    verb = deed.verb.replace("_", " ")
    return line(
        Span("▸" if now else " ", "key", target),
        Span("✗" if why_not else "∞" if deed.lasts else " ", "dim", target),
        cell(f" {verb}", wide, "dim" if why_not else "name", target),
        Span(f" {why_not or deed.title}", "dim" if why_not else "plain", target),
    )
