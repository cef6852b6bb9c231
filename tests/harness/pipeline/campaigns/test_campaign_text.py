"""What a campaign shows while it runs, and what it says in the end."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from tests.harness.pipeline.stored import row

from shaketable.harness.console.screen import Screen
from shaketable.harness.pipeline.campaigns import campaign_text
from shaketable.harness.pipeline.campaigns.campaign_text import tell, title_of
from shaketable.harness.pipeline.campaigns.progress import AS_LINES, Progress, Steps, bar, span, told
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.pipeline.campaigns.summaries import MOST_TOLD
from shaketable.harness.verdicts.rows import KEPT_FAILED, KEPT_SAMPLE, ReasonRow


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_says_runs_failures_pace_and_what_is_left() -> None:
    assert told(250, 1000, 2, 5.0) == "250/1000 runs, 2 not passed (0.8 %), 5.0 runs/s, 2 min 30 s left"
    assert told(1000, 1000, 0, 5.0) == "1000/1000 runs, 0 not passed, 5.0 runs/s"
    assert told(0, 1000, 0, 0.0) == "0/1000 runs, 0 not passed, ? left"


@pytest.mark.parametrize(("seconds", "said"), [(3.2, "3 s"), (61, "1 min 01 s"), (3661, "1 h 01 min")])
def test_spans(seconds: float, said: str) -> None:
    assert span(seconds) == said


def test_the_bar_fills() -> None:
    assert [bar(done, 4, 4) for done in (0, 1, 4)] == ["░░░░", "█░░░", "████"]


def test_on_a_terminal_one_line_is_drawn_anew() -> None:
    terminal, clock = Terminal(), Clock()
    progress = Progress(10, to=terminal, clock=clock)
    progress.show(0, 0)
    clock.now = 2
    progress.show(4, 1)
    progress.end()
    assert terminal.getvalue().count("\r") == 2
    assert terminal.getvalue().endswith("4/10 runs, 1 not passed (25.0 %), 2.0 runs/s, 3 s left\x1b[K\n")


def test_on_a_narrow_terminal_the_bar_gives_way_to_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "8/30 runs, 4 not passed (50.0 %), 1.0 runs/s, 22 s left"
    for columns, expected in ((200, f"{bar(8, 30)} {words}"), (66, f"{bar(8, 30, 9)} {words}"), (60, words)):
        monkeypatch.setenv("COLUMNS", str(columns))
        terminal, clock = Terminal(), Clock()
        progress = Progress(30, to=terminal, clock=clock)
        clock.now = 8
        progress.show(8, 4)
        assert terminal.getvalue() == f"\r{expected}\x1b[K"


def test_elsewhere_a_line_is_said_now_and_then() -> None:
    plain, clock = io.StringIO(), Clock()
    progress = Progress(100, to=plain, clock=clock)
    for seconds, done in ((0, 0), (1, 5), (2, 10), (1 + AS_LINES, 50), (2 + AS_LINES, 60), (3 + AS_LINES, 70)):
        clock.now = seconds
        progress.show(done, 0)
    progress.end()
    progress.end()
    lines = plain.getvalue().splitlines()
    assert [line.split(",")[0] for line in lines] == ["5/100 runs", "50/100 runs", "70/100 runs"], "the last one too"


def test_the_first_runs_have_a_pace_too() -> None:
    plain, clock = io.StringIO(), Clock()
    progress = Progress(4, to=plain, clock=clock)
    clock.now = 2
    progress.show(4, 0)
    progress.end()
    assert plain.getvalue() == "4/4 runs, 0 not passed, 2.0 runs/s\n"


def test_what_was_done_before_says_nothing_of_the_pace() -> None:
    plain, clock = io.StringIO(), Clock()
    progress = Progress(100, 60, to=plain, clock=clock)
    progress.show(60, 0)
    clock.now = 5
    progress.show(70, 0)
    assert "70/100 runs, 0 not passed, 2.0 runs/s" in plain.getvalue()


def test_steps_say_what_is_done_and_for_how_long_already() -> None:
    terminal, clock = Terminal(), Clock()
    with Steps("Making it", to=terminal, clock=clock, every=1000) as steps:
        clock.now = 61
        steps.begins("measuring")
        steps.show()
    assert terminal.getvalue() == "\rMaking it, 0 s\x1b[K\rMaking it: measuring, 1 min 01 s\x1b[K\n"


def test_where_there_is_no_terminal_each_step_is_a_line() -> None:
    plain = io.StringIO()
    with Steps("Making it", to=plain) as steps:
        for step in ("reading", "drawing", "drawing"):
            steps.begins(step)
    assert plain.getvalue() == "Making it: reading\nMaking it: drawing\n"


def said(results: Results, capsys: pytest.CaptureFixture[str], asked: int = 0) -> str:
    tell(results, asked or results.runs, Screen(), out=Path("out"))
    return capsys.readouterr().out


def test_a_campaign_that_passed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    results = Results()
    results.add([row("form/sim/1", marks={"join: admitted": 3}, events=7, same=True, kept="sample"), row("form/sim/2")])
    assert results.outcome == "passed"
    text = said(results, capsys)
    assert text.splitlines()[:3] == [
        "PASSED  2 runs: 2 passed",
        "  7 events in 0 s of simulated time",
        "  1 run executed twice, and the histories were the same",
    ]
    assert text.splitlines()[3].startswith("Reached: 1 of ")
    assert "Never reached" not in text
    assert "with the histories of 1 run" in text
    monkeypatch.setattr(campaign_text, "ENOUGH", 2)
    assert "or a refusal\n  join: admitted: in 1 run\nNever reached: " in said(results, capsys)


def test_its_title_counts_what_was_run() -> None:
    results = Results()
    results.add([row("form/sim/1", script="form"), row("form/sim/2", script="form", variant="fast")])
    results.add([row("split/sim/1", script="split")])
    assert title_of(results, 3) == "campaign: 3 runs of 2 scripts under 2 variants"
    assert title_of(results, 9) == "campaign: 3 of 9 runs of 2 scripts under 2 variants"


def test_no_line_about_the_variants_is_wider_than_the_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    names = ["", "fast", *(f"variant with {number} of 12" for number in range(12))]
    results = Results()
    results.add(
        row(f"form/sim/{name}/1", variant=name, outcome="failed" if "7" in name else "passed") for name in names
    )
    lines = said(results, capsys).splitlines()
    first = next(
        number for number, line in enumerate(lines) if line.startswith("Runs by variant: as written 1, fast 1, ")
    )
    variants = [line for line in lines[first:] if line.startswith(("Runs", "  "))]
    assert len(variants) > 3
    assert max(map(len, lines)) <= 80
    assert " ".join(line.strip() for line in variants) == "Runs by variant: " + ", ".join(
        f"{name or 'as written'} 1{' (1 not passed)' if '7' in name else ''}" for name in names
    )


def test_what_is_kept_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    bad = [row(f"b/sim/{seed}", outcome="failed", kept=KEPT_FAILED if seed < 2 else "") for seed in range(3)]
    results = Results()
    results.add([row("form/sim/1", kept=KEPT_SAMPLE), *bad[:2]])
    assert "with the histories of 3 runs (2 not passed)\n" in said(results, capsys)
    results.add(bad[2:])
    assert "with the histories of 3 runs (2 of 3 not passed)\n" in said(results, capsys)


def test_what_failed_is_told_first_with_the_command_that_shows_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    results = Results()
    results.add(
        [
            row("a/sim/1", outcome="unknown", reasons=[ReasonRow("unknown", "script", "it could not be run")]),
            row(
                "b/sim/1", outcome="failed", reasons=[ReasonRow("failed", "check", "broken")], again="shaketable run b"
            ),
        ]
    )
    assert results.outcome == "failed"
    text = said(results, capsys)
    verdict, *lines = text.splitlines()
    assert verdict == "FAILED  2 runs: 1 unknown, 1 failed"
    assert lines[1:5] == ["FAILED b/sim/1", "  broken", "  again: shaketable run b", "UNKNOWN a/sim/1"]


def test_of_many_that_failed_the_first_are_told_and_the_others_counted(capsys: pytest.CaptureFixture[str]) -> None:
    results = Results()
    results.add(row(f"b/sim/{seed}", outcome="failed") for seed in range(MOST_TOLD + 5))
    assert "and 5 more that have not passed" in said(results, capsys)


def test_two_executions_that_differ_make_it_fail(capsys: pytest.CaptureFixture[str]) -> None:
    results = Results()
    results.add([row("form/sim/1", same=False)])
    assert results.outcome == "failed"
    text = said(results, capsys)
    assert "form/sim/1 was executed twice, and its two histories differ" in text
    assert "the same" not in text


def test_marks_of_the_other_family_are_not_missed() -> None:
    results = Results()
    results.add([row("form/sim/1", family="cluster")])
    assert "signal: FAILURE" not in results.never()
    assert {"claim: began", "fault: kill"} <= set(results.never())


def test_a_part_of_a_campaign_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    results = Results()
    results.add([row("form/sim/1")])
    assert said(results, capsys, asked=9).startswith("UNKNOWN  1 of 9 runs: 1 passed\n")


def test_no_runs_are_no_verdict() -> None:
    assert Results().outcome == "unknown"
