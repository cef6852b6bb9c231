"""Why a run cannot have passed, by what the checks say of it and by what its script is about.

A check that is not told says nothing of a run. Only a script whose whole subject is not told has shown nothing, unless
a check of one's own stands in for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shaketable.harness.checks.result import BROKEN, HELD, NOT_TOLD, UNKNOWN, VACUOUS, CheckResult
from shaketable.harness.checks.shared.deciding import following
from shaketable.harness.checks.told import rests_on
from shaketable.harness.verdicts.reasons import FAILED, Reason
from shaketable.harness.verdicts.reasons import UNKNOWN as UNCLEAR
from shaketable.harness.verdicts.subject import ScriptSubject


def check_reasons(checks: Sequence[CheckResult], subject: ScriptSubject, astray: bool = False) -> Iterable[Reason]:
    """`astray`: not all went as the script asked, so what needs its faults cannot be blamed on anybody. Of a check of
    the user's own nobody knows whether it needs them; if it cannot judge, that is a mistake in it."""
    from shaketable.harness.checks.registry import CHECK_NAMES, NEEDS_THE_FAULTS

    expected = [name for name in (subject.expects_violation, *subject.broken_too) if name is not None]
    judges_none = not _something_told(checks, subject)
    for result in checks:
        own = result.name not in CHECK_NAMES
        if result.status == NOT_TOLD and result.name != subject.expects_violation:
            if judges_none and result.name in subject.about:
                yield _reason_for_subject(result, _blind(result))
        elif result.name in expected:
            yield from _reason_for_expected(result)
        elif result.status == BROKEN:
            worst = result.violations[0]
            outcome = UNCLEAR if astray and (own or result.name in NEEDS_THE_FAULTS) else FAILED
            more = (*following(result), *rests_on(result))
            said = " ".join([worst.sentence, *(f"{each[:1].upper()}{each[1:]}." for each in more)])
            yield Reason(outcome, "check", f"{result.name} is broken: {said}", worst.proof, result.name)
        elif result.name in subject.about and result.status in (VACUOUS, UNKNOWN):
            yield _reason_for_subject(result, _blind(result))
        elif result.name in subject.about and result.pending:
            late = "the run ended too soon: let the script wait longer, for example for `await cluster.calm()`"
            yield _reason_for_subject(result, f"could not judge {result.pending} of what it looked at; {late}")
        elif own and result.status == UNKNOWN:
            yield Reason(UNCLEAR, "check", f"{result.name} {_blind(result)}", check=result.name)
    known = dict.fromkeys((*CHECK_NAMES, *(result.name for result in checks)))
    for name in (*subject.about, *expected):
        if name not in known:
            said = f"the script is about {name}, and there are only {', '.join(known)}"
            yield Reason(UNCLEAR, "script", said)


def _something_told(checks: Sequence[CheckResult], subject: ScriptSubject) -> bool:
    from shaketable.harness.checks.registry import CHECK_NAMES

    untold = {result.name for result in checks if result.status == NOT_TOLD}
    own = any(result.name not in CHECK_NAMES and result.status == HELD for result in checks)
    return own or not untold.issuperset(subject.about)


def _reason_for_subject(result: CheckResult, why: str) -> Reason:
    return Reason(UNCLEAR, "check", f"{result.name}, which the script is about, {why}", check=result.name)


def _reason_for_expected(result: CheckResult) -> Iterable[Reason]:
    if result.status == HELD:
        looked_at = "; ".join([result.looked_at, *rests_on(result)])
        said = f"{result.name} was expected to be broken, and it held: {looked_at}"
        yield Reason(FAILED, "check", said, check=result.name)
    elif result.status != BROKEN:
        said = f"{result.name}, expected to be broken, {_blind(result)}"
        yield Reason(UNCLEAR, "check", said, check=result.name)


def _blind(result: CheckResult) -> str:
    if result.status == NOT_TOLD:
        return f"is not told: {result.looked_at}"
    if result.status == VACUOUS:
        return "; ".join([f"saw nothing to judge: {result.looked_at}", *following(result)])
    return f"cannot be judged: {'; '.join(result.notes) or result.looked_at}"
