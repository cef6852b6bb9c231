"""The report that a person reads in a terminal: the story of each run, the checks, and for what failed the proof.

It says the same without colour, without a terminal, and at 80 columns; no mark or colour stands without its word."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from shaketable.harness.checks.result import BROKEN, HELD, NOT_TOLD, UNKNOWN, VACUOUS, CheckResult, Proof
from shaketable.harness.checks.shared.deciding import notes_of
from shaketable.harness.console.screen import Screen, indented
from shaketable.harness.history.abridged import abridged
from shaketable.harness.history.crash_points import PHASES
from shaketable.harness.history.story import Moment
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.reports.crash_matrix import NOT_VISITED, ROWS, SAID, TITLE, CrashMatrix
from shaketable.harness.reports.shared import (
    MARKS,
    MOST_FAULTS,
    in_a_word,
    in_short,
    is_as_expected,
    is_subject,
    left_out,
    more_faults,
    receipt_of,
    said_of,
    setting_of,
    summary_of,
    untold_subjects,
    word_of,
)
from shaketable.harness.verdicts.verdict import LeftOut, RunVerdict, SessionVerdict

MOST_MOMENTS: Final = 60
"""of a long story"""

PLAIN: Final = str.maketrans("✓✗–·░▒▓█", "+x-|-=%#")

STYLES: Final = {
    "passed": "bold green",
    "failed": "bold red",
    "unknown": "bold yellow",
    HELD: "green",
    BROKEN: "bold red",
    VACUOUS: "dim",
    NOT_TOLD: "dim",
}
MOMENT_STYLES: Final = {"step": "bold cyan", "fault": "magenta", "trouble": "bold red", "outcome": "bold"}


def print_run(run: RunVerdict, console: Console) -> None:
    in_its_encoding(console, lambda screen: _run(run, screen))


def print_reasons(run: RunVerdict, console: Console) -> None:
    """The verdict alone, why it is not passed, and how to run it again."""
    in_its_encoding(console, lambda screen: _why(run, screen))


def print_line(run: RunVerdict, console: Console, *, longest: int) -> None:
    """One of many runs; `longest` is the length of the longest name among them."""
    in_its_encoding(console, lambda screen: _line(run, screen, longest))


def _line(run: RunVerdict, console: Console, longest: int) -> None:
    name = f"{run.script}  seed {run.seed}"
    if len(f"  ✓ {run.outcome}  {name}") > console.width:
        _whole(console, run.outcome, name)
    else:
        _show(console, _table([run], console.width, longest))


def print_seeds(script: str, passed: int, of: int, console: Console, *, longest: int) -> None:
    """All runs of one script in a line; those that have not passed were told by themselves."""
    counted = f"{passed} of {of}" if passed < of else str(of)
    in_its_encoding(console, lambda screen: _seeds(script, f"{counted} seeds passed", screen, longest))


def _seeds(script: str, said: str, console: Console, longest: int) -> None:
    room = console.width - len(f"  ✓ passed    {said}")
    if len(script) > room:
        _whole(console, "passed", f"{script}  {said}")
        return
    table = _grid("word", "word", "text")
    table.add_row(_mark("passed", "passed"), Text(f"{script:<{longest if longest <= room else 0}}"), Text(said))
    _show(console, table)


def _whole(console: Console, outcome: str, name: str) -> None:
    """A name is there to be copied, so it stays whole, however long the line is; and so does the word before it."""
    console.print(Text.assemble("  ", _mark(outcome, outcome), "  ", name), soft_wrap=True)


def print_summary(session: SessionVerdict, console: Console, *, runs: Sequence[RunVerdict] | None = None) -> None:
    """A line for each of these runs (all, if they are not given), then one for all of them."""
    in_its_encoding(console, lambda screen: _summary(session, screen, session.runs if runs is None else runs))


def in_its_encoding(console: Console, show: Callable[[Console], None]) -> None:
    """A terminal that lacks our marks gets plain ones: one letter for one, so that columns stay columns."""
    if console.encoding.lower().startswith("utf"):
        show(console)
        return
    buffer = StringIO()
    colours = console.color_system
    show(Screen(file=buffer, width=console.width, color_system=colours, force_terminal=console.is_terminal))
    text = buffer.getvalue().translate(PLAIN)
    console.file.write(text.encode(console.encoding, "replace").decode(console.encoding))
    console.file.flush()


def _summary(session: SessionVerdict, console: Console, runs: Sequence[RunVerdict]) -> None:
    if len(session.runs) > 1 and runs:
        _overview(runs, console)
    if session.left_out:
        _left_out(session.left_out, console)
    _crash_points(session, console)
    if len(session.runs) > 1 or session.left_out:
        console.print()
    line = Text.assemble(_mark(session.outcome, session.outcome.upper()), f"  {summary_of(session)}")
    if len(session.runs) > 1:
        line.append(f" · histories {session.history_hash[:12]}", "dim")
    console.print(line)


def _left_out(scripts: Sequence[LeftOut], console: Console) -> None:
    if max(len(script.script) for script in scripts) <= console.width // 2:
        table = _grid("word", "text")
        for script in scripts:
            table.add_row(Text(f"{MARKS[VACUOUS]} {script.script}", "dim"), Text(said_of(script), "dim"))
        _show(console, table)
        return
    for script in scripts:
        console.print(Text(f"  {MARKS[VACUOUS]} {script.script}", "dim"), soft_wrap=True)
        _paragraph(console, said_of(script), "dim", indent=4)


def _overview(runs: Sequence[RunVerdict], console: Console) -> None:
    """Where a name leaves no room for more in its line, what is to be said of it is below."""
    if max(len(run.script) for run in runs) <= console.width // 2:
        _show(console, _table(runs, console.width))
        return
    for run in runs:
        _whole(console, run.outcome, f"{run.script}  seed {run.seed}")
        if run.outcome != "passed":
            _paragraph(console, in_short(run), indent=11)


def _crash_points(session: SessionVerdict, console: Console) -> None:
    """Phases as numbers, so that it fits."""
    matrix = CrashMatrix(session)
    if not matrix:
        return
    _heading(console, TITLE)
    _paragraph(console, SAID, "dim")
    table = _grid("word", *["time"] * len(PHASES))
    table.add_row("", *[Text(str(number), "dim") for number in range(1, len(PHASES) + 1)])
    for row in ROWS:
        cells = [matrix.cell(row, phase) for phase in PHASES]
        table.add_row(row, *[Text("no", "bold yellow") if cell == NOT_VISITED else cell for cell in cells])
    _show(console, table)
    _paragraph(console, ", ".join(f"{number} {phase}" for number, phase in enumerate(PHASES, 1)), "dim")
    for sentence in matrix.sentences():
        _paragraph(console, sentence)


def _table(runs: Sequence[RunVerdict], width: int, longest: int = 0) -> Table:
    """A passed run is one line on any usual screen: where there is no room it says less."""
    longest = max([longest, *(len(run.script) for run in runs)])
    room = width - len(f"  ✓ passed  {'':<{longest}}  seed {max(run.seed for run in runs)}  ")
    grid = _grid("word", "word", "word", "text")
    for run in runs:
        said = _line_of(run, room, room + longest - len(run.script))
        name = f"{run.script:<{longest if run.outcome != 'passed' or len(said) <= room else 0}}"
        grid.add_row(_mark(run.outcome, run.outcome), Text(name), Text(f"seed {run.seed}"), Text(said))
    return grid


def _line_of(run: RunVerdict, room: int, alone: int) -> str:
    """`room`: below the longest name; `alone`: where the name is not padded. "": nothing fits."""
    if run.outcome != "passed":
        return in_short(run)
    said = (in_short(run), in_a_word(run))
    return next((each for most in (room, alone) for each in said if len(each) <= most), "")


def _run(run: RunVerdict, console: Console) -> None:
    _head(run, console)
    _reasons(run, console)
    if run.story:
        _heading(console, "What happened")
        _story(run.story, console)
    if run.faults:
        _heading(console, "Faults")
        _faults(run, console)
    _heading(console, "Checks")
    _checks(run, console)
    if run.expectations:
        _heading(console, "Expectations of the script")
        _expectations(run, console)
    _foot(run, console)


def _why(run: RunVerdict, console: Console) -> None:
    _head(run, console)
    _reasons(run, console, checks=True)
    _foot(run, console)


def _head(run: RunVerdict, console: Console) -> None:
    # As one line, for the name is there to be copied.
    console.print(Text.assemble(_mark(run.outcome, run.outcome.upper()), "  ", (run.script, "bold")), soft_wrap=True)
    _paragraph(console, run.title, "italic")
    _paragraph(console, setting_of(run), "dim")
    for said in untold_subjects(run):
        _paragraph(console, said, "dim")


def _foot(run: RunVerdict, console: Console) -> None:
    console.print()
    _paragraph(console, f"history {run.history_hash[:12]}{f', in {run.directory}' if run.directory else ''}", "dim")
    # One line, however long it is: it is there to be copied.
    console.print(Text(f"  again: {run.again}", "dim"), soft_wrap=True)
    if run.directory and any(result.violations for result in run.checks):
        console.print(Text(f"  why:   shaketable why {shlex.quote(run.directory)}", "dim"), soft_wrap=True)
    console.print()


def _story(moments: Iterable[Moment], console: Console) -> None:
    table = _grid("time", "text")
    for moment in abridged(list(moments), MOST_MOMENTS):
        if isinstance(moment, int):
            table.add_row("", Text(f"  {left_out(moment)}", "dim"))
            continue
        style = MOMENT_STYLES.get(moment.kind, "")
        indent = "" if moment.kind == "step" else "  "
        table.add_row(Text(rounded(moment.time), "dim"), Text(f"{indent}{moment.told}", style))
    _show(console, table)


def _faults(run: RunVerdict, console: Console) -> None:
    table = _grid("time", "text", "text")
    for fault in run.faults[:MOST_FAULTS]:
        bad = fault.took is None or fault.without_effect
        table.add_row(Text(str(fault.number)), Text(fault.what), Text(receipt_of(fault), "bold yellow" if bad else ""))
    _show(console, table)
    if more := more_faults(run):
        _paragraph(console, more, "dim")


def _checks(run: RunVerdict, console: Console) -> None:
    table = _grid("word", "word", "text")
    for result in run.checks:
        word = word_of(result, run)
        name = Text(result.name, "bold" if is_subject(result, run) else "")
        if is_subject(result, run):
            name.append(" *")
        looked_at = Text(result.looked_at)
        for note in notes_of(result):
            looked_at.append(f"\n{note}", "dim")
        table.add_row(_mark(result.status, word, expected=is_as_expected(result, run)), name, looked_at)
    _show(console, table)
    if any(is_subject(result, run) for result in run.checks):
        _paragraph(console, "* the script is about this check", "dim")
    for result in run.checks:
        if result.status == BROKEN:
            _violations(result, run, console)


def _violations(result: CheckResult, run: RunVerdict, console: Console) -> None:
    console.print()
    expected = run.is_to_break(result.name)
    _paragraph(console, f"{result.name} {word_of(result, run)}", "bold" if expected else "bold red")
    _paragraph(console, f"Rule: {result.rule}", indent=4)
    # An expected violation is no news: one proof is enough.
    shown = result.violations[:1] if expected else result.violations
    for violation in shown:
        console.print()
        _paragraph(console, violation.sentence, indent=4)
        _proof(violation.proof, console)
    more = len(result.violations) - len(shown) + result.more_violations
    if more:
        _paragraph(console, f"and {more} more of the kind", "dim", indent=4)


def _proof(proof: Iterable[Proof], console: Console) -> None:
    table = _grid("time", "text")
    for record in proof:
        table.add_row(Text(rounded(record.time), "dim"), Text(record.told))
    _show(console, table, indent=6)


def _expectations(run: RunVerdict, console: Console) -> None:
    table = _grid("word", "text")
    for expectation in run.expectations:
        status = HELD if expectation.held else BROKEN
        said = Text(f"{expectation.what}, within {rounded(expectation.within)}{expectation.as_often}")
        if not expectation.held:
            said.append(f"\nbut {expectation.reason}")
        table.add_row(_mark(status, "held" if expectation.held else "NOT MET"), said)
    _show(console, table)
    if run.more_expectations:
        _paragraph(console, f"and {run.more_expectations:,} more", "dim")


def _reasons(run: RunVerdict, console: Console, *, checks: bool = False) -> None:
    """`checks`: with the proof of a check that is broken, where it does not stand below, with the check."""
    if not run.reasons:
        return
    console.print()
    for reason in run.reasons:
        table = _grid("word", "text")
        table.add_row(_mark(reason.outcome, f"{reason.outcome}:"), Text(reason.text))
        _show(console, table)
        if reason.proof and (checks or reason.about != "check"):
            _proof(reason.proof, console)


# Building blocks


def _mark(status: str, word: str, *, expected: bool = False) -> Text:
    style = "yellow" if expected else STYLES.get(status, "bold yellow" if status == UNKNOWN else "")
    return Text(f"{MARKS.get(status, '?')} {word}", style)


def _grid(*columns: str) -> Table:
    """Columns without lines: "time" (to the right), "word" (never broken), "text"."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for column in columns:
        grid.add_column(justify="right" if column == "time" else "left", no_wrap=column != "text", overflow="fold")
    return grid


def _show(console: Console, grid: Table, indent: int = 2) -> None:
    console.print(indented(grid, indent))


def _heading(console: Console, text: str) -> None:
    console.print()
    _paragraph(console, text, "bold underline")


def _paragraph(console: Console, text: str, style: str = "", *, indent: int = 2) -> None:
    console.print(indented(Text(text, style), indent))
