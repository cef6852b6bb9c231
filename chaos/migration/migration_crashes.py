"""At every named point of a migration each member that takes part crashes once: by the text's promise no data are lost,
and both sides end the migration alike.

The matrix is that of parts and phases; each cell is a story of its own, on a cluster of its own. See migrating.py
for what they share, and the report of a run of this file for the cells that were visited."""

from __future__ import annotations

from itertools import product

from shaketable import Cluster, Script, script
from shaketable import crash_points as at
from shaketable.chaos.helpers.migrating import (
    ABOUT,
    BACKUP_MOVE,
    BY_A_MASTER_THAT_OWNS,
    COPY,
    DESTINATION,
    FROM_THE_MASTER,
    MASTER,
    OWNER,
    OWNER_MOVE,
    SHIFT_DOWN,
    SHIFT_UP,
    TO_THE_MASTER,
    Stage,
    crash,
)

OF_EACH_KIND = (
    (MASTER, at.COPIED), (MASTER, at.COMMIT_SENT), (MASTER, at.DESTINATION_COMMITTED),
    (MASTER, at.MASTER_COMMITTED), (MASTER, at.PUBLISHED), (MASTER, at.SOURCE_CLEARED),
    (OWNER, at.FIRST_CHUNK), (OWNER, at.DESTINATION_COMMITTED), (OWNER, at.SOURCE_CLEARED),
    (DESTINATION, at.FIRST_CHUNK), (DESTINATION, at.COMMIT_SENT), (DESTINATION, at.DESTINATION_COMMITTED),
    (DESTINATION, at.MASTER_COMMITTED),
)  # fmt: skip
CELLS = (
    ("a move of a backup", BACKUP_MOVE, tuple(product(at.PARTS, at.PHASES))),
    ("a move of a backup, whose owner it is", BY_A_MASTER_THAT_OWNS, tuple(product([MASTER], at.PHASES))),
    ("a move of a backup, its own", FROM_THE_MASTER, tuple(product([MASTER], at.PHASES))),
    ("a move of a backup, to itself", TO_THE_MASTER, tuple(product([MASTER], at.PHASES))),
    ("a move of the owner", OWNER_MOVE, OF_EACH_KIND),
    ("a shift down", SHIFT_DOWN, OF_EACH_KIND),
    ("a copy", COPY, OF_EACH_KIND),
    ("a shift up", SHIFT_UP, OF_EACH_KIND),
)

PLAINLY = {
    "a move of a backup, whose owner it is": "a move of a backup whose owner is the master",
    "a move of a backup, its own": "a move of the master's own backup",
    "a move of a backup, to itself": "a move of a backup to the master",
}


def _cell(of: str, stage: Stage, victim: str, phase: str, published: int = 1) -> Script:
    async def crashes(cluster: Cluster) -> None:
        await crash(cluster, stage, victim, phase, published=published)

    when = f"{published} of {stage.others} tables are published" if phase == at.PUBLISHED else phase
    name, title = f"{of}: {victim}, {when}", f"In {PLAINLY.get(of, of)}: the {victim} crashes ({when})."
    return script(name=name, title=title, about=ABOUT, settings=stage.settings)(crashes)


def _is_possible(stage: Stage, victim: str, phase: str) -> bool:
    if phase == at.FETCH_ANSWERED:
        return victim != MASTER
    if phase == at.COMMIT_SENT:
        return stage.master_is != DESTINATION
    return phase != at.SOURCE_CLEARED or stage.type in ("MOVE", "SHIFT DOWN")


SCRIPTS = [
    _cell(of, stage, victim, phase, published)
    for of, stage, cells in CELLS
    for victim, phase in cells
    if _is_possible(stage, victim, phase)
    for published in (range(1, stage.others) if (victim, phase) == (MASTER, at.PUBLISHED) else [1])
]
