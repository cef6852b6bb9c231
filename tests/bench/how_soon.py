"""After how many random runs a known bug is noticed: the medians that `make soon ARGS="--all --keep"` has found."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tests.bench.figure import Figure
from tests.soon.faults import Kind
from tests.soon.table import SHOWN, kept, ratio, within
from tests.soon.ways import PLAIN


def figures() -> Iterator[Figure]:
    measured = kept()
    for kind in Kind:
        of = [each for each in measured if each.fault.kind is kind]
        for way in SHOWN if of else ():
            runs = median(min(each.median(way), each.most) for each in of)
            told = f"{within(of, way)} of {len(of)} noticed within {of[0].most}"
            yield Figure(f"runs until a check notices, {kind}, {way}", runs, "runs", spread=told)
    for way in SHOWN:
        if way != PLAIN:
            yield Figure(f"runs for one of plain seeds, {way}", ratio(measured, way), "")
