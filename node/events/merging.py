"""The events of the data that go over with a merge: set aside, brought to their owners, kept or lost, and why.

Of a value its tag alone, before the first blank, is told."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Member, Uuid
from shaketable.node.why import Why


class EntriesSetAside(Event, frozen=True):
    """What this identity sets aside as it ends: all `entries` of its `partitions`, and those `not_brought` yet of an
    earlier merge, each with map, key and value."""

    version: int
    partitions: tuple[int, ...]
    entries: tuple[tuple[str, str, str], ...]
    not_brought: tuple[tuple[str, str, str], ...]


class EntriesBrought(Event, frozen=True):
    """The next identity brings entries, each with key and value, to the owner of their partition. They count from
    `number`."""

    peer: Member
    map: str
    partition: int
    number: int
    entries: tuple[tuple[str, str], ...]


class EntriesMerged(Event, frozen=True):
    """The owner has decided on entries. Each has key, value, its end, the value there now (None: nothing) and why.
    Ends: "kept", "lost", "there" (the same value was there), "changed" (the policy made another value). `holders`:
    members that have all that was written, the owner first."""

    peer: Member
    map: str
    partition: int
    number: int
    entries: tuple[tuple[str, str, str, str | None, str], ...]
    holders: tuple[Uuid, ...]
    attempts: int
    whys: tuple[Why, ...]
    """of each entry the kind of its reason"""


class EntriesGivenUp(Event, frozen=True):
    """These entries are lost, each with map, key and value."""

    entries: tuple[tuple[str, str, str], ...]
    reason: str
    why: Why


class MergeDataDone(Event, frozen=True):
    """No entry is left to bring. The fields count the ends."""

    kept: int
    there: int
    changed: int
    lost: int
    given_up: int
