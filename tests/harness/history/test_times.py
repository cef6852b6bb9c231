"""A time as it is typed."""

from __future__ import annotations

import pytest

from shaketable.harness.errors import UserError
from shaketable.harness.history.times import USAGE, time_said
from shaketable.tui.model.standing.again import at

NOW, END = 10_000_000, 90_000_000


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("12.5", 12_500_000),
        (" 12,5 s ", 12_500_000),
        (".5", 500_000),
        ("1:30", 90_000_000),
        ("1:00:01.25", 3_601_250_000),
        ("500ms", 500_000),
        ("2m", 120_000_000),
        ("+2", 12_000_000),
        ("-100ms", 9_900_000),
        ("+1:00", 70_000_000),
        ("50%", 45_000_000),
        ("End", END),
        ("start", 0),
        ("0.000001", 1),
    ],
)
def test_it_is_read(typed: str, expected: int) -> None:
    assert time_said(typed, NOW, END) == expected


@pytest.mark.parametrize("typed", ["", "soon", "1:", "1:2:3:4", "101%", "+5%", "1:30ms", "--2", "1e9", "nan", "9" * 30])
def test_what_is_no_time_is_said_so(typed: str) -> None:
    with pytest.raises(UserError) as wrong:
        time_said(typed, NOW, END)
    assert str(wrong.value) == USAGE


@pytest.mark.parametrize(
    ("time", "said"), [(0, "0"), (4_000, "0.004"), (12_345_678, "12.345678"), (100_000_000, "100")]
)
def test_it_is_written_so_that_it_is_read_again(time: int, said: str) -> None:
    assert at(time) == said
    assert time_said(said, 0, 0) == time
