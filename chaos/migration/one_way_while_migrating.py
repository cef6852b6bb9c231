"""One direction of a link is lost while a partition migrates: between master and destination during the commit, between
master and owner and between owner and destination during the copy; for a moment, or for longer than the timeout.

From text 3.2.1. If the link is broken shortly, the copy stalls and goes on, and the commit is repeated until its answer
comes. A member that is lost to the master for longer leaves the list, and the master decides alone. If two followers
lose each other, the master learns nothing here, and the copy waits for them."""

from __future__ import annotations

from itertools import product

from shaketable import Cluster, Injected, Micros, Script
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin
from shaketable.chaos.helpers.migrating import DESTINATION, MASTER, OWNER, Drama, Migrating, while_migrating
from shaketable.chaos.helpers.migrating_on import (
    AFTERWARDS,
    BEFORE,
    KINDS,
    PATIENT,
    for_a_while,
    held_at_the_commit,
    held_at_the_first_chunk,
    it_fails,
    it_succeeds,
    skips_a_version,
    story,
    they_part,
    without,
)

HOW = {CUT: "is cut", BLACK_HOLE: "swallows all"}
MID_COPY = "in mid-copy"
WHEN = {BEFORE: "before the commit", AFTERWARDS: "after the commit", MID_COPY: MID_COPY}


def during_the_commit(of: str, when: str, who: str, whom: str, how: str, long: bool) -> Script:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        held = await held_at_the_commit(cluster, it, planned, when)
        answered = who == MASTER and when == AFTERWARDS
        if long and not answered:
            skips_a_version(cluster, without(cluster, it[DESTINATION]), cluster.seen.table_version(it[MASTER]) + 1)
        broken = await begin(cluster, how, it[who], it[whom], one_way=True)
        await cluster.heal(held)
        if long:
            ends = they_part if answered else it_fails
            await ends(cluster, it, DESTINATION, broken, missed=until_parted(cluster))
        else:
            await it_passes(cluster, it, how, broken)

    return _story(of, drama, who, whom, how, long, when)


def during_the_copy(of: str, who: str, whom: str, how: str, long: bool) -> Script:
    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        held = await held_at_the_first_chunk(cluster, it, planned)
        broken = await begin(cluster, how, it[who], it[whom], one_way=True)
        await cluster.heal(held)
        if not long:
            await it_passes(cluster, it, how, broken)
        elif MASTER in (who, whom):
            # The owner's answers come to the master all the same, if not the reverse.
            ends = they_part if who == MASTER else it_fails
            await ends(cluster, it, OWNER, broken, missed=until_parted(cluster))
        else:
            one, other = (who, whom) if how == CUT else (whom, who)
            await cluster.until(cluster.that.suspects(it[one], it[other]), within=cluster.bounds.silence)
            await cluster.sleep(cluster.settings.heartbeat_timeout)
            await cluster.until(cluster.that.migrates(it.partition), within=0)
            await cluster.heal(broken)
            await it_succeeds(cluster, it)

    return _story(of, drama, who, whom, how, long, MID_COPY)


async def it_passes(cluster: Cluster, it: Migrating, how: str, broken: Injected) -> None:
    await cluster.sleep(for_a_while(cluster, how))
    await cluster.heal(broken)
    await it_succeeds(cluster, it)


def until_parted(cluster: Cluster) -> Micros:
    """One of them misses the other, stops to send it heartbeats, and is missed by it."""
    return 2 * cluster.bounds.silence + cluster.bounds.take_over


def _story(of: str, drama: Drama, who: str, whom: str, how: str, long: bool, when: str) -> Script:
    lasts = "for over a timeout" if long else "for a moment"
    words = f"the link from the {who} to the {whom} {HOW[how]} {WHEN[when]}, {lasts}"
    name = f"{who} to {whom}, {how} {when}, {'long' if long else 'short'}"
    parted = long and MASTER in (who, whom)

    async def told(cluster: Cluster) -> None:
        await while_migrating(cluster, KINDS[of], drama, read_at=["n1"] if parted else [])

    return story(told, of, name, words, {} if long else PATIENT)


COMMITTING = product(
    (BEFORE, AFTERWARDS), ((MASTER, DESTINATION), (DESTINATION, MASTER)), (CUT, BLACK_HOLE), (False, True)
)
COPYING = product(
    ((MASTER, OWNER), (OWNER, MASTER), (OWNER, DESTINATION), (DESTINATION, OWNER)), (CUT, BLACK_HOLE), (False, True)
)
SCRIPTS = [
    *[during_the_commit("a move of the owner", when, *ends, how, long) for when, ends, how, long in COMMITTING],
    *[during_the_copy("a move of a backup", *ends, how, long) for ends, how, long in COPYING],
]
