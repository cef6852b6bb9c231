"""A cluster whose executors know nothing of this project does its work, though one of them is killed at it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pyspark
import pytest
from tests.harness.command.command_helpers import COMMAND, Ran, environment, here
from tests.harness.pipeline.campaigns.campaigns import written
from tests.harness.pipeline.campaigns.test_campaign import by_hand, rows_in
from tests.harness.pipeline.standalone import WORKERS, bare_python, executors_of_the_last, small_jobs, standalone
from tests.harness.pipeline.stored import record
from tests.lengths import NIGHT
from tests.waiting import HANG, wait_until

import shaketable.__main__ as it
from shaketable.harness.pipeline.campaigns.cases import cells_of
from shaketable.harness.pipeline.campaigns.variants import each_under_all, variants_named
from shaketable.harness.pipeline.campaigns.waves import Asked
from shaketable.harness.scripting.targets import scripts_named
from shaketable.node.config import UNORDERED_UPDATES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark("alone")

RUNS = 24
SUBMIT = Path(pyspark.__file__).parent / "bin" / "spark-submit"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Its address, and its folder."""
    folder = tmp_path_factory.mktemp("cluster")
    with standalone(folder) as master:
        yield master, folder


def executors() -> Iterator[psutil.Process]:
    """Of the workers that this process started."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "org.apache.spark.executor.CoarseGrainedExecutorBackend" in process.cmdline():
                yield process


def executor_at_work() -> psutil.Process | None:
    """One with a Python below it."""
    for process in executors():
        with contextlib.suppress(psutil.Error):
            if process.children():
                return process
    return None


def with_an_executor_killed(
    command: list[str], cluster: tuple[str, Path], python: Path, within: Path, **more: str
) -> tuple[Ran, int]:
    """A command that works there, as a process of its own; and how many executors it had."""
    master, folder = cluster
    env = {"PYSPARK_PYTHON": str(python), "SPARK_CONF_DIR": str(small_jobs(within)), **more}
    wait_until(lambda: not [*executors()], "the executors of the test before have ended")
    working = subprocess.Popen(
        [*command, "--spark-master", master],
        cwd=within, env=environment(**env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_until(executor_at_work, "an executor has begun a task").kill()
        out, err = working.communicate(timeout=2 * HANG)
    finally:
        working.kill()
    return Ran(working.returncode, out, err), len(executors_of_the_last(folder))


def asked_for(named: list[str]) -> Asked:
    scripts = scripts_named(named)
    return Asked(cells_of(scripts, each_under_all(scripts, variants_named(["as written"]))), RUNS, 1, 0)


@NIGHT
@pytest.mark.usefixtures("spark")
def test_the_runs_of_a_store_are_judged_by_a_cluster(
    cluster: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = bare_python(tmp_path)
    lacks = subprocess.run([python, "-c", "import shaketable"], cwd=tmp_path, capture_output=True, text=True)
    assert "No module named 'shaketable'" in lacks.stderr
    record(tmp_path / "runs" / "one", "form")
    record(tmp_path / "runs" / "two", "ordered-updates", fault=UNORDERED_UPDATES)
    assert here(capsys, "ingest", tmp_path / "runs", "--out", tmp_path / "store").code == 0
    in_words = here(capsys, "check", tmp_path / "store").out
    checked, used = with_an_executor_killed([*COMMAND, "check", str(tmp_path / "store")], cluster, python, tmp_path)
    assert checked == Ran(1, in_words, "")
    assert used == WORKERS + 1


@NIGHT
def test_spark_submit_starts_a_campaign_and_a_killed_executor_changes_no_row_of_it(
    cluster: tuple[str, Path], spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/spark-clusters.md says."""
    master, folder = cluster
    own = written(tmp_path, "await cluster.form('n1', 'n2', 'n3')")
    named, out = [str(own), "nemesis", "kill-the-master"], tmp_path / "out"
    command = ["campaign", *named, "--runs", str(RUNS), "--variant", "as written", "--sample", "0", "--out", str(out)]
    env = {"JAVA_HOME": str(folder / "java"), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_DRIVER_PYTHON": sys.executable}
    submit = [str(SUBMIT), "--master", master, it.__file__, *command]
    played, used = with_an_executor_killed(submit, cluster, bare_python(tmp_path), tmp_path, **env)
    assert played.code == 0, played
    assert f"PASSED  {RUNS} runs: {RUNS} passed" in played.out
    assert used > WORKERS
    monkeypatch.chdir(tmp_path)
    assert rows_in(spark, out / "store") == by_hand(asked_for(named))
