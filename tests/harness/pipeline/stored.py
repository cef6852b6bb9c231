"""Runs for stores: rows by hand, histories of scripts that we ship."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from tests.chaos.shipped import ALL

from shaketable.harness.records import Record
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.recorder import Recorder
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.verdicts.rows import RunRow

_ROW = RunRow(
    run="", script="form", title="", file="chaos/cluster/form.py", family="cluster", world="sim", fabric="simulated",
    preset="default", variant="", values="{}", settings="{}", seed=1, shaketable="0", outcome="passed", reasons=[],
    checks=[], faults=0, nodes=3, processes=3, events=0, duration=0, allowance=0, history_hash="", marks={}, again="",
)  # fmt: skip


def row(run: str, **values: Any) -> RunRow:
    return msgspec.structs.replace(_ROW, run=run, **values)


@cache
def finished(script: str, seed: int = 1, fault: str = "") -> Finished:
    """`fault`: with members that are made as they once were."""
    values = {"legacy_fault": fault} if fault else {}
    return run_simulated(next(each for each in ALL if each.name == script), Options(seed=seed, values=values))


def history_of(script: str, seed: int = 1) -> list[Record]:
    return list(finished(script, seed).records)


def record(folder: Path, script: str, seed: int = 1, fault: str = "") -> Path:
    """As `shaketable run --report` leaves it."""
    run = finished(script, seed, fault)
    recorder = Recorder(folder, run.script, run.options)
    recorder.take_all(run.records)
    assert recorder.finish(judged(run)) == []
    return folder
