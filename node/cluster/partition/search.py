"""A new master looks for the most recent partition table before it publishes anything.

From text 3.1.2 and 3.2.2: it fetches the table of every other member, each of whom must answer or leave; with the
tables come completed migrations, and active ones whose end is not known. An active one that somebody has as completed
is committed everywhere, all others are rolled back."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from shaketable.node.cluster.partition.control import Control
from shaketable.node.cluster.partition.publishing import Publishing
from shaketable.node.cluster.partition.state import UNTIL_IT_LEAVES, PartitionState
from shaketable.node.cluster.partition.table import Table
from shaketable.node.core.requests import Ask
from shaketable.node.events import TableFetched, TableHandedOver, TableSearchBegan, TableSearchEnded
from shaketable.node.messages import (
    CompletedMigration,
    FetchedTable,
    FetchTable,
    Member,
    Message,
    MigrationInfo,
    TableState,
    Uuid,
)
from shaketable.node.why import Why, because


class Search:
    def __init__(self, state: PartitionState, *, publishing: Publishing, control: Control) -> None:
        self._state = state
        self._publishing = publishing
        self._control = control
        self._waiting: dict[Uuid, Ask] = {}
        self._answers: list[FetchedTable] = []

    def begin(self) -> None:
        """Anew, if one was on."""
        state, ms = self._state, self._state.membership
        self.give_up()
        state.searching = True
        others = ms.others()
        state.env.report(TableSearchBegan(tuple(others)))
        for member in others:
            self._waiting[member.uuid] = state.requests.ask(
                partial(_address, member),
                partial(FetchTable, ms.me, target=member.uuid),
                on_answer=partial(self._on_answer, member),
                on_silence=_nothing,
                retry=min(state.settings.heartbeat_interval, state.settings.mastership_claim_longest_retry),
                budget=UNTIL_IT_LEAVES,
            )
        self._end_if_all_answered()

    def _on_answer(self, member: Member, answer: Message) -> bool:
        if not isinstance(answer, FetchedTable) or answer.sender != member:
            return False
        self._waiting.pop(member.uuid, None)
        self._answers.append(answer)
        completed = tuple(entry.info.id for entry in answer.completed)
        active = tuple(info.id for info in answer.active)
        self._state.env.report(TableFetched(member, answer.table.version, completed, active))
        self._end_if_all_answered()
        return True

    def members_changed(self, removed: Iterable[Member]) -> None:
        if not self._state.searching:
            return
        for member in removed:
            ask = self._waiting.pop(member.uuid, None)
            if ask is not None:
                ask.cancel()
        self._end_if_all_answered()

    def give_up(self) -> None:
        """I do not lead any more."""
        for ask in self._waiting.values():
            ask.cancel()
        self._waiting.clear()
        self._answers = []
        self._state.searching = False

    def _end_if_all_answered(self) -> None:
        state = self._state
        if self._waiting or not state.searching or not state.membership.leads:
            return
        answers, self._answers = self._answers, []
        state.searching = False
        newest, who = state.table, state.membership.me
        for answer in answers:
            if answer.table.version > newest.version:
                newest, who = Table.of(answer.table, newest), answer.sender
        if newest.version:
            self._take(newest, who, answers)
        self.go_on()

    def go_on(self) -> None:
        """The new master has the most recent table: now all can go on."""
        self._publishing.publish(change=True)
        self._control.searched()
        self._publishing.drop_completed()

    def _take(self, newest: Table, who: Member, answers: list[FetchedTable]) -> None:
        state = self._state
        # A destination that is lost may have committed what nobody else knows of, and hold one version more.
        version = newest.version + 2
        completed: dict[str, CompletedMigration] = dict(state.completed)
        for answer in answers:
            for entry in answer.completed:
                # A destination that had left its master may have committed what that one rolled back, by a later table.
                if entry.info.id not in completed or entry.version > completed[entry.info.id].version:
                    completed[entry.info.id] = entry
        active: dict[str, MigrationInfo] = {each.info.id: each.info for each in state.active.values()}
        for answer in answers:
            active.update((info.id, info) for info in answer.active)
        committed = tuple(key for key in active if key in completed and completed[key].successful)
        failed = [CompletedMigration(info, False, version) for key, info in active.items() if key not in completed]
        rolled_back = tuple(entry.info.id for entry in failed)
        state.env.report(TableSearchEnded(newest.version, who, committed, rolled_back))
        everything = [*completed.values(), *failed]
        rows = dict(enumerate(newest.rows))
        reason = because(Why.MOST_RECENT, who.address)
        self._publishing.change(newest.at_version(version), "found", rows, everything, reason)

    def on_fetch_table(self, message: FetchTable) -> None:
        """Only my master gets an answer; a member that does not follow it yet is asked again."""
        state, ms = self._state, self._state.membership
        if not ms.joined or message.target != ms.me.uuid or message.sender != ms.master or ms.master is ms.me:
            return
        state.env.report(TableHandedOver(message.sender, state.table.version))
        table: TableState = state.table.state()
        active = tuple(each.info for each in state.active.values())
        completed = tuple(state.completed.values())
        state.send(message.sender.address, FetchedTable(ms.me, message.request, table, completed, active))


def _address(member: Member) -> str:
    return member.address


def _nothing() -> None:
    pass
