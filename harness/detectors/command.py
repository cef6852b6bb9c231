"""`shaketable compare-detectors`: one workload of faults under every policy, and what each makes of it."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from shaketable.harness.console.report import in_its_encoding
from shaketable.harness.console.screen import Screen
from shaketable.harness.console.values import values_of
from shaketable.harness.detectors.figures import Figures, figures, in_json
from shaketable.harness.detectors.members import LEAST, NotWhole
from shaketable.harness.detectors.picture import picture
from shaketable.harness.detectors.plays import Playing
from shaketable.harness.detectors.quality import command as of_quality
from shaketable.harness.detectors.quality.equal import BYTES, MESSAGES, Cost
from shaketable.harness.detectors.quality.playing import Chosen
from shaketable.harness.detectors.quality.policies import policies as policies_of_quality
from shaketable.harness.detectors.real.command import USUAL_SIZE, measure_real, refuse
from shaketable.harness.detectors.real.contenders import USUAL as USUAL_OF_OURS
from shaketable.harness.detectors.text import LEGEND, kept, rendered
from shaketable.harness.detectors.variants import Variant, variants
from shaketable.harness.detectors.waiting import progress
from shaketable.harness.detectors.workload import Workload
from shaketable.harness.errors import UserError, cannot_be_written
from shaketable.harness.explain.lines import say
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.harness.whole_files import write_shared

MOST: Final = 500
"""members: with more a policy would take minutes"""
MOST_SEEDS: Final = 1000
REPORT: Final = ("detectors.txt", "detectors.jsonl", "detectors.svg")
SAMPLES: Final = 200
"""members in all runs of a policy and size, where no number of seeds is given"""
USUAL: Final = "10,50,200"
USUAL_UNDER: Final = "10"
_HELP: Final = "shaketable compare-detectors --help"
ANOTHER_FOLDER: Final = "give another folder with --report"


def compare_detectors(options: argparse.Namespace, playing: Playing) -> int:
    """0 if all is as promised, 1 if something is not. Nothing is promised of the quality under a condition, whose runs
    are for those who are `playing`."""
    under = None if options.under is None else of_quality.conditions_named(options.under)
    usual = USUAL if under is None else USUAL_SIZE if options.system else USUAL_UNDER
    sizes = sizes_in(usual if options.members is None else options.members)
    given = values_of(options.values)
    named = _policies(options)
    if options.seeds is not None and not 1 <= options.seeds <= MOST_SEEDS:
        raise UserError(f"--seeds {options.seeds}: give a whole number from 1 to {MOST_SEEDS}")
    if options.system:
        if under is None:
            raise UserError(f"a system is measured under the conditions of --under: name some; see {_HELP}")
        refuse(options, sizes, under)
        measure_real(options, given, sizes, under, named or USUAL_OF_OURS, _places(options)[1])
        return 0
    preset = options.preset or "default"
    policies = variants(preset, given)
    cost = _cost(options)
    out, folder = _places(options)
    collect_garbage_rarely()
    if under is not None:
        chosen = Chosen(preset, {name: str(value) for name, value in given.items()})
        of_all = policies_of_quality(policies)
        of_quality.measure_quality(
            {name: of_all[name] for name in named or of_all}, chosen, sizes, under, playing=playing,
            first_seed=options.seed, seeds=options.seeds, as_json=options.json, folder=folder, cost=cost,
        )  # fmt: skip
        return 0
    screen, measured = Screen(), list[Figures]()
    for size in sizes:
        seeds = range(options.seed, options.seed + (options.seeds or max(1, SAMPLES // size)))
        of_size = [_measure(policy, size, seeds) for policy in policies]
        measured += of_size
        if options.json:
            for each in of_size:
                say(sys.stdout, in_json(each))
        else:
            in_its_encoding(screen, partial(_tell, of_size))
    if not options.json:
        screen.print(Text(LEGEND, "dim"))
    if out is not None:
        write_shared(out, picture(measured))
    if folder is not None:
        _report(measured, folder)
    return 1 if any(each.outside for each in measured) else 0


def _measure(policy: Variant, members: int, seeds: range) -> Figures:
    results = []
    for seed in seeds:
        progress(f"{members} members: {policy.name}, seed {seed}")
        try:
            results.append(Workload(policy, members, seed).run())
        except NotWhole as trouble:
            raise UserError(
                f"{policy.name}, {members} members, seed {seed}: {trouble}; give it gentler settings, or report it"
            ) from None
        finally:
            progress("")
        gc.collect()  # a world of two hundred is large, and the next one comes
    return figures(policy, members, results)


def _tell(of_size: Sequence[Figures], console: Console) -> None:
    for part in rendered(of_size):
        console.print(part)
    console.print()


def _report(measured: Sequence[Figures], folder: Path) -> None:
    def tell(console: Console) -> None:
        for size in dict.fromkeys(each.members for each in measured):
            _tell([each for each in measured if each.members == size], console)
        console.print(LEGEND)

    write_shared(folder / "detectors.txt", kept(tell))
    write_shared(folder / "detectors.jsonl", "".join(f"{in_json(each)}\n" for each in measured))
    write_shared(folder / "detectors.svg", picture(measured))


# What was asked for


def _policies(options: argparse.Namespace) -> Sequence[str]:
    """Those that are named; (): none are."""
    if options.policies is None:
        return ()
    if options.under is None:
        raise UserError(f"--policies {options.policies}: they are chosen with --under alone; see {_HELP}")
    known = policies_of_quality(variants("default", {}))
    names = tuple(dict.fromkeys(each.strip() for each in options.policies.split(",")))
    for name in names:
        if name not in known:
            raise UserError(
                f"--policies {options.policies}: there is no policy {name!r}; give some of {', '.join(known)}"
            )
    return names


def sizes_in(said: str) -> Sequence[int]:
    sizes: dict[int, bool] = {}
    for each in said.split(","):
        text = each.strip()
        if not text and "," in said:
            raise UserError(
                f"--members {said}: a number is missing beside a comma; give whole numbers from {LEAST} to {MOST} with "
                "commas between, such as 10,50"
            )
        if not (text.isascii() and text.isdigit() and len(text) < 7 and LEAST <= int(text) <= MOST):
            raise UserError(
                f"--members {said}: {text!r} is no size; give whole numbers from {LEAST} to {MOST} with commas "
                "between, such as 10,50"
            )
        sizes[int(text)] = True
    return tuple(sizes)


def _cost(options: argparse.Namespace) -> Cost | None:
    """At which all policies are compared. None: each at its own."""
    given = [(unit, getattr(options, unit)) for unit in (MESSAGES, BYTES) if getattr(options, unit) is not None]
    if not given:
        return None
    unit, many = given[0]
    if len(given) > 1:
        raise UserError(f"--{unit} {many:g}: give --messages or --bytes, and not both")
    if options.under is None:
        raise UserError(f"--{unit} {many:g}: policies are compared at equal cost only with --under; see {_HELP}")
    if not 0 < many < inf:
        raise UserError(f"--{unit} {many:g}: give a number above 0")
    return Cost(many, unit)


def _places(options: argparse.Namespace) -> tuple[Path | None, Path | None]:
    """Before anything is run, refuses a file that cannot be written."""
    out = Path(options.out) if options.out is not None else None
    if out is not None:
        if options.under is not None:
            raise UserError(f"--out {out}: there is a picture only without --under; see {_HELP}")
        if out.suffix != ".svg":
            raise UserError(f"--out {out}: the picture is an SVG, so give a name that ends in .svg; see {_HELP}")
        _try_to_write(out, f"see {_HELP}")
    return out, report_folder(options.report, REPORT if options.under is None else of_quality.REPORT)


def report_folder(said: str | None, files: Sequence[str]) -> Path | None:
    """It is there, and these files can be written."""
    if said is None:
        return None
    if not said:
        raise UserError("--report '': give a folder; . is the present one")
    folder = Path(said)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_be_written(folder, error, ANOTHER_FOLDER) from None
    for name in files:
        _try_to_write(folder / name, ANOTHER_FOLDER)
    return folder


def _try_to_write(file: Path, instead: str) -> None:
    try:
        file.open("ab").close()
    except OSError as error:
        raise cannot_be_written(file, error, instead) from None
