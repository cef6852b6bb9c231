"""The picture of `shaketable compare-detectors`: all that it measures of all policies, one column a size, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.harness.checks.result import counted
from shaketable.harness.command import compare_detectors_amounts as of_amounts
from shaketable.harness.command import compare_detectors_times as of_times
from shaketable.harness.command.compare_detectors_figures import Figures
from shaketable.harness.command.compare_detectors_results import CRASHES
from shaketable.harness.command.compare_detectors_svg import BETWEEN, STYLE, left_of, text

TOP: Final = 84


def picture(figures: Sequence[Figures]) -> str:
    sizes = list(dict.fromkeys(each.members for each in figures))
    policies = list(dict.fromkeys(each.variant.name for each in figures))
    by_size = {(each.members, each.variant.name): each for each in figures}
    parts = [
        text(12, 26, "Failure detectors under the same faults: what they promise, and what was measured", "t"),
        *of_times.legend(50),
    ]
    for column, size in enumerate(sizes):
        seeds = next(each.seeds for each in figures if each.members == size)
        parts.append(text(left_of(column), TOP - 8, f"{size} members, {counted(seeds, 'seed')}", "h"))
    top = TOP
    for number, kind in enumerate(CRASHES):
        crashes = {key: each.crashes[number] for key, each in by_size.items()}
        parts += of_times.times(kind, crashes, sizes, policies, top)
        top += of_times.height(policies) + BETWEEN
    for pair in of_amounts.PAIRS:
        parts += of_amounts.amounts(pair, by_size, sizes, policies, top)
        top += of_amounts.height(policies) + BETWEEN
    wide = left_of(len(sizes))
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {top}" width="{wide}" height="{top}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{wide}" height="{top}" fill="#fff"/>',
    ]
    return "\n".join([*head, *parts, "</svg>", ""])
