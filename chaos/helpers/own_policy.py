"""A merge policy of one's own, as small as it can be: the longer of two values stays.

Named by the setting: merge_policies = "data=shaketable.chaos.helpers.own_policy:Longest"."""

from __future__ import annotations

from shaketable import MergeEntry


class Longest:
    def merge(self, merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
        if existing is None or len(merging.value) > len(existing.value):
            return merging.value
        return existing.value


class Together:
    """Both values, one after the other."""

    def merge(self, merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
        return merging.value if existing is None else existing.value + b"+" + merging.value
