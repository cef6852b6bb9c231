"""When a master looks for other parts of its cluster, and what stands against going over to one.

From the text on split-brain recovery and rulings 4.1: the first run comes when the node has run for a while, the next
ones at intervals, never two at once. Not now: while a join, a claim, a migration or a merge is under way, or when the
list has changed since it was compared."""

from __future__ import annotations

from typing import NamedTuple

from shaketable.node.cluster.service.views import Membership
from shaketable.node.cluster.splitbrain.decision import MERGE, best, decide
from shaketable.node.cluster.splitbrain.expecting import Expecting
from shaketable.node.cluster.splitbrain.keeping import kept
from shaketable.node.cluster.splitbrain.merge import Merge
from shaketable.node.cluster.splitbrain.obstacles import Obstacles
from shaketable.node.cluster.splitbrain.search import Search
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import MergeJudged, MergePutOff
from shaketable.node.messages import MemberList, MergeValidationAnswer
from shaketable.node.why import Why, because


class Runs(NamedTuple):
    """By the node's clock, through all its identities."""

    first: Micros
    """no run is earlier"""
    next: Micros

    @classmethod
    def of_a_start(cls, now: Micros, settings: Settings) -> Runs:
        return cls(now + settings.merge_first_run_delay, now + settings.merge_first_run_delay)


class Handler:
    runs: Runs
    """given when it begins, and handed on when this identity ends, with or without merging"""

    def __init__(
        self,
        membership: Membership,
        *,
        search: Search,
        merge: Merge,
        obstacles: Obstacles,
        expecting: Expecting,
    ) -> None:
        self._membership = membership
        self._env = membership.env
        self._search = search
        self._merge = merge
        self._obstacles = obstacles
        self._expecting = expecting
        self._due: Timer | None = None
        self._compared: MemberList = membership.view
        self._asked_at: Micros = 0

    def start(self, runs: Runs) -> None:
        self.runs = runs
        if self._membership.settings.merging:
            self._run_at(runs.next)

    @property
    def is_busy(self) -> bool:
        """A search or a merge of mine is under way."""
        return self._search.under_way or self._merge.under_way

    def run_soon(self, not_before: Micros = 0) -> None:
        """Somebody to whom I have to go over has asked me. A step later, for it is to be answered first."""
        self._run_at(max(self._env.now(), self.runs.first, not_before))

    def wait_until(self, time: Micros, *, gave_up: bool) -> None:
        """Until then I go nowhere. A run that I gave up for it, or that is due meanwhile, comes then, and not an
        interval later."""
        if gave_up or self.runs.next < time:
            self._run_at(time)

    def _run_at(self, time: Micros) -> None:
        if self._due is not None:
            self._due.cancel()
        self.runs = Runs(self.runs.first, time)
        self._due = self._env.call_later(max(0, time - self._env.now()), self._run)

    def _run(self) -> None:
        self._run_at(self._env.now() + self._membership.settings.merge_next_run_delay)
        if self.is_busy or self._obstacles.why_not():
            return
        self._compared, self._asked_at = self._membership.view, self._env.now()
        self._search.begin(self.searched)

    def searched(self, answers: list[MergeValidationAnswer]) -> None:
        ms = self._membership
        targets = []
        for answer in answers if ms.leads else ():
            assert answer.view is not None, "an answer without a list is none to judge"
            decision, reason = decide(ms.view, answer.view)
            self._env.report(MergeJudged(answer.sender, decision, *reason))
            if decision == MERGE and self._expecting.may_come(answer.view):
                self._env.report(MergePutOff(answer.sender, *because(Why.THEY_COME)))
            elif decision == MERGE:
                targets.append((answer.sender, answer.view))
        if not targets:
            return
        into, _ = best(targets)
        if ms.view != self._compared:
            self._env.report(MergePutOff(into, *because(Why.LIST_CHANGED_SINCE_ASKED)))
        else:
            # At least so long the target keeps itself for us (see `Expecting`).
            self._merge.begin(into, self._asked_at + kept(ms.settings))
