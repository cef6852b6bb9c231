"""A crash at every named point of a migration, of everybody who has a part in it: the text's promise is that none of
them loses data, and that no side ends it otherwise than the other.

The matrix is that of parts and phases; each cell is a story of its own, on a cluster of its own. See migrating.py
for what they share, and the report of a run of this file for the cells that were visited."""

from __future__ import annotations

from itertools import product

from shaketable.chaos.migrating import (
    ABOUT,
    BACKUP_MOVE,
    BY_A_MASTER_THAT_OWNS,
    COPY,
    FROM_THE_MASTER,
    OWNER_MOVE,
    SHIFT_DOWN,
    SHIFT_UP,
    TO_THE_MASTER,
    Stage,
    crash,
)
from shaketable.harness.cluster import Cluster
from shaketable.harness.crash_points import (
    COMMIT_SENT,
    COPIED,
    DESTINATION,
    DESTINATION_COMMITTED,
    FETCH_ANSWERED,
    FIRST_CHUNK,
    MASTER,
    MASTER_COMMITTED,
    OWNER,
    PARTS,
    PHASES,
    PUBLISHED,
    SOURCE_CLEARED,
)
from shaketable.harness.scripts import Script, script

OF_EACH_KIND = (
    (MASTER, COPIED), (MASTER, COMMIT_SENT), (MASTER, DESTINATION_COMMITTED),
    (MASTER, MASTER_COMMITTED), (MASTER, PUBLISHED), (MASTER, SOURCE_CLEARED),
    (OWNER, FIRST_CHUNK), (OWNER, DESTINATION_COMMITTED), (OWNER, SOURCE_CLEARED),
    (DESTINATION, FIRST_CHUNK), (DESTINATION, COMMIT_SENT), (DESTINATION, DESTINATION_COMMITTED),
    (DESTINATION, MASTER_COMMITTED),
)  # fmt: skip
CELLS = (
    ("a move of a backup", BACKUP_MOVE, tuple(product(PARTS, PHASES))),
    ("a move of a backup, whose owner it is", BY_A_MASTER_THAT_OWNS, tuple(product([MASTER], PHASES))),
    ("a move of a backup, its own", FROM_THE_MASTER, tuple(product([MASTER], PHASES))),
    ("a move of a backup, to itself", TO_THE_MASTER, tuple(product([MASTER], PHASES))),
    ("a move of the owner", OWNER_MOVE, OF_EACH_KIND),
    ("a shift down", SHIFT_DOWN, OF_EACH_KIND),
    ("a copy", COPY, OF_EACH_KIND),
    ("a shift up", SHIFT_UP, OF_EACH_KIND),
)


def _cell(of: str, stage: Stage, victim: str, phase: str, published: int = 1) -> Script:
    async def crashes(cluster: Cluster) -> None:
        await crash(cluster, stage, victim, phase, published=published)

    when = f"{published} of {stage.others} tables are published" if phase == PUBLISHED else phase
    crashes.__doc__ = f"In {of}: the {victim} crashes ({when})."
    crashes.__name__ = "_".join(f"{of}: {victim}, {when}".replace(":", "").replace(",", "").split())
    return script(about=ABOUT, settings=stage.settings)(crashes)


def _is_possible(stage: Stage, victim: str, phase: str) -> bool:
    if phase == FETCH_ANSWERED:
        return victim != MASTER
    if phase == COMMIT_SENT:
        return stage.master_is != DESTINATION
    return phase != SOURCE_CLEARED or stage.type in ("MOVE", "SHIFT DOWN")


def _matrix() -> dict[str, Script]:
    """Each is made by @script."""
    scripts = []
    for of, stage, cells in CELLS:
        for victim, phase in cells:
            if _is_possible(stage, victim, phase):
                some = range(1, stage.others) if (victim, phase) == (MASTER, PUBLISHED) else [1]
                scripts += [_cell(of, stage, victim, phase, published) for published in some]
    return {script.name: script for script in scripts}


globals().update(_matrix())
