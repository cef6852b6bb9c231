"""Tells runs of one script, world and seed apart in a report: by the variant, and else by the preset."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable.harness.reports.model import Report, is_campaign
from shaketable.harness.verdicts.verdict import USUAL_PRESET, RunVerdict, SessionVerdict


def variants_of(session: SessionVerdict) -> list[str]:
    """Of each run in turn: "fast", "preset fast", or "" for a run as it is written, under the usual preset.

    All runs of a session are under the one preset that was asked for, so nothing is said of it there."""
    if not isinstance(session, Report) or not is_campaign(session):
        return [""] * len(session.runs)
    variants = [each.variant for each in session.shown]
    variants += [""] * (len(session.runs) - len(variants))
    several = _of_several_presets(session.runs)
    return [
        variant or (f"preset {run.preset}" if _is_to_be_named(run, several) else "")
        for run, variant in zip(session.runs, variants, strict=True)
    ]


def _is_to_be_named(run: RunVerdict, several: Sequence[tuple[str, str]]) -> bool:
    """A verdict does not say which preset is usual for a system of others."""
    if run.system.is_ours:
        return run.preset != USUAL_PRESET.get(run.world, run.preset)
    return (run.system.asked, run.world) in several


def _of_several_presets(runs: Sequence[RunVerdict]) -> list[tuple[str, str]]:
    """Systems, each with a world in which it ran under more than one preset."""
    presets: dict[tuple[str, str], dict[str, bool]] = {}
    for run in runs:
        presets.setdefault((run.system.asked, run.world), {})[run.preset] = True
    return [where for where, found in presets.items() if len(found) > 1]
