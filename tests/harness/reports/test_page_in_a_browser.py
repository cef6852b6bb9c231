"""report.html in a real browser, without a window: no error, pictures drawn, and a tap tells what they believed."""

from __future__ import annotations

import asyncio
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conftest import AsWritten
from tests.harness.reports.told_runs import crash, quiet, wild
from tests.tui.real.test_in_a_browser import debugger, fonts, found, page
from tests.waiting import until
from tests.where import DOCS

from shaketable.harness.reports import page as reports_page
from shaketable.harness.reports import write_reports
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.targets import scripts_named
from shaketable.harness.verdicts.verdict import session_of
from shaketable.node.config import STALE_OVERWRITE

__all__ = ["debugger", "fonts"]
pytestmark = pytest.mark.skipif(not found(), reason="no Chromium: make chromium, or name one by $SHAKETABLE_CHROMIUM")

WATCH = """
window.troubles = [];
for (const kind of ['error', 'unhandledrejection', 'securitypolicyviolation'])
  window.addEventListener(kind, (event) => troubles.push(`${kind}: ${event.message ?? event.violatedDirective ?? ''}`));
for (const kind of ['error', 'warn']) console[kind] = (...said) => troubles.push(said.join(' '));
"""
DRAWN = "[...document.querySelectorAll('figure.picture svg')].filter((svg) => svg.querySelector('.life')).length"
LOOK = """
(async () => {
  const all = [...document.querySelectorAll('details')];
  all.forEach((each) => { each.open = true; });
  await new Promise((done) => setTimeout(done, 300));
  const figure = document.querySelector('figure.picture'), svg = figure.querySelector('svg');
  const before = figure.querySelector('.beliefs').textContent;
  const box = svg.getBoundingClientRect();
  const there = {clientX: box.left + box.width * 0.45, clientY: box.top + 120, bubbles: true};
  svg.dispatchEvent(new MouseEvent('click', there));
  const after = figure.querySelector('.beliefs').textContent;
  for (const button of figure.querySelectorAll('button')) button.click();
  return {
    troubles, before, after, marks: svg.querySelectorAll('.proof').length, drawn: DRAWN,
    wider: document.documentElement.scrollWidth - innerWidth, images: document.images.length,
  };
})()
""".replace("DRAWN", DRAWN)
CROWDED = """
(() => {
  const svg = document.querySelector('figure.picture svg'), texts = [...svg.querySelectorAll('text.fault, text.label')];
  const boxes = texts.map((each) => [each.firstChild?.nodeValue, each.getBBox()]).filter(([words]) => words);
  const over = [];
  boxes.forEach(([one, a], number) => boxes.slice(number + 1).forEach(([other, b]) => {
    const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
    const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
    if (wide > 1 && high > 4) over.push(`${one} | ${other}`);
  }));
  return {
    over, words: boxes.filter(([words]) => words.includes('kill')).length, bands: svg.querySelectorAll('.band').length,
    more: boxes.map(([words]) => words).filter((words) => words.endsWith(' more')),
    outside: boxes.filter(([, box]) => box.x + box.width > svg.viewBox.baseVal.width + 1).map(([words]) => words),
  };
})()
"""
PICTURE = """
(async () => {
  const canvas = document.querySelector('figure.picture .canvas'), svg = canvas.querySelector('svg');
  const drawn = new Promise((done) => new MutationObserver(done).observe(svg, {childList: true}));
  canvas.style.width = '1040px';
  await drawn;
  return new XMLSerializer().serializeToString(svg);
})()
"""
"""drawn as wide as a page of the docs, whatever the browser"""


def looked_at(debugger: str, file: Path, wide: int, look_at: str = LOOK) -> Any:
    async def look() -> Any:
        async with page(debugger, "about:blank") as shown:
            await shown.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
            size = {"width": wide, "height": 800, "deviceScaleFactor": 1, "mobile": wide < 600}
            await shown.ask("Emulation.setDeviceMetricsOverride", **size)
            await shown.ask("Page.navigate", url=file.as_uri())
            drawn = f"document.readyState === 'complete' && {DRAWN}"

            async def is_drawn() -> bool:
                there = await shown.ask("Runtime.evaluate", expression=drawn)
                return bool(there["result"].get("value"))

            await until(is_drawn, "the page is drawn")
            found = await shown.ask("Runtime.evaluate", expression=look_at, awaitPromise=True, returnByValue=True)
            return found["result"]["value"]

    return asyncio.run(look())


def test_a_page_is_drawn_without_an_error_on_a_desk_and_on_a_phone(debugger: str, tmp_path: Path) -> None:
    of = {0: crash()[1], 1: wild()[1], 2: quiet()[1]}
    write_reports(session_of([crash()[0], wild()[0], quiet()[0]], "1"), tmp_path, of.get)
    for wide in (1280, 390):
        seen = looked_at(debugger, tmp_path / "report.html", wide)
        assert seen["troubles"] == []
        assert (seen["drawn"], seen["images"]) == (3, 0)
        assert seen["marks"] > 0
        assert seen["before"].startswith("At 2.018 s each node believed:"), "at the last record of the proof"
        assert seen["after"].startswith("At 0.0")
        assert seen["wider"] <= 0, "nothing is to be scrolled sideways for"


@pytest.mark.parametrize("wide", [1280, 390])
def test_of_many_faults_at_once_no_words_are_drawn_over_others(debugger: str, tmp_path: Path, wide: int) -> None:
    run, records = crash()
    (one,) = run.faults
    second = one.asked
    faults = [
        msgspec.structs.replace(
            one,
            number=number,
            what=f"kill node-{number:02} of a long name",
            took=number * second // 12,
            ended=number * second // 12 + 20 * second if number % 3 else None,
            lasts=bool(number % 3),
        )
        for number in range(1, 41)
    ]
    write_reports(session_of([msgspec.structs.replace(run, faults=tuple(faults))], "1"), tmp_path, {0: records}.get)
    seen = looked_at(debugger, tmp_path / "report.html", wide, CROWDED)
    assert seen["over"] == []
    assert seen["outside"] == []
    assert 0 < seen["words"] < len(faults), "there is room for some"
    assert seen["more"] == [f"{len(faults) - seen['words']} more"]
    assert seen["bands"] > seen["words"] - len(faults) // 3


def test_the_picture_of_a_run_in_the_docs_is_the_one_of_the_page(
    debugger: str, tmp_path: Path, as_written: AsWritten
) -> None:
    """The story is the one that fails in README.md. The picture brings the styles of the page along."""
    (story,) = scripts_named(["no-stale-overwrite"])
    finished = run_simulated(story, Options(values={"legacy_fault": STALE_OVERWRITE}))
    write_reports(session_of([judged(finished)], "1"), tmp_path, {0: finished.records}.get)
    svg = looked_at(debugger, tmp_path / "report.html", 1280, PICTURE)
    css = files(reports_page).joinpath("report.css").read_text(encoding="utf-8")
    (light,) = re.findall(r"^:root (\{.*?\})", css, re.DOTALL | re.MULTILINE)
    rules = [line for line in css.splitlines() if re.match(r"svg [.t]", line)]
    style = "\n".join(["<style>", f"svg {light}", "svg { background: var(--sheet); }", *rules, "</style>"])
    drawn = re.sub(r"(<svg[^>]*>)", rf"\1\n{style}\n", svg, count=1).replace("><", ">\n<")
    as_written(DOCS / "report.svg", f"{drawn}\n")
