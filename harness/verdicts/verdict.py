"""What a run proved: one model, from which every report is made, and its rules.

Failed is stronger than unknown, unknown stronger than passed: for the reasons within a run, and for the runs of a
session. Nothing is believed that was not observed, so whatever is missing makes a run unknown, never passed."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.checks.result import BROKEN, UNKNOWN, CheckResult, Proof
from shaketable.harness.folders import here
from shaketable.harness.history.crash_points import CrashPoint, visited
from shaketable.harness.history.history import History
from shaketable.harness.history.story import Moment, story_of
from shaketable.harness.records import (
    OURS,
    Ending,
    Expected,
    FabricTrouble,
    FaultEnded,
    FaultTook,
    FaultWithoutEffect,
    NodeEnded,
    NotUnderstood,
    Record,
    RunBegan,
    UnderTest,
    option_for,
)
from shaketable.harness.verdicts.of_checks import check_reasons
from shaketable.harness.verdicts.reasons import FAILED, Reason, each_once, reasons_of
from shaketable.harness.verdicts.subject import ScriptSubject
from shaketable.node import events as e
from shaketable.node.core.env import Micros

if TYPE_CHECKING:
    from shaketable.node.config import Settings

SCHEMA: Final = 1
"""Of verdict.json and report.json; a field that is added does not raise it."""

MOST_EXPECTATIONS: Final = 200
MOST_EXPLAINED: Final = 3
"""violations of a check"""

PASSED: Final = "passed"
UNKNOWN_OUTCOME: Final = UNKNOWN
EXIT_CODES: Final = {PASSED: 0, FAILED: 1, UNKNOWN_OUTCOME: 2}
USUAL_PRESET: Final = {"sim": "default", "real": "fast"}


class FaultReceipt(msgspec.Struct, frozen=True):
    """What became of one fault: asked, took effect and how we know, ended and how we know."""

    number: int
    what: str
    asked: Micros
    took: Micros | None
    how: str
    ended: Micros | None
    ended_how: str
    lasts: bool
    without_effect: str


class Expectation(msgspec.Struct, frozen=True):
    what: str
    within: Micros
    held: bool
    reason: str
    at: Micros
    """the first time"""
    times: int = 1

    @property
    def as_often(self) -> str:
        """For the end of a sentence: " (3 times)"."""
        return f" ({self.times:,} times)" if self.times > 1 else ""


class RunVerdict(msgspec.Struct, frozen=True):
    schema: int
    script: str
    title: str
    file: str
    world: str
    fabric: str
    """through what the links passed"""
    seed: int
    preset: str
    outcome: str
    """ "passed", "failed" or "unknown" """
    reasons: tuple[Reason, ...]
    """why it has not passed"""
    about: tuple[str, ...]
    expects_violation: str | None
    checks: tuple[CheckResult, ...]
    faults: tuple[FaultReceipt, ...]
    expectations: tuple[Expectation, ...]
    counts: dict[str, int]
    duration: Micros
    """of the script, in the world's own time"""
    history_hash: str
    again: str
    """the command that runs it again"""
    story: tuple[Moment, ...]
    directory: str = ""
    """where its history is kept, if it is"""
    broken_too: tuple[str, ...] = ()
    crash_points: tuple[CrashPoint, ...] = ()
    """of a migration: who was killed while it was held at which phase"""
    allowance: Micros = 0
    """what the world adds to each bound"""
    more_expectations: int = 0
    """beyond those that are listed"""
    other: UnderTest | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="system")
    """a system that is not ours: its name, version and title"""

    @property
    def system(self) -> UnderTest:
        return self.other or OURS

    def is_to_break(self, check: str) -> bool:
        return check == self.expects_violation or check in self.broken_too


class LeftOut(msgspec.Struct, frozen=True):
    """A script that was named and cannot be run in this world. Leaving it out is no trouble, but is said."""

    script: str
    title: str
    why: str


class SessionVerdict(msgspec.Struct, frozen=True):
    schema: int
    shaketable: str
    """the version that judged"""
    outcome: str
    history_hash: str
    """of all the runs' hashes, in their order"""
    runs: tuple[RunVerdict, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.outcome]


def merged(outcomes: Iterable[str]) -> str:
    """The worst of these; nothing at all is unknown."""
    return max(outcomes, key=(PASSED, UNKNOWN_OUTCOME, FAILED).index, default=UNKNOWN_OUTCOME)


