"""The messages by which the entries of a part that has merged come to their owners in the other one.

From the text on split-brain recovery: each member of the smaller part brings what it had."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from shaketable.node.messages.base import Message, Number, Time, Uuid
from shaketable.node.messages.partition import LARGEST_VALUE, Name, Partition, Value
from shaketable.node.why import Because

MOST_MERGING: Final = 64
"""entries in one message"""


class MergingEntry(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """An entry that a part of the cluster held when it went over to another one. `number`: of all that its bringer
    brings."""

    number: Number
    key: Name
    value: Value
    updated: Time
    hits: Number


class MergeEntries(Message, frozen=True):
    """To the owner of their partition: entries of one map from this `client`, with rising numbers. None is decided on
    twice."""

    request: Number
    target: Uuid
    client: Name
    partition: Partition
    map: Name
    entries: Annotated[tuple[MergingEntry, ...], msgspec.Meta(min_length=1, max_length=MOST_MERGING)]


class EntryMerged(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What has become of one: "kept", "lost", "there" (the same value was), or "changed" (the policy has made something
    else of the two). `value`: the tag of what is there now, None: nothing."""

    outcome: Literal["kept", "lost", "there", "changed"]
    value: Annotated[str, msgspec.Meta(max_length=LARGEST_VALUE)] | None
    reason: Because


class MergeEntriesAnswer(Message, frozen=True):
    """ "ok": what has become of each, in their order, and which members have all that was written. Otherwise bring them
    again, perhaps elsewhere."""

    request: Number
    outcome: Literal["ok", "retry"]
    results: Annotated[tuple[EntryMerged, ...], msgspec.Meta(max_length=MOST_MERGING)]
    holders: tuple[Uuid, ...]
    reason: str
