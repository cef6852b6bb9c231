"""Cases for tests of campaigns: of scripts that ship, and of one that a test writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from tests.chaos.shipped import ALL as SCRIPTS

from shaketable.harness.pipeline.campaigns.cases import Case, cells_of
from shaketable.harness.pipeline.campaigns.variants import each_under_all, variants_named
from shaketable.harness.pipeline.campaigns.waves import Asked, Planner
from shaketable.harness.scripting.scripts import scripts_of
from shaketable.harness.verdicts.rows import RunRow


def asked(*names: str, runs: int, variants: Sequence[str] = ("as written",), wave: int = 0) -> Asked:
    scripts = [script for script in SCRIPTS if script.name in names]
    return Asked(cells_of(scripts, each_under_all(scripts, variants_named(variants))), runs, 1, 5, wave)


def cases_of(*names: str, runs: int, variants: Sequence[str] = ("as written",)) -> list[Case]:
    return Planner(asked(*names, runs=runs, variants=variants, wave=runs)).next()


def written(folder: Path, body: str, head: str = "") -> Path:
    """A file with one script, `story`, which does this."""
    file = folder / "stories.py"
    file.write_text(
        f'{head}\nfrom shaketable.harness.scripting.scripts import script\n\n\n@script(about=["view integrity"])\n'
        f'async def story(cluster):\n    """A story."""\n    {body}\n'
    )
    return file


def a_case(folder: Path, body: str) -> Case:
    (script,) = scripts_of(written(folder, body))
    cells = cells_of([script], each_under_all([script], variants_named(["as written"])))
    return Planner(Asked(cells, 1, 1, 5)).next()[0]


def plain(row: RunRow) -> RunRow:
    """Without what hangs on the machine."""
    return msgspec.structs.replace(row, wall_micros=0, wall_began="")
