"""Where a store lies, by Spark's own ways: it may be on the file system of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from shaketable.harness.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_THIS_MACHINE: Final = "file"
_AT_ONCE: Final = (_THIS_MACHINE, "hdfs")
"""There a folder is renamed at once, or not at all. Elsewhere its files are copied, one by one."""


def file_system(spark: SparkSession, path: str) -> tuple[Any, Any]:
    jvm: Any = spark.sparkContext._jvm
    assert jvm is not None
    where = jvm.org.apache.hadoop.fs.Path(path)
    return where, where.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())


def folder_here(spark: SparkSession, path: str) -> Path | None:
    """What the path means for this process; None: it is on no file system of this machine."""
    where, system = file_system(spark, path)
    return Path(where.toUri().getPath()) if system.getScheme() == _THIS_MACHINE else None


def exists(spark: SparkSession, path: str) -> bool:
    where, system = file_system(spark, path)
    return bool(system.exists(where))


def found(spark: SparkSession, pattern: str) -> list[str]:
    """All paths that are like this."""
    where, system = file_system(spark, pattern)
    return [each.getPath().toString() for each in system.globStatus(where) or ()]


def remove(spark: SparkSession, path: str) -> None:
    """A half written file takes room. If Spark is gone, it stays, and does no harm."""
    try:
        where, system = file_system(spark, path)
        system.delete(where, True)
    except Exception:
        return


def moves_at_once(spark: SparkSession, path: str) -> bool:
    return file_system(spark, path)[1].getScheme() in _AT_ONCE


def move(spark: SparkSession, path: str, to: str) -> None:
    """Nothing may be there."""
    where, system = file_system(spark, path)
    there, _ = file_system(spark, to)
    system.mkdirs(there.getParent())
    if not system.rename(where, there):
        raise UserError(f"{to} cannot be written: {path} cannot be moved to it")
