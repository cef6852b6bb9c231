"""Sound campaigns, simulated or drawn, and what may be done with one: split it by seed, make one measure slower."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from tests.chaos.shipped import ALL
from tests.harness.pipeline.measuring.plain_measures import samples_of

from shaketable.harness.history.history import History
from shaketable.harness.pipeline.campaigns.cases import Cell
from shaketable.harness.pipeline.campaigns.variants import ALL as VARIANTS
from shaketable.harness.pipeline.campaigns.variants import each_under_all
from shaketable.harness.pipeline.comparing.facts import RunFacts
from shaketable.harness.pipeline.comparing.pairs import Key
from shaketable.harness.runs.run import run_simulated
from shaketable.harness.verdicts.verdict import PASSED

Runs = dict[Key, RunFacts]

MEASURES: dict[str, Callable[[random.Random, float], float]] = {
    "claim": lambda draw, lean: math.exp(lean),
    "join": lambda draw, lean: (5.0 if draw.random() < 0.4 else 0.3) * math.exp(lean / 5),
    "heal": lambda draw, lean: 3.0 + draw.expovariate(1.0) * math.exp(2 * lean),
    "script": lambda draw, lean: 100.0 + 5 * lean,
    "events": lambda draw, lean: float(round(400 * math.exp(lean))),
    "claims asked": lambda draw, lean: float(round(math.exp(lean))),
    "frames dropped": lambda draw, lean: 2.0 if draw.random() < 0.04 else 0.0,
}
"""Times as they are: skewed, with two heaps or a long tail; and amounts, often equal or nothing."""


def drawn(
    seeds: Iterable[int], draw: random.Random, cells: int, shared: float, own: float, present: float = 1.0
) -> Runs:
    """`shared`: how far seeds lie apart, in all of their cells; `own`: how far runs of one seed do; as logarithms.
    `present`: of which share of the runs a measure is known."""
    runs: Runs = {}
    for seed in seeds:
        leans = {name: draw.gauss(0, shared) for name in MEASURES}
        for cell in range(cells):
            means = {
                name: (1 + cell) * made(draw, leans[name] + draw.gauss(0, own))
                for name, made in MEASURES.items()
                if draw.random() < present
            }
            key = Key(f"story {cell % 2}", "sim", f"variant {cell}", "default", seed)
            runs[key] = RunFacts(outcome=PASSED, file="stories.py", means=means)
    return runs


def simulated(scripts: Iterable[str], seeds: Iterable[int]) -> Runs:
    """Each script under all its variants with each seed."""
    runs: Runs = {}
    chosen = [script for script in ALL if script.name in set(scripts)]
    cells = [Cell(script, variant) for script in chosen for variant in each_under_all([script], VARIANTS)[script.name]]
    for seed in seeds:
        for cell in cells:
            sums: dict[str, list[float]] = {}
            for name, value in samples_of(History(run_simulated(cell.script, cell.options(seed)).records)):
                sums.setdefault(name, []).append(value)
            means = {name: sum(values) / len(values) for name, values in sums.items()}
            key = Key(cell.script.name, "sim", cell.variant.name, cell.variant.preset or "default", seed)
            runs[key] = RunFacts(outcome=PASSED, file=Path(cell.script.file).name, means=means)
    return runs


def split(runs: Runs, draw: random.Random, fewest: int = 2) -> tuple[Runs, Runs]:
    """Two halves that have no seed in common."""
    seeds = sorted({key.seed for key in runs})
    size = draw.randint(fewest, len(seeds) // 2)
    chosen = draw.sample(seeds, 2 * size)
    one, other = set(chosen[:size]), set(chosen[size:])
    return (
        {key: run for key, run in runs.items() if key.seed in one},
        {key: run for key, run in runs.items() if key.seed in other},
    )


def slower(runs: Runs, measure: str, factor: float) -> Runs:
    return {
        key: msgspec.structs.replace(
            run, means={name: value * (factor if name == measure else 1) for name, value in run.means.items()}
        )
        for key, run in runs.items()
    }


def each_its_own_draw(runs: Runs) -> Runs:
    """As if the runs of one seed had nothing to do with each other."""
    return {key: msgspec.structs.replace(run, file=f"{key.script} {key.variant}") for key, run in runs.items()}
