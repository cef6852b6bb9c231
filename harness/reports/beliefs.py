"""What each node believed from when to when: whether it is a member or the master, whom it follows, its list, whom it
suspects. A fold of the records; the states are those of the timeline in the terminal UI (docs/terminal-ui.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from shaketable.harness.history.names import Names
from shaketable.harness.history.signs import ENDS, GONE, HELD, MASTER, MEMBER, MERGING, PAUSED, STARTING
from shaketable.harness.records import FaultEnded, FaultTook, NodeEnded, NodeNamed, NodeSpawned, Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.core.env import Micros
from shaketable.node.events import Started

MOST_BELIEFS: Final = 1500


class Belief(msgspec.Struct, frozen=True, array_like=True):
    """What one node held to be true from this time on."""

    time: Micros
    state: str
    follows: str = ""
    version: int = 0
    own: bool = False
    """it has made this list itself"""
    author: str = ""
    members: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    claims: bool = False


class Lane(msgspec.Struct, frozen=True):
    node: str
    beliefs: tuple[Belief, ...]


def lanes_of(records: Iterable[Record], names: Names) -> tuple[list[Lane], int]:
    """And how many changes there are beyond those that a page should hold. `names` learns what the records name."""
    seen = Observed(keys=False)
    tracks: dict[str, list[Belief]] = {}
    count = cut = 0
    for record in records:
        _learn(names, record)
        seen.apply(record)
        for node in _touched(record, seen):
            belief = _belief(seen, node, record.time, names)
            track = tracks.setdefault(node.name, [])
            if belief is None or (track and track[-1] == msgspec.structs.replace(belief, time=track[-1].time)):
                continue
            if track and track[-1].time == belief.time:
                track[-1] = belief  # a picture shows no order within one moment
            elif count >= MOST_BELIEFS:
                cut += 1
            else:
                track.append(belief)
                count += 1
    return [Lane(node, tuple(track)) for node, track in tracks.items() if track], cut


def _learn(names: Names, record: Record) -> None:
    match record.event:
        case NodeNamed(peer=peer, address=address):
            names.learn(peer, address)
        case Started(member=member):
            names.learn_life(member)


def _touched(record: Record, seen: Observed) -> Iterable[NodeSeen]:
    if record.node:
        node = seen.nodes.get(record.node)
        return [node] if node is not None and not seen.is_former(record.incarnation) else []
    match record.event:
        case NodeSpawned(peer=peer) | NodeEnded(peer=peer):
            return [seen.nodes[peer]] if peer in seen.nodes else []
        case FaultTook(fault=number) | FaultEnded(fault=number):
            fault = seen.faults.get(number)
            paused = fault.nodes if fault is not None and fault.kind.sleeps_at_once else ()
            return [seen.nodes[name] for name in paused if name in seen.nodes]
    return []


def _belief(seen: Observed, node: NodeSeen, time: Micros, names: Names) -> Belief | None:
    state = _state(seen, node)
    if not state:
        return None
    if state in GONE:
        return Belief(time, state)
    listed = tuple(map(names.member, node.members)) if node.joined else ()
    return Belief(
        time,
        state,
        names.member(node.master) if node.master is not None and node.joined else "",
        node.version if listed else 0,
        bool(listed) and node.author == node.incarnation,
        names.author(node.author) if listed else "",
        listed,
        tuple(sorted(names.member(each.peer) for each in node.suspected.values())),
        node.claiming,
    )


def _state(seen: Observed, node: NodeSeen) -> str:
    if node.state == "named":
        return ""
    if node.end is not None:
        return ENDS[node.end]
    if node.held_at:
        return HELD
    if seen.paused(node.name):
        return PAUSED
    if node.merging.into is not None:
        return MERGING
    if not node.joined:
        return STARTING
    return MASTER if node.master is not None and node.master.uuid == node.incarnation else MEMBER
