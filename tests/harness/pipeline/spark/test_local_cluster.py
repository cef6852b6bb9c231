"""A cluster of Spark's own on this machine: executors apart from the driver, to which code and scripts have to come."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest
from tests.harness.command.command_helpers import COMMAND, environment
from tests.harness.pipeline.campaigns.campaigns import plain, written
from tests.harness.pipeline.campaigns.test_campaign import by_hand
from tests.harness.pipeline.standalone import bare_python, small_jobs
from tests.waiting import HANG

from shaketable.harness.pipeline.campaigns.cases import cells_of
from shaketable.harness.pipeline.campaigns.variants import each_under_all, variants_named
from shaketable.harness.pipeline.campaigns.waves import Asked
from shaketable.harness.pipeline.stores.schema import run_rows
from shaketable.harness.scripting.targets import scripts_named
from shaketable.harness.verdicts.rows import RunRow

pytestmark = pytest.mark.spark("alone")

RUNS = 24
EXECUTORS = 2
HEAD = """import os, pathlib
import psutil
SEEN = pathlib.Path({folder!r})
def tell():
    above = [each for each in psutil.Process().parents() if "CoarseGrainedExecutorBackend" in " ".join(each.cmdline())]
    for each in above:
        (SEEN / str(each.pid)).write_text(__file__)
"""


def rows_in(store: Path) -> dict[str, RunRow]:
    rows = [row for file in store.glob("runs/*/*/*.parquet") for row in run_rows(pq.ParquetFile(file).read())]
    assert len({row.run for row in rows}) == len(rows)
    return {row.run: plain(row) for row in rows}


def test_a_campaign_on_executors_apart_has_the_rows_that_a_plain_loop_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    own = written(tmp_path, "tell()\n    await cluster.form('n1', 'n2', 'n3')", HEAD.format(folder=str(seen)))
    named = [str(own), "nemesis", "kill-the-master"]
    arguments = ["--runs", str(RUNS), "--variant", "as written", "--sample", "0", "--out", str(tmp_path / "out")]
    env = environment(PYSPARK_PYTHON=str(bare_python(tmp_path)), SPARK_CONF_DIR=str(small_jobs(tmp_path)))
    before = {each.name for each in Path(pyspark.__file__).parent.iterdir()}
    done = subprocess.run(
        [*COMMAND, "campaign", *named, *arguments, "--spark-master", f"local-cluster[{EXECUTORS},1,512]"],
        cwd=tmp_path, env=env, capture_output=True, text=True, timeout=2 * HANG,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert f"PASSED  {RUNS} passed: {RUNS} runs" in done.stdout
    at_work = [each.read_text() for each in seen.iterdir()]
    assert len(at_work) == EXECUTORS, "each has played some"
    assert all(Path(each).name == "stories.py" and each != str(own) for each in at_work), "of a script that was sent"
    monkeypatch.chdir(tmp_path)
    scripts = scripts_named(named)
    cells = cells_of(scripts, each_under_all(scripts, variants_named(["as written"])))
    assert rows_in(tmp_path / "out" / "store") == by_hand(Asked(cells, RUNS, 1, 0))
    assert {each.name for each in Path(pyspark.__file__).parent.iterdir()} == before, "it left nothing"
