"""Runs one chaos script in one world, and hands back what happened: the records and how the script ended.

Here is all that both worlds share: the first and the last record, the limits, and how an interruption ends it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path

from shaketable.harness.checks.known import check_names
from shaketable.harness.checks.registry import check_own
from shaketable.harness.errors import UserError
from shaketable.harness.records import Record, RunBegan, ScriptEnded, ScriptOutcome
from shaketable.harness.runs.chosen import does_its_faults
from shaketable.harness.runs.endless import LEAST, no_endless_steps
from shaketable.harness.runs.interrupts import INTERRUPTED, STUCK, Interrupts, watching_for_a_hang
from shaketable.harness.scripting.cluster import Cluster, finish, formation_of
from shaketable.harness.scripting.driver import Driver, Outcome
from shaketable.harness.scripting.outcome import outcome_of
from shaketable.harness.scripting.scripts import Script, own_settings
from shaketable.harness.scripting.verbs.base import Formed
from shaketable.harness.scripting.world import World
from shaketable.harness.systems.registry import Chosen, chosen
from shaketable.harness.verdicts.verdict import USUAL_PRESET
from shaketable.harness.worlds.sim.orders import Enough, Following, OrderError, Orders, Step, read_order
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node import legacy
from shaketable.node.config import CHOSEN, USUAL, SettingError, Settings, by_our_names, read_settings
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.nodes import MakeMember
from shaketable.node.plugged import check_plugged

LIMITS: Mapping[str, float] = {"sim": 86_400.0, "real": 300.0}
"""seconds that a script may take, of the world's own time"""
SLICE = 10_000
"""events of a simulation between two looks whether it was interrupted"""

FIRST = 1
"""event of a simulation: the script begins"""


@dataclass(frozen=True, slots=True)
class Options:
    world: str = "sim"
    seed: int = 1
    preset: str | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    """settings by their outside names, over the preset's and the script's"""
    limit: float | None = None
    system: str = ""
    """whose members are run: a name, or NAME:VERSION; "": ours"""
    toxiproxy: str | None = None
    """the address of a server that runs already, or "relay"; None: whatever is found first"""
    plan: str = ""
    """the file of a fault plan that is played in the place of the one that the script draws, or FILE:LINE"""
    stuck: float = STUCK
    """wall seconds that a script's own code may run between two steps"""

    @property
    def preset_name(self) -> str:
        return self.preset or self.chosen.system.preset or USUAL_PRESET[self.world]

    @property
    def chosen(self) -> Chosen:
        found = chosen(self.system)
        check_names(found.under_test)
        return found

    def settings(self, script: Script) -> Settings:
        try:
            values, its_system = by_our_names(self.values), self.chosen.system.settings
            own = script.settings
            if callable(own):
                own = own_settings(own, _read(self.preset_name, {**its_system, **values}))
            read = _read(self.preset_name, {**its_system, **by_our_names(own), **values})
        except SettingError as error:
            raise UserError(f"{error}; `shaketable settings` lists them all") from None
        if self.world != "sim" and read.schedule != USUAL:
            raise UserError(f"schedule = {read.schedule}: real messages take what they take; play it with --world sim")
        return read

    def warnings(self, script: Script) -> list[str]:
        """Of the user's own values: what a script sets against advice is its story."""
        its_own = replace(self, values={}).settings(script).warnings()
        return [warning for warning in self.settings(script).warnings() if warning not in its_own]


def _read(preset: str, values: Mapping[str, object]) -> Settings:
    return _read_once(preset, tuple((name, type(value), value) for name, value in values.items()))


@lru_cache(maxsize=64)
def _read_once(preset: str, values: tuple[tuple[str, type, object], ...]) -> Settings:
    """Thousands of simulated runs have the same. With their types: to Python 1 is True."""
    settings = read_settings(preset, {name: value for name, _, value in values})
    check_plugged(settings)  # so that a wrong name is told before anything is started
    check_own(settings.own_checks)
    if settings.schedule != CHOSEN and settings.schedule_order:
        raise SettingError(f"schedule_order goes with schedule = {CHOSEN}: give both, or leave it out")
    if settings.schedule == CHOSEN:
        try:
            read_order(settings.schedule_order)
        except OrderError as error:
            raise SettingError(f"schedule_order: {error}") from None
    return settings


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is over."""

    script: Script
    options: Options
    settings: Settings
    fabric: str
    allowance: Micros
    records: Sequence[Record]
    outcome: Outcome
    formation: Sequence[Formed]
    memory: Mapping[str, int]
    """bytes that each process held at the end (RSS), in the real world"""


def allowance_of(options: Options) -> Micros:
    """What a world adds to each bound."""
    return SimWorld.allowance if options.world == "sim" else options.chosen.system.allowance


class Run:
    """One script in one world, from its first record to its last. The world is driven by its maker."""

    def __init__(self, script: Script, options: Options, settings: Settings, world: World) -> None:
        self._script, self._options, self._settings, self._world = script, options, settings, world
        self.driver = Driver(world)
        preset, system = options.preset_name, options.chosen.under_test
        self.cluster = Cluster(world, self.driver, settings, options.seed, system)
        self.in_threads: list[BaseException] = []
        """what the script's own threads have raised"""
        told = settings.outside()
        world.record(RunBegan(script.name, world.name, world.fabric, options.seed, preset, told, system))

    def start(self) -> None:
        self.driver.start(self._script.body(self.cluster))
        self.driver.end_at_limit(round((self._options.limit or LIMITS[self._options.world]) * SECOND))

    def finish(
        self,
        otherwise: str = "nothing was left to happen, and the script had not ended",
        missed: Sequence[Step] = (),
    ) -> Outcome:
        """`missed`: of its order, what could not be taken."""
        finish(self.cluster)
        outcome = self.driver.outcome or Outcome(ScriptOutcome.UNKNOWN, otherwise)
        if self.in_threads and outcome.kind == ScriptOutcome.DONE:
            raised = outcome_of(self.in_threads[0])
            outcome = replace(raised, reason=f"in a thread: {raised.reason}")
        if missed and outcome.kind == ScriptOutcome.DONE:
            outcome = Outcome(ScriptOutcome.UNKNOWN, f"it did not follow its order: {missed[0]} was not possible")
        self._world.record(ScriptEnded(outcome.kind, outcome.reason))
        return outcome

    def over(self, outcome: Outcome, records: Sequence[Record], memory: Mapping[str, int]) -> Finished:
        world = self._world
        return Finished(
            self._script, self._options, self._settings, world.fabric, world.allowance, records, outcome,
            formation_of(self.cluster), memory,
        )  # fmt: skip


