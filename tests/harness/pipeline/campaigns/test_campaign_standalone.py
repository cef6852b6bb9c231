"""A campaign on a cluster whose executors lack our code, and one of which is killed: the same rows as without."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.harness.command.command_helpers import COMMAND, environment
from tests.harness.pipeline.campaigns.campaigns import written
from tests.harness.pipeline.campaigns.test_campaign import by_hand, rows_in
from tests.harness.pipeline.spark.test_standalone import executor_at_work
from tests.harness.pipeline.standalone import bare_python, small_jobs, standalone
from tests.waiting import HANG, wait_until

from shaketable.harness.pipeline.campaigns.cases import cells_of
from shaketable.harness.pipeline.campaigns.variants import each_under_all, variants_named
from shaketable.harness.pipeline.campaigns.waves import Asked
from shaketable.harness.scripting.targets import scripts_named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark("alone")

RUNS = 40


def test_a_killed_executor_changes_no_row(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = written(tmp_path, "await cluster.form('n1', 'n2', 'n3')")
    named = [str(own), "nemesis", "kill-the-master"]
    python, out = bare_python(tmp_path), tmp_path / "out"
    (tmp_path / "cluster").mkdir()
    with standalone(tmp_path / "cluster") as master:
        env = {"PYSPARK_PYTHON": str(python), "SPARK_CONF_DIR": str(small_jobs(tmp_path))}
        arguments = ["--seeds", str(RUNS), "--variant", "as written", "--sample", "0", "--out", str(out)]
        playing = subprocess.Popen(
            [*COMMAND, "campaign", *arguments, "--scripts", *named, "--spark-master", master],
            cwd=tmp_path, env=environment(**env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            wait_until(executor_at_work, "an executor has begun a task").kill()
            said, err = playing.communicate(timeout=2 * HANG)
        finally:
            playing.kill()
        executors = [*(tmp_path / "cluster").glob("work-*/app-*/*")]
    assert playing.returncode == 0, (said, err)
    assert f"PASSED  {RUNS} passed: {RUNS} runs" in said
    assert len(executors) > 2
    monkeypatch.chdir(tmp_path)
    scripts = scripts_named(named)
    cells = cells_of(scripts, each_under_all(scripts, variants_named(["as written"])))
    assert rows_in(spark, out / "store") == by_hand(Asked(cells, RUNS, 1, 0))