def judge(
    records: Sequence[Record], subject: ScriptSubject, settings: Settings, allowance: Micros, *, story: bool = True
) -> RunVerdict:
    """`story` can be left out where nobody reads it: a campaign of thousands of runs that pass."""
    return judge_history(History(records), subject, settings, allowance, story=story)


def judge_history(
    history: History,
    subject: ScriptSubject,
    settings: Settings,
    allowance: Micros,
    *,
    story: bool = True,
    story_of_passed: bool = True,
) -> RunVerdict:
    """For a caller that reads it besides. To tell the story of a run takes a fifth of the time: many are spared that if
    they passed."""
    # A caller that only reads a verdict needs no check.
    from shaketable.harness.bounds.cluster import Bounds
    from shaketable.harness.checks.registry import run_checks
    from shaketable.harness.verdicts.busy import unless_late

    began = next((record.event for record in history.of(RunBegan)), _NEVER_BEGAN)
    checks = run_checks(history, Bounds(settings, allowance))
    others = tuple(reasons_of(history))
    never_ran = any(record.event.why is Ending.NEVER_RAN for record in history.of(NodeEnded))
    astray = never_ran or any(reason.about in ("fault", "links") for reason in others)
    of_checks = tuple(check_reasons(checks, subject, astray))
    if never_ran:  # that there was nothing to judge is no wonder
        of_checks = _of_broken(of_checks, checks)
    reasons = (*of_checks, *(_unless_astray(reason, astray) for reason in others))
    if _proves_nothing(history):
        reasons = tuple(_not_to_blame(reason) for reason in reasons)
    if reasons and began.world != "sim":  # virtual time waits for the machine
        reasons = unless_late(reasons, history, settings, allowance)
    reasons = tuple(each_once(sorted(reasons, key=_weight)))
    outcome = merged([PASSED, *(reason.outcome for reason in reasons)])
    told = story and (story_of_passed or outcome != PASSED)
    if story and any(result.violations for result in checks):
        checks = tuple(_explained(checks, history))
    expectations = tuple(_expectations(history))
    return RunVerdict(
        schema=SCHEMA,
        script=subject.name,
        title=subject.title,
        file=shown_file(subject.file),
        world=began.world,
        fabric=began.fabric,
        seed=began.seed,
        preset=began.preset,
        outcome=outcome,
        reasons=reasons,
        about=subject.about,
        expects_violation=subject.expects_violation,
        broken_too=subject.broken_too,
        checks=checks,
        faults=tuple(_receipts(history)),
        expectations=expectations[:MOST_EXPECTATIONS],
        more_expectations=sum(each.times for each in expectations[MOST_EXPECTATIONS:]),
        counts=_counts(history),
        duration=history.end,
        history_hash=history.hash,
        again=again(subject, began.world, began.seed, began.preset, began.system),
        story=story_of(history) if told else (),
        crash_points=visited(history),
        allowance=allowance,
        other=named(began.system),
    )


def named(system: UnderTest) -> UnderTest | msgspec.UnsetType:
    """The history has what it tells and promises."""
    if system.is_ours:
        return msgspec.UNSET
    return UnderTest(name=system.name, version=system.version, title=system.title)


def _explained(checks: Iterable[CheckResult], history: History) -> Iterator[CheckResult]:
    """With the chain of causes of its first violations."""
    from shaketable.harness.causes.chain import violation_text
    from shaketable.harness.causes.grounds import Grounds

    grounds = Grounds(history)
    for result in checks:
        told = [
            msgspec.structs.replace(violation, why=tuple(violation_text(grounds, violation)))
            for violation in result.violations[:MOST_EXPLAINED]
        ]
        rest = result.violations[MOST_EXPLAINED:]
        yield msgspec.structs.replace(result, violations=(*told, *rest)) if told else result


def _of_broken(reasons: Iterable[Reason], checks: Iterable[CheckResult]) -> tuple[Reason, ...]:
    broken = {result.name for result in checks if result.status == BROKEN}
    return tuple(reason for reason in reasons if reason.check in broken or not reason.check)


def _unless_astray(reason: Reason, astray: bool) -> Reason:
    """Where a fault took no effect, a process never ran, or the links failed by themselves, what did not come true
    proves nothing."""
    if astray and reason.outcome == FAILED and reason.about == "expectation":
        return msgspec.structs.replace(reason, outcome=UNKNOWN_OUTCOME)
    return reason