def collect_garbage_rarely() -> None:
    """For a process that simulates one run after the other: what is loaded stays, a run itself makes little garbage,
    and what it leaves is collected before the next one."""
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)


def run_simulated(
    script: Script,
    options: Options,
    *,
    sink: Callable[[Record], None] | None = None,
    make_member: MakeMember | None = None,
    interrupts: Interrupts | None = None,
    orders: Orders | None = None,
) -> Finished:
    """`make_member` is how a test plants a bug. `orders`: in the place of the order that the settings name."""
    settings, interrupts = options.settings(script), interrupts or Interrupts()
    if orders is None and settings.schedule == CHOSEN:
        orders = Following(read_order(settings.schedule_order))
    # The nodes of the run before, while they are still at hand: with those of fifty others it would take twice as long.
    gc.collect(0)
    world = SimWorld(options.seed, settings, make_member or legacy.make_member, orders)
    run = Run(script, options, settings, world)
    world.on_endless = run.driver.give_up
    if orders is not None:
        does_its_faults(orders, world, run.driver, run.cluster)
    run.start()
    with (
        watching_for_a_hang(run.in_threads, options.stuck),
        no_endless_steps(lambda: world.heap.entry, max(LEAST, options.stuck / 2)),
        interrupts.told_to(lambda: None),
    ):
        while run.driver.outcome is None and world.heap:
            if interrupts.came:
                run.driver.stop(INTERRUPTED)
            try:
                world.run(lambda: run.driver.outcome is not None, SLICE)
            except Enough:
                run.driver.give_up("what follows is known")
                raise
    outcome = run.finish(missed=orders.missed if isinstance(orders, Following) else ())
    if orders is not None:
        world.records.sort(key=lambda record: record.time)
    if sink is not None:
        for record in world.records:
            sink(record)
    return run.over(outcome, world.records, memory={})


def begun(script: Script, options: Options) -> Sequence[Record]:
    """What a simulated run tells before any time passes: it goes no further than where the script first waits."""
    settings = options.settings(script)
    world = SimWorld(options.seed, settings, legacy.make_member, None)
    run = Run(script, options, settings, world)
    run.start()
    try:
        world.run(lambda: False, FIRST)
        return world.records
    finally:
        run.driver.give_up("no more was asked for")


def run_real(
    script: Script,
    options: Options,
    *,
    folder: Path,
    sink: Callable[[Record], None] | None = None,
    say: Callable[[str], None] = lambda line: None,
    interrupts: Interrupts | None = None,
) -> Finished:
    """Real processes; their logs and the link fabric's go to `folder`."""
    here = folder.absolute()  # wherever the script goes
    with asyncio.Runner() as runner:
        return runner.run(_run_real(script, options, here, sink, say, interrupts or Interrupts()))


async def _run_real(
    script: Script,
    options: Options,
    folder: Path,
    sink: Callable[[Record], None] | None,
    say: Callable[[str], None],
    interrupts: Interrupts,
) -> Finished:
    # A command that only simulates needs no processes, sockets or link fabric.
    from shaketable.harness.worlds.real.world import RealWorld

    settings = options.settings(script)
    records: list[Record] = []

    def keep(record: Record) -> None:
        records.append(record)
        if sink is not None:
            sink(record)

    system, under_test = options.chosen
    world = RealWorld(
        options.seed, settings, folder=folder, toxiproxy=options.toxiproxy, system=system, under_test=under_test,
        sink=keep, say=say,
    )  # fmt: skip
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def soon(call: Callable[[], object]) -> None:
        loop.call_soon_threadsafe(call)

    try:
        starting = loop.create_task(world.start())
        try:
            with interrupts.told_to(lambda: soon(starting.cancel)):
                await starting
        except asyncio.CancelledError:
            if not interrupts.came:
                raise
        run = Run(script, options, settings, world)
        if not interrupts.came:
            run.start()
            run.driver.on_end = ended.set
            stop = partial(run.driver.stop, INTERRUPTED)
            with watching_for_a_hang(run.in_threads, options.stuck), interrupts.told_to(lambda: soon(stop)):
                await ended.wait()
        outcome = run.finish(INTERRUPTED)
        await asyncio.sleep(system.last_words)
        memory = {name: vitals.rss for name, vitals in world.vitals().items() if vitals.alive}
    finally:
        await world.close()
    return run.over(outcome, records, memory)
