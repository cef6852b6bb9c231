"""Which scripts can be run: in this world, and against this system.

Before anything starts a script is tried in the simulator, on our own members: so it is found whether it asks for
something that the system cannot do or bear. No list of scripts has to be kept, and a user's own are tried as well. In
the trial the script's conditions see only what the system tells, so that one which waits for something else is found,
too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from shaketable.harness.checks.registry import CHECK_NAMES, checks_of, untold
from shaketable.harness.errors import UserError
from shaketable.harness.faults.actions import Action, Begin, End, NoEffect, Receipt
from shaketable.harness.faults.table import LinkFault, arrow
from shaketable.harness.otherwise import OTHERWISE
from shaketable.harness.records import HARNESS, Expected, Record, ScriptOutcome, UnderTest, tells
from shaketable.harness.runs.run import LIMITS, SLICE, Options, Run
from shaketable.harness.scripting.scripts import Script
from shaketable.harness.systems.system import BOTH_WAYS, Say, System
from shaketable.harness.verdicts.verdict import LeftOut
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node import legacy
from shaketable.node.config import Settings
from shaketable.node.core.env import SECOND


class Kind(StrEnum):
    """Why a script cannot be run, for those who count."""

    WORLD = "for another world"
    OTHERWISE = "it asks for what the system may do otherwise"
    SETTINGS = "settings that it cannot have"
    VERB = "something is done that it cannot do or bear"
    ABOUT = "it is about what is not told or not promised"
    ONE_WAY = "a link is cut one way"
    WAITS = "it is waited for what it does not tell"
    TIMES = "it does not hold on our own members either, with its times"
    TIME = "it takes too long with its times"


class Unfit(NamedTuple):
    kind: Kind
    why: str


def fitting(
    options: Options, scripts: Sequence[Script], say: Say = lambda line: None
) -> tuple[list[Script], list[LeftOut]]:
    """Those that can be run so, and the others. UserError: none can, or the system cannot be had here."""
    system = options.chosen.system
    system.check_world(options.world)
    system.install(options.chosen.under_test, say)
    here, others = list[Script](), list[LeftOut]()
    for script in scripts:
        if unfit := why_not(script, options):
            others.append(LeftOut(script.name, script.title, unfit.why))
        else:
            here.append(script)
    return here, others


def why_not(script: Script, options: Options) -> Unfit | None:
    """Why it cannot be run so, None if it can."""
    if why := script.why_not_in(options.world):
        return Unfit(Kind.WORLD, why)
    system, under_test = options.chosen
    if under_test.is_ours:
        return None
    if otherwise := [OTHERWISE[flag] for flag in script.unless if getattr(under_test, flag)]:
        return Unfit(Kind.OTHERWISE, f"{under_test.called} does otherwise: {otherwise[0]}")
    try:
        settings = options.settings(script)
    except UserError as error:
        return Unfit(Kind.SETTINGS, f"its settings do not go with those of {under_test.called}: {error}")
    if unfit := system.unfit(settings):
        return Unfit(Kind.SETTINGS, unfit)
    if not_to_be_played := _tried(script, options):
        return not_to_be_played
    nothing_told = _untold(script, settings, under_test)
    return Unfit(Kind.ABOUT, nothing_told) if nothing_told else None


def _untold(script: Script, settings: Settings, under_test: UnderTest) -> str:
    """Why none of the checks that it is about can judge this system, or the one that it expects to be broken cannot."""
    checks = checks_of(settings.family, settings.own_checks)
    to_break = next((check for check in checks if check.name == script.expects_violation), None)
    if to_break is not None and (result := untold(to_break, under_test)):
        return f"it expects {to_break.name} to be broken: {result.looked_at}"
    if any(check.name not in CHECK_NAMES and untold(check, under_test) is None for check in checks):
        return ""  # a check of its own judges each run
    about = [check for check in checks if check.name in script.about]
    why = [each.looked_at for check in about if (each := untold(check, under_test))]
    if not about or len(why) < len(about):
        return ""
    return f"it is about {' and '.join(check.name for check in about)}: {why[0]}"


def _tried(script: Script, options: Options, *, all_told: bool = False) -> Unfit | None:
    system, under_test = options.chosen
    trial = replace(options, world="sim", preset=options.preset_name)
    settings = trial.settings(script)
    world = _Trial(trial.seed, settings, system, None if all_told else under_test)
    run = Run(script, trial, settings, world)
    world.on_endless = run.driver.give_up
    run.start()
    limit = options.limit or LIMITS["real"]
    run.driver.end_at_limit(round(limit * SECOND))
    while run.driver.outcome is None and world.heap and not world.cannot:
        world.run(lambda: run.driver.outcome is not None or bool(world.cannot), SLICE)
    if world.cannot:
        run.driver.give_up(world.cannot.why)
    ended = run.finish()
    if world.cannot:
        return world.cannot
    if world.now() >= limit * SECOND:
        said = f"it takes longer than {limit:g} s with the times of {under_test.called}; give it more with --limit"
        return Unfit(Kind.TIME, said)
    expected = (record.event for record in world.records if tells(record, Expected))
    unmet = next((event.what for event in expected if not event.held), "")
    if ended.kind != ScriptOutcome.FAILED and not unmet:
        return None  # what is wrong with the script itself is said when it runs
    what = unmet or ended.reason
    if all_told or _tried(script, options, all_told=True):
        return Unfit(Kind.TIMES, f"with the times of {under_test.called} it does not hold on our own members: {what}")
    return Unfit(Kind.WAITS, f"it waits for what {under_test.called} does not tell: {what}")


def _as_it_is(record: Record) -> Record:
    return record


class _Trial(SimWorld):
    def __init__(self, seed: int, settings: Settings, system: System, under_test: UnderTest | None) -> None:
        """`under_test`: none if all is told that our own members tell."""
        super().__init__(seed, settings, legacy.make_member)
        self._system = system
        self._tells = None if under_test is None or under_test.tells is None else frozenset(under_test.tells)
        self._retold = system.retold() if under_test is not None else _as_it_is
        self.cannot: Unfit | None = None
        """the first thing that the script asks for and such members cannot do"""

    def act(self, action: Action, done: Callable[[Receipt | NoEffect], None]) -> None:
        if self.cannot is None and (why := self._system.cannot(action)):
            self.cannot = Unfit(Kind.VERB, why)
        super().act(action, done)
        fault = action.fault if isinstance(action, Begin) else None
        if self.cannot is None and self._system.both_ways and (isinstance(fault, LinkFault) or isinstance(action, End)):
            self.cannot = self._cut_one_way()

    def _cut_one_way(self) -> Unfit | None:
        for a in self.nodes:
            for b in self.nodes:
                if self.table.link((a, b)).cut and not self.table.link((b, a)).cut:
                    return Unfit(Kind.ONE_WAY, f"it cuts {arrow((a, b))} alone; {BOTH_WAYS}")
        return None

    def add(self, record: Record) -> None:
        if record.node == HARNESS:
            super().add(record)
        else:
            told = self._retold(record)
            if told is not None and (self._tells is None or type(told.event).__name__ in self._tells):
                super().add(told)
