"""report.md, for the step summary of a build server: a table of the runs, and in full what did not pass.

GitHub takes at most 1 MiB a step; what does not fit is left out from the end, and the page says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shaketable.harness.checks.result import BROKEN, CheckResult
from shaketable.harness.checks.shared.deciding import notes_of
from shaketable.harness.history.abridged import abridged
from shaketable.harness.history.crash_points import PHASES
from shaketable.harness.history.story import Moment
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.reports.crash_matrix import ROWS, SAID, TITLE, CrashMatrix
from shaketable.harness.reports.lanes_text import lanes_text
from shaketable.harness.reports.markdown_campaign import campaign_blocks, covered_blocks
from shaketable.harness.reports.markdown_text import escaped, fenced, in_html
from shaketable.harness.reports.model import Minimal, Report, is_campaign
from shaketable.harness.reports.picture import MOST_VIOLATIONS, Picture
from shaketable.harness.reports.shared import (
    MARKS,
    MOST_FAULTS,
    WORST_FIRST,
    in_short,
    is_subject,
    left_out,
    more_faults,
    name_of_run,
    receipt_of,
    said_of,
    setting_of,
    summary_of,
    untold_subjects,
    whose_members,
    word_of,
)
from shaketable.harness.reports.told_apart import variants_of
from shaketable.harness.verdicts.verdict import RunVerdict, SessionVerdict
from shaketable.harness.visible import visible

LARGEST: Final = 1_000_000
"""bytes; 1 MiB is the limit"""
MOST_MOMENTS: Final = 200


def to_markdown(session: SessionVerdict, largest: int = LARGEST, pictures: Mapping[int, Picture] | None = None) -> str:
    """`pictures`: by the place of a run among the session's runs."""
    head = [f"# {MARKS[session.outcome]} {session.outcome}: {summary_of(session)}", ""]
    together = f"Histories together `{session.history_hash[:12]}`, judged" if len(session.runs) > 1 else "Judged"
    head += [f"{together} by shaketable {session.shaketable}.", ""]
    if whose := whose_members(session):
        head += [escaped(whose), ""]
    # Runs that did not pass come first: only the end is cut off.
    places = sorted(range(len(session.runs)), key=lambda place: WORST_FIRST.index(session.runs[place].outcome))
    variants = variants_of(session)
    lines = list(_lines([(session.runs[place], variants[place]) for place in places]))
    others = [f"- {escaped(script.script)}: {escaped(said_of(script))}" for script in session.left_out]
    others = ["", *others] if others else []
    points = _crash_points(session)
    shown = {place: each.minimal for place, each in enumerate(session.shown)} if isinstance(session, Report) else {}
    pictures = pictures or {}
    runs = [
        "\n".join(_run(session.runs[place], variants[place], pictures.get(place), shown.get(place))) for place in places
    ]
    failed = sum(run.outcome != "passed" for run in session.runs)
    of_campaign = session if isinstance(session, Report) and is_campaign(session) else None
    before = campaign_blocks(of_campaign) if of_campaign else ()
    after = covered_blocks(of_campaign) if of_campaign else ()
    in_turn = [*before, *lines, *others, "", *points, *runs[:failed], *after, *runs[failed:]]
    return _fitting(["\n".join(head), *in_turn], largest)


def _fitting(blocks: Iterable[str], largest: int) -> str:
    kept: list[str] = []
    size = 200  # for the last sentence
    left_out = 0
    for block in map(visible, blocks):
        size += len(block.encode()) + 1
        if left_out or size > largest:
            left_out += 1
        else:
            kept.append(block)
    if left_out:
        kept.append(f"\n*The page would be too large: {left_out} parts are left out; report.json has them all.*")
    return "\n".join(kept) + "\n"


def _crash_points(session: SessionVerdict) -> Iterator[str]:
    matrix = CrashMatrix(session)
    if not matrix:
        return
    yield f"## {TITLE}\n\n{SAID}\n"
    yield f"| | {' | '.join(PHASES)} |"
    yield "|---" * (len(PHASES) + 1) + "|"
    for row in ROWS:
        yield f"| {' | '.join([row, *[matrix.cell(row, phase) for phase in PHASES]])} |"
    yield ""
    yield from (f"{escaped(sentence)}\n" for sentence in matrix.sentences())


