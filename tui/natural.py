"""The order in which names are shown: n2 before n10."""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = re.compile(r"(\d+)")


def naturally(name: str) -> tuple[tuple[int, int | str], ...]:
    """A key to sort by."""
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in _DIGITS.split(name) if part)
