"""One Spark for all tests of a process: its start costs seconds. A file of tests that need its packages says so in its
first lines, `pytestmark = pytest.mark.spark`, and where they are not installed it is not read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shaketable.harness.pipeline.spark.session import spark_session, stop_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


HERE = Path(__file__).parent
collect_ignore = [
    str(file.relative_to(HERE))
    for file in ([] if find_spec("pyarrow") else sorted(HERE.rglob("test_*.py")))
    if re.search(r"^pytestmark = .*pytest\.mark\.spark", file.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    yield spark_session(cores=2, memory="1g", short=True, app="tests")
    stop_spark()
