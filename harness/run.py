"""Runs one chaos script in one world, and hands back what happened: the records and how the script ended.

What is the same in both worlds is here: the first and the last record, the limits, and what Ctrl-C means."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from shaketable.harness.cluster import Cluster
from shaketable.harness.errors import UserError
from shaketable.harness.records import Record, RunBegan, ScriptEnded
from shaketable.harness.script import Driver, Outcome, ScriptError, World
from shaketable.harness.scripts import Script
from shaketable.harness.sim.node import MakeMember
from shaketable.harness.sim.world import SimWorld
from shaketable.harness.verbs.base import Formed
from shaketable.node.config import SettingError, Settings, read_settings
from shaketable.node.env import SECOND, Micros

LIMITS: Mapping[str, float] = {"sim": 86_400.0, "real": 300.0}
"""seconds that a script may take, of the world's own time"""
PRESET_OF: Mapping[str, str] = {"sim": "default", "real": "fast"}
STUCK = 20.0
"""wall seconds that a script's own code may run between two steps"""
INTERRUPTED = "it was interrupted"


@dataclass(frozen=True, slots=True)
class Options:
    world: str = "sim"
    seed: int = 1
    preset: str | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    """settings by their outside names, over the preset's and the script's"""
    limit: float | None = None
    toxiproxy: str | None = None
    """the address of a server that runs already, or "relay"; None: whatever is found first"""

    @property
    def preset_name(self) -> str:
        return self.preset or PRESET_OF[self.world]

    def settings(self, script: Script) -> Settings:
        try:
            return read_settings(self.preset_name, {**script.settings, **self.values})
        except SettingError as error:
            raise UserError(str(error)) from None


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
    wall_seconds: float
    formation: Sequence[Formed] = ()
    interrupted: bool = False
    memory: Mapping[str, int] = field(default_factory=dict)
    """bytes that each process held at the end (RSS), in the real world"""


class _Run:
    """One script in one world, from its first record to its last."""

    def __init__(self, script: Script, options: Options, settings: Settings, world: World) -> None:
        self._world = world
        self.driver = Driver(world)
        self._cluster = Cluster(world, self.driver, settings, options.seed)
        world.record(
            RunBegan(script.name, world.name, world.fabric, options.seed, options.preset_name, settings.outside())
        )
        self.driver.start(script.body(self._cluster))
        self.driver.end_at_limit(round((options.limit or LIMITS[options.world]) * SECOND))

    def formation(self) -> Sequence[Formed]:
        return self._cluster.formation()

    def finish(self) -> Outcome:
        self._cluster.finish()
        outcome = self.driver.outcome or Outcome("unknown", "nothing was left to happen, and the script had not ended")
        self._world.record(ScriptEnded(outcome.kind, outcome.reason))
        return outcome


def run_simulated(
    script: Script,
    options: Options,
    *,
    sink: Callable[[Record], None] | None = None,
    make_member: MakeMember | None = None,
) -> Finished:
    """`make_member` is how a test plants a bug."""
    began, settings, interrupted = time.monotonic(), options.settings(script), False
    world = SimWorld(options.seed, settings, **({"make_member": make_member} if make_member else {}))
    run = _Run(script, options, settings, world)
    with _watching_for_a_hang(script.file):
        try:
            world.run(lambda: run.driver.outcome is not None)
        except KeyboardInterrupt:
            interrupted = True
            run.driver.stop(INTERRUPTED)
    outcome = run.finish()
    if sink is not None:
        for record in world.records:
            sink(record)
    wall = time.monotonic() - began
    return Finished(
        script,
        options,
        settings,
        world.fabric,
        world.allowance,
        world.records,
        outcome,
        wall,
        run.formation(),
        interrupted,
    )


def run_real(
    script: Script,
    options: Options,
    *,
    folder: Path,
    sink: Callable[[Record], None] | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Finished:
    """Real processes; their logs and the link fabric's go to `folder`."""
    with asyncio.Runner() as runner:
        return runner.run(_run_real(script, options, folder, sink, say))


async def _run_real(
    script: Script,
    options: Options,
    folder: Path,
    sink: Callable[[Record], None] | None,
    say: Callable[[str], None],
) -> Finished:
    # Whoever only simulates does without processes, sockets and the link fabric.
    from shaketable.harness.real.world import RealWorld

    began, settings = time.monotonic(), options.settings(script)
    records: list[Record] = []

    def keep(record: Record) -> None:
        records.append(record)
        if sink is not None:
            sink(record)

    world = RealWorld(options.seed, settings, folder=folder, toxiproxy=options.toxiproxy, sink=keep, say=say)
    ended = asyncio.Event()
    interrupted = False
    try:
        await world.start()
        run = _Run(script, options, settings, world)
        run.driver.on_end = ended.set

        def interrupt() -> None:
            nonlocal interrupted
            interrupted = True
            run.driver.stop(INTERRUPTED)

        with _handling_signals(interrupt), _watching_for_a_hang(script.file):
            await ended.wait()
        outcome = run.finish()
        memory = {name: vitals.rss for name, vitals in world.vitals().items() if vitals.alive}
    finally:
        await world.close()
    wall = time.monotonic() - began
    return Finished(
        script,
        options,
        settings,
        world.fabric,
        world.allowance,
        records,
        outcome,
        wall,
        run.formation(),
        interrupted,
        memory,
    )


@contextmanager
def _handling_signals(interrupt: Callable[[], None]) -> Iterator[None]:
    loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number in signals:
            with suppress(ValueError):
                loop.remove_signal_handler(number)


@contextmanager
def _watching_for_a_hang(file: str) -> Iterator[None]:
    """A script that never awaits anything cannot be ended at a step: an alarm ends it where it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    looks_inside = 0

    def look(number: int, frame: FrameType | None) -> None:
        nonlocal looks_inside
        while frame is not None and frame.f_code.co_filename != file:
            frame = frame.f_back
        looks_inside = looks_inside + 1 if frame is not None else 0
        if looks_inside == 2:
            # A script's own code takes microseconds: found there twice in a row, it has been there all the time.
            raise ScriptError(f"it ran for {STUCK:g} s without awaiting anything")

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, STUCK, STUCK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