def _proves_nothing(history: History) -> bool:
    """Somebody else has changed the links; or a part of what was told could not be read, so what the rest seems to say
    may not be so."""
    return bool(history.of(NotUnderstood)) or any(r.event.by_others for r in history.of(FabricTrouble))


def _not_to_blame(reason: Reason) -> Reason:
    """Where what was seen proves nothing; but a node that fails does so by itself."""
    if reason.outcome == FAILED and reason.about in ("check", "expectation"):
        return msgspec.structs.replace(reason, outcome=UNKNOWN_OUTCOME)
    return reason


def _weight(reason: Reason) -> tuple[bool, bool, bool]:
    """The worst first; and of what is unknown first a script that could not be run, and then what mostly explains the
    rest: links that failed or were changed, a machine that was too busy, and what nobody understood."""
    return reason.outcome != FAILED, reason.about != "script", reason.about not in ("links", "machine", "system")


def session_of(runs: Iterable[RunVerdict], version: str, left_out: Iterable[LeftOut] = ()) -> SessionVerdict:
    runs = tuple(runs)
    together = "".join(f"{run.script} {run.world} {run.seed} {run.history_hash}\n" for run in runs)
    combined = hashlib.sha256(together.encode()).hexdigest()
    return SessionVerdict(SCHEMA, version, merged(run.outcome for run in runs), combined, runs, tuple(left_out))


def again(subject: ScriptSubject, world: str, seed: int, preset: str, system: UnderTest = OURS) -> str:
    target = subject.target or shlex.quote(f"{shown_file(subject.file)}::{subject.name}")
    command = f"shaketable run {target} --world {world} --seed {seed}"
    if not system.is_ours:
        command += f" {shlex.join(option_for(system.asked))}"
    return command if preset == USUAL_PRESET.get(world, preset) else f"{command} --preset {shlex.quote(preset)}"


def _receipts(history: History) -> Iterable[FaultReceipt]:
    names = history.names
    for number, facts in history.faults.items():
        asked = facts.asked.event
        took = facts.took.event if facts.took is not None else None
        ended = facts.ended.event if facts.ended is not None else None
        refused = facts.without_effect.event if facts.without_effect is not None else None
        detail = f" ({asked.detail})" if asked.detail else ""
        yield FaultReceipt(
            number=number,
            what=names.spoken(" ".join((asked.verb, *asked.nodes, *asked.links)) + detail),
            asked=facts.asked.time,
            took=facts.took.time if facts.took is not None else None,
            how=took.how if isinstance(took, FaultTook) else "",
            ended=facts.ended.time if facts.ended is not None else None,
            ended_how=ended.how if isinstance(ended, FaultEnded) else "",
            lasts=asked.lasts,
            without_effect=refused.reason if isinstance(refused, FaultWithoutEffect) else "",
        )


def _expectations(history: History) -> Iterable[Expectation]:
    """Equal ones once; those that were not met are the first to be told."""
    spoken = history.names.spoken
    each: dict[Expected, tuple[Micros, int]] = {}
    for record in history.of(Expected):
        first, times = each.get(record.event, (record.time, 0))
        each[record.event] = first, times + 1
    listed = sorted(each.items(), key=lambda one: one[0].held) if len(each) > MOST_EXPECTATIONS else each.items()
    for event, (at, times) in listed:
        yield Expectation(spoken(event.what), event.within, event.held, spoken(event.reason), at, times)


def _counts(history: History) -> dict[str, int]:
    nodes = {process.node: None for process in history.processes.values()}
    return {
        "events": len(history.records),
        "nodes": len(nodes),
        "processes": len(history.processes),
        "installs": len(history.of(e.ViewInstalled)),
        "published lists": len(history.of(e.ViewPublished)),
        "ignored lists": len(history.of(e.ViewIgnored)),
        "suspicions": len(history.of(e.Suspected)),
        "claims": len(history.of(e.ClaimStarted)),
        "faults": len(history.faults),
    }


def shown_file(file: str) -> str:
    """From here, if it lies below here."""
    return file.removeprefix(f"{here()}{os.sep}")


_NEVER_BEGAN: Final = RunBegan("", "", "", 0, "", {})

__all__ = ["Proof", "Reason", "RunVerdict", "ScriptSubject", "SessionVerdict", "again", "judge", "merged", "session_of"]
