"""Of the check "no lost data": the line of masters that a cluster goes back to, and how it changed the holders of data.

The two sides of a split have one line until they part. A member on a line holds nothing any more from its death on, or
from the moment when the master's list lacks it. A member that was let go must have been relieved of its data first: the
data must be on other members."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from shaketable.harness.checks.data.let_go import LetGo
from shaketable.harness.checks.shared.tables import in_order
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    BackupDiffers,
    BackupHadMore,
    BackupNotHeard,
    BackupSynced,
    ReplicaPromoted,
    TableChanged,
    TableSearchEnded,
)
from shaketable.node.messages import Row, Uuid

NEVER: Final[Micros] = 2**62


class Reign(NamedTuple):
    begin: Micros
    end: Micros
    master: Uuid


Promoted = Mapping[tuple[Uuid, int], Sequence[Record[ReplicaPromoted]]]
"""by member and partition"""


class Change(NamedTuple):
    """Of one partition, on a line: another row, a backup that was mended, or what a promoted owner got of a backup."""

    time: Micros
    before: Row
    after: Row
    committed: bool
    """else it was found like this by a new master: who is listed at a hotter index may just have been promoted"""
    told: BackupSynced | BackupHadMore | BackupNotHeard | None = None
    by: Uuid = ""
    cleared: bool = False
    """the index of somebody who is not to hold it any more: no data were sent"""
    promoted: int = 0
    """of one that was found: the index from which its owner says that it was promoted on the way to it"""
    asked: Micros | None = None
    """of a backup that was mended: when it had said last that it differs"""

    @property
    def copied(self) -> Micros:
        """It brought what had been written until then."""
        return self.time if self.asked is None else self.asked


class Line:
    def __init__(
        self,
        history: History,
        reigns: Sequence[Reign],
        told: Mapping[Uuid, Sequence[Record]],
        promoted: Promoted,
        let_go: LetGo,
    ) -> None:
        self._history = history
        self._promoted = promoted
        self._reigns = reigns
        self._let_go: dict[Uuid, Micros] = {}
        self._rows: dict[int, list[tuple[Micros, Row]]] = {}
        self._times: dict[int, Micros] = {}
        """when each version of the table came to be"""
        self._gone: dict[Uuid, Micros] = {}
        self._off: dict[Uuid, Micros] = {}
        """since when a master's list has lacked it for the first time"""
        self._listed: dict[Uuid, bool] = {}
        self.changes: dict[int, list[Change]] = {}
        for reign in reigns:
            self._learn_lists(reign)
            for uuid, time in let_go.by(reign.master):
                if reign.begin <= time < reign.end:
                    self._let_go[uuid] = time
        self._learn_tables(told)
        self._learn_what_was_told()

    def until(self, uuid: Uuid, *, let_go: bool = True) -> Micros:
        """How long somebody holds what it holds; 0: its list never had it. `let_go`: for ever, if it was let go."""
        if uuid not in self._listed:
            return 0
        process = self._history.by_uuid.get(uuid)
        died = process.ended.time if process is not None and process.ended is not None else NEVER
        end = min(died, self._gone.get(uuid, NEVER))
        return NEVER if let_go and self._let_go.get(uuid, NEVER) <= end else end

    def took_part(self, uuid: Uuid, time: Micros) -> bool:
        """It followed one of these masters then, or later on, in its reign; else it was on another side of a split by
        then, though this one's list may still have had it."""
        process = self._history.by_uuid.get(uuid)
        if process is None or not process.follows:
            return True
        reigns = {reign.master: reign.end for reign in self._reigns}
        later = [(at, master.uuid) for at, master in process.follows if at > time]
        followed = [(time, process.followed_at(time)), *later]
        return any(master is not None and at < reigns.get(master, 0) for at, master in followed)

    def lists(self, uuid: Uuid, partition: int, time: Micros) -> bool:
        """The master's table had it as a holder of this partition then."""
        rows = self._rows.get(partition, ())
        place = bisect_right(rows, time, key=itemgetter(0))
        return not place or uuid in rows[place - 1][1]

    def owned_by(self, uuid: Uuid, time: Micros) -> list[int]:
        """The partitions of which the master's table had it as the owner then."""
        return [partition for partition, row in self.rows_at(time) if row[:1] == (uuid,)]

    def rows_at(self, time: Micros) -> list[tuple[int, Row]]:
        """All partitions, as the master's table had them then."""
        found = []
        for partition, rows in sorted(self._rows.items()):
            place = bisect_right(rows, time, key=itemgetter(0))
            if place:
                found.append((partition, rows[place - 1][1]))
        return found

    def rows_of(self, version: int) -> Mapping[int, Row] | None:
        """By this version of the table; None: no master of this line has told of it, or of another one at once."""
        time = self._times.get(version)
        if time is None or sum(each == time for each in self._times.values()) > 1:
            return None
        return dict(self.rows_at(time))

    def _learn_lists(self, reign: Reign) -> None:
        process = self._history.by_uuid.get(reign.master)
        for install in process.installs if process is not None else ():
            time = install.record.time
            if not reign.begin <= time < reign.end:
                continue
            members = {member.uuid: True for member in install.view.members}
            for uuid in self._listed:
                if uuid not in members:
                    self._gone.setdefault(uuid, time)
                    self._off.setdefault(uuid, time)
            for uuid in members:  # whom an earlier master of the line let go, this one may have kept
                self._gone.pop(uuid, None)
            self._listed.update(members)

    def _learn_tables(self, told: Mapping[Uuid, Sequence[Record]]) -> None:
        rows: dict[int, Row] = {}
        relieved: dict[tuple[int, Uuid], int] = {}
        version = found = 0
        for reign in self._reigns:
            for record in told.get(reign.master, ()):
                if not reign.begin <= record.time < reign.end:
                    continue
                event = record.event
                if isinstance(event, TableSearchEnded):
                    found = event.version
                elif isinstance(event, TableChanged):
                    if event.change in ("committed", "cleared") or (event.change == "found" and found >= version):
                        self._learn_rows(record.time, rows, event)
                    elif event.change == "repaired":
                        for partition, row in event.rows:
                            for uuid in rows.get(partition, ()):
                                if uuid is not None and uuid not in row and self._off.get(uuid, NEVER) <= record.time:
                                    relieved[partition, uuid] = event.version
                    if event.change == "found":
                        self._learn_relieved(record.time, relieved, found, event)
                        relieved.clear()
                    if event.change in ("assigned", "found"):
                        rows.clear()
                    rows.update(event.rows)
                    for partition, row in event.rows:
                        self._rows.setdefault(partition, []).append((record.time, row))
                    version = event.version
                    self._times[version] = record.time

    def _learn_rows(self, time: Micros, rows: Mapping[int, Row], event: TableChanged) -> None:
        committed, cleared = event.change in ("committed", "cleared"), event.change == "cleared"
        for partition, after in event.rows:
            before = rows.get(partition)
            if before is not None and before != after:
                promoted = 0 if committed else self._promoted_to(after, partition, time)
                change = Change(time, before, after, committed, cleared=cleared, promoted=promoted)
                self.changes.setdefault(partition, []).append(change)

    def _promoted_to(self, row: Row, partition: int, time: Micros) -> int:
        """From which index its owner was promoted since the last row that is known here."""
        since = self._rows[partition][-1][0] if partition in self._rows else 0
        told = self._promoted.get((row[0], partition), ()) if row and row[0] is not None else ()
        return max([0, *(each.event.replica for each in told if since < each.time <= time)])

    def _learn_relieved(
        self, time: Micros, relieved: Mapping[tuple[int, Uuid], int], found: int, event: TableChanged
    ) -> None:
        """An earlier master had taken it off its list, and so off its table. A later one has it on its own list, and
        goes on from that table. A member that was let go had to be relieved before."""
        rows = dict(event.rows)
        for (partition, uuid), version in relieved.items():
            row = rows.get(partition, ())
            if version <= found and uuid not in row and uuid not in self._let_go:
                self.changes.setdefault(partition, []).append(Change(time, (*row, uuid), row, committed=False))

    def _learn_what_was_told(self) -> None:
        asked: dict[tuple[Uuid, int, Uuid], Micros] = {}
        told: list[Record[BackupDiffers | BackupSynced | BackupHadMore | BackupNotHeard]]
        told = in_order(self._history, (BackupDiffers, BackupSynced, BackupHadMore, BackupNotHeard))
        for record in told:
            event, me = record.event, record.incarnation
            if isinstance(event, BackupDiffers):
                asked[me, event.partition, event.peer.uuid] = record.time
            elif self._has(me, record.time) and self.lists(me, event.partition, record.time):
                change = Change(record.time, (), (), False, event, me)
                if isinstance(event, BackupSynced):
                    change = change._replace(asked=asked.get((me, event.partition, event.peer.uuid), 0))
                self.changes.setdefault(event.partition, []).append(change)
        for changes in self.changes.values():
            changes.sort(key=lambda change: change.time)

    def _has(self, uuid: Uuid, time: Micros) -> bool:
        """Follows its master then."""
        process = self._history.by_uuid.get(uuid)
        master = process.followed_at(time) if process is not None else None
        return any(reign.master == master and reign.begin <= time < reign.end for reign in self._reigns)


