"""The events of the data that go over with a merge: set aside, brought to their owners, kept or lost, and why.

Of a value its tag alone, before the first blank, is told."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Member, Uuid
from shaketable.node.why import Why


class EntriesSetAside(Event, frozen=True):
    """Just before this identity ends: of the `partitions` that it owns, all `entries`, and what it had not brought yet
    of an earlier merge; each with map, key and value."""

    version: int
    partitions: tuple[int, ...]
    entries: tuple[tuple[str, str, str], ...]
    not_brought: tuple[tuple[str, str, str], ...]


class EntriesBrought(Event, frozen=True):
    """The next identity brings them to the owner of their partition, numbered from `number` on; each with key and
    value."""

    peer: Member
    map: str
    partition: int
    number: int
    entries: tuple[tuple[str, str], ...]


class EntriesMerged(Event, frozen=True):
    """The owner has decided on them. Each with key, value, what became of it, the value that is there now (None:
    nothing) and why: "kept", "lost", "there" (the same value was), or "changed" (the policy has made something else of
    the two). `holders`: who has all that was written, the owner first."""

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
    """They are lost: each with map, key and value."""

    entries: tuple[tuple[str, str, str], ...]
    reason: str
    why: Why


class MergeDataDone(Event, frozen=True):
    """Nothing is left to bring: so many entries had which end."""

    kept: int
    there: int
    changed: int
    lost: int
    given_up: int
