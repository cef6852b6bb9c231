"""How each node stands in its cluster: its state, its role, who suspects it, how its list differs from its master's.

Made once for a whole table: what is asked of every node about every other is gathered in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.records import Ending
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.messages import Member, Row, Uuid
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import Itself, Remembered, Slot
from shaketable.tui.model.session import Session
from shaketable.tui.model.standing.family import watchdogs
from shaketable.tui.natural import naturally

JOINED: Final = "joined"
STARTING: Final = "starting"
NOT_STARTED: Final = "not started"
PAUSED: Final = "paused"
HELD: Final = "held"
MERGING: Final = "merging"
MERGED: Final = "merged"
CRASHED: Final = "crashed"
LEFT: Final = "left"
REFUSED: Final = "refused"
FAILED: Final = "failed"
ASKS_AGAIN: Final = "asks again"
"""of a group: it had a view, has none any more, and asks to be added again"""
OUTSIDE: Final = "in no view"
"""of a group: a watchdog"""
_ENDS: Final = {
    Ending.KILLED: CRASHED, Ending.DIED: CRASHED, Ending.LEFT: LEFT, Ending.FAILED: FAILED, Ending.REFUSED: REFUSED,
    Ending.NOT_UNDERSTOOD: CRASHED, Ending.NEVER_RAN: CRASHED,
}  # fmt: skip

MASTER: Final = "master"
FOLLOWER: Final = "follower"
CLAIMING: Final = "claiming"
JOINER: Final = "joiner"
WATCHDOG: Final = "watchdog"


@dataclass(frozen=True, slots=True)
class Standing:
    node: NodeSeen
    state: str
    suspected_by: tuple[str, ...]
    """the running nodes that suspect it, by name"""
    role: str
    """ "" of a node that does not run"""
    lite: bool
    follows: str
    """its master's name; its own, if it is one"""
    differs: tuple[str, ...]
    """in a few words each, how it does not agree with its master; a master: with whom else it is one"""
    owned: int | None
    """partitions by its master's table, or else the newest; None: there is no table"""
    backed: int | None

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def suspects(self) -> Sequence[Member]:
        return [each.peer for each in self.node.suspected.values()] if self.node.running else ()


def called(observed: Observed, member: Member) -> str:
    """A member's name; with its uuid's first letters if that is not who runs, or ran last, under this name."""
    name = observed.names.get(member.address, member.address)
    node = observed.nodes.get(name)
    return name if node is None or node.incarnation in (member.uuid, "") else f"{name}#{member.uuid[:4]}"


_STANDINGS: Final = Slot(Remembered[Sequence[Standing]])


def standings_of(session: Session) -> Sequence[Standing]:
    """At the cursor; several panels of a frame ask."""
    picture = session.picture()
    made_of = (picture.count, Itself(picture.observed))  # a picture may have gone on, and another one be back here
    return session.memo[_STANDINGS].get("", made_of, lambda: _standings_in(session, picture))


def _standings_in(session: Session, picture: Picture) -> list[Standing]:
    return standings(picture.observed, in_no_view(session))


def in_no_view(session: Session) -> dict[str, str]:
    """How those of a group stand that are in no view, though they run, and do not start either."""
    picture = session.picture()
    told = [(name, extra.group) for name, extra in picture.extras.items()]
    astray = {name: ASKS_AGAIN for name, of in told if of is not None and of.asks_again is not None}
    return dict.fromkeys(watchdogs(picture, session.facts), OUTSIDE) | astray


def standings(observed: Observed, outside: Mapping[str, str] | None = None) -> list[Standing]:
    """Of all nodes, in the natural order of their names. `outside`: see `in_no_view`."""
    outside = outside or {}
    by: dict[Uuid, list[str]] = {}
    nodes = sorted(observed.nodes.values(), key=lambda node: naturally(node.name))
    for node in nodes:
        if node.running:
            for uuid in node.suspected:
                by.setdefault(uuid, []).append(node.name)
    paused = {name: True for f in observed.faults.values() if f.active and f.kind.sleeps_at_once for name in f.nodes}
    masters = [node.name for node in nodes if is_master(node) and node.name not in outside]
    shares = _Shares(observed)
    return [
        Standing(
            node=node,
            state=_state(node, node.name in paused, outside.get(node.name, "")),
            suspected_by=tuple(by.get(node.incarnation, ())) if node.running else (),
            role=_role(node, outside.get(node.name, "")),
            lite=_lite(node),
            follows=called(observed, node.master) if node.master is not None else "",
            differs=_differs(observed, node, masters) if node.name not in outside else (),
            owned=(share := shares.of(node))[0],
            backed=share[1],
        )
        for node in nodes
    ]


def is_master(node: NodeSeen) -> bool:
    return node.running and node.joined and node.master is not None and node.master.uuid == node.incarnation


