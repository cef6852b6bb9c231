"""The tables of docs/pipeline-measures.md are made of the measures themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from tests.conftest import AsWritten
from tests.where import DOCS, with_part

from shaketable.harness.pipeline.measuring.measures import BYTES, MEASURES, PERCENT, TIME, Measure

PAGE = DOCS / "pipeline-measures.md"
TIMES = [each for each in MEASURES if each.unit == TIME]
AMOUNTS = [each for each in MEASURES if each.unit != TIME]


def table(what: str, measures: Sequence[Measure]) -> Iterator[str]:
    yield from (f"| measure | {what} | promised | about |", "|---|---|---|---|")
    for each in measures:
        unit = f", in {each.unit}" if each.unit in (PERCENT, BYTES) else ""
        yield f"| {each.name} | {each.words}{unit} | {each.promised} | {each.about} |"


@pytest.mark.parametrize(
    ("name", "what", "measures"), [("times", "from what until what", TIMES), ("amounts", "what is counted", AMOUNTS)]
)
def test_the_page_has_each_measure(name: str, what: str, measures: Sequence[Measure], as_written: AsWritten) -> None:
    as_written(PAGE, with_part(PAGE, name, "\n".join(table(what, measures))))
