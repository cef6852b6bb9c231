"""The language of filters: words, nodes, kinds, and what must not be."""

from __future__ import annotations

import pytest
from tests.reasons import reason_in

from shaketable.harness.records import HARNESS, NodeNamed, NodeSpawned, Record
from shaketable.node import events as e
from shaketable.node.messages import Member
from shaketable.tui.model.history.filter import read_filter
from shaketable.tui.model.history.filtering import fits_in
from shaketable.tui.model.history.store import Store

N1, N2 = Member("127.0.0.1:5701", "u1"), Member("127.0.0.1:5702", "u2")
TOLD = (
    (HARNESS, NodeNamed("n1", N1.address)),
    (HARNESS, NodeNamed("n2", N2.address)),
    (HARNESS, NodeSpawned("n1")),
    ("n1", e.Suspected(N2, *reason_in("link down"))),
    ("n2", e.Suspected(N1, *reason_in("silence"))),
    ("n1", e.SuspicionEnded(N2, *reason_in("heartbeat"))),
    ("n1", e.LinkUp(N2.address)),
)
STORE = Store(Record(time, node, f"u{node[1:]}", time, event) for time, (node, event) in enumerate(TOLD))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", [0, 1, 2, 3, 4, 5, 6]),
        ("suspects", [3, 4, 5]),
        ("SUSPECTS n2", [3, 4, 5]),
        ("link down", [3]),
        ("down link", [3]),
        ('"down link"', []),
        ('"link to n2', [6]),
        ("node:n1", [3, 5, 6]),
        ("node:N1 node:n2", [3, 4, 5, 6]),
        ("node:harness", [0, 1, 2]),
        ("kind:susp", [3, 4, 5]),
        ("kind:suspected", [3, 4]),
        ("kind:Suspected kind:LinkUp", [3, 4, 6]),
        ("kind:susp -kind:ended", [3, 4]),
        ("kind:Suspected -node:n2", [3]),
        ("-suspects node:n1", [6]),
        ("suspicionended", [5]),
        ("node:n3", []),
        ("node:", [0, 1, 2, 3, 4, 5, 6]),
        ("-", [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_a_filter_leaves_what_it_says(text: str, left: list[int]) -> None:
    fits = fits_in(STORE, text)
    assert [place for place in range(len(STORE)) if fits(place)] == left


def test_no_sentence_is_made_where_kind_and_node_are_enough() -> None:
    assert not read_filter("node:n1 -kind:Chunk").reads
    assert read_filter("node:n1 -down").reads
