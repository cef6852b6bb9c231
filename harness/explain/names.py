"""Names and sentences of a stranger's making, fit for a terminal: on one line, short, and none that takes it over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LONGEST_NAME: Final = 60
MOST_NAMES: Final = 12
"""in a sentence"""


def one_line(words: str) -> str:
    """Characters that cannot be printed are written as Python would write them."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in words)


def shown(name: str) -> str:
    return one_line(name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…")


def listed(names: Sequence[str]) -> str:
    return ", ".join(map(shown, names))


def some(names: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    if len(names) <= MOST_NAMES + 1:
        return listed(names)
    return f"{listed(names[:MOST_NAMES])} and {len(names) - MOST_NAMES:,} more"
