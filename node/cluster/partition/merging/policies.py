"""What decides on an entry of a part that has merged, and on the one that its owner holds: a policy for each map.

As in the real system: put if absent (the default), latest update, higher hits, pass through, discard; or one of a
user's own, as small as `MergePolicy` says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from shaketable.node.config.data import POLICIES
from shaketable.node.core.env import Micros


@dataclass(frozen=True, slots=True)
class MergeEntry:
    """One of the two entries of a key that a merge policy decides between."""

    key: str
    value: bytes
    updated: Micros
    """by the clock of the cluster that it was written in"""
    hits: int


@runtime_checkable
class MergePolicy(Protocol):
    """One of a user's own. It is asked at the partition's owner, and answers the same question the same way."""

    def merge(self, merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
        """What is to be there now: the value of one of the two, another one, or None: nothing. It is not asked where
        both values are the same."""


Decide = Callable[[MergeEntry, MergeEntry | None], bytes | None]


def put_if_absent(merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
    return merging.value if existing is None else existing.value


def latest_update(merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
    return merging.value if existing is None or merging.updated >= existing.updated else existing.value


def higher_hits(merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
    return merging.value if existing is None or merging.hits >= existing.hits else existing.value


def pass_through(merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
    return merging.value


def discard(merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
    return None if existing is None else existing.value


BUILT_IN: Final[Mapping[str, Decide]] = dict(
    zip(POLICIES, (put_if_absent, latest_update, higher_hits, pass_through, discard), strict=True)
)
