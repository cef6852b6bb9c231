"""Spark plays a search, and runs under a condition, as processes of this machine do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.harness.detectors.choosing.questions import question, settings

from shaketable.harness.detectors.choosing.candidates import ladders
from shaketable.harness.detectors.choosing.playing import played
from shaketable.harness.detectors.choosing.search import Search
from shaketable.harness.detectors.quality import playing as of_quality
from shaketable.harness.detectors.quality.playing import Chosen, ToMeasure
from shaketable.harness.pipeline.choosing.command import play_all
from shaketable.harness.pipeline.choosing.running import by_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_what_comes_of_it_is_the_same(spark: SparkSession) -> None:
    asked = question("1/day", "pauses-1s", 5)
    told: list[tuple[int, int]] = []

    def found(play: Any) -> list[Any]:
        made = [each for each in ladders(asked, "default", settings(missed=5)) if each.policy == "ring"]
        search = Search(asked, "default", made)
        play_all(search, play, lambda done, of: told.append((done, of)))
        return [(each.outcome, each.most, each.seen, each.crashes) for each in search.all_tried()]

    on_spark = found(by_spark(spark, played))
    assert on_spark == found(lambda tasks, show: [played(task) for task in tasks])
    assert on_spark[0][0] == "keeps"
    assert all(0 <= done <= of for done, of in told)


def test_runs_under_a_condition_are_the_same(spark: SparkSession) -> None:
    chosen = Chosen("default", {"gms_max_missed": "4"})
    tasks = [
        of_quality.packed(ToMeasure(chosen, policy, None, 5, "loss-10", seed))
        for policy in ("ring", "deadline")
        for seed in (1, 2)
    ]
    assert by_spark(spark, of_quality.played)(tasks, lambda done, of: None) == [*map(of_quality.played, tasks)]
