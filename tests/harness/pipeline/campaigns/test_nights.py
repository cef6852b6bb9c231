"""What a row of campaigns has found: a line for each night, and one page."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.harness.pipeline.stored import row

from shaketable.harness.coverage import ALL_MARKS
from shaketable.harness.errors import UserError
from shaketable.harness.pipeline.campaigns.nights import FILE, PAGE, Night, night, page, read_nights, write_nights
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.pipeline.campaigns.spans import seconds_of
from shaketable.harness.pipeline.campaigns.summaries import summary_of

ONE, OTHER, THIRD = list(ALL_MARKS)[:3]


def results(*outcomes: str, marks: list[str], tasks: int = 1) -> Results:
    """Runs of two seconds each, in so many tasks."""
    rows = [
        msgspec.structs.replace(
            row(f"story/sim/{n}"), outcome=each, marks=dict.fromkeys(marks, 1), wall_micros=2_000_000
        )
        for n, each in enumerate(outcomes)
    ]
    found, size = Results(), -(-len(rows) // tasks)
    for first in range(0, len(rows), size):
        found.merge(summary_of(rows[first : first + size]))
    return found


def of(found: Results, *before: Night) -> Night:
    return night(found, before, ended="2026-11-28 06:00", store="out", plans=7)


@pytest.mark.parametrize("tasks", [1, 2, 4])
def test_a_night_tells_what_is_new_and_after_how_many_runs_something_failed(tasks: int) -> None:
    first = of(results("passed", "passed", "failed", "unknown", marks=[OTHER, ONE], tasks=tasks))
    assert (first.runs, first.not_passed, first.marks, first.new) == (4, 2, 2, [ONE, OTHER])
    assert (first.bad_after, first.seconds) == (3, 6.0)
    second = of(results("passed", "passed", marks=[THIRD, ONE], tasks=tasks), first)
    assert (second.marks, second.new, second.bad_after, second.seconds) == (2, [THIRD], None, None)


def test_the_nights_are_kept_and_shown_on_one_page_the_newest_first(tmp_path: Path) -> None:
    first = of(results("passed", "failed", marks=[ONE]))
    second = msgspec.structs.replace(of(results("passed", marks=[OTHER]), first), ended="<b>later</b>")
    assert read_nights(tmp_path) == []
    write_nights(tmp_path, [first, second])
    assert read_nights(tmp_path) == read_nights(tmp_path / "corpus.jsonl") == [first, second]
    said = (tmp_path / PAGE).read_text()
    assert said == page([first, second])
    assert said.index("&lt;b&gt;later&lt;/b&gt;") < said.index("2026-11-28 06:00")
    assert "<b>" not in said
    assert "3 runs in 2 nights have reached 2 marks." in said
    assert "after 2 runs, 4 s of one core" in said
    assert "http" not in said.partition("</head>")[2]


def test_of_many_new_marks_some_are_named(tmp_path: Path) -> None:
    many = of(results("passed", marks=list(ALL_MARKS)[:20]))
    assert "20: " in page([many])
    assert " and 8 more" in page([many])
    (tmp_path / FILE).write_text("{}")
    with pytest.raises(UserError, match="tells no nights"):
        read_nights(tmp_path)


@pytest.mark.parametrize(("said", "seconds"), [("8h", 28_800), ("30m", 1_800), ("90s", 90), ("1h30m", 5_400)])
def test_a_time_is_typed_in_hours_minutes_and_seconds(said: str, seconds: int) -> None:
    assert seconds_of(said) == seconds


@pytest.mark.parametrize("said", ["", "8", "8 h", "0s", "-1h", "1m1h", "800h", "1d"])
def test_what_is_no_time_is_refused_in_words(said: str) -> None:
    with pytest.raises(UserError, match=f"^--for {said}: give a time, as 8h, 30m, 90s or 1h30m"):
        seconds_of(said)
