"""Which run of one store is the pair of which run of the other, and why there may be none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final, NamedTuple, TypeVar

import msgspec

Facts = TypeVar("Facts")


class Key(NamedTuple):
    script: str
    world: str
    variant: str
    preset: str
    seed: int
    system: str = ""
    """ "": ours"""
    version: str = ""
    """of the system"""
    repeat: int = 1
    """of one key but for this a store may hold several runs: which of them, by when it began"""

    def of_any_version(self) -> Key:
        return self._replace(version="", repeat=0)


class Apart(msgspec.Struct, frozen=True, kw_only=True):
    """What keeps runs from being pairs that otherwise would be."""

    what: str
    """a field of Key"""
    before: tuple[str, ...]
    """its values"""
    now: tuple[str, ...]


_MAY_DIFFER: Final = ("system", "preset", "world", "variant", "seed")


def by_pairs(before: Iterable[Key], now: Mapping[Key, Facts]) -> dict[Key, Facts]:
    """`now`, each run by the key of its pair: one of the same version if there is one, else one of another version, the
    first with the first."""
    known = dict.fromkeys(before)
    waiting: dict[Key, list[Key]] = {}
    for key in sorted(known.keys() - now.keys(), reverse=True):
        waiting.setdefault(key.of_any_version(), []).append(key)
    made: dict[Key, Facts] = {}
    for key in sorted(now):
        others = [] if key in known else waiting.get(key.of_any_version(), [])
        made[others.pop() if others else key] = now[key]
    return made


def apart(before: Iterable[Key], now: Iterable[Key]) -> tuple[Apart, ...]:
    """The fewest fields but for which some runs of both would be pairs; () if there is none."""
    sides = [{key.of_any_version() for key in keys} for keys in (before, now)]
    for many in range(1, len(_MAY_DIFFER) + 1):
        for fields in combinations(_MAY_DIFFER, many):
            parts = [{_without(key, fields) for key in side} for side in sides]
            if both := parts[0] & parts[1]:
                return tuple(_apart(field, fields, both, *sides) for field in fields)
    return ()


def _without(key: Key, fields: Iterable[str]) -> tuple[object, ...]:
    return tuple(value for name, value in zip(Key._fields, key, strict=True) if name not in fields)


def _apart(field: str, fields: Iterable[str], both: set[tuple[object, ...]], *sides: set[Key]) -> Apart:
    before, now = (sorted({getattr(key, field) for key in side if _without(key, fields) in both}) for side in sides)
    return Apart(what=field, before=tuple(map(str, before)), now=tuple(map(str, now)))
