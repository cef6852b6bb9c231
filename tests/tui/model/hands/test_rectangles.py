"""Marked links become as few deeds as their pattern allows, and together these are on the same links."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from shaketable.tui.model.hands.rectangles import Rectangle, rectangles


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ("", []),
        ("n1>n2 n3>n5", [Rectangle(("n1",), ("n2",)), Rectangle(("n3",), ("n5",))]),
        ("n2>n1 n1>n2", [Rectangle(("n1",), ("n2",), both_ways=True)]),
        ("n1>n3 n2>n3 n1>n4 n2>n4", [Rectangle(("n1", "n2"), ("n3", "n4"))]),
        ("n1>n2 n1>n3 n2>n1 n3>n1", [Rectangle(("n1",), ("n2", "n3"), both_ways=True)]),
    ],
)
def test_links_that_share_an_end_share_a_deed(links: str, expected: list[Rectangle]) -> None:
    pairs = [(a, b) for a, _, b in (link.partition(">") for link in links.split())]
    assert rectangles(pairs) == expected


@pytest.mark.parametrize("seed", range(20))
def test_they_are_on_those_links_and_no_other(seed: int) -> None:
    chance, nodes = Random(seed), [f"n{number}" for number in range(1, 6)]
    links = {(a, b) for a, b in product(nodes, nodes) if a != b and chance.random() < 0.4}
    covered: list[tuple[str, str]] = []
    for senders, receivers, both_ways in rectangles(links):
        covered += product(senders, receivers)
        covered += product(receivers, senders) if both_ways else ()
    assert sorted(covered) == sorted(links)
