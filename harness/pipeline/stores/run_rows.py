"""A run's row from its verdict: for campaigns, for recorded runs, and for those that are judged once more."""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec

from shaketable import harness
from shaketable.harness.checks.result import NOT_TOLD
from shaketable.harness.verdicts.reasons import UNKNOWN
from shaketable.harness.verdicts.rows import CheckRow, ReasonRow, RunRow
from shaketable.harness.verdicts.verdict import PASSED, RunVerdict


def row_of(
    verdict: RunVerdict,
    *,
    run: str,
    family: str,
    settings: Mapping[str, object],
    allowance: int,
    marks: Mapping[str, int],
    values: Mapping[str, object] | None = None,
    variant: str = "",
    plan: str = "",
    kept: str = "",
) -> RunRow:
    """`settings` and `values` by their outside names, without secrets."""
    return RunRow(
        run=run,
        script=verdict.script,
        title=verdict.title,
        file=verdict.file,
        family=family,
        world=verdict.world,
        fabric=verdict.fabric,
        preset=verdict.preset,
        variant=variant,
        values=as_json(values or {}),
        settings=as_json(settings),
        seed=verdict.seed,
        shaketable=harness.version(),
        outcome=verdict.outcome,
        reasons=[ReasonRow(reason.outcome, reason.about, reason.text, reason.check) for reason in verdict.reasons],
        about=list(verdict.about),
        expects_violation=verdict.expects_violation,
        broken_too=list(verdict.broken_too),
        checks=[
            CheckRow(c.name, c.status, c.count, c.pending, len(c.violations) + c.more_violations)
            for c in verdict.checks
        ],
        violations={c.name: c.violations[0].sentence for c in verdict.checks if c.violations},
        untold={c.name: c.looked_at for c in verdict.checks if c.status == NOT_TOLD},
        system="" if verdict.system.is_ours else verdict.system.name,
        system_version=verdict.system.version,
        system_title="" if verdict.system.is_ours else verdict.system.title,
        faults=len(verdict.faults),
        nodes=verdict.counts.get("nodes", 0),
        processes=verdict.counts.get("processes", 0),
        events=verdict.counts.get("events", 0),
        duration=verdict.duration,
        allowance=allowance,
        history_hash=verdict.history_hash,
        marks=dict(marks),
        again=verdict.again,
        plan=plan,
        verdict="" if verdict.outcome == PASSED else msgspec.json.encode(verdict).decode(),
        kept=kept,
    )


def unjudged(row: RunRow, why: str) -> RunRow:
    reasons = [ReasonRow(UNKNOWN, "script", f"the run cannot be judged: {why}")]
    return msgspec.structs.replace(
        row,
        outcome=UNKNOWN,
        reasons=reasons,
        checks=[],
        violations={},
        untold={},
        verdict="",
        unjudged=why,
        shaketable=harness.version(),
    )


def as_json(values: Mapping[str, object]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