def _lines(runs: list[tuple[RunVerdict, str]]) -> Iterator[str]:
    """Each with its variant."""
    if not runs:
        return
    with_variants = any(variant for _, variant in runs)
    with_systems = not all(run.system.is_ours for run, _ in runs)
    further = (*(["variant"] if with_variants else []), *(["system"] if with_systems else []))
    head = ("script", "seed", "world", *further, "links", "why")
    yield f"| | {' | '.join(head)} |\n|---{'|---' * len(head)}|"
    for run, variant in runs:
        further = (*([variant] if with_variants else []), *([run.system.full_name] if with_systems else []))
        cells = (f"{MARKS[run.outcome]} {run.outcome}", run.script, str(run.seed), run.world, *further, run.fabric)
        yield f"| {' | '.join(map(escaped, (*cells, in_short(run))))} |"


def _run(run: RunVerdict, variant: str, picture: Picture | None, minimal: Minimal | None) -> Iterator[str]:
    opened = " open" if run.outcome != "passed" else ""
    name = name_of_run(run.script, run.seed, variant, run.system)
    yield f"<details{opened}><summary>{MARKS[run.outcome]} {run.outcome}: {in_html(name)}"
    yield "</summary>\n"
    yield f"{escaped(run.title)}\n"
    yield f"{escaped(setting_of(run))}\n"
    yield f"History `{run.history_hash[:12]}`{f', in {escaped(run.directory)}' if run.directory else ''}.\n"
    for reason in run.reasons:
        yield f"- **{reason.outcome}**: {escaped(reason.text)}"
    yield from (f"- {escaped(said)}" for said in untold_subjects(run))
    if run.reasons or untold_subjects(run):
        yield ""
    yield from _checks(run)
    for result in run.checks:
        if result.status == BROKEN:
            yield from _violations(result, run)
    if run.faults:
        yield "| fault | | receipt |\n|---|---|---|"
        for fault in run.faults[:MOST_FAULTS]:
            yield f"| {fault.number} | {escaped(fault.what)} | {escaped(receipt_of(fault))} |"
        yield ""
        yield more_faults(run)
    for expectation in run.expectations:
        said = "held" if expectation.held else f"NOT MET: {expectation.reason}"
        within = f"within {rounded(expectation.within)}{expectation.as_often}"
        yield f"- {escaped(expectation.what)}, {within}: {escaped(said)}"
    if run.more_expectations:
        yield f"- and {run.more_expectations:,} more"
    if run.outcome != "passed" and picture is not None and picture.lanes:
        yield "\nThe nodes:\n"
        yield fenced(lanes_text(picture))
    if minimal is not None:
        yield f"\nThe shortest story that still fails{f' ({escaped(minimal.said)})' if minimal.said else ''}:\n"
        yield fenced(minimal.script)
    if run.outcome != "passed" and run.story:
        yield "\nWhat happened:\n"
        yield fenced("\n".join(map(_moment, abridged(run.story, MOST_MOMENTS))))
    yield "\nAgain:\n"
    yield fenced(run.again)
    yield "</details>\n"


def _moment(moment: Moment | int) -> str:
    time, told = ("", left_out(moment)) if isinstance(moment, int) else (rounded(moment.time), moment.told)
    return f"{time:>11}  {told}"


def _checks(run: RunVerdict) -> Iterator[str]:
    yield "| check | | looked at |\n|---|---|---|"
    for result in run.checks:
        word = word_of(result, run)
        name = f"**{escaped(result.name)}**" if is_subject(result, run) else escaped(result.name)
        looked_at = "; ".join([result.looked_at, *notes_of(result)])
        yield f"| {name} | {MARKS.get(result.status, '?')} {word} | {escaped(looked_at)} |"
    yield ""


def _violations(result: CheckResult, run: RunVerdict) -> Iterator[str]:
    yield f"**{escaped(result.name)} {word_of(result, run)}.** {escaped(result.rule)}\n"
    shown = result.violations[:MOST_VIOLATIONS]
    for violation in shown:
        yield f"{escaped(violation.sentence)}\n"
        yield fenced("\n".join(f"{rounded(record.time):>11}  {record.told}" for record in violation.proof))
        if violation.why:
            yield "<details><summary>Why: from the proof back to the fault</summary>\n"
            yield fenced("\n".join(violation.why))
            yield "</details>\n"
    more = len(result.violations) - len(shown) + result.more_violations
    if more:
        yield f"and {more} more of the kind\n"
