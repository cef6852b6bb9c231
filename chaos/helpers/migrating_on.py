"""What stories of a disturbed migration have in common: where it is held, that it succeeds all the same, or that
it fails and one member goes its own way; see migrating.py for the rest.

From text 3.2.1. A migration that fails raises the version by 2: the destination that is lost may hold the version
between, and nobody else ever does."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from shaketable import Cluster, Condition, Injected, Micros, Observed, Script, script
from shaketable.chaos.helpers.breaks import CUT
from shaketable.chaos.helpers.keeping import SETTINGS
from shaketable.chaos.helpers.migrating import (
    ABOUT,
    BACKUP_MOVE,
    COPY,
    DESTINATION,
    IN_BATCHES,
    MASTER,
    OWNER,
    OWNER_MOVE,
    SHIFT_DOWN,
    SHIFT_UP,
    Migrating,
)

KINDS: Final = {
    "a move of a backup": BACKUP_MOVE, "a move of the owner": OWNER_MOVE, "a copy": COPY, "a shift up": SHIFT_UP,
    "a shift down": SHIFT_DOWN,
}  # fmt: skip
NO_SETTINGS: Final[Mapping[str, object]] = {}
PATIENT: Final[Mapping[str, object]] = {"connection_monitor_max_faults": 20}
"""A real machine needs a while to cut many links, and to heal them again: a cut is borne for longer than that."""
UNDER_A_LITE_MASTER: Final[Mapping[str, object]] = {**SETTINGS, **IN_BATCHES}
"""what a story sets that begins by under_a_lite_master"""
Story = Callable[[Cluster], Coroutine[Any, Any, None]]
BEFORE: Final = "before it has the commit"
AFTERWARDS: Final = "when it has committed"


def story(told: Story, of: str, name: str, words: str, settings: Mapping[str, object] = NO_SETTINGS) -> Script:
    """Called "of name", and described "In of: words." It belongs to the file in which it was written."""
    own = {**KINDS[of].settings, **settings}
    return script(name=f"{of} {name}", title=f"In {of}: {words}.", about=ABOUT, settings=own)(told)


async def fill(cluster: Cluster, via: str, size: int = 0) -> None:
    """One key of each map in each partition."""
    for name in cluster.settings.backup_counts:
        for partition in range(cluster.settings.partition_count):
            value = f"{name}{partition} {'x' * size}"
            result = await cluster.put(via, cluster.seen.key_in(partition), value, map=name)
            assert result.outcome == "ok", result


async def under_a_lite_master(cluster: Cluster, *others: str, size: int = 0) -> None:
    """n1 decides and holds nothing, so every request of a migration goes over a link; the others hold all the data."""
    await cluster.form("n1", settings={"lite_member": True})
    await cluster.join(*others)
    await fill(cluster, others[0], size)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())


async def held_with_the_plan_for(cluster: Cluster, joiner: str) -> Injected:
    """n1, as in migrating.py; the joiner is there, and nothing of its share has begun to move."""
    planned = await cluster.hold("n1", "PartitionsPlanned")
    await cluster.start(joiner)
    await cluster.until_held("n1", "PartitionsPlanned", within=cluster.bounds.forming)
    return planned


def first_requested(cluster: Cluster) -> tuple[str, int]:
    """Of what n1 has under way, by name, and of which partition. The first of a plan is requested with it."""
    name, migration = next(iter(cluster.seen.view("n1").partitions.under_way.items()))
    return name, migration.partition


async def held_at_the_first_chunk(cluster: Cluster, it: Migrating, planned: Injected) -> Injected:
    """It has left the owner."""
    return await _held(cluster, planned, it[OWNER], "ChunkSent", 1, {"stream": it.id})


async def held_at_the_commit(cluster: Cluster, it: Migrating, planned: Injected, when: str) -> Injected:
    """Either nothing has left the master, or the destination has committed and its answer has not left it."""
    if when == BEFORE:
        return await _held(cluster, planned, it[MASTER], "CommitSent", None, {"migration": it.id})
    where: dict[str, object] = {"migration": it.id, "role": "destination"}
    return await _held(cluster, planned, it[DESTINATION], "MigrationFinished", None, where)


async def _held(
    cluster: Cluster, planned: Injected, name: str, event: str, after: int | None, where: dict[str, object]
) -> Injected:
    held = await cluster.hold(name, event, after=after, where=where)
    await cluster.heal(planned)
    await cluster.until_held(name, event, within=cluster.bounds.safe())
    return held


def for_a_while(cluster: Cluster, how: str) -> Micros:
    """Too short for anybody to be suspected, and long enough that a commit is repeated in vain where nothing tells that
    it got lost."""
    return cluster.bounds.shortest_grace // 8 if how == CUT else cluster.bounds.shortest_silence // 3


async def it_succeeds(cluster: Cluster, it: Migrating) -> None:
    """And all the others, at the first attempt."""
    await cluster.until(nothing_failed(it), within=cluster.bounds.safe())
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.until(nothing_failed(it), within=0)


def nothing_failed(it: Migrating) -> Condition:
    """All that the master has begun has been committed, that migration with them."""

    def why_not(seen: Observed) -> str | None:
        of = seen.nodes[it[MASTER]].partitions
        if of.done.get(False):
            return f"{of.done[False]} migrations were rolled back"
        return f"{it.id} has not ended" if it.id in of.under_way or it.id in of.queue else None

    return Condition(f"{it.id} is committed", why_not)


def skips_a_version(cluster: Cluster, names: Sequence[str], version: int) -> None:
    """None of these ever has the table of this version."""
    for name in names:
        cluster.always(_never(cluster, name, version))


def _never(cluster: Cluster, name: str, version: int) -> Condition:
    has = cluster.that.has_table(name, version)
    return Condition(f"{name} never has table {version}", lambda seen: None if has.ask(seen) else has.label)


async def it_fails(cluster: Cluster, it: Migrating, part: str, broken: Injected, *, missed: Micros) -> None:
    """Because the member that has this part is removed."""
    await they_part(cluster, it, part, broken, missed=missed)
    failed = cluster.seen.view(it[MASTER]).partitions.done.get(False)
    assert failed == 1, f"that one migration is rolled back, not {failed}"


async def they_part(cluster: Cluster, it: Migrating, part: str, *broken: Injected, missed: Micros) -> None:
    """The member that has this part is removed, goes its own way, and stays there when the breaks are over. Each side
    has what it can have."""
    staying = without(cluster, it[part])
    await cluster.until(cluster.that.agree(*staying) & cluster.that.agree(it[part]), within=missed)
    for each in broken:
        await cluster.heal(each)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    for via in (staying[0], it[part]):
        reading = await cluster.read_back(via)
        assert reading.complete, f"{reading.outcomes} of {reading.keys} keys"


def without(cluster: Cluster, name: str) -> list[str]:
    return [each for each in cluster.seen.members() if each != name]
