"""Reports, all from the one verdict model of harness/verdict.py: console, JUnit XML, Markdown, JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.reports.json_report import to_json
from shaketable.harness.reports.junit import to_junit
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.verdict import SessionVerdict

FILES: Final = {"report.json": to_json, "junit.xml": to_junit, "report.md": to_markdown}


def write_reports(session: SessionVerdict, out_dir: Path) -> list[Path]:
    """Each report that can be written is written; then the first trouble is told, if there was any."""
    trouble: OSError | None = None
    written: list[Path] = []
    for name, make in FILES.items():
        path = out_dir / name
        try:
            out_dir.mkdir(parents=True, exist_ok=True)
            path.write_text(make(session), encoding="utf-8", errors="replace", newline="\n")
            written.append(path)
        except OSError as error:
            trouble = trouble or error
    if trouble is not None:
        why = (trouble.strerror or str(trouble)).lower()
        raise UserError(f"the reports cannot be written to {out_dir}: {why}; give another directory with --report")
    return written
