"""Best clique: whoever the master removes for a partial disconnection had to go, and nobody else.

Of the text on partial member disconnection, "Deciding on a New Optimal Cluster Member List". Each decision is judged
from its own event: by its reports, which have to be what the master was told, the answer of a solver of its own
(fewest_leave.py) is that very one, and all who leave go by one new list."""

from __future__ import annotations

from typing import Final

from shaketable.harness.checks.bounds import Bounds
from shaketable.harness.checks.decisions import decisions
from shaketable.harness.checks.fewest_leave import TooMuchWork
from shaketable.harness.checks.own_words import wrong_with
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.recording.history import History

NAME: Final = "best clique"
RULE: Final = (
    "Who leaves by a decision is an independent solver's answer to its reports: the fewest, with more data members and "
    "then the oldest staying; they go by one new list, whose version rises by their number."
)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    judged = 0
    notes: list[str] = []
    for decided in decisions(history):
        who = history.name(decided.process)
        try:
            for said, proof in wrong_with(history, decided):
                findings.add(f"{who} {said}.", [decided.record, *proof])
            judged += 1
        except TooMuchWork:
            notes.append(f"{who}'s decision about v{decided.event.version} is too much work to judge")
    return findings.result(
        NAME, RULE, counted(judged, "decision"), judged, unknown=bool(notes) and not judged, notes=notes
    )
