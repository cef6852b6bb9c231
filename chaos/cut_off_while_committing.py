"""The destination of a migration is cut off while the master commits it, and comes back in time, or too late.

From the text on avoiding data loss on migration, 2.1: the commit either succeeds or the destination leaves the cluster.
In time: it is repeated, answered "already done" if it was, and there is one result. Too late: the master leaves its
table as it is and raises the version by 2, for the one that is lost may hold the version between."""

from __future__ import annotations

from itertools import product

from shaketable.chaos.breaks import BLACK_HOLE, CUT, noticed
from shaketable.chaos.migrating import Migrating, while_migrating
from shaketable.chaos.migrating_on import (
    AFTERWARDS,
    BEFORE,
    KINDS,
    PATIENT,
    for_a_while,
    held_at_the_commit,
    it_fails,
    it_succeeds,
    skips_a_version,
    story,
    without,
)
from shaketable.harness.cluster import Cluster, Injected
from shaketable.harness.crash_points import DESTINATION, MASTER
from shaketable.harness.scripts import Script

OF = ("a move of a backup", "a move of the owner", "a shift up")
BREAKS = {CUT: "is cut off", BLACK_HOLE: "falls silent"}


def comes_back_in_time(of: str, when: str, how: str) -> Script:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        held = await held_at_the_commit(cluster, it, planned, when)
        broken = await cluster.isolate(it[DESTINATION], how=how)
        await cluster.heal(held)
        await cluster.sleep(for_a_while(cluster, how))
        await cluster.heal(broken)
        await it_succeeds(cluster, it)

    async def told(cluster: Cluster) -> None:
        await while_migrating(cluster, KINDS[of], drama)

    words = f"the destination {BREAKS[how]} {when}, and is back before it is missed"
    return story(told, of, f"{how} {when}, short", words, PATIENT)


def comes_back_too_late(of: str, when: str, how: str) -> Script:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        held = await held_at_the_commit(cluster, it, planned, when)
        skips_a_version(cluster, without(cluster, it[DESTINATION]), cluster.table_version(it[MASTER]) + 1)
        broken = await cluster.isolate(it[DESTINATION], how=how)
        await cluster.heal(held)
        await it_fails(cluster, it, DESTINATION, broken, missed=noticed(cluster, how) + cluster.bounds.take_over)

    async def told(cluster: Cluster) -> None:
        await while_migrating(cluster, KINDS[of], drama, read_at=["n1"])

    words = f"the destination {BREAKS[how]} {when}, and is removed before it is back"
    return story(told, of, f"{how} {when}, long", words)


# Each is made by @script.
globals().update(
    (made.name, made)
    for make, of, when, how in product(
        (comes_back_in_time, comes_back_too_late), OF, (BEFORE, AFTERWARDS), (CUT, BLACK_HOLE)
    )
    if (made := make(of, when, how))
)
