"""hashicorp/memberlist and one policy of ours, measured on real processes; and what an interruption leaves."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any, Final

import pytest
from tests.harness.command.command_helpers import Harness, shaketable
from tests.lengths import LONG
from tests.where import ROOT

from shaketable.harness.detectors.promises import promise
from shaketable.harness.detectors.quality.course import CRASHES
from shaketable.harness.detectors.quality.policies import policies
from shaketable.harness.detectors.variants import variants
from shaketable.harness.detectors.workload import GONE
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.node.core.env import SECOND

COMPARE: Final = "compare-detectors"
NEEDS_GO: Final = pytest.mark.skipif(shutil.which("go") is None, reason="no go on PATH: it builds the node")
TIMES: Final = {"gms_heartbeat_period_seconds": "0.2", "gms_max_missed": "3"}
BUSY: Final = "the machine was too busy"
TRIES: Final = 5
"""seeds, where a busy machine makes runs unknown"""


def measured(folder: Path, seed: int) -> dict[str, Any]:
    """By the policy."""
    given = [word for name, value in TIMES.items() for word in ("--set", f"{name}={value}")]
    named = ("--system", "system.toml", "--policies", "swim", "--under", "none", *given)
    ran = shaketable(COMPARE, *named, "--seeds", "1", "--seed", seed, "--json", cwd=folder)
    told = [json.loads(line) for line in ran.out.splitlines()]
    unknown = [each for each in told if "unknown" in each]
    assert ran.code == (2 if unknown else 0), ran
    assert all(BUSY in each["unknown"] for each in unknown), ran
    return {each["policy"]: each for each in told if "unknown" not in each}


@LONG
@NEEDS_GO
def test_all_tell_each_crash_and_ours_as_soon_as_it_promises(tmp_path: Path) -> None:
    example = tmp_path / "memberlist"
    shutil.copytree(ROOT / "examples" / "memberlist", example, ignore=shutil.ignore_patterns("memberlist-node"))
    found: dict[str, Any] = {}
    for seed in range(1, 1 + TRIES):
        found = measured(example, seed) | found
        if len(found) == 2:
            break
    theirs, ours = found["memberlist"], found["swim"]
    assert theirs["doubted"] is None
    for level in (theirs["removed"], ours["removed"], ours["doubted"]):
        times = level["detection_time"]
        assert (times["measured"], times["never"]) == (CRASHES, 0)
        assert 0 < level["detection_time_of_the_first"]["median"] <= times["median"] <= times["99th_percentile"]
    policy = policies(variants("fast", TIMES))["swim"]
    promised = promise(policy, 5, GONE).announced.most + SHAKETABLE.allowance
    assert ours["removed"]["detection_time"]["99th_percentile"] <= promised / SECOND


def test_ctrl_c_ends_it_with_one_sentence_and_nothing_is_left(tmp_path: Path) -> None:
    arguments = ("--system", "shaketable", "--policies", "ring", "--under", "none")
    running = Harness(tmp_path, *arguments, command=COMPARE)
    try:
        running.wait_until(lambda: len(running.others()) > 5, "members are there")
        known = running.all_of_it()
        running.process.send_signal(signal.SIGINT)
        told = running.ended()
        assert (told.code, told.out) == (2, "")
        assert told.err.splitlines()[1:] == ["shaketable: interrupted"]
        running.nothing_is_left(known)
    finally:
        running.close()
