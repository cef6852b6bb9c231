"""Any set of links as few deeds: each from all of some nodes to all of others, one way or both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Rectangle(NamedTuple):
    senders: tuple[str, ...]
    receivers: tuple[str, ...]
    both_ways: bool = False


def rectangles(links: Iterable[tuple[str, str]]) -> list[Rectangle]:
    """Nodes that send to the same ones share one; of two that are each other's way back one is left, for both ways."""
    receivers: dict[str, list[str]] = {}
    for sender, receiver in sorted(links):
        receivers.setdefault(sender, []).append(receiver)
    senders: dict[tuple[str, ...], list[str]] = {}
    for sender, hearing in receivers.items():
        senders.setdefault(tuple(hearing), []).append(sender)
    found: list[Rectangle] = []
    for those, sending in senders.items():
        back = Rectangle(those, tuple(sending))
        if back in found:
            found[found.index(back)] = back._replace(both_ways=True)
        else:
            found.append(Rectangle(tuple(sending), those))
    return found
