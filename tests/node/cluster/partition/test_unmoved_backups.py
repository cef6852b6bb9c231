"""What members with a legacy fault do to backups in the table alone: no owner changes, and nobody is there twice.

The letters of a row are who holds index 0, 1 and so on; - is nobody."""

from __future__ import annotations

import random

import pytest

from shaketable.node.cluster.partition.planner import plan
from shaketable.node.legacy.cleared_backups import ReplacesBackups
from shaketable.node.legacy.late_backups import FillsTheTable
from shaketable.node.legacy.unmoved_backups import UnmovedBackups

MEMBERS = "ABCDEFG"


def changed(by: type[UnmovedBackups], row: str, target: str) -> str:
    wide, aim = ([None if each == "-" else each for each in text] for text in (row, target))
    return "".join(each or "-" for each in by.directly(wide, aim))


@pytest.mark.parametrize(
    ("row", "target", "replaced", "refilled"),
    [
        ("ABC", "ABC", "ABC", "ABC"),
        ("AB-", "AC-", "AC-", "AB-"),
        ("AB-", "ACB", "AC-", "AB-"),
        ("A-B", "AB-", "A-B", "AB-"),
        ("A-B", "ABC", "A-C", "ABC"),
        ("A--", "ABC", "A--", "ABC"),
        ("AB-", "CAB", "A--", "AB-"),
        ("ABCD", "BDC-", "ADC-", "ABCD"),
    ],
)
def test_a_row(row: str, target: str, replaced: str, refilled: str) -> None:
    assert changed(ReplacesBackups, row, target) == replaced
    assert changed(FillsTheTable, row, target) == refilled


@pytest.mark.parametrize("by", [ReplacesBackups, FillsTheTable])
def test_rows_by_chance(by: type[UnmovedBackups]) -> None:
    rng = random.Random(1)
    for _ in range(3000):
        width = rng.randint(1, 5)
        now, then = (rng.sample(MEMBERS, width) for _ in range(2))
        row = now[0] + "".join(each if rng.random() < 0.7 else "-" for each in now[1:])
        target = "".join(then[: rng.randint(1, width)]).ljust(width, "-")
        after = changed(by, row, target)
        held = [each for each in after if each != "-"]
        assert after[0] == row[0]
        assert len(set(held)) == len(held), (row, target, after)
        plan(*(tuple(None if each == "-" else each for each in text) for text in (after, target)))
