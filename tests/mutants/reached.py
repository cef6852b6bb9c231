"""Which runs execute which lines of the core: a mutant is judged by those that reach it.

Those come first that cost little and execute lines of its function that few others execute: they know its branches."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from coverage import Coverage
from tests.mutants.mutants import CORES, Mutant, lines_of
from tests.where import CHAOS, ROOT

from shaketable.harness.pipeline.campaigns.variants import ALL, USUAL, draws_its_faults, for_script
from shaketable.harness.runs.run import Options, collect_garbage_rarely, run_simulated
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.harness.whole_files import write_shared

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASK: Final = 8
"""scripts"""
CHEAP: Final = 500
"""events of a run, about: what costs less is no better for it"""
RICHEST: Final = 20
"""scripts"""
SEED: Final = 0
PRESET: Final = "default"


VARIANTS: Final = {variant.name: variant for variant in ALL}
Played = tuple[str, str]
"""a script, and the variant under which it is played; a story is played as it is written"""


class Reach(msgspec.Struct, frozen=True):
    script: str
    events: int
    """as a run costs time, but the same on every machine"""
    lines: Mapping[str, Sequence[int]]
    """by file of the core"""
    variant: str = USUAL.name

    @property
    def random(self) -> bool:
        return draws_its_faults(scripts()[self.script])


@cache
def scripts() -> Mapping[str, Script]:
    """Those that may judge: they are not about a fault that was planted in the core."""
    return {
        script.name: script
        for script in load_scripts([CHAOS])
        if not script.expects_violation and not script.why_not_in("sim")
    }


def played(family: str) -> list[Played]:
    """A script that draws its faults under all variants: what a story sets, none of them may set."""
    return [
        (name, variant.name)
        for name, script in sorted(scripts().items())
        if Options("sim").settings(script).family == family
        for variant in (for_script(script, ALL) if draws_its_faults(script) else [USUAL])
    ]


def options(variant: str, seed: int, preset: str) -> Options:
    chosen = VARIANTS[variant]
    return Options("sim", seed=seed, preset=chosen.preset or preset, values=chosen.values)


def reach_of(several: Iterable[Played]) -> Iterator[Reach]:
    collect_garbage_rarely()
    parts = [part for core in CORES.values() for part in core]
    core = [str(ROOT / where / part / "*") for where in ("", ".dev/shaketable") for part in parts]
    for name, variant in several:
        cover = Coverage(data_file=None, include=core, config_file=False)
        cover.start()
        try:
            finished = run_simulated(scripts()[name], options(variant, SEED, PRESET))
        finally:
            cover.stop()
        data = cover.get_data()
        lines = {_short(file): sorted(data.lines(file) or ()) for file in data.measured_files()}
        yield Reach(name, len(finished.records), lines, variant)


def _short(file: str) -> str:
    return str(Path(file).resolve().relative_to(ROOT))


def all_reached(spark: SparkSession, kept: Path, family: str) -> list[Reach]:
    """From the file if it is there: else all are played once, and it is written."""
    if not kept.exists():
        several = played(family)
        tasks = [several[start : start + TASK] for start in range(0, len(several), TASK)]
        found = spark.sparkContext.parallelize(tasks, len(tasks)).flatMap(_told).collect()
        write_shared(kept, "".join(f"{line}\n" for line in sorted(found)))
    return [msgspec.convert(json.loads(line), Reach) for line in kept.read_text(encoding="utf-8").splitlines()]


def _told(several: Sequence[Played]) -> list[str]:
    return [json.dumps(msgspec.to_builtins(each)) for each in reach_of(several)]


class Reached:
    def __init__(self, reached: Iterable[Reach]) -> None:
        self._by_line: dict[tuple[str, int], list[Reach]] = defaultdict(list)
        self._by_file: dict[str, list[Reach]] = defaultdict(list)
        for reach in reached:
            for file, lines in reach.lines.items():
                for line in lines:
                    self._by_line[file, line].append(reach)
                self._by_file[file].append(reach)

    def by(self, mutant: Mutant) -> Sequence[Reach]:
        """A value that is set when a part is made shows anywhere in its file."""
        rare: dict[Played, float] = defaultdict(float)
        whole = mutant.function.endswith("__init__")
        for line in [line for of, line in self._by_line if of == mutant.file] if whole else lines_of(mutant):
            by = self._by_line.get((mutant.file, line), [])
            for reach in by:
                rare[reach.script, reach.variant] += 1 / len(by)

        def worth(each: Reach) -> tuple[float, str, str]:
            played = each.script, each.variant
            return -rare[played] / (CHEAP + each.events), *played

        return sorted(self._here(mutant), key=worth)

    def rich(self, mutant: Mutant) -> Sequence[Reach]:
        """Of those that execute the line the scripts that execute most of its file, then of its folder: there the line
        has something to do."""
        folder = f"{Path(mutant.file).parent}/"

        def worth(each: Reach) -> tuple[int, int, float, str, str]:
            beside = sum(len(lines) for file, lines in each.lines.items() if file.startswith(folder))
            return -len(each.lines[mutant.file]), -beside, each.events, each.script, each.variant

        best: dict[str, Reach] = {}
        for each in sorted(self._here(mutant), key=worth):
            best.setdefault(each.script, each)
        return list(best.values())[:RICHEST]

    def near(self, mutant: Mutant) -> Sequence[Reach]:
        """Random plans that do not execute the line by their first seed, but its function, or else its file: by
        another seed they may."""
        here = {(reach.script, reach.variant) for reach in self._here(mutant)}
        of_file = self._by_file.get(mutant.file, [])
        others = [plan for plan in of_file if (plan.script, plan.variant) not in here and plan.random]
        lines = lines_of(mutant)
        close = [plan for plan in others if not lines.isdisjoint(plan.lines[mutant.file])]
        return sorted(close or others, key=lambda each: (each.events, each.script, each.variant))

    def _here(self, mutant: Mutant) -> Sequence[Reach]:
        file = mutant.file
        return self._by_line.get((file, mutant.line)) or self._by_line.get((file, mutant.statement), [])
