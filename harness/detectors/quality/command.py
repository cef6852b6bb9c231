"""`shaketable compare-detectors --under`: the quality of each way to detect failures under the conditions asked for."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from shaketable.harness.console.report import in_its_encoding
from shaketable.harness.console.screen import Screen
from shaketable.harness.detectors.members import NotWhole
from shaketable.harness.detectors.quality.conditions import CONDITIONS
from shaketable.harness.detectors.quality.equal import Cost, at_equal_cost
from shaketable.harness.detectors.quality.figures import Quality, in_json, quality
from shaketable.harness.detectors.quality.named import condition_named, known
from shaketable.harness.detectors.quality.text import LEGEND, periods, rendered
from shaketable.harness.detectors.quality.trial import Trace, Trial
from shaketable.harness.detectors.text import kept
from shaketable.harness.detectors.variants import IN_SHORT, Variant
from shaketable.harness.detectors.waiting import progress
from shaketable.harness.errors import UserError
from shaketable.harness.explain.lines import say
from shaketable.harness.whole_files import write_shared
from shaketable.node.config import BY_ORDER

ALL: Final = "all"
REPORT: Final = ("quality.txt", "quality.json")
FEWEST: Final = 6
"""seeds, where no number is given: with fewer nothing is sure"""
SAMPLES: Final = 80
"""members in all runs of a policy and condition, where no number of seeds is given"""


def conditions_named(said: str) -> Sequence[str]:
    if said == ALL:
        return tuple(CONDITIONS)
    names = dict.fromkeys(each.strip() for each in said.split(","))
    for name in names:
        refuse_unknown(name, said)
    return tuple(names)


def refuse_unknown(name: str, said: str) -> None:
    if condition_named(name) is None:
        known = ", ".join(CONDITIONS)
        raise UserError(
            f"--under {said}: there is no condition {name!r}; give {ALL}, or some of {known}, loss-PERCENT, "
            "pauses-SECONDSs, or several at once as in loss-2+pauses-3s"
        )


def policies(variants: Sequence[Variant]) -> Mapping[str, Variant]:
    """The election plays no part in who is suspected: one is enough."""
    found: dict[str, Variant] = {}
    for each in variants:
        if not each.is_group:
            found[each.settings.failure_detector] = each
        elif each.settings.gms_election == BY_ORDER:
            found[IN_SHORT[each.settings.gms_detection]] = each
    return found


def measure_quality(
    of: Mapping[str, Variant],
    sizes: Sequence[int],
    conditions: Sequence[str],
    *,
    first_seed: int,
    seeds: int | None,
    as_json: bool,
    folder: Path | None,
    cost: Cost | None = None,
) -> None:
    """With a `cost` all policies send as much."""
    screen, measured, at_cost = Screen(), list[list[Quality]](), dict[int, str]()
    for size in sizes:
        at = of if cost is None else at_equal_cost(of, size, cost, first_seed)
        if cost is not None:
            at_cost[size] = periods(at, cost)
        drawn = range(first_seed, first_seed + (seeds or max(FEWEST, SAMPLES // size)))
        for name in conditions:
            found = [
                quality(policy, name, list(_traces(each, policy, size, drawn, name))) for policy, each in at.items()
            ]
            measured.append(found)
            if as_json:
                for each in found:
                    say(sys.stdout, in_json(each))
            else:
                in_its_encoding(screen, partial(_tell, found, at_cost.get(size)))
    if not as_json:
        screen.print(Text(LEGEND, "dim"))
    if folder is not None:
        _report(measured, at_cost, folder)


def _traces(variant: Variant, policy: str, members: int, seeds: range, name: str) -> Iterator[Trace]:
    for seed in seeds:
        progress(f"{members} members, {name}: {policy}, seed {seed}")
        try:
            yield Trial(variant, members, seed, name, known(name)).run()
        except NotWhole as trouble:
            raise UserError(
                f"{policy}, {members} members, {name}, seed {seed}: {trouble}; give it gentler settings, or report it"
            ) from None
        finally:
            progress("")
        gc.collect()


def _tell(found: Sequence[Quality], at_cost: str | None, console: Console) -> None:
    for part in rendered(found, at_cost):
        console.print(part)
    console.print()


def _report(measured: Sequence[Sequence[Quality]], at_cost: Mapping[int, str], folder: Path) -> None:
    def tell(console: Console) -> None:
        for found in measured:
            _tell(found, at_cost.get(found[0].members), console)
        console.print(LEGEND)

    write_shared(folder / "quality.txt", kept(tell))
    write_shared(folder / "quality.json", "".join(f"{in_json(each)}\n" for found in measured for each in found))
