"""A search on Spark finds what processes of this machine find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.harness.detectors.choosing.questions import question, settings

from shaketable.harness.detectors.choosing.candidates import ladders
from shaketable.harness.detectors.choosing.playing import played
from shaketable.harness.detectors.choosing.search import Search
from shaketable.harness.pipeline.choosing.running import by_spark, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_what_comes_of_it_is_the_same(spark: SparkSession) -> None:
    asked = question("1/day", "pauses-1s", 5)
    told: list[tuple[int, int]] = []

    def found(play: Any) -> list[Any]:
        made = [each for each in ladders(asked, "default", settings(missed=5)) if each.policy == "ring"]
        search = Search(asked, "default", made)
        run(search, play, lambda done, of: told.append((done, of)))
        return [(each.outcome, each.most, each.seen, each.crashes) for each in search.all_tried()]

    on_spark = found(by_spark(spark))
    assert on_spark == found(lambda tasks, show: [played(task) for task in tasks])
    assert on_spark[0][0] == "keeps"
    assert all(0 <= done <= of for done, of in told)
