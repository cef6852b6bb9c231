"""A standalone cluster on this machine: a master and two workers, of pyspark's own classes, and all ended again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pyspark
from tests.waiting import wait_until

from shaketable.harness.pipeline.spark.java import find_java, write_wrapper

WORKERS = 2
LIGHT = "-XX:TieredStopAtLevel=1"
"""for a Java that ends before its best compiler pays"""
_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


@contextmanager
def standalone(folder: Path) -> Iterator[str]:
    """Its address, as --spark-master takes it. Each worker has one core."""
    write_wrapper(find_java(), folder / "java")
    started: list[subprocess.Popen[bytes]] = []
    try:
        started.append(_start(folder, "master", "--port", "0"))
        address = wait_until(lambda: _said(folder / "master", r"Starting Spark master at (\S+)"), "a master listens")
        for number in range(WORKERS):
            name, work = f"worker-{number}", folder / f"work-{number}"
            started.append(_start(folder, name, "--cores", "1", "--memory", "1g", "--work-dir", work, address))
        there = [folder / f"worker-{number}" for number in range(WORKERS)]
        wait_until(lambda: all(_said(log, "Successfully (registered)") for log in there), "the workers are there")
        yield address
    finally:
        everything = [psutil.Process(each.pid) for each in started]
        everything += [child for each in everything for child in each.children(recursive=True)]
        for each in everything:
            if each.is_running():
                each.kill()
        for process in started:
            process.wait()


def _start(folder: Path, name: str, *arguments: object) -> subprocess.Popen[bytes]:
    what = name.partition("-")[0]
    env = {
        **os.environ,
        "JAVA_HOME": str(folder / "java"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": f"{LIGHT} -Dspark.master.rest.enabled=false",
    }
    with (folder / name).open("wb") as log:
        return subprocess.Popen(
            [_CLASS, f"org.apache.spark.deploy.{what}.{what.title()}", "--host", "127.0.0.1", "--webui-port", "0",
             *map(str, arguments)],
            cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip


def _said(log: Path, pattern: str) -> str | None:
    found = re.search(pattern, log.read_text(errors="replace"))
    return found[1] if found else None


def executors_of_the_last(folder: Path) -> list[Path]:
    """The folders of all executors that worked for the application that came last."""
    applications = sorted(each.name for each in folder.glob("work-*/app-*"))
    return list(folder.glob(f"work-*/{applications[-1]}/*"))


def bare_python(folder: Path) -> Path:
    """A Python with all packages that are installed here, but not with this project, which is installed in place."""
    script = folder / "python"
    packages = Path(pyspark.__file__).parents[1]
    base = getattr(sys, "_base_executable", sys.executable)
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}:$PYTHONPATH" exec "{base}" "$@"\n')
    script.chmod(0o755)
    return script


def small_jobs(folder: Path) -> Path:
    """What a user of the cluster has in SPARK_CONF_DIR."""
    conf = folder / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(
        f"spark.executor.memory 512m\nspark.executor.extraJavaOptions {LIGHT}\nspark.driver.extraJavaOptions {LIGHT}\n"
        "spark.sql.shuffle.partitions 2\n"
    )
    return conf
