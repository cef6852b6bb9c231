"""A cluster whose executors know nothing of this project does its work: the code travels with the job."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.command.command_helpers import here, shaketable
from tests.pipeline.standalone import bare_python, small_jobs, standalone
from tests.pipeline.stored import record

from shaketable.node.config import UNORDERED_UPDATES


@pytest.mark.xdist_group("spark")
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
        ran = shaketable("check", tmp_path / "store", "--spark-master", master, cwd=tmp_path, env=env)
        worked = [*(tmp_path / "cluster").glob("work-*/app-*/*")]
    assert (ran.code, ran.out, ran.err) == (1, in_words, "")
    assert len(worked) == 2
