"""Which member watches which in a group, by what each member says of its own heartbeats; and the ring, if they make
one.

Each member goes by its own view. So while views differ, a ring may be open, or there may be several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shaketable.harness.seen.run import Observed
from shaketable.tui.natural import naturally

WATCHED: Final = "watched"
UNWATCHED: Final = "not watched"
"""it sends its heartbeats to one that runs and does not look for them"""
GONE: Final = "gone"
"""it sends them to one that does not run"""


@dataclass(frozen=True, slots=True)
class Watching:
    """Of one member, by name, in natural order."""

    to: tuple[str, ...]
    """its heartbeats go there"""
    watches: tuple[str, ...]
    """theirs it looks for"""
    watched_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Members of which each sends its heartbeats to the next one alone."""

    names: tuple[str, ...]
    links: tuple[str, ...]
    """between each and the next one; of a ring also between the last and the first"""

    @property
    def is_ring(self) -> bool:
        return len(self.links) == len(self.names)


def watching(observed: Observed) -> dict[str, Watching]:
    """Of all; a node that does not run sends nothing, and may be watched yet."""
    by: dict[str, list[str]] = {}
    for node in observed.nodes.values():
        for name in _names(observed, node.group.watched) if node.running else ():
            by.setdefault(name, []).append(node.name)
    return {
        name: Watching(
            _names(observed, node.group.to) if node.running else (),
            _names(observed, node.group.watched) if node.running else (),
            tuple(sorted(by.get(name, ()), key=naturally)),
        )
        for name, node in observed.nodes.items()
    }


def chains(observed: Observed) -> list[Chain]:
    """Every member is in one, that sends its heartbeats to just one other; one that is closed begins with the first
    of its names."""
    nodes = sorted((node for node in observed.nodes.values() if node.running), key=lambda node: naturally(node.name))
    following = {node.name: _names(observed, node.group.to)[0] for node in nodes if len(node.group.to) == 1}
    closed = _on_rings(following)
    has_one_before = dict.fromkeys(following.values(), True)
    starts = [name for name in following if name not in has_one_before]
    found: list[Chain] = []
    seen: dict[str, bool] = {}
    for name in (*starts, *closed):
        if name in seen:
            continue
        names, at = [name], following.get(name)
        while at is not None and at != name:
            names.append(at)
            if at in seen or (at in closed and name not in closed):
                break  # it leads into another one
            at = following.get(at)
        seen.update(dict.fromkeys((each for each in names if name in closed or each not in closed), True))
        ends = [*names[1:], name] if name in closed else names[1:]
        links = tuple(_link(observed, a, b) for a, b in zip(names, ends, strict=False))
        found.append(Chain(tuple(names), links))
    return found


def _on_rings(following: Mapping[str, str]) -> dict[str, bool]:
    """The members on a ring. A member that gets no heartbeat, or sends to no member that is left, is taken out, one
    after the other."""
    left = dict(following)
    while True:
        has_one_before = dict.fromkeys(left.values(), True)
        rest = {name: to for name, to in left.items() if name in has_one_before and to in left}
        if len(rest) == len(left):
            return dict.fromkeys(left, True)
        left = rest


def is_watched(watching: Mapping[str, Watching], sender: str, receiver: str) -> bool | None:
    """Whether the sender's heartbeats are looked for there; None: it sends it none."""
    own = watching.get(sender)
    if own is None or receiver not in own.to:
        return None
    return sender in watching[receiver].watches if receiver in watching else False


def _link(observed: Observed, sender: str, receiver: str) -> str:
    a, b = observed.nodes[sender], observed.nodes.get(receiver)
    if b is None or not b.running:
        return GONE
    return WATCHED if a.address in b.group.watched else UNWATCHED


def _names(observed: Observed, addresses: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted((observed.names.get(each, each) for each in addresses), key=naturally))
