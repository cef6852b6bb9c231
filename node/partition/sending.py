"""The partition owner's side of a migration: it is asked by the master, and copies the data to the destination.

From the text on avoiding data loss on migration, 2.1 and 3: data come from the partition's owner, for backups too. A
request is refused by who has an older table, another row of that partition, or a migration of it whose end it does not
know. From the request on nothing is written to the partition here, until the master has decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from shaketable.node.cluster.views import Membership
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
from shaketable.node.partition.replication import packed
from shaketable.node.partition.state import ActiveMigration, PartitionState
from shaketable.node.requests import Ask

SendStream = Callable[[Member, str, bytes, Callable[[bool, str], None]], None]


class Sending:
    def __init__(
        self,
        state: PartitionState,
        begin: Callable[[ActiveMigration], None],
        busy: Callable[[int], bool],
        send_stream: SendStream,
        cancel_stream: Callable[[str], None],
    ) -> None:
        """`busy`: a write to this partition waits for its backups; the migration begins when there is none."""
        self._state = state
        self._begin_at_services = begin
        self._busy = busy
        self._send_stream = send_stream
        self._cancel_stream = cancel_stream
        self._waiting: dict[int, MigrationRequest] = {}
        """by partition: a write is under way there"""
        self._answer_to: dict[str, MigrationRequest] = {}
        """by migration, the last request for it"""
        self._outcome: dict[str, tuple[bool, str]] = {}
        """by migration: whether its data are copied"""
        self._asking: dict[str, Ask] = {}

    def on_migration_request(self, message: MigrationRequest) -> None:
        info = message.info
        if elsewhere := self._state.not_mine(message.target):
            self._refused(message, False, elsewhere)  # an answer would be none of whom it asks
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

    def idle(self, partition: int) -> None:
        """No write is under way there any more."""
        message = self._waiting.pop(partition, None)
        if message is not None:
            self.on_migration_request(message)

    def _refusal(self, message: MigrationRequest) -> str:
        state, info = self._state, message.info
        ms = state.membership
        if message.sender != ms.master or info.master != message.sender.uuid:
            return "it is not from my master"
        if state.table.version < info.version:
            return f"my table is older: {state.table.version}, not {info.version}"
        if state.row(info.partition) != info.row:
            return "my row of this partition is another one"
        if info.owner != ms.me.uuid:
            return "I do not own this partition"
        if state.has_ended(info):
            return "it has ended"
        if info.partition in state.active:
            return f"migration {state.active[info.partition].info.id} of it has not ended here"
        if state.member(info.migration.destination) is None:
            return "I do not know the destination"
        return ""

    def _refuse(self, message: MigrationRequest, reason: str) -> None:
        state = self._state
        self._refused(message, True, reason)
        state.send(
            message.sender.address, MigrationAnswer(state.membership.me, message.request, False, f"refused: {reason}")
        )

    def _refused(self, message: MigrationRequest, final: bool, reason: str) -> None:
        info = message.info
        self._state.env.report(MigrationRefused(info.partition, info.id, message.sender, final, reason))

    def _begin(self, message: MigrationRequest) -> None:
        state, info = self._state, message.info
        destination = state.member(info.migration.destination)
        assert destination is not None, "asked before"
        active = ActiveMigration(info, owns=True)
        state.active[info.partition] = active
        self._answer_to[info.id] = message
        state.env.report(MigrationBegan(info.partition, info.id, "owner"))
        self._begin_at_services(active)
        interval = state.settings.heartbeat_interval
        self._asking[info.id] = state.requests.ask(
            lambda: self._address_of(destination),
            partial(StartCopy, state.membership.me, target=destination.uuid, info=info),
            on_answer=partial(self._on_start_copy_answer, active, destination),
            on_silence=partial(self._settle, info.id, False, "the destination did not answer"),
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
                self._settle(info.id, False, f"refused by the destination: {answer.reason}")
            return answer.final
        self._asking.pop(info.id, None)
        data = packed(self._state, info.partition, info.migration.destination_new_index)
        self._send_stream(destination, info.id, data, partial(self._settle, info.id))
        return True

    def _settle(self, migration: str, copied: bool, reason: str) -> None:
        if migration in self._answer_to and migration not in self._outcome:
            self._asking.pop(migration, None)
            self._outcome[migration] = copied, reason
            self._answer(migration)

    def _answer(self, migration: str) -> None:
        """To whoever asked, once it is known."""
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
        self._cancel_stream(info.id)

    def members_changed(self) -> None:
        for partition, message in list(self._waiting.items()):
            if message.sender != self._state.membership.master:
                del self._waiting[partition]
