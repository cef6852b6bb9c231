"""Of the check "shutdown is no failure": if a whole group shuts down, all its core members do, and no spectator does.

The order goes to all at once, and a spectator that gives it stays. Nobody says which member has given it. So a core
member is judged where all of the core have one view, which has not changed for a detection window. Nothing had shaken
any node for long, nor a link to this one, nor messages that go to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.checks.groups.reading import UNDER_WAY, is_core
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances, span_of
from shaketable.harness.faults.node_kinds import LEAVE
from shaketable.harness.history.history import History, Process
from shaketable.harness.records import Record
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import HealthAnnouncedToAll

WITH_ALL: Final = "group stopping"
AT_ONCE: Final[Micros] = SECOND
"""No message of a group that nobody shakes is so long under way."""


class WholeGroupStops:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)

    def judge(self) -> None:
        judged: dict[Process, bool] = {}
        for record in self._history.of(HealthAnnouncedToAll):
            process = self._history.by_uuid.get(record.incarnation)
            if process is None or process.member is None or record.event.state != WITH_ALL:
                continue
            if not is_core(self._history, process.member, self._all.settings_of(process.node)):
                said = f"{self._history.name(process)} shuts down with the whole group, and is no core member."
                self._all.findings.add(said, [record])
                continue
            for other in self._others(record, process):
                if other not in judged:
                    judged[other] = True
                    self._judge(record, other)

    def _others(self, record: Record, process: Process) -> Iterator[Process]:
        """Core members of its view. None, if they do not all have that view for long."""
        own = self._all.bounds_of(process.node).group
        view = installed(process, record.time)
        if view is None or view.record.time > record.time - own.settings.detection_window:
            return
        known = [other for member in view.view.members if (other := self._history.by_uuid.get(member.uuid)) is not None]
        others = [other for other in known if other is not process and self._is_core(other)]
        for other in others:
            theirs = installed(other, record.time)
            if theirs is None or (theirs.view.version, theirs.view.author) != (view.view.version, view.view.author):
                return
        yield from others

    def _is_core(self, other: Process) -> bool:
        return other.member is not None and is_core(self._history, other.member, self._all.settings_of(other.node))

    def _judge(self, record: Record, other: Process) -> None:
        own = self._all.bounds_of(other.node)
        begin, due = record.time - own.group.failure(), record.time + AT_ONCE + own.allowance
        if due > self._history.end or self._steady.leaves(other, due):
            return
        mine, theirs = (self._steady.master_of(uuid, record.time) for uuid in (record.incarnation, other.uuid))
        if mine[0] != theirs[0] or not self._steady.goes_on(other, record.time - UNDER_WAY, due):
            return
        if self._may_be_kept_from_it(other, begin, due):
            return
        late = self._all.late_between(other.uuid, begin, due)
        who, first = self._history.name(other), self._history.names.process(record.node, record.incarnation)
        said = f"{first} shuts down with the whole group, and {who}, which is of its core, does not."
        self._all.accuse(said, [record], late=late)

    def _may_be_kept_from_it(self, other: Process, begin: Micros, due: Micros) -> bool:
        """By a fault of any node, of a link to it, or of messages that go to it."""
        spans = [span for span in self._all.spans if span.kind is not LEAVE]
        to_it = [link for span in spans for link in span.links if link.split("->")[1] == other.node]
        near = [s for s in spans if (s.nodes and s.kind.filters is None) or s.touches((other.node,), to_it)]
        for facts in self._history.faults.values():
            receivers = facts.asked.event.to
            if facts.kind.filters is not None and (not receivers or other.node in receivers):
                near.append(span_of(facts))
        return any(span.begin <= due and span.end >= begin for span in near)
