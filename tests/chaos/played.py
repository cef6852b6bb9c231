"""Runs of the scripts that we ship, played once for all tests of a process that look at them and change nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import pytest
from tests.chaos.shipped import SHIPPED

from shaketable.harness.runs.run import Finished, Options, run_simulated

SCRIPTS: Final = {script.name: script for script in SHIPPED}
PARAMETERS: Final = {name: pytest.param(name, id=name, marks=pytest.mark.xdist_group(name)) for name in SCRIPTS}
"""Where tests run on several cores, all those of one script are in one process, one after the other."""
EACH: Final = list(PARAMETERS.values())
KEPT: Final = 32
"""more than one script has; those of the scripts before are let go"""


@lru_cache(KEPT)
def played(name: str, seed: int, preset: str) -> Finished:
    return run_simulated(SCRIPTS[name], Options(seed=seed, preset=preset))
