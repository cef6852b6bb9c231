"""Of the check "same notifications": a member that has heard that it lacks some asks for them until they have come.

It asks once a period (text 5.2.2.1), whatever becomes of its questions and of the answers. It is judged while it
follows the same master, where nobody stopped it. For its question it needs nobody else."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import UNDER_WAY, had_when
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import NotificationsAsked
from shaketable.node.messages import Uuid


class AsksAgain:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._had = had_when(history)

    def judge(self) -> None:
        asked: dict[tuple[Uuid, Uuid], list[Record[NotificationsAsked]]] = {}
        for record in self._history.of(NotificationsAsked):
            asked.setdefault((record.incarnation, record.event.author), []).append(record)
        for questions in asked.values():
            for number, question in enumerate(questions):
                self._judge(question, questions[number + 1].time if number + 1 < len(questions) else None)

    def _judge(self, question: Record[NotificationsAsked], again: Micros | None) -> None:
        own, member = self._all.bounds_of(question.node), self._history.by_uuid.get(question.incarnation)
        due = question.time + 2 * own.settings.gms_heartbeat_period + UNDER_WAY + own.allowance
        if due > self._history.end or member is None or (again is not None and again <= due):
            return
        author, last = question.event.author, question.event.last
        had = self._had.get((question.incarnation, author), ())
        if any(time <= due and version >= last for time, version in had):
            return
        if self._steady.master_of(member.uuid, question.time)[0] != author:
            return
        if not self._steady.goes_on(member, question.time, due):
            return
        late = self._all.late_between(member.uuid, question.time, due)
        said = (
            f"{self._history.name(member)} has heard of notification {last} of {self._history.names.author(author)}, "
        )
        said += f"and asks for those that it lacks no more for {rounded(due - question.time)}."
        self._all.accuse(said, [question], late=late)
