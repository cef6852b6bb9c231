"""What histories tell of a value: its first word, which no other write to that key has, and a sum of all of it.

A value that is one short word stands for itself. Of any other one "x1 and more" is told as "x1 ~15dcb14a": so a
check sees that only a part of it is left."""

from __future__ import annotations

from typing import Final
from zlib import crc32

_LONGEST: Final = 200
"""letters of what is told of the first word"""


def tag_of(value: str) -> str:
    return tag_in(value.encode())


def tag_in(value: bytes) -> str:
    word = value[: 4 * _LONGEST].partition(b" ")[0].decode(errors="replace")[:_LONGEST]
    return word if word.encode() == value else f"{word} ~{crc32(value):08x}"
