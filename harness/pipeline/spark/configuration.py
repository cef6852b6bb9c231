"""How Spark is set up: for a small machine, silent, and bound to the loopback unless it works elsewhere.

The user's own spark-defaults.conf (SPARK_CONF_DIR names its folder) is stronger than what stands here."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import psutil

from shaketable.harness.pipeline.spark.masters import memory_of_each
from shaketable.harness.pipeline.spark.travel import is_local
from shaketable.harness.pipeline.spark.trouble import LOG

LOOPBACK: Final = "127.0.0.1"
FAILURES: Final = 4
"""of one task, before its job is given up: a worker process that is killed costs the task, not the job"""
MEMORY: Final = (1, 4)
"""GB at least and at most for Spark's own process; between them a quarter of the machine's"""

_LOGGING: Final = """\
rootLogger.level = {level}
rootLogger.appenderRef.one.ref = one
appender.one.type = {type}
appender.one.name = one
{file}appender.one.layout.type = PatternLayout
appender.one.layout.pattern = %d{{HH:mm:ss}} %p %c{{1}}: %m%n%ex
# This one logs at a level of its own unless it is named.
logger.pygw.name = org.apache.spark.api.python.PythonGatewayServer
logger.pygw.level = {level}
"""


def with_retries(asked: str) -> str:
    """In local mode a job is given up at the first failure of a task unless the master's own name says otherwise."""
    if asked == "local":
        return f"local[1,{FAILURES}]"
    return f"{asked[:-1]},{FAILURES}]" if is_local(asked) and "," not in asked else asked


def settings_for(asked: str, scratch: Path, memory: str | None, short: bool) -> dict[str, str]:
    cores = os.cpu_count() or 1
    values = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": memory or _usual_memory(),
        "spark.sql.shuffle.partitions": str(4 * cores) if is_local(asked) else "64",
        # Its tasks are judged by the bytes they get, and ours take time by what they do with them.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.task.maxFailures": str(FAILURES),
        # All that measuring makes: what was compiled once is not compiled for the next store again.
        "spark.sql.codegen.cache.maxEntries": "1000",
        # What Spark SQL sets for its own Python processes: with the same the others take them too, and start none.
        "spark.executorEnv.SPARK_SIMPLIFIED_TRACEBACK": "1",
        # The usual one collects garbage beside the work, on cores that it takes from it; nobody here minds a pause.
        "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
        # Between the pools of jobs; in a pool the first that came is served first, as ever.
        "spark.scheduler.mode": "FAIR",
    }
    if is_local(asked):
        # A store has many small folders: here a look into one is quicker than a task that looks.
        values["spark.sql.sources.parallelPartitionDiscovery.threshold"] = "100000"
    if memory := memory_of_each(asked):
        values["spark.executor.memory"] = f"{memory}m"  # else Spark wants 1 GB, and refuses a worker that has less
    if short:
        values["spark.driver.extraJavaOptions"] += " -XX:TieredStopAtLevel=1"
    if _on_loopback(asked):
        values |= {"spark.driver.bindAddress": LOOPBACK, "spark.driver.host": LOOPBACK}
    return values


def _usual_memory() -> str:
    quarter = psutil.virtual_memory().total // (4 << 30)
    return f"{min(max(quarter, MEMORY[0]), MEMORY[1])}g"


def _on_loopback(asked: str) -> bool:
    if is_local(asked) or asked.startswith("local-cluster"):
        return True
    return asked.startswith("spark://") and (urlsplit(asked).hostname or "") in (LOOPBACK, "localhost")


def variables_for(asked: str, java: Path, conf: Path, scratch: Path) -> dict[str, str]:
    values = {
        "JAVA_HOME": str(java),
        "SPARK_HOME": str(_home_for(asked, scratch)),
        "SPARK_CONF_DIR": str(conf),
        # Else they run whatever python3 is on the PATH.
        "PYSPARK_PYTHON": sys.executable if is_local(asked) else os.environ.get("PYSPARK_PYTHON", sys.executable),
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_DIRS": str(scratch),  # not as a setting: that would go to other machines
        "TMPDIR": str(scratch),
        # Of the Java that only says how the real one is to be started.
        "SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    if _on_loopback(asked):
        values["SPARK_LOCAL_IP"] = LOOPBACK
    return values


def _home_for(asked: str, scratch: Path) -> Path:
    """Of the package that is loaded: another one's classes would not fit. The workers of a local cluster write beside
    these classes, so they get a folder of links."""
    import pyspark

    package = Path(pyspark.__file__).parent
    if not memory_of_each(asked):
        return package
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    for each in package.iterdir():
        if not (home / each.name).exists():
            (home / each.name).symlink_to(each)
    return home


def write_configuration(folder: Path) -> set[str]:
    """Makes the folder that Spark reads its configuration from: what the user's own holds (of a cluster), but for the
    log. The names of what it sets: that is stronger than what we would."""
    folder.mkdir()
    theirs = os.environ.get("SPARK_CONF_DIR")
    if theirs and Path(theirs).is_dir():
        shutil.copytree(theirs, folder, dirs_exist_ok=True)
    log = os.environ.get(LOG)
    file = f"appender.one.fileName = {Path(log).resolve()}\n" if log else ""
    logging = _LOGGING.format(level="info" if log else "off", type="File" if log else "Console", file=file)
    (folder / "log4j2.properties").write_text(logging)
    defaults = folder / "spark-defaults.conf"
    lines = defaults.read_text().splitlines() if defaults.exists() else []
    return {line.split()[0].partition("=")[0] for line in lines if line.strip() and not line.startswith("#")}
