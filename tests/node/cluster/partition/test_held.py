"""A map that missed writes knows which it has, and two copies make one that has what either has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaketable.node.cluster.partition.held import Copy, Entry, Held, MapData, Write
from shaketable.node.messages import Does

A_WRITE = st.tuples(st.sampled_from(["put", "remove"]), st.sampled_from("abc"), st.sampled_from("xyz"))
LINEAGE = st.lists(st.tuples(A_WRITE, st.booleans(), st.booleans()), max_size=14)
"""of each write that the owner does, whether the one and the other backup has it"""


def writes(lineage: list[tuple[tuple[Does, str, str], bool, bool]]) -> list[Write]:
    return [
        Write(version, "data", "c", version, does, key, value.encode(), version, 1)
        for version, ((does, key, value), _, _) in enumerate(lineage, 1)
    ]


def backup(taken: list[Write]) -> Held:
    held = Held(MapData("data", 0, {}, {}))
    for write in taken:
        assert held.apply(write) == "applied"
    return held


def contents(taken: list[Write]) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for write in taken:
        entries.pop(write.key, None)
        if write.does == "put":
            entries[write.key] = Entry(write.value, write.updated, write.hits)
    return entries


@given(LINEAGE)
def test_two_copies_together_have_each_write_that_either_has(
    lineage: list[tuple[tuple[Does, str, str], bool, bool]],
) -> None:
    all_of_them = writes(lineage)
    one, other = ([write for write, each in zip(all_of_them, lineage, strict=True) if each[which]] for which in (1, 2))
    both = [write for write, each in zip(all_of_them, lineage, strict=True) if each[1] or each[2]]
    for mine, theirs in ((one, other), (other, one)):
        found = backup(mine).with_more(backup(theirs).copy())
        assert found.data.entries == contents(both)
        assert found.data.version == max([write[0] for write in both], default=0)
        assert found.data.last == ({"c": both[-1][3]} if both else {})
        assert found.whole_to == max(backup(mine).whole_to, backup(theirs).whole_to)


@given(LINEAGE)
def test_of_three_copies_the_order_in_which_they_are_put_together_does_not_matter(
    lineage: list[tuple[tuple[Does, str, str], bool, bool]],
) -> None:
    all_of_them = writes(lineage)
    copies = [
        backup([write for write, each in zip(all_of_them, lineage, strict=True) if each[which]]) for which in (1, 2)
    ]
    copies.append(backup(all_of_them[: len(all_of_them) // 2]))
    told = []
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        found = copies[order[0]]
        for which in order[1:]:
            found = found.with_more(copies[which].copy())
        told.append((found.data.version, found.data.entries, found.whole_to, found.newer))
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize(("mine", "theirs"), [("a", "b"), ("b", "a")])
def test_what_was_removed_after_a_missing_write_stays_so(mine: str, theirs: str) -> None:
    put: Write = Write(1, "data", "c", 1, "put", "k", b"v")
    other: Write = Write(2, "data", "c", 2, "put", "j", b"v")
    remove: Write = Write(3, "data", "c", 3, "remove", "k", b"")
    copies = {"a": backup([put, remove]), "b": backup([put, other])}
    found = copies[mine].with_more(copies[theirs].copy())
    assert found.data.entries == {"j": Entry(b"v", 0, 0)}
    assert (found.whole_to, found.version) == (2, 0), "who knows whether there were others"


def test_a_copy_of_somebody_else_is_not_changed() -> None:
    mine, theirs = backup([Write(2, "data", "c", 2, "put", "k", b"v")]), Copy(MapData("data", 1, {}, {}), 1, {})
    found = mine.with_more(theirs)
    assert found.data.entries == {"k": Entry(b"v", 0, 0)}
    assert theirs.data.entries == {}
    assert theirs.newer == {}