def shown_node(session: Session) -> str:
    """The node that the screen shows: the chosen node; else the master with the newest list; else the first."""
    observed = session.picture().observed
    if session.chosen.node in observed.nodes:
        return session.chosen.node
    masters = [node for node in observed.nodes.values() if is_master(node)]
    if masters:
        return max(masters, key=lambda node: node.version).name
    return min(observed.nodes, key=naturally, default="")


def _state(node: NodeSeen, paused: bool, outside: str) -> str:
    if node.state == "named":
        return NOT_STARTED
    if node.state == "spawned":
        return STARTING
    if node.end is not None:
        return _ENDS[node.end]
    if node.held_at:
        return HELD
    if paused:
        return PAUSED
    if outside:
        return outside
    if node.merging.into is not None:
        return MERGING
    if not node.joined:
        return STARTING
    return MERGED if node.merging.merged_into is not None else JOINED


def _role(node: NodeSeen, outside: str) -> str:
    if not node.running:
        return ""
    if outside:
        return WATCHDOG if outside == OUTSIDE else JOINER
    if node.claiming:
        return CLAIMING
    if not node.joined:
        return JOINER
    return MASTER if is_master(node) else FOLLOWER


def _lite(node: NodeSeen) -> bool:
    return any(member.lite and member.uuid == node.incarnation for member in node.members)


def _differs(observed: Observed, node: NodeSeen, masters: Sequence[str]) -> tuple[str, ...]:
    if not node.running or not node.joined or node.master is None:
        return ()
    if is_master(node):
        others = [other for other in masters if other != node.name]
        return (f"{' '.join(others)} {'is' if len(others) == 1 else 'are'} master too",) if others else ()
    master = observed.is_current(node.master)
    if master is None:
        return (f"{called(observed, node.master)} is gone",)
    if master.name not in masters:
        return (f"{master.name} is no master",)
    return lists_differ(observed, node, master)


def lists_differ(observed: Observed, node: NodeSeen, other: NodeSeen) -> tuple[str, ...]:
    """How the list of the first differs from the other's: "v6≠v7", "misses n3", "keeps n4", "another order",
    "off n1's list"."""
    if node.members is other.members and node.version == other.version:
        return ()
    found: list[str] = []
    if node.version != other.version:
        found.append(f"v{node.version}≠v{other.version}")
    mine, theirs = node.members, other.members
    if mine != theirs:
        own, its = {m.uuid: m for m in mine}, {m.uuid: m for m in theirs}
        if node.incarnation and node.incarnation not in its:
            return (*found, f"off {other.name}'s list")  # no wonder that the rest differs, too
        missed = [called(observed, m) for uuid, m in its.items() if uuid not in own]
        kept = [called(observed, m) for uuid, m in own.items() if uuid not in its]
        if missed:
            found.append(f"misses {' '.join(missed)}")
        if kept:
            found.append(f"keeps {' '.join(kept)}")
        if not missed and not kept:
            found.append("another order")
    elif node.version == other.version and node.author != other.author:
        found.append("another author")
    return tuple(found)


class _Shares:
    """How many partitions each member owns and backs up: by its own master's table, or by the newest there is."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self._counted: dict[str, dict[Uuid, list[int]]] = {}
        tables = [node for node in observed.nodes.values() if node.partitions.rows]
        self._newest = max(tables, key=lambda node: (node.running, node.partitions.version), default=None)

    def of(self, node: NodeSeen) -> tuple[int | None, int | None]:
        master = self._observed.is_current(node.master) if node.master is not None else None
        table = master if master is not None and master.partitions.rows else self._newest
        if table is None or not node.running:
            return None, None
        counts = self._counted.get(table.name)
        if counts is None:
            counts = self._counted[table.name] = _counted(table.partitions.rows)
        owned, backed = counts.get(node.incarnation, (0, 0))
        return owned, backed


def _counted(rows: Mapping[int, Row]) -> dict[Uuid, list[int]]:
    counts: dict[Uuid, list[int]] = {}
    for row in rows.values():
        for index, uuid in enumerate(row):
            if uuid is not None:
                counts.setdefault(uuid, [0, 0])[min(index, 1)] += 1
    return counts


@dataclass(frozen=True, slots=True)
class Agreement:
    running: int
    known: int
    lists: int
    """different ones among the running nodes that have joined"""
    masters: int
    """whom they follow"""
    not_joined: int
    suspected: int
    """members, by any of those that have joined"""


def agreement(observed: Observed, outside: Mapping[str, str] | None = None) -> Agreement:
    """`outside`: see `in_no_view`."""
    outside = outside or {}
    running = [node for node in observed.nodes.values() if node.running]
    joined = [node for node in running if node.joined and node.name not in outside]
    lists = {(node.version, tuple(m.uuid for m in node.members)): True for node in joined}
    masters = {node.master.uuid: True for node in joined if node.master is not None}
    waiting = len(running) - len(joined) - sum(outside.get(node.name) == OUTSIDE for node in running)
    suspected = {uuid for node in joined for uuid in node.suspected}
    return Agreement(len(running), len(observed.nodes), len(lists), len(masters), waiting, len(suspected))
