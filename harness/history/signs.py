"""How a node stands at a moment, in one word, and the sign of it: the same on the screens and in reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.records import Ending

STARTING: Final = "starting"
MEMBER: Final = "member"
MASTER: Final = "master"
PAUSED: Final = "paused"
HELD: Final = "held"
MERGING: Final = "merging"
CRASHED: Final = "crashed"
LEFT: Final = "left"
REFUSED: Final = "refused"
GONE: Final = (CRASHED, LEFT, REFUSED)
ENDS: Final[Mapping[Ending, str]] = {
    Ending.KILLED: CRASHED, Ending.DIED: CRASHED, Ending.FAILED: CRASHED, Ending.LEFT: LEFT, Ending.REFUSED: REFUSED,
    Ending.NOT_UNDERSTOOD: CRASHED, Ending.NEVER_RAN: CRASHED,
}  # fmt: skip
"""By how a process ended."""
LINES: Final[Mapping[str, str]] = {
    STARTING: "╌", MEMBER: "─", MASTER: "═", MERGING: "»", PAUSED: "┈", HELD: "┈",
}  # fmt: skip
"""while it lasts"""
BEGINS: Final[Mapping[str, str]] = {
    STARTING: "○", MERGING: "»", PAUSED: "‖", HELD: "■", CRASHED: "✗", LEFT: "–", REFUSED: "⊘",
}  # fmt: skip
"""where it begins"""
