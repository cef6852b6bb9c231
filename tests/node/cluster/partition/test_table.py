"""The partition table: made from another one or from its form on the wire, it is the same table."""

from __future__ import annotations

import random

import pytest

from shaketable.node.cluster.partition.table import NO_TABLE, Table
from shaketable.node.messages import NOBODY, Row, TableState


def random_row(rng: random.Random, names: str) -> Row:
    return tuple(name if rng.random() < 0.8 else None for name in rng.sample(names, rng.randrange(1, 5)))


@pytest.mark.parametrize("seed", range(20))
def test_a_chain_of_changes_gives_what_is_made_afresh(seed: int) -> None:
    rng = random.Random(seed)
    names = "ABCDEFG"[: rng.randrange(4, 8)]
    table = Table(1, [random_row(rng, names) for _ in range(rng.randrange(1, 9))])
    follower = NO_TABLE
    for _ in range(120):
        before = table
        some = rng.sample(range(len(table.rows)), rng.randrange(len(table.rows) + 1))
        table = table.with_rows({partition: random_row(rng, names) for partition in some})
        if rng.random() < 0.7:
            table.state()
        afresh = Table(table.version, table.rows)
        assert table.held() == afresh.held()
        assert table.state() == afresh.state()
        assert table.stamp == afresh.stamp
        differing = [p for p, (a, b) in enumerate(zip(before.rows, table.rows, strict=True)) if a != b]
        assert set(differing) <= set(table.changes_since(before))
        if rng.random() < 0.6:
            received = Table.of(table.state(), follower)
            assert (received.rows, received.version) == (table.rows, table.version)
            assert received.held() == table.held()
            assert set(differing_of(follower, received)) <= set(received.changes_since(follower))
            follower = received


def differing_of(before: Table, after: Table) -> list[int]:
    rows = before.rows or [()] * len(after.rows)
    return [p for p, (a, b) in enumerate(zip(rows, after.rows, strict=True)) if a != b]


def test_an_empty_end_of_a_row_makes_no_difference() -> None:
    assert Table(3, [("A", None, None), ("B", "A", None)]).rows == (("A",), ("B", "A"))


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ((1, ("A", "B"), 2, [0, 0]), "somebody twice"),
        ((1, ("A", "B"), 2, [0, 2]), "not listed"),
        ((1, ("B", "A"), 2, [0, 1]), "not in order"),
        ((1, ("A", "A"), 2, [0, 1]), "not in order"),
        ((1, ("A", "B"), 2, [0, 1, 1]), "not whole"),
        ((0, ("A",), 1, [0]), "only version 0"),
        ((1, (), 0, []), "only version 0"),
    ],
)
def test_a_malformed_table_is_none(state: tuple[int, tuple[str, ...], int, list[int]], why: str) -> None:
    version, uuids, width, places = state
    with pytest.raises(ValueError, match=why):
        TableState(version, uuids, width, b"".join(place.to_bytes(2, "little") for place in places))


def test_nobody_may_be_named_more_than_once() -> None:
    holders = b"".join(place.to_bytes(2, "little") for place in (0, NOBODY, NOBODY))
    assert Table.of(TableState(1, ("A",), 3, holders), NO_TABLE).rows == (("A",),)
