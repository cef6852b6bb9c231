"""Of the check "shutdown is no failure": a member that shuts down founds no group, and adds nobody.

It will be gone, and its members would have to look for a group again (rulings 5.2). But if it leads after another
master, it takes up the members that this one has added last."""

from __future__ import annotations

from typing import Final

from shaketable.harness.checks.groups.reading import ADD, told
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import LeadershipTaken, Leaving, NotificationPublished, NotificationTaken
from shaketable.node.messages import Member, Uuid
from shaketable.node.why import Why

FOUNDS: Final = (Why.NO_MASTER_ANSWERED, Why.NOBODY_TO_ASK)


class BeginsNothing:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._added: dict[Uuid, list[tuple[Micros, Uuid]]] = {}
        """by the newcomer, when which master was seen to have added it: the words of a killed one may be lost"""
        for said in history.of(NotificationPublished):
            if said.event.change == ADD and said.event.peer is not None:
                self._added.setdefault(said.event.peer.uuid, []).append((said.time, said.incarnation))
        for taken in history.of(NotificationTaken):
            if taken.event.change == ADD and taken.event.peer is not None:
                self._added.setdefault(taken.event.peer.uuid, []).append((taken.time, taken.event.author))

    def judge(self) -> None:
        for records in told(self._history, Leaving, LeadershipTaken, NotificationPublished).values():
            leaving: Record | None = None
            for record in records:
                match record.event:
                    case Leaving():
                        leaving = record
                    case LeadershipTaken() as taken if leaving is not None and taken.why in FOUNDS:
                        self._accuse(leaving, record, "founds a group")
                    case NotificationPublished(_, _, newcomer, change) if leaving is not None and change == ADD:
                        if newcomer is not None and not self._was_added(newcomer, record):
                            self._accuse(leaving, record, f"adds {self._history.names.member(newcomer)}")
                    case _:
                        pass

    def _was_added(self, newcomer: Member, record: Record) -> bool:
        """By another master, before."""
        added = self._added.get(newcomer.uuid, ())
        return any(time <= record.time and author != record.incarnation for time, author in added)

    def _accuse(self, leaving: Record, record: Record, does: str) -> None:
        who = self._history.names.process(record.node, record.incarnation)
        self._all.findings.add(f"{who} shuts down, and {does}.", [leaving, record])