class Lines:
    def __init__(self, history: History) -> None:
        self._history = history
        self._let_go = LetGo(history)
        self._told: dict[Uuid, list[Record]] = {}
        for record in in_order(history, (TableChanged, TableSearchEnded)):
            self._told.setdefault(record.incarnation, []).append(record)
        self._promoted: dict[tuple[Uuid, int], list[Record[ReplicaPromoted]]] = {}
        for promotion in history.of(ReplicaPromoted):
            self._promoted.setdefault((promotion.incarnation, promotion.event.partition), []).append(promotion)
        self._lines: dict[tuple[Reign, ...], Line] = {}

    def of(self, process: Process, time: Micros) -> Line:
        """Of the cluster in which this process was then."""
        reigns = tuple(reversed(list(self._back_from(process, time))))
        if reigns not in self._lines:
            self._lines[reigns] = Line(self._history, reigns, self._told, self._promoted, self._let_go)
        return self._lines[reigns]

    def _back_from(self, reader: Process, time: Micros) -> Iterator[Reign]:
        """The reign of the master that the reader followed then, then of the master that this one had followed before
        it led, and so on."""
        heir, end = reader.uuid, self._history.end + 1
        master = reader.followed_at(time) or reader.uuid
        seen: dict[Uuid, bool] = {}
        while master not in seen:
            seen[master] = True
            process = self._history.by_uuid.get(master)
            follows = [(at, whom.uuid) for at, whom in process.follows if at < end] if process is not None else []
            for at, whom in reversed(follows):
                yield Reign(at, min(end, self._parted(whom, heir)), whom)
                heir, end = master, at
            if not follows:
                return
            master = follows[0][1]

    def _parted(self, master: Uuid, heir: Uuid) -> Micros:
        """When the master took its heir off its list: from then on they are two lines."""
        process = self._history.by_uuid.get(master)
        listed = False
        for install in process.installs if process is not None else ():
            lists = any(member.uuid == heir for member in install.view.members)
            if listed and not lists:
                return install.record.time
            listed = lists
        return NEVER
