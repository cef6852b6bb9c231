"""What was measured of a store, and compared with another one, as a report shows it."""

from __future__ import annotations

import re

import msgspec
import pytest

from shaketable.harness.pipeline.comparing.compared_report import as_lines
from shaketable.harness.pipeline.comparing.comparing import compared
from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.pairs import Key
from shaketable.harness.pipeline.measuring.measured_report import SHARES, SHOWN, as_shown
from shaketable.harness.pipeline.measuring.measures import MeasureRow
from shaketable.harness.reports import report_of_session
from shaketable.harness.reports.page.plots import measured, said_of
from shaketable.harness.verdicts.verdict import session_of

pytestmark = pytest.mark.spark

ROW = MeasureRow(
    measure="claim", unit="time", words="from its start until its end", variant="", n=40, runs=9, total=4e7, least=1e6,
    p50=2e6, p90=4e6, p99=5e6, most=6e6, promised_most=6.5e7, outside=1,
)  # fmt: skip


def test_a_row_is_shown_beside_its_promise() -> None:
    (shown,) = as_shown([(ROW, [1e6 + 5e6 * share for share in SHARES])])
    assert (shown.about, shown.variant, shown.outside) == ("From its start until its end.", "as written", 1)
    assert said_of(shown) == "median 2 s, 99 of 100 by 5 s, 40 times; promised at most 65 s"
    assert len(shown.spread.shares) == len(SHARES)
    report = msgspec.structs.replace(report_of_session(session_of([], "1")), measures=(shown,))
    plot = measured(report)
    (shape,) = re.findall('<path d="([^"]*)" class="many">', plot)
    assert shape.count("M") > 5, "the shape of its distribution"
    assert plot.count('class="promise"') == 1
    assert "1 outside of it" in plot


def test_of_few_cases_no_shape_is_drawn() -> None:
    (shown,) = as_shown([(msgspec.structs.replace(ROW, n=1), [1e6])])
    assert shown.spread.shares == ()


def test_how_long_runs_took_is_told_of_all_of_them() -> None:
    assert not {"script", "events"} & {measure.name for measure in SHOWN}


def test_what_has_changed_is_a_line_a_run_and_a_line_a_measure() -> None:
    def runs(outcome: str, seconds: float) -> dict[Key, RunFacts]:
        return {
            Key("storm", "sim", "", "default", seed): RunFacts(
                outcome=outcome if seed == 1 else "passed",
                why="settled is broken",
                means={"claim": seconds * 1e6 + seed},
            )
            for seed in range(1, 40)
        }

    lines = list(as_lines(compared(runs("passed", 1.0), runs("failed", 2.0))))
    assert (lines[0].kind, lines[0].what, lines[0].before, lines[0].now) == (
        "new failure",
        "seed 1",
        "passed",
        "failed",
    )
    slower = next(each for each in lines if each.what == "claim")
    assert (slower.kind, slower.before, slower.now) == ("worse", "1 s", "2 s")
    assert "%" in slower.said
    assert "by chance < 0.001" in slower.said
