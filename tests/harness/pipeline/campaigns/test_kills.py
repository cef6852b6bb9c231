"""Whatever of a campaign is killed, and whenever: what was kept is right, and it goes on as if nothing had been.

SHAKETABLE_KILLS=30 tries as many moments; a build tries two."""

from __future__ import annotations

import os
import random
import re
import signal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.harness.pipeline.campaigns.kills import (
    JAVA,
    KINDS,
    RUNS,
    WORKER,
    campaign,
    events_of,
    kill_at,
    rows_of,
)
from tests.waiting import wait_until

pytestmark = pytest.mark.spark("alone")

MOMENTS = int(os.environ.get("SHAKETABLE_KILLS", 2))
SEED = 28
LATE = 2.0
"""seconds"""


@pytest.mark.parametrize("spark", [True, False])
def test_ctrl_c_ends_it_with_one_sentence_and_what_is_done_is_kept(spark: bool, tmp_path: Path) -> None:
    """As a terminal sends it, to each process of the foreground group, when the processes of the runs start."""
    with campaign(tmp_path / "out", spark=spark) as running:
        wait_until(running.daemons if spark else running.workers, "they start")
        os.killpg(running.process.pid, signal.SIGINT)
        ran = running.ended()
    assert ran.code == 2
    *others, last = [line for line in ran.err.splitlines() if not re.match(rf"\d+/{RUNS} runs, ", line)]
    started = ["Starting Spark: this takes some ten seconds"] if spark else []
    assert (others, ran.out) == (started, "")
    (kept,) = re.findall(r"^shaketable: interrupted after (\d+) of \d+ runs, which are kept; to go on: ", last)
    assert len(rows_of(running.store)) == int(kept)


class Undisturbed(NamedTuple):
    rows: dict[str, dict[str, Any]]
    events: dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Without Spark: those with it come to the same."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    with campaign(out, spark=False) as running:
        ran = running.ended()
    assert ran.code == 0, ran
    rows = rows_of(running.store)
    assert len(rows) == RUNS
    return Undisturbed(rows, events_of(running.store))


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_campaign_that_goes_on_after_a_kill_has_the_store_of_one_that_was_never_stopped(
    moment: int, undisturbed: Undisturbed, tmp_path: Path, record_property: Any
) -> None:
    (kind, spark), chance = KINDS[moment % len(KINDS)], random.Random(f"{SEED} {moment}")
    out = tmp_path / "out"
    with campaign(out, spark=spark) as running:
        kept = kill_at(running, kind, chance, RUNS * 3 // 4, LATE)
        killed = running.ended()
    there = rows_of(running.store)
    how = "on Spark" if spark else "by processes"
    record_property("killed", f"{kind} {how}, {kept} runs were kept, then {len(there)}; exit code {killed.code}")
    assert len(there) >= kept
    assert all(undisturbed.rows[run] == row for run, row in there.items())
    assert "Traceback" not in killed.out + killed.err
    if kind == WORKER:
        assert (killed.code, len(there)) == (0, RUNS)
    elif kind == JAVA and not (killed.code == 0 and len(there) == RUNS):  # else all was done already
        assert killed.code == 2
        assert killed.err.splitlines()[-1].startswith("shaketable: ")
    with campaign(out, spark=spark) as again:
        resumed = again.ended()
    assert resumed.code == 0, resumed
    assert rows_of(again.store) == undisturbed.rows
    assert events_of(again.store).keys() == undisturbed.events.keys()
    assert {run: sorted(map(str, events)) for run, events in events_of(again.store).items()} == {
        run: sorted(map(str, events)) for run, events in undisturbed.events.items()
    }
    assert {each.name for each in again.store.iterdir()} == {"runs", "history"}
