"""What stands above narrow columns, of which each is one node: two letters, one above the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"


def labels(names: Sequence[str]) -> list[str]:
    """The numbers in the names, if each has one of its own; else their places."""
    numbers = [name.lstrip(LETTERS) for name in names]
    fit = all(number.isdigit() and len(number) <= 2 for number in numbers) and len(set(numbers)) == len(numbers)
    return [f"{number:>2}" for number in (numbers if fit else [str(at % 100) for at in range(1, len(names) + 1)])]
