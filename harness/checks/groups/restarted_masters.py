"""Of the check "leadership agrees": a master that is started again leads no more, and that is missed at once.

Its next incarnation asks all addresses of the discovery list for a master. A member that still follows the one before
learns so that it is gone: it doubts it, or reports it to the member that is to decide (text 5.2.4). It is judged where
nothing but the crash and the start befell that address, the member, or a link between them."""

from __future__ import annotations

from collections.abc import Iterator

from shaketable.harness.checks.groups.reading import UNDER_WAY, speaks_of, told
from shaketable.harness.checks.groups.rest import installed
from shaketable.harness.checks.groups.steady import Steady
from shaketable.harness.checks.shared.circumstances import Circumstances, both_ways
from shaketable.harness.faults.node_kinds import KILL, RESTART
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import AddressesConfigured, Record, tells
from shaketable.node.config import BY_THE_RUN, WATCHDOG
from shaketable.node.core.env import Micros
from shaketable.node.events import Started, Suspected, SuspectReported, SuspicionEnded
from shaketable.node.messages import Member, Uuid


class RestartedMasters:
    def __init__(self, history: History, circumstances: Circumstances) -> None:
        self._history = history
        self._all = circumstances
        self._steady = Steady(circumstances)
        self._missed = told(history, Suspected, SuspectReported)
        self._trusted = told(history, SuspicionEnded)
        self._knows = {record.event.peer: record.event.knows for record in history.of(AddressesConfigured)}
        """the members that each asks when it starts; without this all"""

    def judge(self) -> None:
        for record in self._history.of(Started):
            anew = self._history.by_uuid.get(record.incarnation)
            if record.time > self._history.end or anew is None:
                continue
            own = self._all.settings_of(record.node)
            if own.discovery_uri_list != BY_THE_RUN or own.gms_member_type == WATCHDOG:
                continue
            for former in self._history.processes.values():
                if former.node == record.node and former.ended is not None and former.ended.time <= record.time:
                    for follower in self._followers(former, record.time):
                        self._judge(record, anew, former, follower)

    def _followers(self, former: Process, time: Micros) -> Iterator[Process]:
        for each in self._history.processes.values():
            view = installed(each, time)
            if each is former or view is None or former.member not in view.view.members:
                continue
            if each.node not in self._knows.get(former.node, (each.node,)):
                continue
            if self._steady.master_of(each.uuid, time)[0] == former.uuid:
                yield each

    def _judge(self, record: Record, anew: Process, former: Process, follower: Process) -> None:
        own = self._all.bounds_of(follower.node)
        due = record.time + own.settings.discovery_retry + 2 * UNDER_WAY + own.allowance
        if due > self._history.end or (anew.ended is not None and anew.ended.time <= due):
            return
        if not self._steady.goes_on(follower, record.time, due) or self._is_shaken(record, follower, due):
            return
        assert former.member is not None
        if self._has_missed(follower.uuid, former.member, record.time - own.group.unheard_master, due):
            return
        late = any(self._all.late_between(each.uuid, record.time, due) for each in (anew, follower))
        who, whom = self._history.name(follower), self._history.name(former)
        said = f"{who} follows {whom}, and does not miss it {rounded(due - record.time)} after that was started again."
        self._all.accuse(said, [record], late=late)

    def _is_shaken(self, record: Record, follower: Process, due: Micros) -> bool:
        begin, links = record.time - UNDER_WAY, both_ways(record.node, follower.node)
        return self._all.shaken(record.node, begin, due, but=(KILL, RESTART)) or self._all.touched(
            begin, due, nodes=(follower.node,), links=links
        )

    def _has_missed(self, who: Uuid, whom: Member, begin: Micros, due: Micros) -> bool:
        """Or another member has reached it before, and so it asks that one again. A doubt of long ago may go on."""
        if any(each.event.peer == whom for each in self._trusted.get(who, ())):
            return True
        missed = self._missed.get(who, ())
        if any(tells(each, Suspected) and each.event.peer == whom and each.time <= due for each in missed):
            return True
        return speaks_of(missed, whom, begin, due)
