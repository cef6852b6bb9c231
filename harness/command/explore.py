"""`shaketable explore`: a small story in every order that matters, or the shortest order in which it fails."""

from __future__ import annotations

import argparse
import errno
import os
import shlex
import time
from pathlib import Path
from typing import Final

from shaketable.harness.console.screen import Screen
from shaketable.harness.console.values import values_of
from shaketable.harness.errors import UserError, cannot_be_written, did_you_mean
from shaketable.harness.explore.search import Budget, Found
from shaketable.harness.explore.shortest import failure_of, shortest
from shaketable.harness.explore.task import Task, in_order, task_of
from shaketable.harness.explore.writing import script_text
from shaketable.harness.history.codec import EVENT_TYPES
from shaketable.harness.nemesis.failing import fails_so
from shaketable.harness.nemesis.writing import command_of
from shaketable.harness.runs.run import LIMITS, Options, collect_garbage_rarely, run_simulated
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.harness.scripting.targets import script_named, scripts_of_ours, target_of
from shaketable.harness.verdicts.reasons import FAILED
from shaketable.harness.verdicts.verdict import EXIT_CODES, PASSED, UNKNOWN_OUTCOME
from shaketable.harness.whole_files import write_whole
from shaketable.harness.worlds.sim.orders import Kind, Order
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event

ROUND: Final = 100
"""runs between two looks at the clock"""
TELL_AFTER: Final = 10.0
"""seconds between two lines on how far it is"""
ANOTHER_FOLDER: Final = "give another folder with --out"


def explore(arguments: argparse.Namespace) -> int:
    task = _task(arguments)
    screen = Screen()
    path = Path(arguments.out) / f"{task.script.name.replace('-', '_')}.py"
    if path.exists():
        raise UserError(f"there is a file {path} already: {ANOTHER_FOLDER}")
    _try_to_write(path.parent)
    collect_garbage_rarely()
    began = time.monotonic()
    screen.say(f"{task.script.name}: {_asked(task)}")
    found, whole = _spread(arguments, task) if arguments.spark else _search(task, arguments.runs)
    twice = " (some may be counted twice)" if arguments.spark else ""
    told = f"{_many(found.orders, 'order')}{twice} and {_many(len(found.states), 'state')}"
    if not found.orders:
        told = "only orders in which at most one step is not the usual one"
    took = f"after {_many(found.runs, 'run')} in {time.monotonic() - began:.1f} s"
    if found.failing is not None:
        screen.say(f"An order fails, {took}.")
        return _save(arguments, task, found.failing, path, screen)
    if not whole or found.unknown:
        held = "" if found.unknown else ", and every check held so far"
        screen.say(f"{'Explored, but not judged whole' if whole else 'Not explored whole'}: {told}{held}, {took}.")
        if found.unknown:
            screen.say(f"  {_many(found.unknown, 'order')} could not be judged; the first: {found.why_unknown}")
        return EXIT_CODES[UNKNOWN_OUTCOME]
    never = [check for check, many in found.blind.items() if many == found.orders]
    if never:
        screen.say(f"Explored, but not judged: {told}, {took}.")
        screen.say(f"  in none of them {' and '.join(never)} saw anything to judge, and the script is about that")
        return EXIT_CODES[UNKNOWN_OUTCOME]
    screen.say(f"Explored whole: {told}, and every check held, {took}.")
    for check, many in found.blind.items():
        screen.say(f"  in {many:,} of these orders {check} saw nothing to judge")
    return EXIT_CODES[PASSED]


def _task(arguments: argparse.Namespace) -> Task:
    script = script_named(arguments.script)
    why_not = script.why_not_in("sim")
    if why_not:
        raise UserError(f"{script.name} cannot be explored: {why_not}, and exploring takes thousands of runs")
    options = Options(seed=arguments.seed, preset=arguments.preset, values=values_of(arguments.values))
    return task_of(
        script,
        options,
        _budget(arguments),
        start=_start(arguments.start),
        lasts=_micros("--for", arguments.lasts),
        latest=_micros("--late", arguments.latest),
    )


def _budget(arguments: argparse.Namespace) -> Budget:
    budget = {Kind.KILL: arguments.kills, Kind.RESET: arguments.resets, Kind.CUT: arguments.cuts}
    for kind, many in budget.items():
        if many < 0:
            raise UserError(f"--{kind}s {many}: give 0 or more")
    if not arguments.spark and (arguments.cores is not None or arguments.spark_master is not None):
        raise UserError("--cores and --spark-master go with --spark: give it as well, or leave them out")
    if arguments.runs is not None and arguments.runs < 1:
        raise UserError(f"--runs {arguments.runs}: give at least 1")
    return budget


