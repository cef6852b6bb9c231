"""The partition table as a screen shows it: whose it is, how each partition stands in it, what is queued for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.cluster.partition.planner import plan, prioritised
from shaketable.node.config.data import groups
from shaketable.node.config.fields import SettingError
from shaketable.node.messages import Migration, Row, Uuid
from shaketable.node.messages.partition import MOST_REPLICAS
from shaketable.tui.model.folds.picture import Picture
from shaketable.tui.model.history.memo import Remembered, Slot
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.session import OWNERS, Session
from shaketable.tui.model.standing.standing import is_master
from shaketable.tui.natural import naturally

MISSING: Final = "missing replicas"
PLACES: Final = "places of a node"
VIEWS: Final = (OWNERS, MISSING, PLACES)
"""who owns each partition; how many of its replicas are missing; which index of it the chosen node holds"""

LOST: Final = "lost"
MOVING: Final = "moving"
QUEUED: Final = "queued"
OWNERLESS: Final = "its owner is gone"
SHORT: Final = "replicas missing"
STILL: Final = ""


@dataclass(frozen=True, slots=True)
class Place:
    """One partition."""

    number: int
    row: Row
    state: str
    missing: int
    """of the replicas that there are to be, with so many members: at a colder index, or at a member that is gone, is
    not there"""
    target: Row | None
    """where it is to come to, if that is another row"""
    planned: Row | None = field(compare=False)
    """what the plan said when this was found"""


@dataclass(frozen=True, slots=True)
class Table:
    """A master's table, and what it has planned."""

    of: NodeSeen
    places: tuple[Place, ...]
    wanted: int
    """replicas of each partition, the owner's included"""
    owned: Mapping[Uuid, int]
    backed: Mapping[Uuid, int]
    live: Mapping[Uuid, bool]
    """who runs"""

    def count(self, state: str) -> int:
        return sum(place.state == state for place in self.places)


def masters_with_table(observed: Observed) -> list[NodeSeen]:
    """The newest first; if no master runs that has one, whoever had one last."""
    having = [node for node in observed.nodes.values() if node.partitions.rows]
    running = [node for node in having if is_master(node)]
    return sorted(running or having[-1:], key=lambda node: -node.partitions.version)


def shown_master(session: Session) -> NodeSeen | None:
    """The chosen node's, if it has one; else that with the newest table."""
    observed = session.picture().observed
    masters = masters_with_table(observed)
    chosen = observed.nodes.get(session.chosen.node)
    follows = chosen.master if chosen is not None and chosen.running else None
    mine = [node for node in masters if follows is not None and node.incarnation == follows.uuid]
    return next(iter(mine or masters), None)


_LAST: Final = Slot(list[tuple[Picture, tuple[object, ...], Table]])
"""of the last frame"""


def table(session: Session) -> Table | None:
    """Made anew only when its master's table, queue, or members have changed."""
    picture, of = session.picture(), shown_master(session)
    if of is None:
        return None
    seen = of.partitions
    key = (of.name, of.incarnation, seen.version, seen.stamp, len(seen.queue), tuple(seen.under_way), seen.planned)
    live = _live(picture.observed)
    key = (*key, next(iter(seen.queue), ""), of.version, of.state, len(picture.observed.lost), session.facts, *live)  # type: ignore[assignment]
    last = session.memo[_LAST]
    if not last or last[0][0] is not picture or last[0][1] != key:
        before = last[0][2] if last and last[0][0] is picture else None
        last[:] = [(picture, key, _made(picture.observed, of, session.facts, live, before))]
    return last[0][2]


def _live(observed: Observed) -> dict[Uuid, bool]:
    return {node.incarnation: True for node in observed.nodes.values() if node.running}


