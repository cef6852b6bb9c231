"""The fourth way: small worlds are explored, one after the other, until an order is found that fails by a check."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from tests.long_commands import kept_lines
from tests.mutants.judge import noticed_by
from tests.soon.faults import Fault
from tests.where import DATA

from shaketable.harness.explore.search import Budget
from shaketable.harness.explore.task import Task, task_of
from shaketable.harness.runs.run import Finished, Options, run_simulated
from shaketable.harness.scripting.targets import scripts_named
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import PASSED, RunVerdict
from shaketable.harness.worlds.sim.orders import Kind, Orders

KEPT: Final = DATA / "soon" / "explored.jsonl"
MOST: Final = 100
"""runs of a world; one that has the fault in it needs few"""
HANG: Final = 600.0
"""seconds of all worlds, which take some"""
ONE_CUT: Final[Budget] = {Kind.KILL: 0, Kind.RESET: 0, Kind.CUT: 1}
ONE_KILL: Final[Budget] = {Kind.KILL: 1, Kind.RESET: 0, Kind.CUT: 0}
WORLDS: Final[tuple[tuple[str, Budget], ...]] = (
    ("a-small-claim", ONE_KILL),
    ("a-small-claim-during-a-join", ONE_CUT),
    ("a-small-join", ONE_CUT),
    ("a-small-removal", ONE_CUT),
    ("a-small-migration", ONE_KILL),
)


class Explored(msgspec.Struct, frozen=True):
    fault: Fault
    runs: int
    """in all worlds"""
    world: str = ""
    """in which it was found; "": in none"""
    by: str = ""


@dataclass(frozen=True, slots=True)
class _WithFault(Task):
    fault: Fault

    def play(self, orders: Orders) -> Finished:
        return run_simulated(self.script, self.options, orders=orders, make_member=self.fault.make_member)

    def judge(self, finished: Finished) -> RunVerdict:
        """A run in which no check notices anything has passed."""
        verdict = super(_WithFault, self).judge(finished)
        noticed = FAILED if noticed_by(verdict) else PASSED
        return msgspec.structs.replace(verdict, outcome=noticed)


def explored(fault: Fault) -> Explored:
    """In a process of its own: a mutant that loops for ever is ended, and is found in no world."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=lambda: theirs.send(_explored(fault)), daemon=True)
    process.start()
    theirs.close()
    try:
        found: Explored = ours.recv() if ours.poll(HANG) else Explored(fault, 0)
    except EOFError:
        found = Explored(fault, 0)
    finally:
        process.kill()
        process.join()
    return found


def _explored(fault: Fault) -> Explored:
    runs = 0
    with fault.in_place():
        for world, budget in WORLDS:
            task = _task(fault, world, budget)
            search = task.search()
            search.glance()
            if search.found.failing is None:
                search.run(max(0, MOST - search.found.runs))
            runs += search.found.runs
            if search.found.failing is not None:
                return Explored(fault, runs, world, noticed_by(Task.judge(task, task.follow(search.found.failing))))
    return Explored(fault, runs)


def _task(fault: Fault, world: str, budget: Budget) -> _WithFault:
    (script,) = scripts_named([world])
    options = Options("sim", preset="fast", values=dict(fault.values))
    task = task_of(script, options, budget, start=None, lasts=None, latest=None)
    return _WithFault(task.script, task.options, task.window, task.budget, fault)


def kept(file: Path = KEPT) -> dict[Fault, Explored]:
    return {each.fault: each for each in (msgspec.json.decode(line, type=Explored) for line in kept_lines(file))}
