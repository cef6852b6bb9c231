"""One run for the screens, in either world: its script or its hands, what is recorded of it, and how it ends.

`simulated.py` and `real.py` say how time passes. All else is as in `shaketable run`: the same records, the same
recording, the same verdict."""

from __future__ import annotations

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from shaketable.harness.errors import UserError
from shaketable.harness.records import Record, ScriptOutcome, StepBegan, StepKind
from shaketable.harness.runs.interrupts import watching_for_a_hang
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.recorder import Recorder
from shaketable.harness.runs.run import Run
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.driver import Outcome, Unmet
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.scripting.world import World
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import RunVerdict
from shaketable.node.core.env import SECOND
from shaketable.tui.engine.cannot import what_cannot_be_done
from shaketable.tui.engine.checker import Checker
from shaketable.tui.engine.facts import again, parts_of
from shaketable.tui.engine.hand import Answer, Hand
from shaketable.tui.engine.outlet import Outlet
from shaketable.tui.engine.protocol import Began, Begin, Checked, Judge, Now, Over, Said, Vital
from shaketable.tui.model.hands.calls import FROM_HERE, Call
from shaketable.tui.model.run_facts import RunFacts, Vitals

A_LONG_TIME: Final = 3_600 * SECOND
BY_HAND: Final = "by-hand"
STOPPED: Final = "stopped"
TIMES: Final = 4
"""a second the time is told; how the processes are doing once a second"""


class Play(ABC):
    world: World
    outlet: Outlet

    def __init__(self, begin: Begin) -> None:
        self._begin = begin
        self._by_hand = not begin.script
        self.options, script = parts_of(begin)
        self.script = script or self._formed_by_hand()
        self.settings = self.options.settings(self.script)
        self._recorder: Recorder | None = None
        self._told_of_trouble = False
        self._run: Run | None = None
        self._hand: Hand | None = None
        self._kept = 0
        self.stopping = False
        self.folder = Path(begin.directory) if begin.directory else None

    # What a world does in its own way

    @property
    @abstractmethod
    def records(self) -> list[Record]: ...

    @abstractmethod
    async def _prepare(self) -> bool:
        """The world is ready; or it was stopped before that."""

    @abstractmethod
    async def _live(self) -> None:
        """Until the driver has an outcome, or nothing is left to happen."""

    @abstractmethod
    async def _close(self) -> None: ...

    def set_speed(self, speed: float | None) -> None:
        self.outlet.say(Said("real time can neither be changed nor halted: only a simulated run has a speed", True))

    def step_on(self, events: int) -> None:
        self.set_speed(0)

    def vitals(self) -> Mapping[str, Vitals]:
        return {}

    # From the first word to the last

    async def play(self) -> None:
        if self.folder is not None:
            try:
                self._recorder = Recorder(self.folder, self.script, self.options)
            except UserError as trouble:
                self._not_recorded(trouble)
        try:
            ready = await self._prepare()
            run = self._run = Run(self.script, self.options, self.settings, self.world)
            if ready:
                await self._from_its_first_step(run)
            outcome = run.finish("it was stopped" if self.stopping else "nothing was left to happen")
            self.keep()
        finally:
            await self._close()
        self._conclude(run, outcome)
        await self.outlet.drained()

    async def _from_its_first_step(self, run: Run) -> None:
        self._hand = Hand(run, self.world) if self._by_hand else None
        self.outlet.say(Began(self._facts()))
        lag = self.world.allowance // 2 if self.options.world == "real" else 0
        judge = Judge(self.settings.outside(), self.world.allowance, lag)
        checker = Checker(judge, self.records, self.world.now, self.outlet.write)
        checker.start()
        feeling = asyncio.get_running_loop().create_task(self._feel())
        try:
            run.start()
            with watching_for_a_hang(run.in_threads, self.options.stuck):
                await self._live()
        finally:
            feeling.cancel()
            await checker.close()

    def stop(self) -> None:
        """Its `finally` blocks run, but not for long."""
        self.stopping = True
        if self._run is not None:
            self._run.driver.stop(
                "it was stopped at the screen", ScriptOutcome.DONE if self._by_hand else ScriptOutcome.UNKNOWN
            )

    def do(self, call: Call, answer: Answer) -> None:
        if self._run is None:
            answer("the world is not ready yet")
        elif self._hand is None:
            answer(f"{self.script.name} runs: done by hand now, it would spoil what the script's verdict is about")
        else:
            self._hand.do(call, answer)

    def keep(self) -> None:
        """Events that have happened go to the recording and, as far as they are taken, to the screen."""
        if self._recorder is not None and self._kept < len(self.records):
            fresh = self.records[self._kept :]
            self._kept += len(fresh)
            self._recorder.take_all(fresh)
            if self._recorder.trouble is not None:
                self._not_recorded(self._recorder.trouble)
        self.outlet.pass_on()

    # How it ends

    def _conclude(self, run: Run, outcome: Outcome) -> None:
        verdict = judged(run.over(outcome, self.records, memory={}))
        if self.folder is not None:
            verdict = msgspec.structs.replace(verdict, directory=str(self.folder))
        if self._by_hand:
            verdict = msgspec.structs.replace(verdict, again=again(self._begin))
        self._write(verdict)
        self.outlet.say(Checked(len(self.records), verdict.checks))
        over = verdict.outcome if not self._by_hand or verdict.outcome == FAILED else STOPPED
        reasons = tuple(reason.text for reason in verdict.reasons)
        self.outlet.say(Over(over, reasons, str(self.folder) if self.folder is not None else ""))

    def _write(self, verdict: RunVerdict) -> None:
        for trouble in self._recorder.finish(verdict) if self._recorder is not None else ():
            self._not_recorded(trouble)

    def _not_recorded(self, trouble: UserError) -> None:
        if not self._told_of_trouble:
            self._told_of_trouble = True
            self.outlet.say(Said(str(trouble), True))

    # Its parts

    async def _feel(self) -> None:
        told = -1
        for beat in itertools.count():
            if self.world.now() != told:
                told = self.world.now()
                self.outlet.say(Now(told))
            vitals = self.vitals() if beat % TIMES == 0 else {}
            if vitals:
                self.outlet.say(Vital(dict(vitals)))
            await asyncio.sleep(1 / TIMES)

    def _formed_by_hand(self) -> Script:
        nodes = self._begin.nodes

        async def by_hand(cluster: Cluster) -> None:
            try:
                await cluster.form(*(f"n{number}" for number in range(1, nodes + 1)))
            except Unmet as why:  # it may yet mend itself, and is worth a look
                self.outlet.say(Said(f"the cluster has not formed: {why}", True))
            self.world.record(StepBegan(FROM_HERE, means=StepKind.BY_HAND))
            while True:
                await cluster.sleep(A_LONG_TIME)

        return Script(BY_HAND, "Driven by hand", "", by_hand)

    def _facts(self) -> RunFacts:
        return RunFacts(
            script="" if self._by_hand else self.script.name,
            world=self.options.world,
            fabric=self.world.fabric,
            seed=self.options.seed,
            preset=self.options.preset_name,
            settings=self.settings.outside(),
            directory=str(self.folder) if self.folder is not None else "",
            again=again(self._begin),
            title="" if self._by_hand else self.script.title,
            about=self.script.about,
            expects=tuple(
                name for name in (self.script.expects_violation, *self.script.broken_too) if name is not None
            ),
            system=self.options.chosen.under_test,
            cannot=what_cannot_be_done(self.options.chosen.system, self.settings) if self._by_hand else {},
        )
