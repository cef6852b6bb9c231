"""The crash points of a migration that a run has visited: a node was killed while it was held at a phase.

The parts and phases are from the text on avoiding data loss on migration. The history alone tells them: what members
reported, which node held where, and which was killed meanwhile. The name of a script does not count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Ending, NodeEnded, Record
from shaketable.node import events as e
from shaketable.node.messages import MigrationInfo, Uuid

MASTER: Final = "master"
OWNER: Final = "owner"
OLD_BACKUP: Final = "old backup"
DESTINATION: Final = "destination"
NEXT: Final = "next in line"
"""the oldest member after the master"""
PARTS: Final = (MASTER, OWNER, OLD_BACKUP, DESTINATION, NEXT)

REQUESTED: Final = "requested"
FIRST_CHUNK: Final = "first chunk"
COPIED: Final = "copied"
COMMIT_SENT: Final = "commit sent"
DESTINATION_COMMITTED: Final = "destination committed"
MASTER_COMMITTED: Final = "master committed"
PUBLISHED: Final = "k of n publishes sent"
SOURCE_CLEARED: Final = "source cleared"
FETCH_ANSWERED: Final = "fetch answered"
PHASES: Final = (
    REQUESTED, FIRST_CHUNK, COPIED, COMMIT_SENT, DESTINATION_COMMITTED, MASTER_COMMITTED, PUBLISHED, SOURCE_CLEARED,
    FETCH_ANSWERED,
)  # fmt: skip


class CrashPoint(msgspec.Struct, frozen=True):
    """Somebody was killed while the migration was held there."""

    phase: str
    parts: tuple[str, ...]
    """all that the victim had in it, in the order of PARTS"""
    migration: str
    """its type, and which index"""
    sent: int = 0
    to: int = 0
    """so many of so many publishes were sent"""


class _Phase(msgspec.Struct, frozen=True):
    name: str
    info: MigrationInfo
    sent: int = 0
    to: int = 0


def visited(history: History) -> tuple[CrashPoint, ...]:
    if not history.of(e.Held) or not history.of(e.MigrationRequested):
        return ()
    return tuple(_Visits(history).visits())


class _Visits:
    def __init__(self, history: History) -> None:
        self._history = history
        self._requested = history.of(e.MigrationRequested)
        self._infos: dict[str, MigrationInfo] = {}
        for record in self._requested:
            self._infos[record.event.info.id] = record.event.info

    def visits(self) -> Iterator[CrashPoint]:
        history = self._history
        held = [(record, phases) for record in history.of(e.Held) if (phases := list(self._phases(record)))]
        for victim in history.processes.values():
            end = victim.ended
            if end is None or not isinstance(end.event, NodeEnded) or end.event.why is not Ending.KILLED:
                continue
            for record, phases in held:
                if self._lasts(record, end):
                    for phase in phases:
                        parts = self._parts(phase.info, victim.uuid, end)
                        if parts:
                            yield CrashPoint(phase.name, parts, _in_words(phase.info), phase.sent, phase.to)

    def _lasts(self, held: Record[e.Held], end: Record) -> bool:
        """Whether the hold lasted when that process ended: the hold was not to be released yet, and its holder had not
        ended. The harness's own actions are in its own order."""
        facts = self._history.faults.get(held.event.fault)
        released = facts.end_asked if facts is not None else None
        ended = self._history.processes[held.node, held.incarnation].ended
        over = [r.sequence for r in (released, ended) if r is not None and r is not end and r.node == end.node]
        return held.time <= end.time and all(end.sequence < sequence for sequence in over)

    def _phases(self, held: Record[e.Held]) -> Iterator[_Phase]:
        """Of the migration that its last event of this name tells of, all that were told in the same step."""
        sent = held.event.handed_over
        kind = getattr(e, held.event.event, None)
        told = [r for r in self._history.of(kind) if _by_same(r, held) and r.sequence < held.sequence] if kind else []
        if not told:
            return
        last = told[-1].event
        match last:
            case e.MigrationRequested(info=info):
                yield _Phase(REQUESTED, info)
            case e.ChunkSent(stream=stream) | e.ChunkArrived(stream=stream) if stream in self._infos:
                if _is_first([r for r in told if r.event.stream == stream], sent):
                    yield _Phase(FIRST_CHUNK, self._infos[stream])
            case e.MigrationCopied(migration=name, copied=True):
                yield _Phase(COPIED, self._infos[name])
            case e.CommitSent(migration=name) if sent:
                yield _Phase(COMMIT_SENT, self._infos[name])
            case e.MigrationFinished(migration=name):
                yield from self._ends(name, sent, held)
            case e.ReplicaDropped(migration=name) if name:
                yield _Phase(SOURCE_CLEARED, self._infos[name])
            case e.TableHandedOver() | e.TableFetched():
                # Before that was told: the hold comes to it later, and the new master may have gone on by then.
                asked = told[-1].time
                before = [r.event for r in self._requested if r.time <= asked and r.incarnation != held.incarnation]
                if before:
                    yield _Phase(FETCH_ANSWERED, before[-1].info)

    def _ends(self, migration: str, sent: int, held: Record) -> Iterator[_Phase]:
        """A master that is the destination too has committed as both in one step."""
        info = self._infos[migration]
        for record in self._history.of(e.MigrationFinished):
            event = record.event
            if event.migration != migration or not _by_same(record, held) or record.sequence > held.sequence:
                continue
            if event.role == "destination" and event.successful and not (sent and info.master == held.incarnation):
                yield _Phase(DESTINATION_COMMITTED, info)
            elif event.role == "master" and event.successful and not sent:
                yield _Phase(MASTER_COMMITTED, info)
            elif event.role == "master" and event.successful:
                to = next(
                    r.event.to
                    for r in self._history.of(e.TablePublished)
                    if _by_same(r, held) and r.sequence > record.sequence
                )
                yield _Phase(PUBLISHED, info, sent, to)

    def _parts(self, info: MigrationInfo, victim: Uuid, end: Record) -> tuple[str, ...]:
        migration = info.migration
        has = {
            MASTER: info.master,
            OWNER: info.owner,
            OLD_BACKUP: migration.source if migration.source != info.owner else None,
            DESTINATION: migration.destination,
            NEXT: self._next_in_line(self._history.by_uuid.get(info.master), end),
        }
        return tuple(part for part in PARTS if has[part] == victim)

    def _next_in_line(self, master: Process | None, end: Record) -> Uuid | None:
        """By the last list of that master."""
        installs = [i.view.members for i in master.installs if i.record.time <= end.time] if master is not None else []
        return installs[-1][1].uuid if installs and len(installs[-1]) > 1 else None


def _is_first(chunks: list[Record[e.ChunkSent | e.ChunkArrived]], sent: int) -> bool:
    """And not the only one. Where a link takes several at once they are told in one go, and one of them has left."""
    first, last = chunks[0], chunks[-1]
    if isinstance(first.event, e.ChunkArrived):
        return len(chunks) == 1 and not first.event.last
    in_one_go = last.sequence - first.sequence == len(chunks) - 1
    return first.event.bytes < first.event.total and in_one_go and sent <= 1


def _by_same(record: Record, other: Record) -> bool:
    return record.node == other.node and record.incarnation == other.incarnation


def _in_words(info: MigrationInfo) -> str:
    migration = info.migration
    index = migration.destination_new_index
    return f"{migration.type} of {'the owner' if index == 0 else f'backup {index}'}"
