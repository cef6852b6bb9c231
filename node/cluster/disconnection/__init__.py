"""Partial member disconnection: the master collects suspicions and decides who leaves.

From the text on partial member disconnection. Followers put their suspicions on their heartbeats to the master. When
the configured number of heartbeat rounds has passed since the last news of them (reports.py), the master takes all that
was reported and looks for the fewest members to remove (node/cluster/cliques). They go by one new list, whose version
rises by their number; or nobody goes, if meanwhile things have changed or the search has come to no end in time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from shaketable.node.cluster.cliques import WORK_PER_SECOND, Question, Resolution
from shaketable.node.cluster.disconnection.reports import Pair, Reports
from shaketable.node.cluster.service.detector import FailureDetector
from shaketable.node.cluster.service.updates import Updates
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import DisconnectionResolved, DisconnectionUnresolved, SuspicionsReported
from shaketable.node.messages import Member, MemberList, Uuid
from shaketable.node.why import Because, Why, because

AT_A_TIME: Final = WORK_PER_SECOND // 50
"""so much of a search is one step, a fiftieth of a second: heartbeats do not wait longer for it"""
PAUSE: Final[Micros] = MILLISECOND
"""between two of them the node sees to whatever else has come"""


@dataclass(slots=True)
class Search:
    """A decision under way: what it is about, and what was reported then and has not been taken back since."""

    view: MemberList
    asked: Reports
    reports: tuple[tuple[Member, tuple[Member, ...]], ...]
    pairs: tuple[Pair, ...]
    unsettled: tuple[tuple[Member, Member], ...]
    replicas: tuple[int, ...]
    """held by each in the list; empty where nobody holds any"""
    resolution: Resolution
    due: Micros
    """when it goes on"""


class CountsReplicas(Protocol):
    def replicas_of(self, uuid: Uuid) -> int:
        """So many replicas of partitions this member holds."""


class PartialDisconnection:
    def __init__(
        self, membership: Membership, *, detector: FailureDetector, updates: Updates, partitions: CountsReplicas
    ) -> None:
        settings = membership.settings
        self._membership = membership
        self._detector = detector
        self._updates = updates
        self._partitions = partitions
        self._wait = settings.partial_disconnection_wait
        self._budget = settings.partial_disconnection_algorithm_timeout * WORK_PER_SECOND // SECOND
        self._reports = Reports()
        self._search: Search | None = None
        self._patience = 2 * settings.heartbeat_interval
        self._due_since: Micros | None = None
        self._hopeless: tuple[MemberList, tuple[Pair, ...]] | None = None
        """the last question that was too much work: asked again it would be too much again"""

    def reported(self, reporter: Member, suspected: Sequence[Member]) -> None:
        """With a heartbeat of a follower: all whom it suspects now."""
        if not self._wait or not (suspected or self._reports.broken or self._search is not None):
            return
        ms = self._membership
        if not ms.leads or reporter.uuid == ms.me.uuid:
            return
        known = {m.uuid: ms.known[m.uuid] for m in suspected if ms.is_member(m)}
        if ms.me.uuid in known:
            return  # a member that suspects its master is about to go its own way
        known.pop(reporter.uuid, None)
        now = ms.env.now()
        if self._search is not None:
            self._search.asked.update(reporter.uuid, known, now)
        if self._reports.update(reporter.uuid, known, now):
            ms.env.report(SuspicionsReported(reporter, tuple(known.values())))

    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        for member in removed:
            self._reports.forget(member.uuid)

    def check(self, lateness: Micros) -> None:
        """At the end of a heartbeat round."""
        if not self._reports.broken:
            return
        ms = self._membership
        now = ms.env.now()
        if not ms.leads:
            self._reports = Reports()
        elif lateness > self._wait // 2:
            self._reports.wait_afresh(now)  # I slept: what followers took back meanwhile may not have been read yet
        elif self._search is None and self._due(now):
            self._begin()

    def _due(self, now: Micros) -> bool:
        """Not while I do not hear somebody in a broken pair: perhaps that one is ill, and would cost another its place.
        It will be heard again, or removed for its silence within a timeout; longer than that nobody is waited for."""
        if not self._reports.due(now, self._wait):
            self._due_since = None
            return False
        if self._due_since is None:
            self._due_since = now
        if now - self._due_since >= self._membership.settings.heartbeat_timeout:
            return True
        ends = (uuid for pair in self._reports.broken for uuid in pair)
        heard = all(now - self._detector.silent_since(uuid) <= self._patience for uuid in ends)
        return heard and self._reports.believable(self._patience)

    def _begin(self) -> None:
        ms = self._membership
        now, view, taken, self._reports, self._due_since = ms.env.now(), ms.view, self._reports, Reports(), None
        pairs = tuple(sorted(taken.settled(now, self._wait)))
        if self._hopeless == (view, pairs):
            ms.env.report(DisconnectionUnresolved(view.version, True, 0, *because(Why.TOO_MUCH_BEFORE)))
            return
        reports = tuple(
            (ms.known[reporter], tuple(ms.known[uuid] for uuid in suspected))
            for reporter, suspected in taken.suspected().items()
        )
        settled = frozenset(pairs)
        unsettled = tuple((ms.known[a], ms.known[b]) for a, b in taken.broken if (a, b) not in settled)
        lite = [m.uuid for m in view.members if m.lite]
        held = {m.uuid: self._partitions.replicas_of(m.uuid) for m in view.members}
        question = Question([m.uuid for m in view.members], pairs, lite, held)
        replicas = tuple(held.values()) if any(held.values()) else ()
        self._search = Search(view, taken, reports, pairs, unsettled, replicas, Resolution(question, self._budget), now)
        self._go_on()

    def _go_on(self) -> None:
        search, env = self._search, self._membership.env
        assert search is not None, "a search goes on until it ends"
        slept = env.now() - search.due > self._wait // 2
        if not slept and search.resolution.step(AT_A_TIME):
            search.due = env.now() + PAUSE
            env.call_later(PAUSE, self._go_on)
            return
        self._search = None
        decision = search.resolution.decision
        if slept:
            self._in_vain(search, False, because(Why.SLEPT))
            return
        if decision is None:
            self._hopeless = search.view, search.pairs
            reason = because(Why.TOO_MUCH_WORK, len(search.pairs), len(search.view.members))
            self._in_vain(search, True, reason)
            return
        if changed := self._changed(search):
            self._in_vain(search, False, changed)
            return
        view, leaving, work = search.view, frozenset(decision.leave), search.resolution.work
        leave = tuple([m for m in view.members if m.uuid in leaving])
        told = search.reports, search.unsettled
        env.report(DisconnectionResolved(view.version, view.members, *told, leave, work, search.replicas))
        self._updates.remove(leave, because(Why.DISCONNECTED))

    def _in_vain(self, search: Search, timed_out: bool, reason: Because) -> None:
        """The collector starts afresh: what holds is told again with the next heartbeats."""
        self._reports = Reports()
        version, work = search.view.version, search.resolution.work
        self._membership.env.report(DisconnectionUnresolved(version, timed_out, work, *reason))

    def _changed(self, search: Search) -> Because | None:
        """What makes the decision void, None if nothing does."""
        ms = self._membership
        if not ms.leads:
            return because(Why.LEADS_NO_MORE)
        cut_off = {uuid: True for pair in search.pairs for uuid in pair}
        gone = [m for m in search.view.members if m.uuid in cut_off and not ms.is_member(m)]
        if gone:
            return because(Why.GONE_BY_ITSELF, gone[0].address)
        still = search.asked.broken
        return None if all(pair in still for pair in search.pairs) else because(Why.PAIRS_MENDED)