def _start(said: str | None) -> Micros | type[Event] | None:
    if said is None:
        return None
    try:
        return _micros("--from", float(said))
    except ValueError:
        kinds = {kind.__name__: kind for kind in EVENT_TYPES}
    if said not in kinds:
        raise UserError(f"--from {said}: give seconds, or a kind of event{did_you_mean(said, kinds, 2)}")
    return kinds[said]


def _micros(option: str, seconds: float | None) -> Micros | None:
    if seconds is None:
        return None
    most = LIMITS["sim"]
    if not 0 <= seconds <= most:
        raise UserError(f"{option} {seconds:g}: give seconds, from 0 to {most:.0f}")
    return round(seconds * SECOND)


def _try_to_write(folder: Path) -> None:
    """Before anything is run; a folder that is not there yet is made when it is needed."""
    there = next(each for each in [folder, *folder.absolute().parents] if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        what = errno.EACCES if there.is_dir() else errno.ENOTDIR
        raise cannot_be_written(folder, OSError(what, os.strerror(what)), ANOTHER_FOLDER)


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'s' * (number != 1)}"


def _asked(task: Task) -> str:
    window = task.window
    faults = [f"at most {_many(many, kind)} more" for kind, many in task.budget.items() if many]
    said = f"orders matter for {window.lasts / SECOND:g} s, and a message is at most {window.latest / SECOND:g} s late"
    return "; ".join([said, *faults])


def _search(task: Task, most: int | None) -> tuple[Found, bool]:
    search = task.search()
    told = time.monotonic()
    try:
        over = search.glance(most)
        while not over and (most is None or search.found.runs < most):
            over = search.run(ROUND if most is None else min(ROUND, most - search.found.runs))
            if time.monotonic() - told > TELL_AFTER:
                told = time.monotonic()
                say_how_far(search.found)
    except KeyboardInterrupt:
        say_how_far(search.found)
        raise
    return search.found, over


def say_how_far(found: Found) -> None:
    told = ", ".join([_many(found.orders, "order"), _many(found.runs, "run"), _many(len(found.states), "state")])
    Screen(stderr=True).say(f"  {told} so far")


def _spread(arguments: argparse.Namespace, task: Task) -> tuple[Found, bool]:
    # One who explores without Spark need not have it.
    from shaketable.harness.pipeline.exploring import spread
    from shaketable.harness.pipeline.spark.session import spark_session

    session = spark_session(arguments.spark_master, cores=arguments.cores, app="shaketable explore")
    return spread(session, task, arguments.runs, say_how_far)


def _save(arguments: argparse.Namespace, task: Task, order: Order, path: Path, screen: Screen) -> int:
    failure = failure_of(task, order)
    if failure is None:
        screen.say(f"It does NOT fail again: its order was {order}")
        return EXIT_CODES[UNKNOWN_OUTCOME]
    order = shortest(task, order, failure)
    screen.say(f"  {failure.words}: {failure.said}")
    screen.say(f"  its order, after which all goes its usual way: {' '.join(map(str, order.steps)) or 'the usual one'}")
    again = command_of(path, task.options)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, script_text(path, task, order, failure, [again, _command(arguments, task.script)]))
    except OSError as error:
        values = " ".join(f"--set {name}={shlex.quote(str(value))}" for name, value in in_order(order).items())
        screen.say(f"  to follow it: {values}")
        raise cannot_be_written(path, error, ANOTHER_FOLDER) from None
    screen.say(f"Saved: {path}")
    (written,) = load_scripts([path])
    if fails_so(run_simulated(written, Options(seed=task.options.seed, preset=task.options.preset)), failure):
        screen.say(f"It fails again. again: {again}")
    else:
        screen.say("It does NOT fail again as it is written: keep the command that found it")
    return EXIT_CODES[FAILED]


def _command(arguments: argparse.Namespace, script: Script) -> str:
    ours = script.name if script in scripts_of_ours() else ""
    words = ["shaketable", "explore", shlex.quote(ours or target_of(script))]
    named = {
        "--kills": arguments.kills or None, "--resets": arguments.resets or None, "--cuts": arguments.cuts or None,
        "--from": arguments.start, "--for": arguments.lasts, "--late": arguments.latest,
        "--seed": arguments.seed if arguments.seed != 1 else None, "--preset": arguments.preset,
    }  # fmt: skip
    words += [f"{name} {value}" for name, value in named.items() if value is not None]
    words += [f"--set {shlex.quote(each)}" for each in arguments.values]
    return " ".join(words)
