"""What histories tell of a value: its first word alone, which no other write to that key has."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 200
"""letters of a tag in an answer: a value without a blank would make it as long as itself"""


def tag_of(value: str) -> str:
    return value.partition(" ")[0]


def tag_in(value: bytes) -> str:
    return tag_of(value.decode(errors="replace"))[:_LONGEST]
