"""The partition owner's side of a migration: it is asked by the master, and copies the data to the destination.

From text 3.2.1 and 3.3: data come from the partition's owner, for backups too. A request is refused by a member that
has an older table, another row of that partition, or a migration of it whose end it does not know. From the request on
nothing is written to the partition here, until the master has decided."""

from __future__ import annotations

from functools import partial

from shaketable.node.cluster.partition.finishing import Finishing
from shaketable.node.cluster.partition.operations import Operations
from shaketable.node.cluster.partition.replication import packed
from shaketable.node.cluster.partition.state import ActiveMigration, PartitionState
from shaketable.node.cluster.partition.streams import Streams
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.requests import Ask
from shaketable.node.events import MigrationBegan, MigrationRefused
from shaketable.node.messages import (
    Member,
    Message,
    MigrationAnswer,
    MigrationInfo,
    MigrationRequest,
    StartCopy,
    StartCopyAnswer,
)
from shaketable.node.why import Because, Why, because


class Sending:
    def __init__(
        self,
        state: PartitionState,
        *,
        operations: Operations,
        finishing: Finishing,
        streams: Streams,
    ) -> None:
        self._state = state
        self._operations = operations
        self._finishing = finishing
        self._streams = streams
        self._waiting: dict[int, MigrationRequest] = {}
        """by partition: a write is under way there, or I own it by promotion and do not serve it yet; it begins then"""
        self._answer_to: dict[str, MigrationRequest] = {}
        """by migration, the last request for it"""
        self._outcome: dict[str, tuple[bool, Because | None]] = {}
        """by migration: whether its data are copied"""
        self._asking: dict[str, Ask] = {}

    def on_migration_request(self, message: MigrationRequest) -> None:
        info = message.info
        if elsewhere := self._state.not_mine(message.target):
            self._refused(message, False, elsewhere)  # an answer would not be of the one that it asks
            return
        if info.id in self._answer_to:  # a repeated request
            self._answer_to[info.id] = message
            self._answer(info.id)
            return
        refusal = self._refusal(message)
        if refusal:
            self._refuse(message, refusal)
        elif self._busy(info.partition):
            self._waiting[info.partition] = message
        else:
            self._begin(message)

    def _busy(self, partition: int) -> bool:
        """It begins later: `idle` is called then."""
        return partition in self._state.promoting or self._operations.busy(partition, self.idle)

    def idle(self, partition: int) -> None:
        """No write is under way there any more."""
        message = self._waiting.pop(partition, None)
        if message is not None:
            self.on_migration_request(message)

    def _refusal(self, message: MigrationRequest) -> Because | None:
        state, info = self._state, message.info
        ms = state.membership
        if message.sender != ms.master or info.master != message.sender.uuid:
            return because(Why.REQUEST_NOT_FROM_MY_MASTER)
        if state.table.version < info.version:
            return because(Why.MY_TABLE_IS_OLDER, state.table.version, info.version)
        if state.row(info.partition) != info.row:
            return because(Why.ANOTHER_ROW)
        if info.owner != ms.me.uuid:
            return because(Why.NOT_THE_OWNER)
        if state.has_ended(info):
            return because(Why.HAS_ENDED)
        if info.partition in state.active:
            return because(Why.NOT_ENDED_HERE, state.active[info.partition].info.id)
        if state.member(info.migration.destination) is None:
            return because(Why.UNKNOWN_DESTINATION)
        return None

    def _refuse(self, message: MigrationRequest, reason: Because) -> None:
        state = self._state
        self._refused(message, True, reason)
        state.send(
            message.sender.address,
            MigrationAnswer(state.membership.me, message.request, False, because(Why.REFUSED, reason)),
        )

    def _refused(self, message: MigrationRequest, final: bool, reason: Because) -> None:
        info = message.info
        self._state.env.report(MigrationRefused(info.partition, info.id, message.sender, final, *reason))

    def _begin(self, message: MigrationRequest) -> None:
        state, info = self._state, message.info
        destination = state.member(info.migration.destination)
        assert destination is not None, "asked before"
        active = ActiveMigration(info, owns=True)
        state.active[info.partition] = active
        self._answer_to[info.id] = message
        state.env.report(MigrationBegan(info.partition, info.id, "owner"))
        self._finishing.begin(active)
        interval = state.settings.heartbeat_interval
        self._asking[info.id] = state.requests.ask(
            lambda: self._address_of(destination),
            partial(StartCopy, state.membership.me, target=destination.uuid, info=info),
            on_answer=partial(self._on_start_copy_answer, active, destination),
            on_silence=partial(self._settle, info.id, False, because(Why.DESTINATION_SILENT)),
            retry=min(interval, state.settings.mastership_claim_longest_retry),
            longest_retry=interval,
            budget=state.settings.migration_timeout,
        )

    def _address_of(self, member: Member) -> str | None:
        ms: Membership = self._state.membership
        return member.address if ms.is_member(member) else None

    def _on_start_copy_answer(self, active: ActiveMigration, destination: Member, answer: Message) -> bool:
        info = active.info
        if not isinstance(answer, StartCopyAnswer) or answer.sender != destination:
            return False
        if not answer.ready:
            if answer.final:
                self._settle(info.id, False, because(Why.REFUSED_BY_DESTINATION, answer.reason))
            return answer.final
        self._asking.pop(info.id, None)
        data = packed(self._state, info.partition, info.migration.destination_new_index)
        self._streams.send(destination, info.id, data, partial(self._settle, info.id))
        return True

    def _settle(self, migration: str, copied: bool, reason: Because | None) -> None:
        if migration in self._answer_to and migration not in self._outcome:
            self._asking.pop(migration, None)
            self._outcome[migration] = copied, reason
            self._answer(migration)

    def _answer(self, migration: str) -> None:
        """To the asker, once it is known."""
        state = self._state
        if migration in self._outcome:
            copied, reason = self._outcome[migration]
            request = self._answer_to[migration]
            answer = MigrationAnswer(state.membership.me, request.request, copied, reason)
            state.send(request.sender.address, answer)

    def decided(self, info: MigrationInfo) -> None:
        """By the master, while I waited for writes to end."""
        waiting = self._waiting.get(info.partition)
        if waiting is not None and waiting.info.id == info.id:
            del self._waiting[info.partition]

    def ended(self, info: MigrationInfo) -> None:
        """It is no longer active here."""
        self._answer_to.pop(info.id, None)
        self._outcome.pop(info.id, None)
        ask = self._asking.pop(info.id, None)
        if ask is not None:
            ask.cancel()
        self._streams.cancel(info.id)

    def members_changed(self) -> None:
        for partition, message in list(self._waiting.items()):
            if message.sender != self._state.membership.master:
                del self._waiting[partition]
