"""Figures 2 to 5 of the text on partial member disconnection, in the middle of a migration, with the master deciding.

Members are removed by one list while one of them sends data, gets data, or has a commit on the way. From text 3.2.1 and
3.3.2: what is under way is decided by the master alone, the rest is cancelled and planned afresh; a member that has
left goes its own way with what it holds."""

from __future__ import annotations

from itertools import product

from shaketable import Cluster, Injected, Script, script
from shaketable.chaos import RESOLVING
from shaketable.chaos.helpers.breaks import BLACK_HOLE, CUT, begin_all, noticed
from shaketable.chaos.helpers.migrating import (
    ABOUT,
    BACKUP_MOVE,
    DESTINATION,
    MASTER,
    NEXT,
    OLD_BACKUP,
    OWNER,
    Migrating,
    while_migrating,
)
from shaketable.chaos.helpers.migrating_on import BEFORE, held_at_the_commit, held_at_the_first_chunk, they_part

OTHERS = (NEXT, OWNER, OLD_BACKUP)
FIGURES = {
    "figure 2": ("the destination is lost to all", DESTINATION, [(DESTINATION, each) for each in (MASTER, *OTHERS)]),
    "figure 3": ("the master and the owner lose each other", OWNER, [(MASTER, OWNER)]),
    "figure 4": ("the master is lost to all", MASTER, [(MASTER, each) for each in (DESTINATION, *OTHERS)]),
    "figure 5": (
        "the destination loses the owner and the old backup", DESTINATION,
        [(DESTINATION, OWNER), (DESTINATION, OLD_BACKUP)],
    ),
}  # fmt: skip
FIRST_CHUNK, COMMIT = "at the first chunk", "at the commit"


def disconnected(figure: str, how: str, when: str) -> Script:
    words, leaves, links = FIGURES[figure]

    async def drama(cluster: Cluster, it: Migrating, planned: Injected) -> None:
        if when == COMMIT:
            held = await held_at_the_commit(cluster, it, planned, BEFORE)
        else:
            held = await held_at_the_first_chunk(cluster, it, planned)
        await begin_all(cluster, how, *[(it[a], it[b]) for a, b in links])
        await cluster.heal(held)
        await they_part(
            cluster, it, leaves, missed=noticed(cluster, how) + cluster.bounds.resolution + cluster.bounds.take_over
        )
        await cluster.heal_all()

    async def told(cluster: Cluster) -> None:
        at = "n2" if leaves == MASTER else "n1"
        await while_migrating(cluster, BACKUP_MOVE, drama, read_at=[at])

    title = f"{figure.capitalize()}, by a {how}: {words}, {when} of a move of a backup."
    settings = {**BACKUP_MOVE.settings, **RESOLVING}
    return script(name=f"{figure} {how} {when}", title=title, about=ABOUT, settings=settings)(told)


SCRIPTS = [disconnected(*each) for each in product(FIGURES, (CUT, BLACK_HOLE), (FIRST_CHUNK, COMMIT))]
