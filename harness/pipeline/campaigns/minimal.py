"""Of a campaign's failures the first few that random plans came upon, made as small as they get, saved as scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.nemesis.failing import plan_in
from shaketable.harness.nemesis.plan_files import with_plan
from shaketable.harness.nemesis.shrink_case import case_of, shrink_case
from shaketable.harness.pipeline.campaigns.cases import Cell
from shaketable.harness.pipeline.campaigns.summaries import Failing
from shaketable.harness.reports.model import Minimal
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.whole_files import write_whole

MOST: Final = 3
"""failures, each of another script: half a minute each, at the most"""


def shrunk(
    failing: Iterable[Failing],
    cells: Iterable[Cell],
    folder: Path,
    say: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Minimal]:
    """By the name of the run. Each has a folder of its own; one that is there already is of an earlier process, which
    has come to the same."""
    by_name = {cell.name: cell for cell in cells}
    found: dict[str, Minimal] = {}
    scripts: dict[str, bool] = {}
    for each in failing:
        cell = by_name.get((each.script, each.variant))
        if len(found) == MOST or stop():
            break
        if cell is None or each.outcome != FAILED or each.script in scripts:
            continue
        options = cell.options(each.seed, each.plan)
        script = with_plan(cell.script, options)
        if plan_in(run_simulated(script, options).records) is None:
            continue  # a small story of its own
        scripts[each.script] = True
        try:
            found[each.run] = _shrunk(script, options, folder / each.run.replace("/", "-").replace(" ", "-"), say)
        except UserError as trouble:
            say(f"{each.run} was not shrunk: {trouble}")
    return found


def _shrunk(script: Script, options: Options, folder: Path, say: Callable[[str], None]) -> Minimal:
    kept = folder / "minimal.json"
    if kept.exists():
        return msgspec.json.decode(kept.read_bytes(), type=Minimal)
    say(f"Shrinking the first failure of a random plan of {script.name}:")
    saved = shrink_case(case_of(script, options), folder, say)
    text = saved.path.read_text(encoding="utf-8")
    small = Minimal(script=text, file=str(saved.path), again=saved.again, said=saved.said)
    write_whole(kept, msgspec.json.encode(small))
    return small
