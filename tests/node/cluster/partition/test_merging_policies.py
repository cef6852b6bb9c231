"""Merge policies: what each makes of an entry that merges and of the one that is there, and those of a user's own."""

from __future__ import annotations

from typing import Any

import pytest
from tests.node.cluster.partition.data_planes import Planes, three, value
from tests.node.cluster.partition.merging_planes import aside, bring

from shaketable.node.cluster.partition.held import Entry
from shaketable.node.cluster.partition.merging.policies import BUILT_IN, MergeEntry
from shaketable.node.core.env import SECOND
from shaketable.node.events import EntriesMerged
from shaketable.node.messages import LARGEST_VALUE

EXISTING = MergeEntry("k", b"old", 10, 4)
EARLIER, SAME, LATER = (MergeEntry("k", b"new", updated, hits) for updated, hits in ((9, 5), (10, 4), (11, 3)))


@pytest.mark.parametrize(
    ("policy", "merging", "existing", "result"),
    [
        ("put-if-absent", LATER, EXISTING, b"old"),
        ("put-if-absent", LATER, None, b"new"),
        ("latest-update", EARLIER, EXISTING, b"old"),
        ("latest-update", SAME, EXISTING, b"new"),
        ("latest-update", LATER, EXISTING, b"new"),
        ("latest-update", EARLIER, None, b"new"),
        ("higher-hits", EARLIER, EXISTING, b"new"),
        ("higher-hits", SAME, EXISTING, b"new"),
        ("higher-hits", LATER, EXISTING, b"old"),
        ("higher-hits", LATER, None, b"new"),
        ("pass-through", EARLIER, EXISTING, b"new"),
        ("discard", LATER, EXISTING, b"old"),
        ("discard", LATER, None, None),
    ],
)
def test_a_policy_says_what_is_to_be_there(
    policy: str, merging: MergeEntry, existing: MergeEntry | None, result: bytes | None
) -> None:
    assert BUILT_IN[policy](merging, existing) == result


class Removes:
    def merge(self, merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
        return None


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("I have no words")


class Fails:
    def __init__(self, error: BaseException) -> None:
        self._error = error

    def merge(self, merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
        raise self._error


class Makes:
    def __init__(self, value: Any) -> None:
        self._value = value

    def merge(self, merging: MergeEntry, existing: MergeEntry | None) -> bytes | None:
        return self._value  # type: ignore[no-any-return]  # whatever the user's own code makes


def by_ones_own(policy: Removes | Fails | Makes) -> tuple[Planes, EntriesMerged]:
    """An entry met another one, and this policy decided."""
    planes = three(merge_policies="data=own:Policy")
    planes[0].taking.policies = {"own:Policy": policy.merge}
    planes.do(0, "put", "k", "old")
    bringer = bring(planes, 2, aside("k"))
    planes.run(SECOND)
    (event,) = bringer.node.told(EntriesMerged)
    assert isinstance(event, EntriesMerged)
    return planes, event


def test_a_policy_of_ones_own_may_remove() -> None:
    planes, event = by_ones_own(Removes())
    assert event.entries == (("k", "new", "changed", None, "by own:Policy"),)
    assert [value(planes, 0), value(planes, 1)] == [None, None]


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (Fails(RuntimeError("no idea")), "RuntimeError: no idea"),
        (Fails(SystemExit(0)), "SystemExit: 0"),
        (Fails(BaseException("of no kind")), "BaseException: of no kind"),
        (Fails(ValueError("no text: \udcff")), "ValueError: no text: ?"),
        (Fails(ValueError("long" * 1000)), "ValueError: " + "long" * 47),
        (Fails(Mute()), "Mute"),
        (Makes("text"), "TypeError: a value is bytes, not str"),
        (Makes(b"x" * (LARGEST_VALUE + 1)), f"ValueError: a value has at most {LARGEST_VALUE} bytes"),
    ],
)
def test_a_policy_of_ones_own_that_fails_changes_nothing_and_it_is_told_why(policy: Fails | Makes, said: str) -> None:
    planes, event = by_ones_own(policy)
    line = f" (test_merging_policies.py:{Fails.merge.__code__.co_firstlineno + 1})" if isinstance(policy, Fails) else ""
    assert event.entries == (("k", "new", "lost", "old", f"own:Policy has failed: {said}{line}"),)
    assert [value(planes, 0), value(planes, 1)] == [b"old", b"old"]


def test_what_is_made_of_two_is_as_old_as_the_later_one_and_has_the_hits_of_the_one_with_more() -> None:
    planes = three(merge_policies="data=own:Policy")
    planes[0].taking.policies = {"own:Policy": Makes(b"both").merge}
    planes.run(SECOND)
    planes.do(0, "put", "k", "old")
    before = planes[0].store.entry(0, "data", "k")
    assert before is not None
    bring(planes, 2, aside("k", updated=before.updated - 1, hits=before.hits + 2))
    planes.run(SECOND)
    assert planes[0].store.entry(0, "data", "k") == Entry(b"both", before.updated, before.hits + 2)
