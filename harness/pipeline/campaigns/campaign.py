"""A campaign: its waves in portions, some of them under way at a time, each taken when all before it are over.

A portion is kept within seconds. If this process ends, what was kept stays, and the next process goes on from
there. A process that is killed loses only its tasks. Another one repeats them, with the same rows."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from shaketable.harness.errors import UserError
from shaketable.harness.nemesis.plan_files import write_plans
from shaketable.harness.pipeline.campaigns.corpora import Kept
from shaketable.harness.pipeline.campaigns.keeping import MOST_KEPT, Work
from shaketable.harness.pipeline.campaigns.portions import Cutter, Portion
from shaketable.harness.pipeline.campaigns.results import Results
from shaketable.harness.pipeline.campaigns.steering import Reached
from shaketable.harness.pipeline.campaigns.summaries import Summary
from shaketable.harness.pipeline.campaigns.waves import Asked, Planner
from shaketable.harness.runs.interrupts import Interrupts

AHEAD: Final = 3
"""portions under way at once: no core waits for the last task of one, nor for this process"""
KEPT_WITHIN: Final = 3.0
"""seconds; then what is done is written, and with the end of a wave. A file for each portion would be many"""
LOOK: Final = 0.25
"""seconds between two looks at how far it is"""


class _UnderWay(NamedTuple):
    portion: Portion
    played: Future[object]


class _Interrupted(Exception):
    pass


class Campaign:
    def __init__(
        self,
        work: Work,
        path: str,
        asked: Asked,
        *,
        interrupts: Interrupts,
        until: float = math.inf,
    ) -> None:
        """`path`: of the store. `until`: by time.monotonic(); then it begins nothing more."""
        self._work = work
        self._path = path
        self._asked = asked
        self._interrupts = interrupts
        self._until = until
        self.show: Callable[[int, int], None] = lambda done, not_passed: None
        self._planner = Planner(asked)
        # An interrupted campaign makes the same ones again.
        self._planner.made = partial(write_plans, instead="give another --out")
        self._portions = Cutter(self._planner, asked.runs, lambda: work.cores)
        self._kept_at = time.monotonic()
        self._under_way = deque[_UnderWay]()
        self._wave = Reached()
        """by those of its runs that are over"""
        self.results = Results()
        self.new = Results()
        """of the runs of this process alone"""

    def already(self) -> int:
        """Takes up what earlier processes have kept. How many runs that is."""
        kept = self._work.already()
        while (told := kept.pop(self.results.runs, None)) is not None:
            portion = self._portions.passed_over(sum(each.runs for each in told))
            if portion is None:
                raise UserError(f"{self._path} holds runs of another campaign: give another --out")
            for each in told:
                self._over(each)
            self._ends_a_wave(portion)
        if kept:
            missing = f"lacks the runs from number {self.results.runs} on, but has later ones"
            raise UserError(f"{self._path} {missing}: give another --out")
        return self.results.runs

    def run(self) -> bool:
        """Whether it came to its end, or its time is over; else it was interrupted."""
        with ThreadPoolExecutor(AHEAD, "portion") as pool:
            try:
                if self._interrupts.came:
                    return False
                self._begin(pool)
                while self._under_way:
                    self._wait()
                    self._take()
                    self._begin(pool)  # before anything is written, during which nobody shall be idle
                    if time.monotonic() >= self._kept_at + KEPT_WITHIN or not self._wave.by_script:
                        self._keep()
                    self._show()
            except _Interrupted:
                self._take_what_is_done()
                return False
            finally:
                try:
                    self._keep()
                finally:
                    self._stop()
        return True

    def kept(self) -> list[Kept]:
        """What the next campaign goes on from."""
        return self._planner.kept(self.results.corpus)

    def _begin(self, pool: ThreadPoolExecutor) -> None:
        if time.monotonic() >= self._until:
            return
        while len(self._under_way) < AHEAD and (portion := self._portions.next()) is not None:
            play = self._work.for_a_thread(self._work.play)
            self._under_way.append(_UnderWay(portion, pool.submit(play, portion.tasks, self._room)))

    def _wait(self) -> None:
        while not (self._interrupts.came or wait_for([self._under_way[0].played], LOOK).done):
            self._show()
        if self._interrupts.came:
            raise _Interrupted

    def _take(self) -> None:
        """The oldest portion, which is over: its runs are told of and planned with."""
        portion, future = self._under_way[0]
        done = future.result()
        self._under_way.popleft()
        micros = 0
        for told in self._work.take(portion.first, done, self._room):
            micros += told.wall
            self._over(told)
            self.new.merge(told)
        self._portions.learn(portion.runs, micros)
        self._ends_a_wave(portion)

    def _take_what_is_done(self) -> None:
        while self._under_way and self._under_way[0].played.done():
            self._take()

    def _keep(self) -> None:
        self._work.keep()
        self._kept_at = time.monotonic()

    def _over(self, told: Summary) -> None:
        self.results.merge(told)
        self._wave.merge(told.reached)

    def _ends_a_wave(self, portion: Portion) -> None:
        if portion.ends_a_wave:
            self._planner.over(self._wave)
            self._wave = Reached()

    def _show(self) -> None:
        self.show(self.results.runs, self.results.not_passed)

    @property
    def _room(self) -> int:
        """Histories of so many more runs that have not passed are kept."""
        return MOST_KEPT - self.results.kept_failed

    def _stop(self) -> None:
        """Nobody waits for what nobody will take."""
        self._work.stop()
        for each in self._under_way:
            with suppress(Exception):
                each.played.result()
