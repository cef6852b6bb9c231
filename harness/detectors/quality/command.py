"""`shaketable compare-detectors --under`: the quality of each way to detect failures under the conditions asked for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from shaketable.harness.console.report import in_its_encoding
from shaketable.harness.console.screen import Screen
from shaketable.harness.detectors.plays import Play, Playing
from shaketable.harness.detectors.quality.conditions import CONDITIONS
from shaketable.harness.detectors.quality.equal import Cost, with_period
from shaketable.harness.detectors.quality.figures import Quality, in_json, quality
from shaketable.harness.detectors.quality.named import condition_named, why_there_is_none
from shaketable.harness.detectors.quality.playing import Chosen, Done, Task, ToMeasure, ToPrice, packed, unpacked
from shaketable.harness.detectors.quality.text import LEGEND, periods, rendered
from shaketable.harness.detectors.text import kept
from shaketable.harness.detectors.variants import Variant
from shaketable.harness.detectors.waiting import progress
from shaketable.harness.errors import UserError
from shaketable.harness.explain.lines import say
from shaketable.harness.whole_files import write_shared
from shaketable.node.core.env import Micros

ALL: Final = "all"
REPORT: Final = ("quality.txt", "quality.jsonl")
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
        why = why_there_is_none(name)
        if why:
            raise UserError(f"--under {said}: {why}")
        known = ", ".join(CONDITIONS)
        raise UserError(
            f"--under {said}: there is no condition {name!r}; give {ALL}, or some of {known}, loss-PERCENT, "
            "pauses-SECONDSs, or several at once as in loss-2+pauses-3s"
        )


def measure_quality(
    of: Mapping[str, Variant],
    chosen: Chosen,
    sizes: Sequence[int],
    conditions: Sequence[str],
    *,
    playing: Playing,
    first_seed: int,
    seeds: int | None,
    as_json: bool,
    folder: Path | None,
    cost: Cost | None = None,
) -> None:
    """`of`: by the policy, those that are `chosen`. With a `cost` all policies send as much."""
    screen, measured, at_cost = Screen(), list[list[Quality]](), dict[int, str]()
    with playing() as play:
        for size in sizes:
            at = {} if cost is None else _at_equal_cost([*of], chosen, size, cost, first_seed, play)
            if cost is not None:
                at_cost[size] = periods({policy: with_period(of[policy], at[policy]) for policy in of}, cost)
            drawn = range(first_seed, first_seed + (seeds or max(FEWEST, SAMPLES // size)))
            for name in conditions:
                found = _measured([*of], chosen, at, size, name, drawn, play)
                measured.append(found)
                if as_json:
                    for each in found:
                        say(sys.stdout, in_json(each))
                else:
                    in_its_encoding(screen, partial(tell, found, at_cost.get(size)))
    if not as_json:
        screen.print(Text(LEGEND, "dim"))
    if folder is not None:
        report(measured, at_cost, folder)


def _at_equal_cost(
    of: Sequence[str], chosen: Chosen, members: int, cost: Cost, seed: int, play: Play
) -> dict[str, Micros]:
    tasks = [ToPrice(chosen, policy, members, cost.many, cost.unit, seed) for policy in of]
    found: dict[str, Micros] = {}
    for policy, done in zip(of, _played(tasks, play, f"{members} members, at equal cost"), strict=True):
        if done.period is None:
            raise UserError(done.trouble)
        found[policy] = done.period
    return found


def _measured(
    of: Sequence[str], chosen: Chosen, at: Mapping[str, Micros], members: int, name: str, seeds: range, play: Play
) -> list[Quality]:
    """A seed after the other, each under all policies: the longest runs do not all come last."""
    tasks = [ToMeasure(chosen, policy, at.get(policy), members, name, seed) for seed in seeds for policy in of]
    done = _played(tasks, play, f"{members} members, {name}")
    found = []
    for place, policy in enumerate(of):
        runs = []
        for seed, each in zip(seeds, done[place :: len(of)], strict=True):
            if each.run is None:
                raise UserError(
                    f"{policy}, {members} members, {name}, seed {seed}: {each.trouble}; give it gentler settings, or "
                    "report it"
                )
            runs.append(each.run)
        found.append(quality(policy, name, runs))
    return found


def _played(tasks: Sequence[Task], play: Play, what: str) -> list[Done]:
    def show(done: int, of: int) -> None:
        progress(f"{what}: {done} of {of} runs")

    try:
        return [unpacked(done) for done in play([packed(task) for task in tasks], show)]
    finally:
        progress("")


def tell(found: Sequence[Quality], more: str | None, console: Console) -> None:
    for part in rendered(found, more):
        console.print(part)
    console.print()


def report(measured: Sequence[Sequence[Quality]], at_cost: Mapping[int, str], folder: Path) -> None:
    def tell_all(console: Console) -> None:
        for found in measured:
            tell(found, at_cost.get(found[0].members), console)
        console.print(LEGEND)

    write_shared(folder / "quality.txt", kept(tell_all))
    write_shared(folder / "quality.jsonl", "".join(f"{in_json(each)}\n" for found in measured for each in found))
