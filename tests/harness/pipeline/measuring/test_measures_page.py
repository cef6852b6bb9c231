"""The tables of docs/pipeline-measures.md are made of the measures themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.conftest import AsWritten
from tests.where import DOCS, with_part

from shaketable.harness.pipeline.measuring.measures import BYTES, MEASURES, PERCENT, TIME

PAGE = DOCS / "pipeline-measures.md"


def times() -> Iterator[str]:
    yield from ("| measure | from what until what | promised |", "|---|---|---|")
    for each in MEASURES:
        if each.unit == TIME:
            yield f"| {each.name} | {each.words} | {each.promised} |"


def amounts() -> Iterator[str]:
    yield from ("| measure | what is counted |", "|---|---|")
    for each in MEASURES:
        if each.unit != TIME:
            unit = f", in {each.unit}" if each.unit in (PERCENT, BYTES) else ""
            promised = f"; promised: {each.promised}" if each.promised else ""
            yield f"| {each.name} | {each.words}{unit}{promised} |"


@pytest.mark.parametrize("rows", [times, amounts])
def test_the_page_has_each_measure(rows: Callable[[], Iterator[str]], as_written: AsWritten) -> None:
    as_written(PAGE, with_part(PAGE, rows.__name__, "\n".join(rows())))
