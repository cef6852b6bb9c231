"""Of the check "merged data": what belonged to members that crashed and so did not go over with their part.

A member that holds a backup of such data and goes sets it aside instead. A member that crashes after it has set the
data aside itself counts as one that ended before it had brought the data. A member that lives still has its data, and
goes over later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.data.lines import Line
from shaketable.harness.checks.result import Findings, counted
from shaketable.harness.checks.shared.merges import Merge, Merges
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import EntriesSetAside
from shaketable.node.messages import Uuid


class LeftBehind:
    def __init__(
        self,
        history: History,
        bounds: Bounds,
        findings: Findings,
        line_of: Callable[[Process, Micros], Line],
        set_aside: Mapping[Uuid, Record],
    ) -> None:
        self.astray = self.lost = 0
        """partitions: of members that crashed with what they had set aside, and those with nobody left who held them"""
        self._history = history
        self._bounds = bounds
        self._findings = findings
        self._line_of = line_of
        self._set_aside = set_aside

    def judge(self, merges: Merges) -> None:
        went = {journey.former.uuid: True for journey in merges.journeys}
        for merge in merges.merges:
            over = merge.master.uuid in went or merge.master.ended is not None
            if merge.journeys and over:
                self._judge(merge, went)

    def _judge(self, merge: Merge, went: Mapping[Uuid, bool]) -> None:
        with_it = [journey.former.uuid for journey in merge.journeys]
        aside = {partition: True for uuid in with_it for partition in self._partitions(uuid, merge.begin)}
        backups = self._most_backups(merge.master)
        left: dict[Uuid, list[int]] = {}
        for partition, row in self._line_of(merge.master, merge.begin).rows_at(merge.begin):
            owner = row[0] if row else None
            if owner is None or owner in went or partition in aside or self._lives(owner):
                continue
            if partition in self._partitions(owner, merge.begin):
                self.astray += 1
            elif any(uuid in with_it for uuid in row[1 : backups + 1]):
                left.setdefault(owner, []).append(partition)
            else:
                self.lost += 1
        for owner, partitions in left.items():
            self._accuse(merge, owner, partitions)

    def _accuse(self, merge: Merge, owner: Uuid, partitions: list[int]) -> None:
        names = self._history.names
        what = f"{counted(len(partitions), 'partition')}, {', '.join(map(str, sorted(partitions)[:8]))}"
        said = f"{names.author(owner)} does not go over with {names.author(merge.master.uuid)}'s part, for it has ended"
        said += f"; it owned {what}, and a member that has a backup there goes over and sets none of it aside."
        ended = self._history.by_uuid[owner].ended
        self._findings.add(said, [merge.record] if ended is None else [merge.record, ended])

    def _partitions(self, uuid: Uuid, since: Micros) -> tuple[int, ...]:
        record = self._set_aside.get(uuid)
        if record is None or record.time < since:
            return ()
        return cast(EntriesSetAside, record.event).partitions

    def _lives(self, uuid: Uuid) -> bool:
        process = self._history.by_uuid.get(uuid)
        return process is None or process.ended is None

    def _most_backups(self, process: Process) -> int:
        settings = self._history.settings_of(process.node, self._bounds.settings)
        return max(settings.backup_counts.values(), default=0)
