"""What a script with a legacy fault and its twin without one have to show."""

from __future__ import annotations

from typing import TypeVar

from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Finished
from shaketable.harness.scripting.scripts import Script
from shaketable.node.events import Event

Told = TypeVar("Told", bound=Event)


def is_red_as_said(finished: Finished) -> None:
    """It expects the violation, and there is that one, with proof, beside those that it names, and no other."""
    verdict, script = judged(finished), finished.script
    assert verdict.outcome == "passed", verdict.reasons
    broken = {check.name: check for check in verdict.checks if check.status == "broken"}
    assert set(broken) == {script.expects_violation, *script.broken_too}
    assert all(violation.proof for check in broken.values() for violation in check.violations)


def is_green(finished: Finished, legacy: Script) -> None:
    """None is broken, and the check that the `legacy` members break has seen what it is for."""
    verdict = judged(finished, story=finished.options.seed == 1)
    assert verdict.outcome == "passed", (finished.options.seed, verdict.reasons)
    assert legacy.expects_violation in {check.name for check in verdict.checks if check.status == "held"}


def told_by(finished: Finished, node: str, kind: type[Told]) -> list[Told]:
    """What it reported of this kind, in order."""
    return [record.event for record in finished.records if record.node == node and isinstance(record.event, kind)]
