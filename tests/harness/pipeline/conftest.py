"""One Spark for all tests of a process: its start costs seconds. They run on one core of the tests', one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from shaketable.harness.pipeline.spark.session import spark_session, stop_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """`@pytest.mark.xdist_group("spark")` belongs to each test that takes it."""
    yield spark_session(cores=2, memory="1g", short=True, app="tests")
    stop_spark()
