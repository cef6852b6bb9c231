"""Migrations and promotions, step by step, as Hazelcast's own interceptor and one line of its log tell them.

Here too the version is that of the table as it was told last."""

from __future__ import annotations

import re
from typing import Final

from shaketable.harness.systems.hazelcast import facts
from shaketable.harness.systems.hazelcast.data import Data
from shaketable.harness.systems.hazelcast.facts import AnyFact
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
from shaketable.node.messages import Migration, MigrationInfo, MigrationType
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
        self._committed: facts.Migration | None = None
        """by me as master, who changes the table next"""

    def hear(self, fact: AnyFact) -> None:
        if isinstance(fact, facts.Table | facts.Migration):
            self.settle()
        if isinstance(fact, facts.Migration):
            self._step(fact)

    def settle(self) -> None:
        if self._committed is not None:
            committed, self._committed = self._committed, None
            self._finish(committed)

    def _step(self, fact: facts.Migration) -> None:
        match fact.step, fact.role:
            case "start", "master":
                self._request(fact)
            case "start", "source" | "destination":
                role = "owner" if fact.role == "source" else fact.role
                self._state.tell(MigrationBegan(fact.partition, fact.id, role))
            case "complete", "master":
                why = None if fact.successful else because(Why.REFUSED, "its log says why")
                self._state.tell(MigrationCopied(fact.partition, fact.id, fact.successful, *or_nothing(why)))
            case "commit", "master":
                self._committed = fact
            case "commit" | "rollback", _:
                self._finish(fact)
            case "promotion-complete", "destination" if fact.successful and fact.destination_now > _OWNER:
                self._state.tell(ReplicaPromoted(fact.partition, fact.destination_now, self._data.version))

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

    def _finish(self, fact: facts.Migration) -> None:
        me, role, indexes = self._state.me.uuid, fact.role, (_NOWHERE, _NOWHERE)
        if me == fact.destination:
            indexes = fact.destination_now, fact.destination_then
        elif me == fact.source:
            indexes = fact.source_now, fact.source_then
        elif role == "source":
            role, indexes = "owner", (_OWNER, _OWNER)
        successful = fact.step == "commit"
        told = fact.partition, fact.id, role, successful, self._data.version
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
