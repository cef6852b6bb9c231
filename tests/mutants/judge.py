"""One mutant and its runs: is it noticed, by whom, and after how many?

A process of its own plays them, so a mutant that loops for ever, or spoils what lies about, spoils nothing else."""

from __future__ import annotations

import multiprocessing
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from enum import StrEnum
from functools import lru_cache
from itertools import cycle, islice, zip_longest
from multiprocessing.connection import Connection
from typing import Final

import msgspec
from tests.mutants.mutants import Mutant, planted
from tests.mutants.reached import PRESET, Reached, options, scripts

from shaketable.harness.history.history import History
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import collect_garbage_rarely, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import PASSED, UNKNOWN_OUTCOME, RunVerdict
from shaketable.node.config import PRESETS
from shaketable.node.nodes import MakeMember

KEPT: Final = 20_000
"""hashes of histories without any mutant; each process of Spark keeps its own"""
HANG: Final = 120.0
"""seconds of one run, which takes a second or two"""


class How(StrEnum):
    CHECK = "a check"
    EXPECTATION = "an expectation only"
    OTHERWISE = "an unknown run or a hang"
    UNNOTICED = "reached and unnoticed"
    SAME = "reached, and no history differs"
    """from those without it: perhaps it is as good as the original, perhaps no run was right for it"""
    NOT_REACHED = "not reached"
    """and no plan that comes near has another history"""
    EQUIVALENT = "equivalent"


ORDER: Final = list(How)


class Sight(msgspec.Struct, frozen=True):
    """The finding of one run."""

    how: How
    by: str
    """the check, or the script"""
    script: str
    seed: int
    hash: str = ""
    """of its history, where nobody noticed anything"""


class Judged(msgspec.Struct, frozen=True):
    mutant: Mutant
    how: How
    by: str
    runs: int
    """until it was noticed so, or in all"""
    first: int
    """until it was noticed in any way; 0: it was not"""
    script: str
    seed: int
    why: str = ""
    """of an equivalent one, or of one that does no harm"""


class Try(msgspec.Struct, frozen=True):
    script: str
    seed: int
    preset: str
    variant: str = ""
    """of a random plan"""
    near: bool = False
    """its first seed does not execute the line, only others of its function or file"""


def tries(mutant: Mutant, reached: Reached, most: int) -> list[Try]:
    """In turn: a story, the cheapest first; a random plan, seed by seed; and one of the richest of both, where the line
    has something to do. In each round of plans there is one that only comes near, or all if none reaches the line."""
    reach, rich, near = reached.by(mutant), reached.rich(mutant), reached.near(mutant)
    told = [each for each in reach if not each.random]
    drawn = [each for each in reach if each.random]

    def stories() -> Iterator[Try]:
        for number, each in enumerate(told):
            yield Try(each.script, 0, list(PRESETS)[number % len(PRESETS)])

    def plans() -> Iterator[Try]:
        close = cycle(near)
        for seed in range(1, most + 1):
            for each in drawn:
                yield Try(each.script, seed, PRESET, each.variant)
            for each in islice(close, min(len(near), 1) if drawn else len(near)):
                yield Try(each.script, seed, PRESET, each.variant, near=True)

    def richest() -> Iterator[Try]:
        for seed in range(1, most + 1):
            for each in rich:
                yield Try(each.script, seed, PRESET, each.variant if each.random else "")

    mixed = (each for some in zip_longest(stories(), plans(), richest()) for each in some if each is not None)
    return list(islice(dict.fromkeys(mixed), most))


def judge(mutant: Mutant, runs: Sequence[Try]) -> Judged:
    """It is played until a check notices it. If nobody does, its histories are compared with those without it."""
    assert {run.script for run in runs} <= set(scripts()), "there is no such script"
    if not runs:
        return Judged(mutant, How.NOT_REACHED, "", 0, 0, "", 0)
    best = Judged(mutant, How.UNNOTICED, "", len(runs), 0, "", 0)
    hashes: list[str] = []
    with closing(sights([mutant], runs, scripts())) as found:
        for number, sight in enumerate(found, 1):
            hashes.append(sight.hash)
            if ORDER.index(sight.how) < ORDER.index(best.how):
                best = Judged(mutant, sight.how, sight.by, number, best.first or number, sight.script, sight.seed)
            if sight.how is How.CHECK:
                break
    if best.how is How.UNNOTICED and all(hash_without(run) == found for run, found in zip(runs, hashes, strict=True)):
        reached = any(not run.near for run in runs)
        return msgspec.structs.replace(best, how=How.SAME if reached else How.NOT_REACHED)
    return best


@lru_cache(KEPT)
def hash_without(run: Try) -> str:
    """Of the history of this run with the original."""
    chosen = options(run.variant, run.seed, run.preset)
    return History(run_simulated(scripts()[run.script], chosen).records).hash


def sights(
    mutants: Sequence[Mutant],
    runs: Sequence[Try],
    among: Mapping[str, Script],
    make: MakeMember | None = None,
) -> Generator[Sight]:
    """Of each run with all these mutants in it at once, up to one that hangs or ends its process."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_play, args=(mutants, runs, among, make, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        for run in runs:
            try:
                sight = ours.recv() if ours.poll(HANG) else None
            except EOFError:
                yield Sight(How.OTHERWISE, "the end of its process", run.script, run.seed)
                return
            if sight is None:
                yield Sight(How.OTHERWISE, "a hang", run.script, run.seed)
                return
            yield sight
    finally:
        process.kill()
        process.join()
        ours.close()


def _play(
    mutants: Sequence[Mutant],
    runs: Sequence[Try],
    among: Mapping[str, Script],
    make: MakeMember | None,
    told: Connection,
) -> None:
    collect_garbage_rarely()
    for run in runs:
        told.send(_sight(mutants, run, among[run.script], make))


def _sight(mutants: Sequence[Mutant], run: Try, script: Script, make: MakeMember | None) -> Sight:
    """The run is the mutants', the verdict is not: a check may ask the core itself what is right."""
    chosen = options(run.variant, run.seed, run.preset)
    try:
        with ExitStack() as stack:
            for mutant in mutants:
                stack.enter_context(planted(mutant))
            finished = run_simulated(script, chosen, make_member=make)
        verdict = judged(finished, story=False)
    except Exception as error:
        return Sight(How.OTHERWISE, type(error).__name__, run.script, run.seed)
    if verdict.outcome == PASSED or (
        run.variant and verdict.outcome == UNKNOWN_OUTCOME
    ):  # some cannot be judged under some
        return Sight(How.UNNOTICED, "", run.script, run.seed, History(finished.records).hash)
    if by := noticed_by(verdict):
        return Sight(How.CHECK, by, run.script, run.seed)
    if any(reason.about == "expectation" for reason in verdict.reasons):
        return Sight(How.EXPECTATION, run.script, run.script, run.seed)
    return Sight(How.OTHERWISE, "an unknown run", run.script, run.seed)


def noticed_by(verdict: RunVerdict) -> str:
    """The first check that is violated, whatever the script expects; "": none is."""
    checks = [reason.check for reason in verdict.reasons if reason.about == "check" and reason.outcome == FAILED]
    falls_over = ["a member that falls over"] * any(reason.about == "node" for reason in verdict.reasons)
    return next(iter([*checks, *falls_over]), "")
