"""Of the check "group detection": a doubt needs a cause that lies between the two members.

A member doubts another one once a probe has failed: PING over one link, and PONG over the other one's (rulings 5.4). As
long as both are well, and these two links too, that cannot be, whatever befalls the rest of the group. Such a member
was late by itself: its messages waited behind those to somebody else (text 5.2.3).

Both must have been in a view for all of the longest time that a suspicion may take, and nothing may have touched one of
them, or a link between them, in that time."""

from __future__ import annotations

from shaketable.harness.checks.groups.reading import told
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import Leaving, ProbeFailed, ReadmissionAsked


class WithoutCause:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._away = told(history, Leaving, ReadmissionAsked)

    def judge(self) -> None:
        for record in self._history.of(ProbeFailed):
            if record.time > self._history.end:
                continue
            mine, peer = (self._history.by_uuid.get(uuid) for uuid in (record.incarnation, record.event.peer.uuid))
            begin = record.time - self._all.bounds_of(record.node).group.suspicion
            if mine is not None and peer is not None and self._were_well(mine, peer, begin, record.time):
                self._accuse(record, peer, begin)

    def _were_well(self, mine: Process, peer: Process, begin: Micros, end: Micros) -> bool:
        if not all(self._was_there(process, begin, end) for process in (mine, peer)):
            return False
        nodes = mine.node, peer.node
        return not self._all.touched(begin, end, nodes=nodes, links=both_ways(*nodes))

    def _was_there(self, process: Process, begin: Micros, end: Micros) -> bool:
        """In some view from the begin, and neither gone nor on its way out; and its clock is its own."""
        if not process.installs or process.installs[0].record.time > begin:
            return False
        if process.ended is not None and process.ended.time <= end:
            return False
        if self._all.stopped(process.node, begin, end):
            return False
        away = self._away.get(process.uuid, ())
        return not any(each.time <= end and (each.time >= begin or isinstance(each.event, Leaving)) for each in away)

    def _accuse(self, record: Record[ProbeFailed], peer: Process, begin: Micros) -> None:
        late = self._all.late_between
        excused = late(record.incarnation, begin, record.time) or late(peer.uuid, begin, record.time)
        who = self._history.names.process(record.node, record.incarnation)
        said = f"{who} cannot reach {self._history.name(peer)} by a probe. Both were well, and so were the links "
        said += f"between them, for {rounded(record.time - begin)} before."
        self._all.accuse(said, [record], late=excused)
