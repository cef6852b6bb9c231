"""How a run of a plan failed, and whether another plan fails in the same way.

It is not enough that the other plan fails at all: shrinking would end with another failure than the one found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import CHECK_NAMES, NEEDS_THE_FAULTS, run_checks
from shaketable.harness.checks.result import BROKEN
from shaketable.harness.history.history import History
from shaketable.harness.nemesis.plan import Plan, from_json
from shaketable.harness.nemesis.playing import left_out_in, play
from shaketable.harness.records import PlanPlayed, Record
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.verdicts.reasons import FAILED, reasons_of
from shaketable.harness.verdicts.verdict import RunVerdict

ALIKE: Final = 0.5
"""of two sentences, so much of the longer and the shorter one"""


@dataclass(frozen=True, slots=True)
class Failure:
    check: str
    """its name; "" if no check is broken: something that was expected did not come true, or a node failed"""
    said: str
    """in which words"""
    about: str = "check"
    """or "expectation", or "node" """

    @property
    def words(self) -> str:
        if self.check:
            return self.check
        return "a node fails" if self.about == "node" else "what is expected in the end does not come true"

    def is_like(self, said: str) -> bool:
        """One check says more than one thing; nodes, numbers and values may differ, and how many of them there are.

        Both sentences are of this version, told within one command: to put one better changes both. Their proofs would
        not do: two faults of one check may be proven by events of the same kinds, and one fault by others."""
        own, other = _bare(self.said), _bare(said)
        return SequenceMatcher(None, own, other, autojunk=False).ratio() >= ALIKE


def _bare(said: str) -> list[str]:
    """Its words without any names and numbers."""
    return [word for word in re.findall(r"[^\s,;:.()\[\]]+", said) if word.isalpha()]


def failures_in(verdict: RunVerdict) -> list[Failure]:
    """The worst first, as the verdict has them; a broken check tells more than an expectation."""
    broken = [check for check in verdict.checks if check.status == BROKEN and not verdict.is_to_break(check.name)]
    told = [reason.check for reason in verdict.reasons if reason.outcome == FAILED]
    checks = [Failure(check.name, check.violations[0].sentence) for check in broken if check.name in told]
    others = [Failure("", r.text, r.about) for r in verdict.reasons if r.outcome == FAILED and r.about != "check"]
    return [*checks, *others]


def plan_in(records: Iterable[Record]) -> Plan | None:
    """The plan that a run has played, if it played one."""
    return next((from_json(r.event.plan) for r in records if isinstance(r.event, PlanPlayed)), None)


def script_of(plan: Plan, like: Script) -> Script:
    """One that plays this plan, and is like another one in all else."""

    async def body(cluster: object) -> None:
        await play(cluster, plan)  # type: ignore[arg-type]

    return replace(like, body=body)


@dataclass(frozen=True, slots=True)
class Played:
    failed: bool
    """in the way that is asked about"""
    left_out: tuple[int, ...] = ()


class Oracle:
    """Plays plans in the simulator, by one seed, and says whether they fail in one way."""

    def __init__(self, script: Script, options: Options, failure: Failure) -> None:
        self._script = script
        self._options = options
        self._failure = failure
        self.runs = 0

    def ask(self, plan: Plan) -> Played:
        self.runs += 1
        finished = run_simulated(script_of(plan, self._script), self._options)
        return Played(fails_so(finished, self._failure), tuple(left_out_in(finished.records)))


def fails_so(finished: Finished, failure: Failure) -> bool:
    """As the verdict has it, and with that one check alone: most of a verdict's time goes to the others."""
    history = History(finished.records)
    reasons = list(reasons_of(history))
    astray = any(reason.about in ("fault", "links") for reason in reasons)
    if not failure.check:
        told = [r for r in reasons if r.outcome == FAILED and r.about == failure.about]
        return any(failure.is_like(r.text) for r in told) and not (astray and failure.about == "expectation")
    if astray and (failure.check in NEEDS_THE_FAULTS or failure.check not in CHECK_NAMES):
        return False
    (result,) = run_checks(history, Bounds(finished.settings, finished.allowance), [failure.check])
    return any(failure.is_like(violation.sentence) for violation in result.violations)
