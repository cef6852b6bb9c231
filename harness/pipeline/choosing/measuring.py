"""`shaketable compare-detectors` without a search: the runs of --under are spread as those of a search are."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

from shaketable.harness.detectors.command import compare_detectors
from shaketable.harness.detectors.quality.playing import played
from shaketable.harness.pipeline.choosing.running import playing

WORKER: Final = "shaketable.harness.pipeline.choosing.measuring_worker"


def compare(options: argparse.Namespace) -> int:
    return compare_detectors(options, partial(playing, options, WORKER, played))
