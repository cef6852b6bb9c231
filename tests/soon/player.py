"""Plays runs with a fault in place, each once: what was seen is kept, since the ways of looking share many runs."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Final, Self

import msgspec
from tests.mutants.judge import noticed_by
from tests.soon.faults import Fault

from shaketable.harness.coverage import marks_of
from shaketable.harness.history.history import History
from shaketable.harness.pipeline.stores.drawing import NEMESIS
from shaketable.harness.runs.judging import subject_of
from shaketable.harness.runs.run import Options, collect_garbage_rarely, run_simulated
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.targets import scripts_of_ours
from shaketable.harness.verdicts.verdict import judge_history
from shaketable.node.config import USUAL

HANG: Final = 300.0
"""seconds of one run, which takes a second or two"""


class Play(msgspec.Struct, frozen=True):
    """One random run."""

    script: str
    seed: int
    schedule: str = USUAL


class Seen(msgspec.Struct, frozen=True):
    by: str
    """the check that was violated; "": none was"""
    marks: Sequence[str] = ()
    events: int = 0


@cache
def plans(family: str) -> Mapping[str, Script]:
    """The random plans of a family, by name."""
    named = [script for script in scripts_of_ours() if script.name.startswith(NEMESIS)]
    return {script.name: script for script in named if Options("sim").settings(script).family == family}


class Player:
    """Its process is another one: a mutant that loops for ever is ended. From then on nothing notices it, for each such
    run would take five minutes."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self._seen: dict[Play, Seen] = {}
        self._process: BaseProcess | None = None
        self._hung = False
        self._line: Connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, why: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def __call__(self, play: Play) -> Seen:
        if play not in self._seen:
            self._seen[play] = self._asked(play)
        return self._seen[play]

    def _asked(self, play: Play) -> Seen:
        if self._hung:
            return Seen("")
        if self._process is None:
            self._begin()
        try:
            self._line.send(play)
            if self._line.poll(HANG):
                seen: Seen = self._line.recv()
                return seen
            self._hung = True
        except (EOFError, OSError):
            pass
        self._end()
        return Seen("")

    def _begin(self) -> None:
        context = multiprocessing.get_context("fork")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_play_all, args=(self.fault, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._line.close()
            self._process = None


def _play_all(fault: Fault, line: Connection) -> None:
    collect_garbage_rarely()
    with fault.in_place():
        while True:
            line.send(seen_in(fault, line.recv()))


def seen_in(fault: Fault, play: Play) -> Seen:
    """The part of this run that a campaign would see."""
    script = plans(fault.family)[play.script]
    options = Options("sim", seed=play.seed, values={**fault.values, "schedule": play.schedule})
    try:
        finished = run_simulated(script, options, make_member=fault.make_member)
        history = History(finished.records)
        verdict = judge_history(
            history, subject_of(script, options), finished.settings, finished.allowance, story_of_passed=False
        )
        return Seen(noticed_by(verdict), sorted(marks_of(history)), len(history.records))
    except Exception:  # a mutant may make a run that nobody can play or judge
        return Seen("")
