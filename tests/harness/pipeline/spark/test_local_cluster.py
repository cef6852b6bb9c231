"""A cluster of Spark's own on this machine: executors apart from the driver, to which code and scripts have to come."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest
from tests.harness.command.command_helpers import COMMAND, environment
from tests.harness.pipeline.campaigns.campaigns import plain, written
from tests.harness.pipeline.campaigns.test_campaign import by_hand
from tests.harness.pipeline.kubernetes import conf_for_pods, kubernetes
from tests.harness.pipeline.standalone import LIGHT, bare_python, small_jobs
from tests.lengths import NIGHT
from tests.waiting import HANG

from shaketable.harness.pipeline.campaigns.cases import cells_of
from shaketable.harness.pipeline.campaigns.variants import each_under_all, variants_named
from shaketable.harness.pipeline.campaigns.waves import Asked
from shaketable.harness.pipeline.spark.java import find_java, write_wrapper
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
    above = [each for each in psutil.Process().parents() if "ExecutorBackend" in " ".join(each.cmdline())]
    for each in above:
        (SEEN / str(each.pid)).write_text(__file__)
"""


def rows_in(store: Path) -> dict[str, RunRow]:
    rows = [row for file in store.glob("runs/*/*/*.parquet") for row in run_rows(pq.ParquetFile(file).read())]
    assert len({row.run for row in rows}) == len(rows)
    return {row.run: plain(row) for row in rows}


def played(folder: Path, master: str, conf: Path) -> list[str]:
    """A campaign by executors there, held against a plain loop. Where each executor that played it found the script."""
    seen = folder / "seen"
    seen.mkdir()
    own = written(folder, "tell()\n    await cluster.form('n1', 'n2', 'n3')", HEAD.format(folder=str(seen)))
    named = [str(own), "nemesis", "kill-the-master"]
    arguments = ["--runs", str(RUNS), "--variant", "as written", "--sample", "0", "--out", str(folder / "out")]
    env = environment(PYSPARK_PYTHON=str(bare_python(folder)), SPARK_CONF_DIR=str(conf))
    done = subprocess.run(
        [*COMMAND, "campaign", *named, *arguments, "--spark-master", master],
        cwd=folder, env=env, capture_output=True, text=True, timeout=3 * HANG,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert f"PASSED  {RUNS} runs: {RUNS} passed" in done.stdout
    scripts = scripts_named(named)
    cells = cells_of(scripts, each_under_all(scripts, variants_named(["as written"])))
    with contextlib.chdir(folder):
        assert rows_in(folder / "out" / "store") == by_hand(Asked(cells, RUNS, 1, 0))
    found = [each.read_text() for each in seen.iterdir()]
    assert all(Path(each).name == own.name and each != str(own) for each in found), "a script that was sent"
    return found


@NIGHT
def test_a_campaign_on_executors_apart_has_the_rows_that_a_plain_loop_gives(tmp_path: Path) -> None:
    before = {each.name for each in Path(pyspark.__file__).parent.iterdir()}
    assert len(played(tmp_path, f"local-cluster[{EXECUTORS},1,512]", small_jobs(tmp_path))) == EXECUTORS
    assert {each.name for each in Path(pyspark.__file__).parent.iterdir()} == before, "it left nothing"


@NIGHT
def test_kubernetes_is_asked_for_pods_that_play_it_and_for_their_end(tmp_path: Path) -> None:
    """By a stand-in for Kubernetes."""
    write_wrapper(find_java(), tmp_path / "java")
    with kubernetes(tmp_path / "java" / "bin" / "java", tmp_path) as stand_in:
        found = played(tmp_path, stand_in.master, conf_for_pods(tmp_path, LIGHT))
        assert len(found) == len(stand_in.all_pods) == EXECUTORS
        assert {pod.image for pod in stand_in.all_pods} == {"registry/shaketable-spark:1"}
        assert stand_in.pods == {}
