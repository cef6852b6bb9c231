"""A sentence says what cannot be started, before anything is."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import COMMAND
from tests.waiting import HANG

from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.spark.configuration import (
    settings_for,
    variables_for,
    with_retries,
    write_configuration,
)
from shaketable.harness.pipeline.spark.masters import refuse_wrong_master
from shaketable.harness.pipeline.spark.session import spark_session
from shaketable.harness.pipeline.spark.trouble import said


@pytest.mark.parametrize(
    "master",
    [
        "nonsense", "local[x]", "local[0]", "spark://here", "spark://:7077", "http://a:1", "local-cluster",
        "local-cluster[2]", "local-cluster[2,1]", "local-cluster[0,1,1024]", "local-cluster[2,1,1g]",
    ],
)  # fmt: skip
def test_a_master_of_no_kind_is_refused(master: str) -> None:
    kinds = r"local\[N\], local-cluster\[N,CORES,MB\], spark://HOST:PORT, yarn or k8s://"
    with pytest.raises(UserError, match=f"names no Spark master: give {kinds}"):
        spark_session(master)


def test_an_executor_without_room_is_refused() -> None:
    with pytest.raises(UserError, match=r"local-cluster\[2,1,300\]: give each executor at least 512 MB"):
        spark_session("local-cluster[2,1,300]")


def test_a_master_that_cannot_be_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"spark://127.0.0.1:9: nobody listens there"):
        spark_session("spark://127.0.0.1:9")
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    with pytest.raises(UserError, match="set HADOOP_CONF_DIR"):
        spark_session("yarn")


@pytest.mark.parametrize(
    "master", ["local", "local[*]", "local[2]", "local[2,4]", "local-cluster[2, 1, 1024]", "k8s://https://a:6443"]
)
def test_the_others_are_not(master: str) -> None:
    refuse_wrong_master(master)


def test_cores_are_of_this_machine_alone() -> None:
    with pytest.raises(UserError, match="--cores 0: give at least 1"):
        spark_session(cores=0)
    with pytest.raises(UserError, match="does not go with --spark-master"):
        spark_session("local[2]", cores=2)


@pytest.mark.parametrize(
    ("asked", "given"),
    [("local", "local[1,4]"), ("local[*]", "local[*,4]"), ("local[2,1]", "local[2,1]"), ("yarn", "yarn")],
)
def test_a_killed_worker_process_costs_a_task_and_not_the_job(asked: str, given: str) -> None:
    assert with_retries(asked) == given


@pytest.mark.spark
def test_it_is_bound_to_the_loopback_unless_it_works_elsewhere(tmp_path: Path) -> None:
    for master in ("local[2]", "local-cluster[2,1,512]", "spark://127.0.0.1:7077", "spark://localhost:7077"):
        assert settings_for(master, tmp_path, None, False)["spark.driver.bindAddress"] == "127.0.0.1"
        assert variables_for(master, tmp_path, tmp_path, tmp_path)["SPARK_LOCAL_IP"] == "127.0.0.1"
    for master in ("spark://big:7077", "yarn", "k8s://https://a:6443"):
        assert "spark.driver.bindAddress" not in settings_for(master, tmp_path, None, False)
        assert "SPARK_LOCAL_IP" not in variables_for(master, tmp_path, tmp_path, tmp_path)


def test_what_a_user_has_configured_is_kept_but_for_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "spark-defaults.conf").write_text("# of the cluster\nspark.executor.memory 8g\nspark.ui.enabled=true\n\n")
    (theirs / "log4j2.properties").write_text("loud")
    monkeypatch.setenv("SPARK_CONF_DIR", str(theirs))
    monkeypatch.setenv("SHAKETABLE_SPARK_LOG", str(tmp_path / "log"))
    assert write_configuration(tmp_path / "conf") == {"spark.executor.memory", "spark.ui.enabled"}
    assert f"appender.one.fileName = {tmp_path}/log" in (tmp_path / "conf" / "log4j2.properties").read_text()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("java.io.IOException: No space left on device\n at x", "the disk is full; what was written before is kept"),
        ("... UserError: one sentence\n", "one sentence"),
        ("Caused by: ModuleNotFoundError: No module named 'msgspec'", "executors' Python lacks msgspec: install"),
        ("Job aborted\nCaused by: java.lang.OutOfMemoryError: Java heap space", "the memory did not suffice"),
        (
            "[CANNOT] it\nat x\nCaused by: a.b.OddException: something odd",
            "OddException: something odd (set SHAKE",
        ),
        ("Job 3 cancelled because SparkContext was shut down", "Spark was stopped in the middle"),
    ],
)
def test_pages_become_a_sentence(text: str, sentence: str) -> None:
    told = said("out cannot be written", text)
    assert sentence in told
    assert "\n" not in told


@pytest.mark.spark
def test_a_package_that_cannot_be_loaded_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "__init__.py").write_text("raise ImportError('half of it is missing')\n")
    asked = "campaign", "form", "--runs", "1", "--spark-master", "local[1]", "--out", str(tmp_path / "out")
    command = [*COMMAND, *asked]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=HANG
    )
    assert (done.returncode, done.stdout) == (2, "")
    said = "Spark's package cannot be loaded: half of it is missing; install it anew: make spark"
    assert done.stderr == f"shaketable: {said}\n"


def test_what_ended_a_worker_is_said_and_not_that_one_was_thrown() -> None:
    text = "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n  ...\nSystemExit: 3"
    assert said("the runs cannot be judged", text).startswith("the runs cannot be judged: SystemExit: 3 (set ")
