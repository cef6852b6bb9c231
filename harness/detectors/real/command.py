"""`shaketable compare-detectors --under ... --system NAME`: the quality of a system's detector beside ours, on real
processes.

One cluster runs after the other, so that none disturbs another. A seed comes after the other, each with all systems:
what else the machine does meets all alike."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from shaketable.harness.checks.result import counted
from shaketable.harness.console.report import in_its_encoding
from shaketable.harness.console.screen import Screen
from shaketable.harness.detectors.quality.command import tell
from shaketable.harness.detectors.quality.conditions import CONDITIONS
from shaketable.harness.detectors.quality.course import AFTER, BEFORE, BETWEEN, CRASHES
from shaketable.harness.detectors.quality.figures import Quality, in_json, quality
from shaketable.harness.detectors.quality.named import known
from shaketable.harness.detectors.quality.of_a_run import OfRun
from shaketable.harness.detectors.quality.text import LEGEND
from shaketable.harness.detectors.real.contenders import Contenders, contenders
from shaketable.harness.detectors.real.playing import Asked, play
from shaketable.harness.detectors.real.trial import Times
from shaketable.harness.detectors.text import FAINT, kept
from shaketable.harness.detectors.waiting import progress
from shaketable.harness.errors import UserError
from shaketable.harness.explain.lines import say
from shaketable.harness.runs.interrupts import Interrupts
from shaketable.harness.whole_files import write_shared
from shaketable.node.core.env import SECOND

USUAL_SIZE: Final = "5"
MOST: Final = 50
"""members: each is a process"""
SEEDS: Final = 2
"""where no number is given: eight crashes, and six are enough to say where their median surely lies"""
MINUTE: Final = 60
TOLD_WITHIN: Final = 2
"""windows: about so long a crash takes to be told, and a member to come back"""


@dataclass(slots=True)
class Measured:
    """Of one size and condition."""

    members: int
    condition: str
    figures: Sequence[Quality] = ()
    unknown: list[tuple[str, int, str]] = field(default_factory=list)
    """runs that have no figures: of whom, by which seed, and why"""
    without: list[str] = field(default_factory=list)
    """of whom there are no figures at all"""


def refuse(options: argparse.Namespace, sizes: Sequence[int], conditions: Sequence[str]) -> None:
    """All that goes with simulated members alone."""
    for name in ("messages", "bytes", "cores", "spark_master"):
        if getattr(options, name) is not None:
            raise UserError(
                f"--{name.replace('_', '-')} is for simulated members, and with --system or --node real processes are "
                "measured, one cluster after the other: leave it out"
            )
    for name in conditions:
        if known(name).really is None:
            there = ", ".join(each for each, condition in CONDITIONS.items() if condition.really is not None)
            raise UserError(
                f"--under {name}: on real processes nobody can lose heartbeats alone, or let one member wait for the "
                f"CPU; give some of {there}, pauses-SECONDSs"
            )
    if max(sizes) > MOST:
        raise UserError(f"--members {max(sizes)}: each is a process here; give at most {MOST}")


def measure_real(
    options: argparse.Namespace,
    given: Mapping[str, object],
    sizes: Sequence[int],
    conditions: Sequence[str],
    of_ours: Sequence[str],
    folder: Path | None,
) -> None:
    found = contenders(options.system, options.preset, given, of_ours)
    seeds = range(options.seed, options.seed + (options.seeds or SEEDS))
    screen, interrupts, measured = Screen(), Interrupts(), list[Measured]()
    for each in found.all:
        system, under_test = each.options.chosen
        try:
            system.install(under_test, progress)
        finally:
            progress("")
    left = _Left(len(sizes) * len(conditions) * len(seeds) * len(found.all), found.times)
    say(sys.stderr, f"{counted(left.runs, 'run')} of real processes, one after the other: {left.told}")
    with interrupts.noted():
        for size in sizes:
            for name in conditions:
                one = _measured(found, size, name, seeds, left, interrupts)
                measured.append(one)
                if options.json:
                    for line in _as_json(one):
                        say(sys.stdout, line)
                else:
                    in_its_encoding(screen, partial(_tell, one, found.times))
    if not options.json:
        screen.print(Text(LEGEND, "dim"))
    if folder is not None:
        _report(measured, found.times, folder)
    for one in measured:
        for name in one.without:
            why = next(why for whose, _, why in one.unknown if whose == name)
            raise UserError(f"{name}, {one.members} members, {one.condition}: nothing was measured: {why}")


class _Left:
    """How long it still takes, about."""

    def __init__(self, runs: int, times: Times) -> None:
        self.runs = runs
        windows = BEFORE + AFTER + CRASHES * (sum(BETWEEN) / 2 + TOLD_WITHIN)
        self._each = windows * times.window / SECOND

    @property
    def told(self) -> str:
        return f"about {counted(max(1, round(self.runs * self._each / MINUTE)), 'minute')}"


def _measured(
    found: Contenders, members: int, name: str, seeds: range, left: _Left, interrupts: Interrupts
) -> Measured:
    made = Measured(members, name)
    runs: list[list[OfRun]] = [[] for _ in found.all]
    try:
        for seed in seeds:
            for each, of_it in zip(found.all, runs, strict=True):
                progress(f"{members} members, {name}: {each.name}, seed {seed}; {left.told} left")
                run = play(Asked(each, found.times, members, name, seed), progress, interrupts)
                left.runs -= 1
                if interrupts.came:
                    raise KeyboardInterrupt
                if isinstance(run, str):
                    made.unknown.append((each.name, seed, run))
                else:
                    of_it.append(run)
    finally:
        progress("")
    names = [each.name for each in found.all]
    made.figures = [quality(policy, name, of_it) for policy, of_it in zip(names, runs, strict=True) if of_it]
    made.without = [policy for policy, of_it in zip(names, runs, strict=True) if not of_it]
    return made


# What is told


def _settings_told(times: Times) -> str:
    return (
        f"Real processes; a heartbeat or a ping every {times.period / SECOND:g} s, and a window of "
        f"{times.window / SECOND:g} s"
    )


def _tell(one: Measured, times: Times, console: Console) -> None:
    if one.figures:
        tell(one.figures, _settings_told(times), console)
    for policy, seed, why in one.unknown:
        console.print(Text(f"Unknown, and in no figure: {policy}, {one.condition}, seed {seed}: {why}", FAINT))
    if one.unknown:
        console.print()


def _as_json(one: Measured) -> list[str]:
    unknown = [
        {"policy": policy, "members": one.members, "condition": one.condition, "seed": seed, "unknown": why}
        for policy, seed, why in one.unknown
    ]
    return [*map(in_json, one.figures), *map(json.dumps, unknown)]


def _report(measured: Sequence[Measured], times: Times, folder: Path) -> None:
    def tell_all(console: Console) -> None:
        for one in measured:
            _tell(one, times, console)
        console.print(LEGEND)

    write_shared(folder / "quality.txt", kept(tell_all))
    write_shared(folder / "quality.jsonl", "".join(f"{line}\n" for one in measured for line in _as_json(one)))
