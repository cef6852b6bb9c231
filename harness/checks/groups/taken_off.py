"""Of the check "shutdown is no failure": a member that shuts down is soon taken off the view.

It asks its master for that, and asks again until it is told (rulings 5.9, S7). If it were not, it would stop all the
same when its patience ends, and be in the view until then. It is judged where both were well, and the links between
them too, and the master went on to lead. A member that is off the view stops at once. A master that shuts down is
followed by another one (handed_over.py)."""

from __future__ import annotations

from shaketable.harness.checks.groups.own_links import OwnLinks
from shaketable.harness.checks.groups.reading import FAILURE, SHUTDOWN, UNDER_WAY
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.faults.node_kinds import LEAVE
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.config import NO_UDP
from shaketable.node.core.env import Micros
from shaketable.node.events import Leaving, NotificationPublished, Stopped
from shaketable.node.messages import Uuid


class TakenOff:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._links = OwnLinks(history)
        self._stopped = {record.incarnation: record.time for record in history.of(Stopped)}
        self._ends: dict[tuple[Uuid, Uuid], list[Micros]] = {}
        """by a master and the member of whose end it has told"""
        for record in history.of(NotificationPublished):
            if record.event.change in (FAILURE, SHUTDOWN) and record.event.peer is not None:
                self._ends.setdefault((record.incarnation, record.event.peer.uuid), []).append(record.time)

    def judge(self) -> None:
        for record in self._history.of(Leaving):
            leaver = self._history.by_uuid.get(record.incarnation)
            follows, since = self._steady.master_of(record.incarnation, record.time)
            master = self._history.by_uuid.get(follows)
            if leaver is not None and master is not None and master is not leaver and record.time <= self._history.end:
                self._judge(record, leaver, master, since)
        for told in self._history.of(NotificationPublished):
            if told.event.change == SHUTDOWN and told.event.peer is not None and told.time <= self._history.end:
                self._judge_stop(told, told.event.peer.uuid)

    def _judge_stop(self, told: Record[NotificationPublished], uuid: Uuid) -> None:
        leaver, master = self._history.by_uuid.get(uuid), self._history.by_uuid.get(told.incarnation)
        if leaver is None or master is None or leaver is master or not self._steady.leaves(leaver, told.time):
            return
        own = self._all.bounds_of(leaver.node)
        begin, due = told.time - UNDER_WAY, told.time + own.settings.discovery_retry + UNDER_WAY + own.allowance
        if due > self._history.end or self._stopped.get(uuid, due + 1) <= due:
            return
        if leaver.ended is not None and leaver.ended.time <= due:
            return
        follows, since = self._steady.master_of(uuid, told.time)
        if follows != master.uuid or since > begin or self._are_shaken(leaver, master, begin, due):
            return
        if own.settings.gms_udp != NO_UDP or self._all.settings_of(master.node).gms_udp != NO_UDP:
            return
        late = any(self._all.late_between(each.uuid, begin, due) for each in (leaver, master))
        said = f"{self._history.name(leaver)} shuts down, and goes on for {rounded(due - told.time)} after "
        self._all.accuse(f"{said}{self._history.name(master)} has taken it off its view.", [told], late=late)

    def _judge(self, record: Record, leaver: Process, master: Process, since: Micros) -> None:
        own = self._all.bounds_of(leaver.node)
        begin, due = record.time - UNDER_WAY, record.time + own.settings.discovery_retry + UNDER_WAY + own.allowance
        if due > self._history.end or since > begin or not self._steady.goes_on(master, begin, due):
            return
        if any(time <= due for time in self._ends.get((master.uuid, leaver.uuid), ())):
            return
        view = installed(master, begin)
        if self._steady.master_of(master.uuid, begin)[0] != master.uuid or view is None:
            return
        if leaver.member not in view.view.members or self._are_shaken(leaver, master, begin, due):
            return
        if any(begin < each.time <= due for each in self._steady.changes(leaver.uuid, due)):
            return
        late = any(self._all.late_between(each.uuid, begin, due) for each in (leaver, master))
        said = f"{self._history.name(leaver)} shuts down, and {self._history.name(master)} does not take it off its "
        self._all.accuse(f"{said}view within {rounded(due - record.time)}.", [record], late=late)

    def _are_shaken(self, leaver: Process, master: Process, begin: Micros, due: Micros) -> bool:
        assert master.member is not None
        if self._all.shaken(leaver.node, begin, due, but=(LEAVE,)):
            return True
        if not self._links.held(leaver.uuid, master.member.address, begin, due):
            return True
        links = both_ways(leaver.node, master.node)
        if self._all.shifted(due, links=links):
            return True
        return self._all.touched(begin, due, nodes=(master.node,), links=links)
