"""Of the checks of data: which acknowledged write to a key was rightly held all the time, until the key was read.

If all holders of a write were gone at some instant, the write is rightly lost, and the one before it counts.
no_lost_data.py says which members are holders."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.data.lines import Change, Line, Lines
from shaketable.harness.checks.result import Findings
from shaketable.harness.checks.shared.operations import FAILED, Key, Operation
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import BackupHadMore, BackupNotHeard, BackupSynced
from shaketable.node.messages import Row, Uuid
from shaketable.node.why import Why

SILENCES: Final = frozenset((Why.SILENT, Why.DATA_DID_NOT_COME, Why.ITS_TABLE_IS_OLDER, Why.HAS_LEFT))
"""what a promoted owner may say of a backup that it did without"""


class Fate(NamedTuple):
    """Of a write: who held it when it was read, or when all of them were gone."""

    holders: tuple[Uuid, ...]
    lost: bool


class Judge:
    def __init__(self, history: History, bounds: Bounds, findings: Findings) -> None:
        self.lost: dict[Record, bool] = {}
        """by their calls, the acknowledged writes that lost all who held them, on the line of somebody who read"""
        self._history = history
        self._bounds = bounds
        self._findings = findings
        self.line_of = Lines(history).of
        """of a process, at a time"""

    def judge(self, key: Key, read: Operation, verb: str = "finds", told: Sequence[Record] = ()) -> None:
        """`told`: where the member says what it found, unless the read itself does."""
        assert read.end is not None
        last, fate = self.last_kept(key, read)
        assert read.returned is not None
        value, writes = read.end.value, [w for w in key.writes if w.called.time <= read.returned.time]
        found = next((w for w in reversed(writes) if w.writes == value), None)
        if value is not None and found is None:
            self._accuse(key, read, told, verb, "which nobody wrote")
        elif found is not None and found.outcome == FAILED and not _written_otherwise(writes, value):
            self._accuse(key, read, told, verb, "a write that failed, and so was not applied", found)
        elif last is not None and fate is not None and not _may_be(value, last, writes):
            who = " ".join(self._holder(uuid, read.returned.time) for uuid in fate.holders)
            said = f"and {_said(last)} was acknowledged at {rounded(_end(last).time)}; rightly held by {who}"
            older = found is not None and found.called.time < last.called.time
            self._accuse(key, read, told, verb, f"{'which is older, ' if older else ''}{said}", last)

    def _holder(self, uuid: Uuid, time: Micros) -> str:
        process = self._history.by_uuid.get(uuid)
        let_go = process is not None and process.ended is not None and process.ended.time <= time
        return self._history.names.author(uuid) + (" (which was let go)" if let_go else "")

    def last_kept(self, key: Key, read: Operation) -> tuple[Operation | None, Fate | None]:
        """The last acknowledged write that somebody held all the time until it was read, in the cluster of the reader.
        A read that takes long may find what is left at its end: its own side of a split, say."""
        assert read.returned is not None
        process = self._history.by_uuid[read.called.incarnation]
        line = self.line_of(process, read.returned.time)
        settings = self._history.settings_of(process.node, self._bounds.settings)
        backups = settings.backup_counts.get(key.map, 0)
        for write in reversed(key.writes):
            if not write.acknowledged or not write.over_by(read.called.time):
                continue
            fate = _fate(write, line, backups, read.returned.time)
            if not fate.lost:
                return write, fate
            self.lost[write.called] = True
        return None, None

    def _accuse(
        self,
        key: Key,
        read: Operation,
        told: Sequence[Record],
        verb: str,
        said: str,
        write: Operation | None = None,
    ) -> None:
        assert read.end is not None
        assert read.returned is not None
        who = self._history.names.process(read.called.node, read.called.incarnation)
        what = "nothing" if read.end.value is None else repr(read.end.value)
        proof = list(told) or [read.called, *[read.returned] * (read.returned is not read.called)]
        proof += [] if write is None else [r for r in (write.called, write.returned) if r is not None]
        self._findings.add(
            f"{who} {verb} {what} at {key.name} of {key.map} (partition {key.partition}), {said}.", proof
        )


def _fate(write: Operation, line: Line, backups: int, until: Micros) -> Fate:
    """The answer names those who have it when it leaves the owner. Of what changed while the write was under way nobody
    can say whether that was before or after, unless the answer cannot be of the new row: it is rightly lost if it is so
    for any of these."""
    assert write.end is not None
    called, returned = write.called.time, _end(write).time
    if not all(line.took_part(owner, returned) for owner in write.end.holders[:1]):
        return Fate((), True)
    changed = [c for c in line.changes.get(write.call.partition, ()) if called <= c.copied <= returned]
    since = [change.copied + 1 for change in changed if _may_be_before(change, write)]
    if not changed or changed[0].told is not None or changed[0].before[:1] == write.end.holders[:1]:
        since.insert(0, called)
    elif not since:
        since.append(returned)  # by the owner on the other side of a split
    fates = [_fate_since(write, line, backups, each, until) for each in since]
    return next((fate for fate in fates if fate.lost), fates[-1])


def _may_be_before(change: Change, write: Operation) -> bool:
    """The owner knew it when it answered."""
    assert write.end is not None
    holders = write.end.holders
    return change.told is not None or (holders[:1] == change.after[:1] and all(h in change.after for h in holders))


def _fate_since(write: Operation, line: Line, backups: int, since: Micros, until: Micros) -> Fate:
    assert write.end is not None
    partition, answered = write.call.partition, _end(write).time
    holders = {uuid: line.until(uuid) for uuid in write.end.holders}
    for uuid in write.end.holders[1:]:
        if not line.lists(uuid, partition, answered):
            holders[uuid] = line.until(uuid, let_go=False)
    if not _any_left(holders, since):
        return Fate((), True)
    for change in line.changes.get(partition, ()):
        if not since <= change.time <= until:
            continue
        if not _any_left(holders, change.time):
            return Fate((), True)
        for uuid in _added(change, since, write.call.map, backups, holders):
            holders[uuid] = line.until(uuid)
        owner = change.before[0] if change.cleared else None
        if owner is not None and owner not in holders and line.until(owner) > change.time:
            continue  # it ought to have asked before who is cleared
        for uuid in _ended(change, backups):
            holders.pop(uuid, None)
    return Fate(tuple(uuid for uuid, end in holders.items() if end > until), not _any_left(holders, until))


def _any_left(holders: dict[Uuid, Micros], time: Micros) -> bool:
    return any(end > time for end in holders.values())


def _added(change: Change, since: Micros, map_: str, backups: int, holders: Container[Uuid]) -> Iterator[Uuid]:
    told = change.told
    if isinstance(told, BackupSynced | BackupHadMore):
        # An owner mends its backup with all that it has; a promoted one takes what this one backup has. Neither has
        # a write of the other side of a split.
        has = told.peer.uuid in holders and since <= change.copied
        if has and told.replica <= backups and any(name == map_ for name, _ in told.maps):
            yield change.by
    if change.committed and not any(owner in holders for owner in change.before[:1]):
        return  # the data of a migration are the owner's, who on this side of a split may never have had the write
    if change.promoted > backups and not any(owner in holders for owner in change.after[:1]):
        return  # so has one that was promoted from an index that holds nothing of this map, and all that copied from it
    for index, uuid in enumerate(change.after[: backups + 1]):
        if uuid is None:
            continue
        was = _index(change.before, uuid)
        if was is None or was > (index if change.committed else backups):
            yield uuid


def _ended(change: Change, backups: int) -> list[Uuid]:
    if isinstance(change.told, BackupNotHeard):
        return [change.told.peer.uuid] if change.told.why in SILENCES else []
    kept = change.after[: backups + 1]
    return [uuid for uuid in change.before if uuid is not None and uuid not in kept]


def _index(row: Row, uuid: Uuid) -> int | None:
    return row.index(uuid) if uuid in row else None


def _may_be(value: str | None, last: Operation, writes: list[Operation]) -> bool:
    """It, or a later one; or one of another client that is still on its way: only of one client the order is kept."""
    if last.writes == value:
        return True
    place = writes.index(last)
    return any(
        write.writes == value
        for number, write in enumerate(writes)
        if write.outcome != FAILED
        if number > place or (not write.acknowledged and write.client != last.client)
    )


def _written_otherwise(writes: list[Operation], value: str | None) -> bool:
    return any(write.writes == value and write.outcome != FAILED for write in writes)


def _said(write: Operation) -> str:
    what = "its removal" if write.writes is None else repr(write.writes)
    return f"{what} by {write.call.client}"


def _end(write: Operation) -> Record:
    assert write.returned is not None
    return write.returned
