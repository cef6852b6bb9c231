"""junit.xml: one test suite a run of a script, one test case a check, one for what the script itself expects; and where
several runs visited crash points of migrations one suite of these, a test case each (skipped: nobody was killed there).

There is no official schema; this keeps to the part that all readers share. GitLab keeps only the first of equal names,
so the seed is in the name, the variant or preset where there may be others, and the system where it is not ours. By the
verdict's own rules a reason that made the run fail is a failure, and one that made it unknown an error; a check that
could not judge, and that the script is not about, is skipped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import msgspec

from shaketable.harness.checks.result import HELD, NOT_TOLD, UNKNOWN, VACUOUS, CheckResult, Proof
from shaketable.harness.checks.shared.deciding import notes_of
from shaketable.harness.checks.told import rests_on
from shaketable.harness.history.crash_points import CrashPoint
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.reports.crash_matrix import NOT_VISITED, SAID, TITLE, CrashMatrix
from shaketable.harness.reports.junit_campaign import SKIPPED, Told, campaign_suites
from shaketable.harness.reports.model import Report, is_campaign
from shaketable.harness.reports.shared import said_of
from shaketable.harness.reports.told_apart import variants_of
from shaketable.harness.verdicts.of_checks import check_reasons
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import (
    UNKNOWN_OUTCOME,
    LeftOut,
    Reason,
    RunVerdict,
    ScriptSubject,
    SessionVerdict,
)
from shaketable.harness.visible import visible
from shaketable.node.core.env import SECOND, Micros

_NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(session: SessionVerdict) -> str:
    root = Element("testsuites", name="shaketable")
    for run, variant in zip(session.runs, variants_of(session), strict=True):
        _suite(root, run, _which(run, variant))
    for script in session.left_out:
        _left_out(root, script)
    _crash_points(root, session)
    if isinstance(session, Report) and is_campaign(session):
        for name, told in campaign_suites(session):
            _told(root, name, told)
    if session.outcome == UNKNOWN_OUTCOME and root.find(".//error") is None:
        _incomplete(root, session)
    _count(root, root.iter("testcase"))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(root: Element, run: RunVerdict, which: str) -> None:
    suite = SubElement(root, "testsuite", name=_clean(f"{run.script} {which}"))
    properties = SubElement(suite, "properties")
    for name, value in _properties(run).items():
        SubElement(properties, "property", name=name, value=_clean(value))
    for result in run.checks:
        _check(_case(suite, run, f"{result.name} {which}"), run, result)
    _expectations(_case(suite, run, f"expectations of the script {which}"), run)
    _count(suite, suite.iter("testcase"))
    suite.set("time", _seconds(run.duration))


def _left_out(root: Element, script: LeftOut) -> None:
    suite = SubElement(root, "testsuite", name=_clean(script.script), time="0")
    case = SubElement(suite, "testcase", classname=_clean(script.script), name=_clean(script.script), time="0")
    SubElement(case, "skipped", message=_clean(said_of(script)))
    _count(suite, suite.iter("testcase"))


def _crash_points(root: Element, session: SessionVerdict) -> None:
    """Build servers show test cases, and of a suite hardly more than its name. None of these passes or fails a run."""
    matrix = CrashMatrix(session)
    if not matrix:
        return
    suite = SubElement(root, "testsuite", name=TITLE, time="0")
    for row, phase in matrix.cells():
        case = SubElement(suite, "testcase", classname=TITLE, name=f"{row}, {phase}", time="0")
        said = matrix.cell(row, phase)
        if said == NOT_VISITED:
            SubElement(case, "skipped", message=said)
        else:
            SubElement(case, "system-out").text = f"visited, number of runs: {said}"
    SubElement(suite, "system-out").text = _clean("\n".join([SAID, *matrix.sentences()]))
    _count(suite, suite.iter("testcase"))


def _told(root: Element, name: str, told: Iterable[Told]) -> None:
    suite = SubElement(root, "testsuite", name=name, time="0")
    for each in told:
        case = SubElement(suite, "testcase", classname=name, name=_clean(each.name), time="0")
        if each.system:
            SubElement(SubElement(case, "properties"), "property", name="system", value=_clean(each.system))
        if each.tag == SKIPPED:
            SubElement(case, SKIPPED, message=_clean(each.said))
        elif each.tag:
            _say(case, each.tag, name, each.said, each.said)
        else:
            SubElement(case, "system-out").text = _clean(each.said)
    _count(suite, suite.iter("testcase"))


def _incomplete(root: Element, session: SessionVerdict) -> None:
    """Each run that there was has passed, and yet the session has not."""
    suite = SubElement(root, "testsuite", name="session", time="0")
    case = SubElement(suite, "testcase", classname="session", name="all was run", time="0")
    why = "not all that was asked for was run and recorded" if session.runs else "nothing was run"
    _say(case, "error", UNKNOWN, why, why)
    _count(suite, suite.iter("testcase"))


def _properties(run: RunVerdict) -> dict[str, str]:
    return {
        "outcome": run.outcome,
        "world": run.world,
        **({} if run.system.is_ours else {"system": run.system.full_name}),
        "fabric": run.fabric,
        "seed": str(run.seed),
        "preset": run.preset,
        "allowance": rounded(run.allowance),
        "history_hash": run.history_hash,
        "again": run.again,
        **{name.replace(" ", "_"): str(count) for name, count in run.counts.items()},
        **({"crash_points": "; ".join(map(_point, run.crash_points))} if run.crash_points else {}),
    }


def _point(point: CrashPoint) -> str:
    """ "owner, old backup at copied (COPY of backup 1)"."""
    sent = f" ({point.sent} of {point.to})" if point.to else ""
    return f"{', '.join(point.parts)} at {point.phase}{sent} in a {point.migration}"


def _check(case: Element, run: RunVerdict, result: CheckResult) -> None:
    expected = run.is_to_break(result.name)
    reason = _why_not(run, result)
    if reason is None and result.status in (VACUOUS, UNKNOWN, NOT_TOLD):
        why = "; ".join([result.looked_at, *notes_of(result)])
        SubElement(case, "skipped", message=_clean(f"{result.status}: {why}"))
    elif reason is None:
        said = "broken, as expected" if expected else "held"
        looked_at = "; ".join([result.looked_at, *rests_on(result)])
        SubElement(case, "system-out").text = _clean(f"{said}: {looked_at}")
    elif reason.outcome != FAILED:
        proof = _violations(result, run) if result.violations else f"{result.looked_at}\nagain: {run.again}"
        _say(case, "error", UNKNOWN, reason.text, proof)
    elif result.status == HELD:
        _say(case, "failure", result.name, "it was expected to be broken, and it held", f"again: {run.again}")
    else:
        _say(case, "failure", result.name, result.violations[0].sentence, _violations(result, run))


def _why_not(run: RunVerdict, result: CheckResult) -> Reason | None:
    """Why the run has not passed, as far as this check goes."""
    told = next((each for each in run.reasons if each.about == "check" and each.check == result.name), None)
    if result.status == NOT_TOLD:
        return told
    astray = any(reason.about in ("fault", "links") for reason in run.reasons)
    subject = ScriptSubject(run.script, run.title, run.file, run.about, run.expects_violation, run.broken_too)
    reason = next((reason for reason in check_reasons([result], subject, astray) if reason.about == "check"), None)
    if reason is None:
        return None
    outcome = (told or reason).outcome  # it may be nobody's fault, by all that is known
    return msgspec.structs.replace(reason, outcome=outcome)


def _expectations(case: Element, run: RunVerdict) -> None:
    """All that is no check: expectations, nodes that failed, receipts that are missing."""
    reasons = [reason for reason in run.reasons if reason.about != "check"]
    for outcome, tag in (("failed", "failure"), ("unknown", "error")):
        own = [reason for reason in reasons if reason.outcome == outcome]
        if own:
            # One element a case: several are legal to some readers only.
            text = "\n\n".join([*map(_reason, own), f"again: {run.again}"])
            _say(case, tag, own[0].about, own[0].text, text)
            return
    met = [f"held: {e.what}, within {rounded(e.within)}{e.as_often}" for e in run.expectations]
    met += [f"and {run.more_expectations:,} more"] if run.more_expectations else []
    SubElement(case, "system-out").text = _clean("\n".join(met) or "the script ran to its end")


def _case(suite: Element, run: RunVerdict, name: str) -> Element:
    return SubElement(suite, "testcase", classname=_clean(run.script), name=_clean(name), time="0")


def _which(run: RunVerdict, variant: str) -> str:
    """ "[real, preset default, Hazelcast 5.7.0, seed 1]" """
    return f"[{', '.join(filter(None, (run.world, variant, run.system.if_other, f'seed {run.seed}')))}]"


def _say(case: Element, tag: str, type_: str, message: str, text: str) -> None:
    SubElement(case, tag, type=_clean(type_), message=_clean(message)).text = _clean(text)


def _violations(result: CheckResult, run: RunVerdict) -> str:
    parts = [f"Rule: {result.rule}\nLooked at: {result.looked_at}"]
    parts += ["\n".join([violation.sentence, *_proof(violation.proof)]) for violation in result.violations]
    if result.more_violations:
        parts.append(f"and {result.more_violations} more of the kind")
    return "\n\n".join([*parts, f"again: {run.again}"])


def _reason(reason: Reason) -> str:
    return "\n".join([reason.text, *_proof(reason.proof)])


def _proof(proof: Iterable[Proof]) -> list[str]:
    return [f"  {rounded(record.time)}  {record.told}" for record in proof]


def _count(element: Element, cases: Iterable[Element]) -> None:
    cases = list(cases)
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    element.set("tests", str(len(cases)))


def _seconds(time: Micros) -> str:
    return f"{time // SECOND}.{time % SECOND:06d}"


def _clean(text: str) -> str:
    """XML cannot hold most control characters, not even escaped. A terminal obeys the rest."""
    return _NOT_IN_XML.sub("\ufffd", visible(text))
