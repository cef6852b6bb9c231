"""The master that a member followed at a time, and whether it went on as it was.

A check asks that before it blames anybody."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.checks.groups.reading import told
from shaketable.harness.checks.shared.circumstances import FOR_EVER, Circumstances
from shaketable.harness.history.history import Process
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import Leaving, MasterFollowed, ReadmissionAsked
from shaketable.node.messages import Uuid


class Steady:
    def __init__(self, circumstances: Circumstances) -> None:
        self._all = circumstances
        self._changes = told(circumstances.history, MasterFollowed, ReadmissionAsked)
        self._leaving = {uuid: records[0].time for uuid, records in told(circumstances.history, Leaving).items()}

    def changes(self, of: Uuid, until: Micros) -> Sequence[Record]:
        """When it followed another master, or asked to be added again."""
        return [each for each in self._changes.get(of, ()) if each.time <= until]

    def master_of(self, of: Uuid, time: Micros) -> tuple[Uuid, Micros]:
        """And since when it was followed. "": nobody."""
        changes = self.changes(of, time)
        if not changes or not isinstance(changes[-1].event, MasterFollowed):
            return "", time
        return changes[-1].event.master.uuid, changes[-1].time

    def leaves(self, process: Process, until: Micros = FOR_EVER) -> bool:
        """By then."""
        return self._leaving.get(process.uuid, until + 1) <= until

    def goes_on(self, process: Process, begin: Micros, end: Micros) -> bool:
        """It runs and keeps its master all the time, its clock is its own, and it is not on its way out."""
        if process.ended is not None and process.ended.time <= end:
            return False
        if any(begin < each.time <= end for each in self._changes.get(process.uuid, ())):
            return False
        return not self.leaves(process, end) and not self._all.stopped(process.node, begin, end)
