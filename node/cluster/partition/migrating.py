"""The master's side of migrations under way: the copy, then the commit, in the order of the text.

From text 3.2.1: the master prepares the new table, sends it to the destination with the commit, and changes its own
only when that is acknowledged; then it publishes, and the source learns of it last. The commit is repeated until it is
acknowledged or the destination has left the list. Commits are strictly one after the other, so each version has one
content; copies may overlap. A migration that fails raises the version by 2."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Protocol

import msgspec

from shaketable.node.cluster.partition.finishing import Finishing
from shaketable.node.cluster.partition.publishing import Publishing
from shaketable.node.cluster.partition.state import UNTIL_IT_LEAVES, PartitionState
from shaketable.node.cluster.partition.table import Table
from shaketable.node.cluster.partition.under_way import MigrationsUnderWay, UnderWay
from shaketable.node.events import CommitSent, MigrationCopied, MigrationFinished, MigrationRequested
from shaketable.node.messages import (
    NOWHERE,
    Address,
    CompletedMigration,
    Member,
    Message,
    MigrationAnswer,
    MigrationCommit,
    MigrationCommitAnswer,
    MigrationInfo,
    MigrationRequest,
    Uuid,
)
from shaketable.node.why import Because, Why, because, or_nothing


class Ended(Protocol):
    def __call__(self, partition: int, *, successful: bool, left: bool) -> None:
        """A migration under way has ended; `left`: because a participant is gone."""


class Migrating:
    def __init__(
        self,
        state: PartitionState,
        *,
        under_way: MigrationsUnderWay,
        publishing: Publishing,
        finishing: Finishing,
        ended: Ended,
    ) -> None:
        self._state = state
        self._all = under_way
        self.under_way = under_way.by_id
        self._publishing = publishing
        self._finishing = finishing
        self._ended = ended

    def start(self, info: MigrationInfo) -> None:
        """From the table of now. Both take part; the plan was made of members."""
        state, ms = self._state, self._state.membership
        owner, destination = state.member(info.owner), state.member(info.migration.destination)
        assert owner is not None, "a plan is made afresh when somebody leaves"
        assert destination is not None, "a plan is made afresh when somebody leaves"
        self._all.requested += 1
        row, version = state.table.rows[info.partition], state.table.version
        info = msgspec.structs.replace(info, version=version, row=row, number=self._all.requested)
        each = UnderWay(info, destination, owner)
        self.under_way[info.id] = each
        state.env.report(MigrationRequested(info.partition, info))
        each.ask = state.requests.ask(
            lambda: owner.address,
            partial(MigrationRequest, ms.me, target=owner.uuid, info=info),
            on_answer=partial(self._on_copied, each),
            on_silence=partial(self._copied, each, False, because(Why.TOOK_TOO_LONG)),
            retry=state.settings.heartbeat_interval,
            budget=state.settings.migration_timeout,
        )

    def _on_copied(self, each: UnderWay, answer: Message) -> bool:
        if not isinstance(answer, MigrationAnswer) or answer.sender != each.owner:
            return False
        self._copied(each, answer.copied, answer.reason)
        return True

    def _copied(self, each: UnderWay, copied: bool, reason: Because | None) -> None:
        info = each.info
        self._state.env.report(MigrationCopied(info.partition, info.id, copied, *or_nothing(reason)))
        each.ask = None
        if copied:
            each.copied = True
            self._decide_the_next()
        else:
            assert reason is not None, "an owner that has not copied says why"
            self._fail(each, reason)

    def _decide_the_next(self) -> None:
        if self._all.is_committing:
            return
        every = self.under_way.values()
        each = next((each for each in every if each.failed), None) or next((e for e in every if e.copied), None)
        if each is None:
            return
        if each.failed is not None:
            self._roll_back(each, *each.failed)
        else:
            self._commit(each)

    def _commit(self, each: UnderWay) -> None:
        state, ms, info = self._state, self._state.membership, each.info
        each.committing = True
        if each.destination.uuid == ms.me.uuid:
            active = state.active.get(info.partition)
            if active is not None and active.info.id == info.id and active.data is not None:
                self._committed(each)
            else:
                self._fail(each, because(Why.DATA_NOT_WITH_ME))
            return
        table, entry = self._prepared(info)
        state.env.report(CommitSent(info.partition, info.id, each.destination, table.version))
        completed = (*state.completed.values(), entry)
        each.ask = state.requests.ask(
            lambda: each.destination.address,
            lambda request: MigrationCommit(ms.me, request, each.destination.uuid, info, table.state(), completed),
            on_answer=partial(self._on_committed, each),
            on_silence=lambda: None,
            retry=state.settings.heartbeat_interval,
            longest_retry=state.settings.heartbeat_timeout // 2,
            budget=UNTIL_IT_LEAVES,
        )

    def _prepared(self, info: MigrationInfo) -> tuple[Table, CompletedMigration]:
        """My own table is as it was."""
        table = self._state.table
        after = table.with_rows({info.partition: info.migration.applied_to(table.rows[info.partition])})
        return after, CompletedMigration(info, True, after.version)

    def _on_committed(self, each: UnderWay, answer: Message) -> bool:
        if not isinstance(answer, MigrationCommitAnswer) or answer.sender != each.destination:
            return False
        if answer.done:
            each.ask = None
            self._committed(each)
            return True
        if answer.final:
            each.ask = None
            self._fail(each, because(Why.DOES_NOT_COMMIT, answer.reason))
        return answer.final

    def _committed(self, each: UnderWay) -> None:
        info = each.info
        del self.under_way[info.id]
        table, entry = self._prepared(info)
        if each.destination.uuid == self._state.me:
            self._finishing.finish(entry)
        self._state.env.report(
            MigrationFinished(info.partition, info.id, "master", True, table.version, NOWHERE, NOWHERE)
        )
        rows = {info.partition: table.rows[info.partition]}
        self._publishing.change(table, "committed", rows, [entry], because(Why(info.migration.type)))
        self._publishing.publish(change=True)
        self._ended(info.partition, successful=True, left=False)
        self._decide_the_next()

    def _fail(self, each: UnderWay, reason: Because) -> None:
        self._failed(each, reason, left=False)
        self._decide_the_next()

    @staticmethod
    def _failed(each: UnderWay, reason: Because, *, left: bool) -> None:
        """It is rolled back when no other one is being committed."""
        if each.ask is not None:
            each.ask.cancel()
            each.ask = None
        each.committing = False
        each.failed = reason, left

    def _roll_back(self, each: UnderWay, reason: Because, left: bool) -> None:
        info, table = each.info, self._state.table
        del self.under_way[info.id]
        # By 2: a destination that is lost may have committed, and hold one more.
        table = table.at_version(table.version + 2)
        self._state.env.report(
            MigrationFinished(info.partition, info.id, "master", False, table.version, NOWHERE, NOWHERE)
        )
        entry = CompletedMigration(info, False, table.version)
        self._publishing.change(table, "rolled back", {}, [entry], reason)
        self._publishing.publish(change=True)
        self._ended(info.partition, successful=False, left=left)
        self._decide_the_next()

    def members_changed(self, removed: Iterable[Member]) -> None:
        """A member that has left does not answer any more. A destination that may have committed is waited for in any
        case."""
        gone: dict[Uuid, Address] = {member.uuid: member.address for member in removed}
        for each in self.under_way.values():
            if each.destination.uuid in gone:
                self._failed(each, because(Why.DESTINATION_LEFT, each.destination.address), left=True)
            elif each.owner.uuid in gone and not each.copied:
                self._failed(each, because(Why.OWNER_LEFT, each.owner.address), left=True)
        self._decide_the_next()

    def give_up(self) -> None:
        """I do not lead any more: who does will find out how these end."""
        for each in self.under_way.values():
            if each.ask is not None:
                each.ask.cancel()
        self.under_way.clear()
