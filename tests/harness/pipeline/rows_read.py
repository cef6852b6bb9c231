"""How much Spark reads of a table for a question: what its scan hands on, after it skipped groups and pages of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def rows_read(asked: DataFrame) -> int:
    """Reads it. The question may have one table and no shuffle."""
    frame: Any = asked
    rows = len(frame.collect())
    plan = frame._jdf.queryExecution().executedPlan()
    leaves = plan.collectLeaves()
    assert leaves.size() == 1, plan.toString()
    read = int(leaves.apply(0).metrics().apply("numOutputRows").value())
    assert read >= rows
    return read
