"""The right members leave after a partial disconnection (text 2.5).

Each decision is judged three times:

- By its own event (own_words.py). Only reports that the master had for the whole wait count.
- By the true link graph, where no break changed (true_graph.py). "Could be reached" means for the last 2H and the grace
  of a lost link. Two members that suspect each other since a break count as broken, healed or not.
- By the later links to removed members (removed_links.py). If the run ends while one is up, the result is pending.

The solver (fewest_leave.py) shares no code with the node's, and says if a question is too much for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.clique.decisions import Decided, decisions
from shaketable.harness.checks.clique.fewest_leave import TooMuchWork
from shaketable.harness.checks.clique.own_words import Wrong, is_best, wrong_with
from shaketable.harness.checks.clique.removed_links import RemovedLinks
from shaketable.harness.checks.clique.true_graph import TrueGraph
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.events import (
    DisconnectionResolved,
    LinkClosed,
    LinkDown,
    MemberRemoved,
    Suspected,
    SuspicionsReported,
    ViewInstalled,
)

NAME: Final = "best clique"
RULE: Final = (
    "The members that a decision removes are an independent solver's answer to its reports and to the true link graph."
    " All go by one new list, none of them could be reached by all who stay, and no link to them stays up."
)
NEEDS: Final = (
    DisconnectionResolved,
    LinkClosed,
    LinkDown,
    MemberRemoved,
    Suspected,
    SuspicionsReported,
    ViewInstalled,
)
MOST_NOTES: Final = 10


def check(history: History, bounds: Bounds) -> CheckResult:
    judge = _Judge(history, bounds)
    found = decisions(history)
    for decided in found:
        judge.judge(decided)
    return judge.result(len(found))


class _Judge:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self._history = history
        self._bounds = bounds
        self._findings = Findings(history)
        circumstances = Circumstances(history, bounds)
        self._graph = TrueGraph(history, circumstances)
        self._links = RemovedLinks(history, circumstances)
        self._judged = self._in_truth = self._pending = 0
        self._notes: list[str] = []

    def judge(self, decided: Decided) -> None:
        who, event = self._history.name(decided.process), decided.event
        about = f"{who}'s decision about v{event.version}"
        try:
            settings = self._history.settings_of(decided.process.node, self._bounds.settings)
            wrong = list(wrong_with(self._history, decided, settings))
        except TooMuchWork:
            self._notes.append(f"{about}: too much work to judge")
            return
        self._judged += 1
        if not wrong:  # else the rest follows from it
            wrong = [*self._against_the_truth(decided, about), *self._links_that_stay(decided)]
        for said, proof in wrong:
            self._findings.add(f"{who} {said}.", [decided.record, *proof])

    def _against_the_truth(self, decided: Decided, about: str) -> Iterator[Wrong]:
        names, event = self._history.names, decided.event
        if why := self._graph.blurred(decided):
            self._notes.append(f"{about} is judged by its reports alone: {why}")
            return
        if in_vain := self._graph.in_vain(decided):
            yield f"decides that {names.members(in_vain)} leave, and all who stay could talk to them", []
            return
        if why := self._graph.unclear(decided):
            self._notes.append(f"{about} is not compared with the best answer to the true graph: {why}")
            return
        try:
            answer = self._graph.answer(decided)
        except TooMuchWork:
            self._notes.append(f"{about} is not compared with the best answer to the true graph: too much work")
            return
        self._in_truth += 1
        if not is_best(self._history, decided, answer, self._graph.broken(decided)):
            leave, right = names.members(event.leave), names.members(answer)
            yield f"decides that {leave} leave {names.members(event.members)}, and in the true graph it is {right}", []

    def _links_that_stay(self, decided: Decided) -> Iterator[Wrong]:
        if self._history.system.keeps_links:
            return
        settle = self._bounds.settle()
        up, pending = self._links.judge(decided, settle)
        self._pending += pending
        for process, to, proof in up:
            link = f"{self._history.name(process)}'s link to {self._history.names.member(to)}"
            leave = self._history.names.members(decided.event.leave)
            yield f"decides that {leave} leave, and {rounded(settle)} later {link} is still up", [proof]

    def result(self, many: int) -> CheckResult:
        looked_at = f"{counted(self._judged, 'decision')}, {self._in_truth} of them by the true graph"
        if self._pending:
            looked_at += (
                f"; when the run ended {counted(self._pending, 'removal')} had links that were still to be hung up"
            )
        more = len(self._notes) - MOST_NOTES
        notes = self._notes if more <= 0 else [*self._notes[:MOST_NOTES], f"{more} more of these"]
        return self._findings.result(
            NAME,
            RULE,
            looked_at,
            self._judged,
            unknown=many > 0 and not self._judged,
            pending=self._pending,
            notes=notes,
        )
