"""Plays a small campaign by processes of this machine, without Spark: its start would take longer than all the runs.

A task is the same, and so is what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.pipeline.campaigns.cases import Case
from shaketable.harness.pipeline.campaigns.keeping import Here, by_first
from shaketable.harness.pipeline.campaigns.spreading import Played
from shaketable.harness.pipeline.campaigns.summaries import Summary, summary_of
from shaketable.harness.pipeline.campaigns.worker import task_of
from shaketable.harness.pipeline.stores.here import batches_in, rows_in
from shaketable.harness.pipeline.workers import Workers

WORKER: Final = "shaketable.harness.pipeline.campaigns.worker"
_played: Final = msgspec.msgpack.Decoder(Played)


class Processes(Here):
    def __init__(self, store: Path, cores: int) -> None:
        super().__init__(store)
        self._cores = cores
        self.workers = Workers(cores, WORKER)

    @property
    def cores(self) -> int:
        return self._cores

    def already(self) -> dict[int, list[Summary]]:
        return by_first(self._store, {name: [summary_of(rows_in(folder))] for name, folder in batches_in(self._store)})

    def for_a_thread(self, call: Callable[..., object]) -> Callable[..., object]:
        return call

    def play(self, tasks: Sequence[Sequence[Case]], room: int) -> list[Played]:
        under_way = [self.workers.begin(task_of(task, room)) for task in tasks]
        return [_played.decode(each.result()) for each in under_way]

    def stop(self) -> None:
        self.workers.stop()
