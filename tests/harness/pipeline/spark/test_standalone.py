"""A cluster whose executors know nothing of this project does its work, though one of them is killed at it."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

import psutil
import pytest
from tests.harness.command.command_helpers import COMMAND, environment, here
from tests.harness.pipeline.standalone import WORKERS, bare_python, small_jobs, standalone
from tests.harness.pipeline.stored import record
from tests.waiting import HANG, wait_until

from shaketable.node.config import UNORDERED_UPDATES

pytestmark = pytest.mark.spark("alone")


def executor_at_work() -> psutil.Process | None:
    """Of the workers that this process started: an executor with a Python below it."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "org.apache.spark.executor.CoarseGrainedExecutorBackend" in process.cmdline() and process.children():
                return process
    return None


@pytest.mark.usefixtures("spark")
def test_the_runs_of_a_store_are_judged_by_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    python = bare_python(tmp_path)
    lacks = subprocess.run([python, "-c", "import shaketable"], cwd=tmp_path, capture_output=True, text=True)
    assert "No module named 'shaketable'" in lacks.stderr
    record(tmp_path / "runs" / "one", "form")
    record(tmp_path / "runs" / "two", "ordered-updates", fault=UNORDERED_UPDATES)
    assert here(capsys, "ingest", tmp_path / "runs", "--out", tmp_path / "store", "--cores", 2).code == 0
    in_words = here(capsys, "check", tmp_path / "store", "--cores", 2).out
    (tmp_path / "cluster").mkdir()
    with standalone(tmp_path / "cluster") as master:
        env = {"PYSPARK_PYTHON": str(python), "SPARK_CONF_DIR": str(small_jobs(tmp_path))}
        checking = subprocess.Popen(
            [*COMMAND, "check", str(tmp_path / "store"), "--spark-master", master],
            cwd=tmp_path, env=environment(**env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            executor = wait_until(executor_at_work, "an executor has begun a task")
            executor.kill()
            out, err = checking.communicate(timeout=2 * HANG)
        finally:
            checking.kill()
        executors = [*(tmp_path / "cluster").glob("work-*/app-*/*")]
    assert (checking.returncode, out, err) == (1, in_words, "")
    assert len(executors) == WORKERS + 1
