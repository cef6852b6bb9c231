"""The table of the museum's random runs, by plain seeds and by the search, and how it is measured."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.conftest import AsWritten
from tests.soon import searched
from tests.soon.searched import EXHIBITS, FEW, Sought, _cell, kept, page_part, seek
from tests.where import DOCS, with_part

PAGE = DOCS / "how-soon.md"
ONE = EXHIBITS[0].script


def sought(way: str, first: int, after: int | None, most: int = FEW, script: str = ONE) -> Sought:
    return Sought(script, way, first, most, after)


def test_the_page_shows_what_the_search_gains(as_written: AsWritten) -> None:
    as_written(PAGE, with_part(PAGE, "searched", page_part(kept().values())))


def test_of_each_start_the_longest_look_counts(tmp_path: Path) -> None:
    file = tmp_path / "searched.jsonl"
    short, long = sought("search", 1, None), sought("search", 1, 70, 200)
    file.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in (short, long, short)))
    assert kept(file) == {(ONE, "search", 1): long}
    assert (long.within(24), long.within(200)) == (None, 70)


def test_the_table_says_how_many_were_caught_and_the_medians() -> None:
    plain = [sought("plain seeds", first, None) for first in (1, 1001, 2001)]
    own = [sought("own seeds", first, after) for first, after in ((1, 3), (1001, 1), (2001, 2))]
    search = [sought("search", 1, 5), sought("search", 1001, None, 200), sought("search", 2001, 9)]
    said, all_ = page_part([*plain, *own, *search]), len(EXHIBITS)
    name = f"{EXHIBITS[0].name} ({EXHIBITS[0].rule})"
    assert f"| {name} | >24 (>24, >24, >24) | 2 (3, 1, 2) | 9 (5, >200, 9) |" in said
    assert f"| caught within 24 runs, from first seed 1 | 0 of {all_} | 1 of {all_} | 1 of {all_} |" in said
    assert f"| caught from most first seeds within 24 runs | 0 of {all_} | 1 of {all_} | 1 of {all_} |" in said


@pytest.mark.parametrize(
    ("each", "median"),
    [
        (((107, 200), (16, 24), (None, 24)), ">24"),
        (((190, 200), (None, 24), (None, 24)), ">24"),
        (((None, 200), (None, 200), (None, 24)), ">200"),
        (((None, 200), (64, 200), (28, 200)), "64"),
        (((10, 24), (16, 24), (None, 24)), "16"),
        (((25, 200), (3, 24), (None, 24)), "25"),
    ],
)
def test_a_median_is_no_more_exact_than_the_shortest_look(
    each: tuple[tuple[int | None, int], ...], median: str
) -> None:
    of = [sought("search", first, after, most) for first, (after, most) in enumerate(each)]
    assert _cell(of).startswith(f"{median} (")


@pytest.mark.parametrize("way", searched.WAYS)
def test_an_exhibit_is_sought_until_it_is_caught(way: str) -> None:
    found = seek(("legacy-cleared-backups", way, 1, 3))
    assert found == seek(("legacy-cleared-backups", way, 1, 3))
    assert found.after is not None
