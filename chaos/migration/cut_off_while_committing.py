"""The destination of a migration is cut off while the master commits it, and comes back in time, or too late.

From text 3.2.1: the commit either succeeds or the destination leaves the cluster. In time: it is repeated, answered
"already done" if it was, and there is one result. Too late: the master leaves its table as it is and raises the version
by 2, for the one that is lost may hold the version between."""

from __future__ import annotations

from itertools import product

from shaketable import Cluster, Injected, Script
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, noticed
from shaketable.chaos.helpers.migrating import DESTINATION, MASTER, Migrating, while_migrating
from shaketable.chaos.helpers.migrating_on import (
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
        skips_a_version(cluster, without(cluster, it[DESTINATION]), cluster.seen.table_version(it[MASTER]) + 1)
        broken = await cluster.isolate(it[DESTINATION], how=how)
        await cluster.heal(held)
        await it_fails(cluster, it, DESTINATION, broken, missed=noticed(cluster, how) + cluster.bounds.take_over)

    async def told(cluster: Cluster) -> None:
        await while_migrating(cluster, KINDS[of], drama, read_at=["n1"])

    words = f"the destination {BREAKS[how]} {when}, and is removed before it is back"
    return story(told, of, f"{how} {when}, long", words)


SCRIPTS = [
    make(*each)
    for make in (comes_back_in_time, comes_back_too_late)
    for each in product(OF, (BEFORE, AFTERWARDS), (CUT, BLACK_HOLE))
]
