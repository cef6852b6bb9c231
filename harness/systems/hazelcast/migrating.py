"""Migrations and promotions, step by step, as Hazelcast's own interceptor and one line of its log tell them.

Here too the version is that of the table as it was told last."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from shaketable.harness.systems.hazelcast import facts
from shaketable.harness.systems.hazelcast.data import Data
from shaketable.harness.systems.hazelcast.lines import Line
from shaketable.harness.systems.hazelcast.state import State
from shaketable.harness.systems.hazelcast.words import UUID, address_in
from shaketable.node.events import (
    CommitSent,
    MigrationBegan,
    MigrationCopied,
    MigrationFinished,
    MigrationRequested,
    PlanDone,
    ReplicaPromoted,
)
from shaketable.node.messages import Migration, MigrationInfo, MigrationType, Uuid
from shaketable.node.why import Why, because, or_nothing

_NAMED: Final = re.compile(
    rf"uuid=(?P<id>{UUID}).*?partitionId=(?P<partition>\d+).*?partitionVersionIncrement=(?P<increment>\d+)", re.DOTALL
)
_NOWHERE: Final = -1
_OWNER: Final = 0


class Migrations:
    def __init__(self, state: State, data: Data) -> None:
        self._state = state
        self._data = data
        self._requested = 0
        self._open: dict[str, tuple[facts.Migration, str]] = {}
        """in which I take part, and as what"""
        self._sent: dict[str, facts.Migration] = {}
        """data that I have sent as an owner whose own index stays; the table that follows says how it ended"""

    def after_table(self) -> None:
        for sent in list(self._sent.values()):
            row = self._data.rows.get(sent.partition, ())
            if sent.destination_then < len(row) and row[sent.destination_then] == sent.destination:
                del self._sent[sent.id]
                self._finish(sent, "owner", self._data.version)

    def forget(self) -> None:
        self._open.clear()
        self._sent.clear()

    def none_is_left(self) -> None:
        """The member says so. An end that nobody told was a failure: of a destination that was sent no data, say."""
        for fact, role in list(self._open.values()):
            self._sent.pop(fact.id, None)
            self._finish(replace(fact, step="rollback"), role, self._data.version)

    def step(self, fact: facts.Migration) -> None:
        mine = self._state.me.uuid
        match fact.step, fact.role:
            case "start", "master":
                self._request(fact)
            case "start", "source" | "destination":
                role = "owner" if fact.role == "source" else fact.role
                self._open[fact.id] = fact, role
                self._state.tell(MigrationBegan(fact.partition, fact.id, role))
            case "complete", "master":
                why = None if fact.successful else because(Why.REFUSED, "its log says why")
                self._state.tell(MigrationCopied(fact.partition, fact.id, fact.successful, *or_nothing(why)))
            case "complete", "source" if fact.source != mine and fact.successful:
                self._sent[fact.id] = fact
            case "complete", "source" if fact.source != mine:
                self._finish(fact, "owner", self._data.version)
            case "commit", "master":
                self._commit(fact)
            case "commit", "destination" if fact.destination == mine == self._master:
                pass  # told with the master's
            case "commit" | "rollback", role:
                self._finish(fact, role, self._data.version)
            case "promotion-complete", "destination" if fact.successful and fact.destination_now > _OWNER:
                self._state.tell(ReplicaPromoted(fact.partition, fact.destination_now, self._data.version))

    @property
    def _master(self) -> Uuid:
        return self._state.master.uuid if self._state.master is not None else ""

    def _request(self, fact: facts.Migration) -> None:
        self._requested += 1
        migration = Migration(
            _type_of(fact),
            fact.source,
            fact.source_now,
            fact.source_then,
            fact.destination,
            fact.destination_now,
            fact.destination_then,
        )
        row = self._data.rows.get(fact.partition, ())
        master, version = self._state.me.uuid, self._data.version
        info = MigrationInfo(fact.id, master, fact.partition, migration, version, row, self._requested)
        self._state.tell(MigrationRequested(fact.partition, info))

    def _commit(self, fact: facts.Migration) -> None:
        """The table changes next. A master that is the destination itself has committed as both."""
        version = self._data.version + fact.version_then - fact.version
        if fact.destination == self._state.me.uuid:
            self._finish(fact, "destination", version)
        self._finish(fact, "master", version)
        self._data.committed = because(Why(_type_of(fact)))

    def _finish(self, fact: facts.Migration, role: str, version: int) -> None:
        self._open.pop(fact.id, None)
        indexes = _NOWHERE, _NOWHERE
        if role == "destination":
            indexes = fact.destination_now, fact.destination_then
        elif role == "source":
            indexes = fact.source_now, fact.source_then
        elif role == "owner":
            indexes = _OWNER, _OWNER
        successful = fact.step != "rollback" and fact.successful
        told = fact.partition, fact.id, role, successful, version
        self._state.tell(MigrationFinished(*told, *(indexes if successful else (indexes[0], indexes[0]))))

    def commits(self, line: Line) -> None:
        peer = self._state.member_at(address_in(line.said["peer"]))
        named = _NAMED.search(line.said["migration"])
        if peer is None or named is None:
            self._state.troubles.append(f"a line of its log names no migration of ours: {line.said['migration']}")
            return
        version = self._data.version + int(named["increment"])
        self._state.tell(CommitSent(int(named["partition"]), named["id"], peer, version))

    def is_done(self, line: Line) -> None:
        self._state.tell(PlanDone(self._data.version))


def _type_of(fact: facts.Migration) -> MigrationType:
    comes, stays = fact.destination_now == _NOWHERE, fact.source_then != _NOWHERE
    if fact.source is None:
        return "COPY" if comes else "SHIFT UP"
    if stays:
        return "SHIFT DOWN" if comes else "SHIFT UP+SHIFT DOWN"
    return "MOVE" if comes else "SHIFT UP"
