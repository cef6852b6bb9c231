"""Writes a run to its folder as it goes on: the same for the command and for the screens."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from msgspec import UNSET

from shaketable import harness
from shaketable.harness.errors import UserError, cannot_be_written
from shaketable.harness.records import OURS, Record, RunBegan
from shaketable.harness.runs.directory import RunInfo, RunWriter
from shaketable.harness.runs.run import Options, allowance_of
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.verdicts.verdict import RunVerdict
from shaketable.harness.whole_files import make_private, refuse_link


class Recorder:
    """Writes a run to its folder as it goes on. The folder of an earlier run of the same name makes room."""

    def __init__(self, folder: Path, script: Script, options: Options) -> None:
        self._folder = folder
        self._script = script
        self._options = options
        self._writer: RunWriter | None = None
        self._trouble: UserError | None = None
        try:
            refuse_link(folder)
            if (folder / "run.json").exists():
                shutil.rmtree(folder)
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_private(folder)
        except OSError as error:
            raise cannot_be_written(folder, error, "make room, or give another directory") from None

    @property
    def trouble(self) -> UserError | None:
        """What ended the recording."""
        return self._writer.trouble if self._writer is not None else self._trouble

    def take(self, record: Record) -> None:
        """Never raises: a run that cannot be recorded goes on to its verdict."""
        if self._writer is None and self._trouble is None:
            try:
                self._writer = RunWriter(self._folder, self._info(record))
            except UserError as trouble:
                self._trouble = trouble
        if self._writer is not None:
            self._writer.append(record)

    def take_all(self, records: Sequence[Record]) -> None:
        self.take(records[0])
        if self._writer is not None:
            self._writer.extend(records[1:])

    def finish(self, verdict: RunVerdict) -> list[UserError]:
        """What went wrong with the recording, if anything did: the verdict stands all the same."""
        try:
            if self._writer is not None:
                self._writer.finish(verdict)
        except UserError as trouble:
            return [trouble]
        return [self._trouble] if self._trouble is not None else []

    def _info(self, first: Record) -> RunInfo:
        began, script = first.event, self._script
        fabric, system = (began.fabric, began.system) if isinstance(began, RunBegan) else ("", OURS)
        return RunInfo(
            script=script.name,
            title=script.title,
            file=script.file,
            seed=self._options.seed,
            world=self._options.world,
            fabric=fabric,
            preset=self._options.preset_name,
            settings=self._options.settings(script).outside(),
            versions={"shaketable": harness.version()},
            allowance=allowance_of(self._options),
            began=datetime.now().astimezone().isoformat(timespec="seconds"),
            about=script.about,
            expects_violation=script.expects_violation,
            broken_too=script.broken_too,
            system=UNSET if system.is_ours else system,
        )
