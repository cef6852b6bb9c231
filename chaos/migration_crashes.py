"""A crash at every named point of a migration, of everybody who has a part in it: the text's promise is that none of
them loses data, and that no side ends it otherwise than the other.

The matrix is that of parts and phases; each cell is a story of its own, on a cluster of its own. See crash_points.py
for what they share, and the report of a run of this file for the cells that were visited."""

from __future__ import annotations

from itertools import product

from shaketable.chaos import crash_points as at
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import Script, script

PHASES = (
    at.REQUESTED, at.FIRST_CHUNK, at.COPIED, at.COMMIT_SENT, at.DESTINATION_COMMITTED, at.MASTER_COMMITTED,
    at.PUBLISHING, at.SOURCE_CLEARED, at.FETCH_ANSWERED,
)  # fmt: skip
OF_EACH_KIND = (
    (at.MASTER, at.COPIED), (at.MASTER, at.COMMIT_SENT), (at.MASTER, at.DESTINATION_COMMITTED),
    (at.MASTER, at.MASTER_COMMITTED), (at.MASTER, at.PUBLISHING), (at.MASTER, at.SOURCE_CLEARED),
    (at.OWNER, at.FIRST_CHUNK), (at.OWNER, at.DESTINATION_COMMITTED), (at.OWNER, at.SOURCE_CLEARED),
    (at.DESTINATION, at.FIRST_CHUNK), (at.DESTINATION, at.COMMIT_SENT), (at.DESTINATION, at.DESTINATION_COMMITTED),
    (at.DESTINATION, at.MASTER_COMMITTED),
)  # fmt: skip
EVERYBODY = (at.MASTER, at.NEXT, at.OWNER, at.OLD_BACKUP, at.DESTINATION)
CELLS = (
    ("a move of a backup", at.BACKUP_MOVE, tuple(product(EVERYBODY, PHASES))),
    ("a move of a backup, whose owner it is", at.BY_A_MASTER_THAT_OWNS, tuple(product([at.MASTER], PHASES))),
    ("a move of a backup, its own", at.FROM_THE_MASTER, tuple(product([at.MASTER], PHASES))),
    ("a move of a backup, to itself", at.TO_THE_MASTER, tuple(product([at.MASTER], PHASES))),
    ("a move of the owner", at.OWNER_MOVE, OF_EACH_KIND),
    ("a shift down", at.SHIFT_DOWN, OF_EACH_KIND),
    ("a copy", at.COPY, OF_EACH_KIND),
    ("a shift up", at.SHIFT_UP, OF_EACH_KIND),
)


def _cell(of: str, stage: at.Stage, victim: str, phase: str, published: int = 1) -> Script:
    async def crashes(cluster: Cluster) -> None:
        await at.crash(cluster, stage, victim, phase, published=published)

    when = f"{published} of {stage.others} tables are published" if phase == at.PUBLISHING else phase
    crashes.__doc__ = f"In {of}: the {victim} crashes ({when})."
    crashes.__name__ = "_".join(f"{of}: {victim}, {when}".replace(":", "").replace(",", "").split())
    return script(about=at.ABOUT, settings=stage.settings)(crashes)


def _is_possible(stage: at.Stage, victim: str, phase: str) -> bool:
    if phase == at.FETCH_ANSWERED:
        return victim != at.MASTER
    if phase == at.COMMIT_SENT:
        return stage.master_is != at.DESTINATION
    return phase != at.SOURCE_CLEARED or stage.type in ("MOVE", "SHIFT DOWN")


# Each is made by @script.
for _of, _stage, _cells in CELLS:
    for _victim, _phase in _cells:
        if _is_possible(_stage, _victim, _phase):
            _all = range(1, _stage.others) if (_victim, _phase) == (at.MASTER, at.PUBLISHING) else [1]
            for _published in _all:
                _script = _cell(_of, _stage, _victim, _phase, _published)
                globals()[_script.name] = _script
