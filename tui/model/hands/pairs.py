"""Names with their values as they are typed: `role=destination nth=2 why="two words"`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.scripting.calls import Simple

WORDS: Final[Mapping[str, Simple]] = {"true": True, "false": False, "none": None}
LIKE: Final = "give name=value, and in quotes what has blanks: name='two words'"


def pairs_in(text: str) -> dict[str, Simple]:
    """In the order in which they are typed."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise UserError(f"{text}: a quote is open; {LIKE}") from None
    pairs: dict[str, Simple] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals or not value:
            raise UserError(f"{word}: {LIKE}")
        if name in pairs:
            raise UserError(f"{name} is there twice")
        pairs[name] = _value(value)
    return pairs


def _value(text: str) -> Simple:
    lower = text.lower()
    if lower in WORDS:
        return WORDS[lower]
    return int(text) if text.removeprefix("-").isascii() and text.removeprefix("-").isdecimal() else text
