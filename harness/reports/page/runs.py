"""A run on the page: what was broken, by which rule of which text, the proof, the picture, the story, the receipts, and
the command that runs it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from shaketable.harness.checks.result import BROKEN, CheckResult, Proof
from shaketable.harness.checks.shared.deciding import notes_of
from shaketable.harness.history.abridged import abridged
from shaketable.harness.history.story import Moment
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.reports.model import MOST_SHOWN, Minimal, OneLine, Report
from shaketable.harness.reports.page.head import again
from shaketable.harness.reports.page.markup import Html, Part, joined, table, tag
from shaketable.harness.reports.page.picture import figure
from shaketable.harness.reports.picture import MOST_VIOLATIONS, Picture, Place, numbers_of, place_of
from shaketable.harness.reports.sections import section_of
from shaketable.harness.reports.shared import (
    MARKS,
    MOST_FAULTS,
    OUTCOMES,
    WORST_FIRST,
    in_short,
    is_subject,
    left_out,
    more_faults,
    name_of_run,
    receipt_of,
    setting_of,
    untold_subjects,
    word_of,
)
from shaketable.harness.verdicts.reasons import Reason
from shaketable.harness.verdicts.verdict import PASSED, RunVerdict

MOST_MOMENTS: Final = 80
MOST_OPEN: Final = 12
"""lines that are not folded"""


def not_passed(report: Report, pictures: Mapping[int, Picture]) -> Html:
    places = [place for place, run in enumerate(report.runs) if run.outcome != PASSED]
    places.sort(key=lambda place: (WORST_FIRST.index(report.runs[place].outcome), place))
    parts: list[Part] = [run_card(report, place, pictures.get(place)) for place in places[:MOST_SHOWN]]
    lines = [*(_in_a_line(report, place) for place in places[MOST_SHOWN:]), *report.others]
    if lines:
        said = tag("summary", f"{'The' if not places else 'The other'} {len(lines)} that have not passed, a line each")
        listed = table([("", ""), ("run", ""), ("why", ""), ("again", "")], list(map(_line, lines)))
        parts.append(tag("details", said, listed, open=len(lines) <= MOST_OPEN))
    if report.more:
        parts.append(
            tag("p", f"And {report.more:,} more that have not passed: they are in the store, and counted above.")
        )
    return joined(parts)


def _in_a_line(report: Report, place: int) -> OneLine:
    run = report.runs[place]
    return OneLine(run=name_of(report, place), outcome=run.outcome, why=in_short(run), again=run.again)


def name_of(report: Report, place: int) -> str:
    run = report.runs[place]
    variant = report.shown[place].variant if place < len(report.shown) else ""
    return name_of_run(run.script, run.seed, variant, run.system)


def _line(of: OneLine) -> Html:
    mark = tag("td", f"{MARKS[of.outcome]} {of.outcome}", class_=f"word {of.outcome}")
    return tag("tr", mark, tag("th", of.run, scope="row"), tag("td", of.why), tag("td", tag("code", of.again)))


def run_card(report: Report, place: int, picture: Picture | None) -> Html:
    run = report.runs[place]
    numbers = numbers_of(run)
    shown = report.shown[place] if place < len(report.shown) else None
    title = [tag("span", f"{MARKS[run.outcome]} {run.outcome}: ", class_=f"word {run.outcome}"), name_of(report, place)]
    return tag(
        "article",
        tag("h3", *title) if run.outcome != PASSED else None,
        tag("p", run.title, class_="about"),
        tag("p", setting_of(run), class_="setting"),
        *(tag("p", f"{said}.", class_="setting") for said in untold_subjects(run)),
        *_broken_checks(run, numbers),
        *_reasons(run, numbers, run.outcome),
        *_minimal(shown.minimal if shown is not None else None),
        figure(picture, run, place) if picture is not None else None,
        *(part for outcome in OUTCOMES if outcome != run.outcome for part in _reasons(run, numbers, outcome)),
        *_story(run),
        *_receipts(run),
        _checks(run),
        tag("h4", "Run it again"),
        again(run.again),
        tag("p", f"Its history is in {run.directory}, with the hash {run.history_hash[:12]}.", class_="source")
        if run.directory
        else tag("p", f"Hash of its history: {run.history_hash[:12]}.", class_="source"),
        id=f"run-{place + 1}",
        class_=f"run {run.outcome}",
    )


# Why


def _broken_checks(run: RunVerdict, numbers: Mapping[Place, int]) -> Iterator[Html]:
    broken = [result for result in run.checks if result.status == BROKEN]
    for result in sorted(broken, key=lambda each: run.is_to_break(each.name)):
        yield _broken(result, run, numbers)


def _reasons(run: RunVerdict, numbers: Mapping[Place, int], outcome: str) -> Iterator[Html]:
    """Those that are not told by a broken check."""
    told = [result.name for result in run.checks if result.status == BROKEN]
    for reason in run.reasons:
        if reason.outcome == outcome and reason.check not in told:
            yield _reason(reason, numbers)


def _broken(result: CheckResult, run: RunVerdict, numbers: Mapping[Place, int]) -> Html:
    section = section_of(result.name)
    shown = result.violations[:MOST_VIOLATIONS]
    more = len(result.violations) - len(shown) + result.more_violations
    parts: list[Part] = [
        tag("h4", f"{MARKS[BROKEN]} {result.name}: {word_of(result, run)}"),
        tag("p", result.rule, class_="rule") if result.rule else None,
    ]
    if section is not None:
        parts.append(tag("p", f"From {section.said}; rule by rule in {section.where}.", class_="source"))
    for violation in shown:
        parts += [tag("p", violation.sentence, class_="found"), _proof(violation.proof, numbers), _why(violation.why)]
    parts.append(tag("p", f"and {more} more of the kind", class_="source") if more else None)
    return tag("div", *parts, class_="broke expected" if run.is_to_break(result.name) else "broke")


def _why(lines: Sequence[str]) -> Html | None:
    """The chains of causes, each event above those that it followed from."""
    if not lines:
        return None
    return tag("details", tag("summary", "Why: from the proof back to the fault"), tag("pre", "\n".join(lines)))


def _reason(reason: Reason, numbers: Mapping[Place, int]) -> Html:
    head = tag("h4", f"{MARKS[reason.outcome]} {reason.outcome}: {reason.about}")
    said = tag("p", reason.text, class_="found")
    return tag("div", head, said, _proof(reason.proof, numbers), class_=f"broke {reason.outcome}")


def _proof(proof: Iterable[Proof], numbers: Mapping[Place, int]) -> Html | None:
    lines = [
        tag(
            "li",
            tag("span", tag("span", str(number), class_="number") if (number := numbers.get(place_of(r))) else "·"),
            tag("time", rounded(r.time)),
            tag("span", r.told),
        )
        for r in proof
    ]
    return tag("ol", *lines, class_="proof") if lines else None


# What happened


def _minimal(minimal: Minimal | None) -> Iterator[Html]:
    if minimal is None:
        return
    yield tag("h4", "The shortest story that still fails")
    if minimal.said:
        yield tag("p", minimal.said)
    yield tag("pre", tag("code", minimal.script))
    if minimal.again:
        yield again(minimal.again)
    if minimal.file:
        yield tag("p", f"Saved as {minimal.file}.", class_="source")


def _story(run: RunVerdict) -> Iterator[Html]:
    if not run.story:
        return
    listed = tag("ol", *map(_moment, abridged(run.story, MOST_MOMENTS)), class_="story")
    if run.outcome == PASSED:
        yield tag("details", tag("summary", "What happened"), listed)
    else:
        yield tag("h4", "What happened")
        yield listed


def _moment(moment: Moment | int) -> Html:
    if isinstance(moment, int):
        return tag("li", tag("time", ""), tag("span", left_out(moment)), class_="gap")
    return tag("li", tag("time", rounded(moment.time)), tag("span", moment.told), class_=moment.kind)


def _receipts(run: RunVerdict) -> Iterator[Html]:
    if run.faults:
        rows = [
            tag("tr", tag("th", f"{fault.number}  {fault.what}", scope="row"), tag("td", receipt_of(fault)))
            for fault in run.faults[:MOST_FAULTS]
        ]
        yield tag("h4", "Faults, and how we know of them")
        yield table([("fault", ""), ("receipt", "")], rows)
        if more := more_faults(run):
            yield tag("p", more)
    if run.expectations:
        yield tag("h4", "What the script expects")
        yield tag(
            "ul",
            *(
                tag(
                    "li",
                    tag("span", "✓ held: " if each.held else "✗ NOT MET: ", class_=f"word {_held(each.held)}"),
                    f"{each.what}, within {rounded(each.within)}{each.as_often}",
                    "" if each.held else f": {each.reason}",
                )
                for each in run.expectations
            ),
            tag("li", f"and {run.more_expectations:,} more") if run.more_expectations else None,
        )


def _held(held: bool) -> str:
    return "held" if held else "broken"


def _checks(run: RunVerdict) -> Html:
    rows = []
    for result in run.checks:
        status = "vacuous" if result.status == BROKEN and run.is_to_break(result.name) else result.status
        status = status.replace(" ", "-")
        name: Part = tag("strong", result.name) if is_subject(result, run) else result.name
        said = "; ".join([result.looked_at, *notes_of(result)])
        word = tag("td", f"{MARKS.get(result.status, '?')} {word_of(result, run)}", class_=f"word {status}")
        rows.append(tag("tr", tag("th", name, scope="row"), word, tag("td", said)))
    listed = table([("check", ""), ("", ""), ("looked at", "")], rows)
    return tag("details", tag("summary", f"All checks: {len(run.checks)}"), listed)
