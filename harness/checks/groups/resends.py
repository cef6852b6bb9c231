"""Of the check "same notifications": a member asks for what it lacks, and the master sends it that again, and no more.

The member asks for all after the last one that it has taken (text 5.2.2.1). The master sends all of these that it still
keeps. To a member that does not know of its place in the view it sends all of the member's stay. A member that is not
in its view gets the newest, which says so. The master keeps a notification for `gms_resend_history`, and the newest for
ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from shaketable.harness.checks.groups.reading import ADD, NEW_MASTER, UNDER_WAY, told
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record, tells
from shaketable.node.core.env import MILLISECOND, Micros
from shaketable.node.events import NotificationPublished, NotificationsAsked, NotificationsResent
from shaketable.node.messages import Member, Uuid

SAME_TIME: Final[Micros] = 5 * MILLISECOND
"""A record may be a little later than what it tells."""
Told = Sequence[Record[NotificationPublished]]


class Resends:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._asked: dict[tuple[Uuid, Uuid], list[int]] = {}
        """by a member and its master, after which ones it has asked"""
        for record in history.of(NotificationsAsked):
            self._asked.setdefault((record.incarnation, record.event.author), []).append(record.event.version)

    def judge(self) -> None:
        for question in self._history.of(NotificationsAsked):
            self._judge_question(question)
        for records in told(self._history, NotificationPublished, NotificationsResent).values():
            published: list[Record[NotificationPublished]] = []
            for record in records:
                if tells(record, NotificationsResent):
                    self._judge_answer(record, published)
                elif tells(record, NotificationPublished):
                    if record.event.change == NEW_MASTER:
                        published = []  # it keeps nothing of a reign before
                    published.append(record)

    def _judge_question(self, record: Record[NotificationsAsked]) -> None:
        event, names = record.event, self._history.names
        who = names.process(record.node, record.incarnation)
        if event.last <= event.version:
            said = f"{who} asks {names.author(event.author)} for notifications after {event.version}, and has heard of "
            self._all.findings.add(f"{said}none after {event.last}.", [record])

    def _judge_answer(self, record: Record[NotificationsResent], published: Told) -> None:
        peer, sent = record.event.peer, record.event.sequences
        process = self._history.by_uuid.get(peer.uuid)
        if not published or not sent or process is None:
            return
        if process.ended is not None and process.ended.time <= record.time + UNDER_WAY:
            return  # its last question may be lost to us
        due = [each for each in published if each.event.version >= sent[0]]
        who, whom = self._history.names.process(record.node, record.incarnation), self._history.names.member(peer)
        said = f"{who} sends {whom} {_listed(sent)} again"
        if [each.event.version for each in due] != list(sent):
            self._all.findings.add(f"{said}, which is not all from there to its newest.", [record])
            return
        firsts = sorted(self._firsts(peer, published))
        if sent[0] in firsts or any(self._forgotten(record, published, first, sent[0]) for first in firsts):
            return
        wanted = " or ".join(map(str, firsts))
        self._all.findings.add(f"{said}, and it lacks those from {wanted} on.", [due[0], record])

    def _firsts(self, peer: Member, published: Told) -> Iterator[int]:
        """The first one that is to be sent: of its stay, or after one of those after which it has asked."""
        newest = published[-1]
        if peer not in newest.event.members:
            yield newest.event.version
            return
        stay = next((each.event.version for each in reversed(published) if _begins(each.event, peer)), None)
        if stay is None:
            return
        yield stay
        for after in self._asked.get((peer.uuid, newest.incarnation), ()):
            yield max(after + 1, stay)

    def _forgotten(self, record: Record, published: Told, first: int, sent: int) -> bool:
        """All between them are older than it keeps them, by its own clock."""
        own = self._all.bounds_of(record.node)
        between = [each for each in published if first <= each.event.version < sent]
        if not between:
            return False
        if self._all.stopped(record.node, between[-1].time, record.time):
            return True
        kept = own.settings.gms_resend_history - own.allowance - SAME_TIME
        return record.time - between[-1].time >= kept


def _begins(event: NotificationPublished, peer: Member) -> bool:
    return event.change == NEW_MASTER or (event.change == ADD and event.peer == peer)


def _listed(sequences: Sequence[int]) -> str:
    return f"notification{'s' * (len(sequences) > 1)} {', '.join(map(str, sequences))}"
