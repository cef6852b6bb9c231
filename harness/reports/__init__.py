"""Reports as a page, Markdown, JUnit XML and JSON, all from one model (model.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.errors import UserError, reason_of
from shaketable.harness.reports.junit import to_junit
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.reports.model import Report
from shaketable.harness.reports.page import to_html
from shaketable.harness.reports.picture import Picture
from shaketable.harness.reports.pictures import RecordsOf, pictures_of, recorded
from shaketable.harness.reports.tally import Tally, said_by
from shaketable.harness.verdicts.verdict import SessionVerdict
from shaketable.harness.visible import visible_json
from shaketable.harness.whole_files import write_whole

Pictures = Mapping[int, Picture]


def to_json(session: SessionVerdict) -> str:
    """The verdict as it is, for programs; its schema has a version (verdicts/verdict.py)."""
    return visible_json(msgspec.json.format(msgspec.json.encode(session), indent=1).decode()) + "\n"


FILES: Final[Mapping[str, Callable[[Report, Pictures], str]]] = {
    "report.html": to_html,
    "report.md": lambda report, pictures: to_markdown(report, pictures=pictures),
    "junit.xml": lambda report, pictures: to_junit(report),
    "report.json": lambda report, pictures: to_json(report),
}


def said_of_reports(out_dir: Path) -> str:
    """In the terminal, when they are written."""
    return f"Reports: {out_dir}/{', '.join(FILES)}"


def report_of_session(session: SessionVerdict) -> Report:
    """All its runs' verdicts, counted as a campaign's are."""
    if isinstance(session, Report):
        return session
    tally = Tally()
    for run in session.runs:
        tally.add(said_by(run))
    order = dict.fromkeys(check.name for run in session.runs for check in run.checks)
    return Report(
        schema=session.schema,
        shaketable=session.shaketable,
        outcome=session.outcome,
        history_hash=session.history_hash,
        runs=session.runs,
        left_out=session.left_out,
        totals=tally.totals(),
        lines=tally.lines(),
        guarantees=tally.guarantees(order),
    )


def write_reports(session: SessionVerdict, out_dir: Path, records_of: RecordsOf | None = None) -> list[Path]:
    """Each report that can be written is written; then the first trouble is told, if there was any."""
    report = report_of_session(session)
    pictures = pictures_of(report, records_of or recorded(report))
    trouble: OSError | None = None
    written: list[Path] = []
    for name, make in FILES.items():
        path = out_dir / name
        try:
            out_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, make(report, pictures))
            written.append(path)
        except OSError as error:
            trouble = trouble or error
    if trouble is not None:
        why = reason_of(trouble)
        raise UserError(f"the reports cannot be written to {out_dir}: {why}; give another directory")
    return written
