"""Nodes as they are typed: one, several ("n3 n4"), or groups of them: "n1 n2 | n3 n4 n5"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

GROUPS: Final = "groups"
NODES: Final = "nodes"
NODE: Final = "node"
"""units of such parameters"""
Groups = tuple[tuple[str, ...], ...]


def groups_in(text: str) -> Groups:
    return tuple(names_in(part) for part in text.split("|"))


def names_in(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def written_groups(groups: Sequence[Sequence[str]]) -> str:
    return " | ".join(" ".join(group) for group in groups)


def wrong_with(groups: Groups, known: Collection[str] = ()) -> str:
    """In a sentence; "" if nothing is. `known`: the nodes that there are, where somebody knows."""
    if not all(groups) or len(groups) < 2:
        return "give two groups or more, each with a node: n1 n2 | n3"
    return wrong_with_names([name for group in groups for name in group], known)


def wrong_with_names(names: Sequence[str], known: Collection[str] = ()) -> str:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return f"{twice} is there twice"
    unknown = next((name for name in names if known and name not in known), None)
    return f"there is no node {unknown}" if unknown is not None else ""


def splits_of(names: Sequence[str]) -> list[str]:
    """Those that are likely to be meant: in halves, and each one alone."""
    if len(names) < 2:
        return []
    half = len(names) // 2
    halves = [(names[:half], names[half:]), (names[: len(names) - half], names[len(names) - half :])]
    alone = [([name], [other for other in names if other != name]) for name in names]
    return list(dict.fromkeys(written_groups(each) for each in (*halves, *alone)))