def _made(observed: Observed, of: NodeSeen, facts: RunFacts, live: Mapping[Uuid, bool], before: Table | None) -> Table:
    """Of a table with thousands of partitions one migration changes a single row: the other places stay."""
    seen = of.partitions
    wanted = copies_wanted(of, facts)
    moving = {each.partition: True for each in seen.under_way.values()}
    queued = dict.fromkeys(seen.queue.values(), True)
    same = before is not None and before.of is of and (before.wanted, before.live) == (wanted, live)
    known = before.places if before is not None and same and len(before.places) == len(seen.rows) else ()
    owned, backed = (dict(before.owned), dict(before.backed)) if before is not None and known else ({}, {})
    places = []
    for at, number in enumerate(sorted(seen.rows)):
        row, target = seen.rows[number], seen.targets.get(number)
        old = known[at] if known else None
        if old is None or old.row is not row:
            if old is not None:
                _count(old.row, owned, backed, -1)
            _count(row, owned, backed, 1)
            missing = sum(index >= len(row) or row[index] not in live for index in range(wanted))
            target = target if target != row else None
        else:
            missing = old.missing
            target = old.target if target is old.planned else target if target != row else None
        state = STILL
        if number in moving:
            state = MOVING
        elif number in queued:
            state = QUEUED
        elif number in observed.lost:
            state = LOST
        elif not row or row[0] not in live:
            state = OWNERLESS
        elif missing:
            state = SHORT
        if old is None or old.row is not row or old.state != state or old.target is not target:
            old = Place(number, row, state, missing, target, seen.targets.get(number))
        places.append(old)
    return Table(of, tuple(places), wanted, owned, backed, live)


def _count(row: Row, owned: dict[Uuid, int], backed: dict[Uuid, int], by: int) -> None:
    for index, uuid in enumerate(row):
        if uuid is not None:
            counts = backed if index else owned
            counts[uuid] = counts.get(uuid, 0) + by


def copies_wanted(of: NodeSeen, facts: RunFacts) -> int:
    """A table has as many replicas of each partition as there are members, or groups of them, to hold one each."""
    holding = [member for member in of.members if not member.lite]
    try:
        told = groups(str(facts.settings.get("partition_groups", "")))
    except SettingError:
        told = {}
    apart = {told.get(member.address, member.address): True for member in holding}
    return max(1, min(MOST_REPLICAS, len(apart)))


# The queue


@dataclass(frozen=True, slots=True)
class Queued:
    id: str
    partition: int
    migration: Migration | None
    """None where it cannot be said"""
    owner: Uuid | None
    """who is to send the data"""


_STEPS: Final = Slot(Remembered[tuple[tuple[Migration, Uuid | None], ...]])


def queue_of(session: Session, node: NodeSeen, most: int) -> list[Queued]:
    """The next so many, in the order in which they run."""
    found: list[Queued] = []
    plan, known = session.picture().extra(node.name).plan, session.memo[_STEPS]
    plans = {p: (before, after, ids) for p, before, after, ids in plan.plans} if plan is not None else {}
    for each, partition in node.partitions.queue.items():
        if len(found) == most:
            break
        migration, owner = None, None
        if partition in plans:
            before, after, ids = plans[partition]
            steps = known.get(partition, (before, after), partial(_steps, before, after))
            if len(steps) == len(ids) and each in ids:
                migration, owner = steps[ids.index(each)]
        found.append(Queued(each, partition, migration, owner))
    return found


def _steps(before: Row, after: Row) -> tuple[tuple[Migration, Uuid | None], ...]:
    """Each with its owner. The plan's events tell only where it leads; how it goes there follows from that."""
    migrations, row = plan(before, after), before
    steps: list[tuple[Migration, Uuid | None]] = []
    for place in prioritised(migrations):
        steps.append((migrations[place], row[0] if row else None))
        row = migrations[place].applied_to(row)
    return tuple(steps)


def letters(names: Iterable[str]) -> dict[str, str]:
    """A short label for each node, at most two characters: the number in its name where all have one, or letters."""
    ordered = sorted(names, key=naturally)
    numbers = [name.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") for name in ordered]
    if all(number.isdigit() and len(number) < 3 for number in numbers) and len(set(numbers)) == len(numbers):
        return dict(zip(ordered, numbers, strict=True))
    return {name: _letters(place) for place, name in enumerate(ordered)}


def _letters(place: int) -> str:
    first, second = divmod(place, 26)
    return (chr(ord("A") + first - 1) if first else "") + chr(ord("A") + second)
