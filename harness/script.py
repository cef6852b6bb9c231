"""Chaos scripts, and the driver that runs one by hand, step by step, the same in both worlds.

A script is a coroutine that awaits nothing but the steps which `Cluster`'s verbs yield. A world knows nothing of
coroutines: it offers the time, a call later, and acts."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CoroutineType
from typing import Any, Generic, Protocol, TypeVar

from shaketable.harness.actions import Action, NoEffect, Receipt
from shaketable.harness.conditions import Condition
from shaketable.harness.errors import UserError
from shaketable.harness.observed import Observed
from shaketable.harness.records import InvariantBroken
from shaketable.node.env import SECOND, Micros, Timer
from shaketable.node.events import Event

T = TypeVar("T")


class World(Protocol):
    """What a script runs in."""

    name: str
    fabric: str
    allowance: Micros
    """what this world adds to a bound"""
    observed: Observed
    on_change: Callable[[], None]
    """called when something that a condition can see has changed, never in the middle of a node's step"""

    def now(self) -> Micros: ...
    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer: ...
    def act(self, action: Action, done: Callable[[Receipt | NoEffect], None]) -> None: ...
    def record(self, event: Event) -> None: ...


# Steps: all that a script can wait for


class Step(Generic[T]):
    __slots__ = ()

    def __await__(self) -> Generator[Step[T], T, T]:
        return (yield self)


@dataclass(frozen=True, slots=True)
class Sleep(Step[None]):
    delay: Micros


@dataclass(frozen=True, slots=True)
class Until(Step[str | None]):
    """Ends with None when the condition holds, or with the reason why it does not at the deadline."""

    condition: Condition
    deadline: Micros


@dataclass(frozen=True, slots=True)
class Act(Step[Receipt | NoEffect]):
    action: Action


@dataclass(frozen=True, slots=True)
class Together(Step[list[Any]]):
    scripts: tuple[Coroutine[Any, Any, Any], ...]


# How a script can end early


class Unmet(Exception):
    """Something that the script waited for or expected did not come true: the run failed."""


class ScriptError(UserError):
    """A mistake in the script itself: one sentence with file and line."""


class Cancelled(BaseException):
    """A sibling failed. A `finally` may still await steps: a task is driven to its end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    kind: str
    """ "done", "failed" (something did not come true) or "unknown" (it could not be run to its end)"""
    reason: str = ""


class _Task:
    __slots__ = ("at", "cancelled", "children", "coroutine", "ended", "error", "forget", "on_end", "pending", "result")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], on_end: Callable[[_Task], None]) -> None:
        self.coroutine = coroutine
        self.on_end = on_end
        self.at: Step[Any] | None = None
        self.forget: Callable[[], None] = lambda: None
        self.children: list[_Task] = []
        self.result: Any = None
        self.error: BaseException | None = None
        self.ended = False
        self.cancelled = False
        self.pending: BaseException | None = None
        """what to throw in when the action that is under way has ended"""


class Driver:
    """Runs one script in one world. `outcome` is None until it has ended."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._waiting: dict[_Task, Until] = {}
        self._invariants: list[tuple[Condition, _Task]] = []
        self._root: _Task | None = None
        self._forgotten: list[str] = []
        self.outcome: Outcome | None = None
        self.on_end: Callable[[], None] = lambda: None
        world.on_change = self._wake

    def start(self, script: Coroutine[Any, Any, Any]) -> None:
        """Begins at the world's next moment: never inside whatever task the caller runs in."""
        self._root = _Task(script, self._root_ended)
        self._world.call_later(0, lambda: self._advance(self._root, None, None) if self._root else None)

    def end_at_limit(self, limit: Micros) -> None:
        self._world.call_later(limit, self._limit_reached)

    def always(self, condition: Condition) -> None:
        """From now on this must hold at every moment; the task that says so fails when it does not."""
        assert self._root is not None
        self._invariants.append((condition, self._root))

    def stop(self, reason: str) -> None:
        """Ends the script from outside (Ctrl-C, a world that broke); its `finally` blocks still run."""
        if self.outcome is None and self._root is not None and not self._root.ended:
            self._end(Outcome("unknown", reason))

    # Driving

    def _advance(self, task: _Task, value: Any, error: BaseException | None) -> None:
        if task.ended:
            return
        task.at = None
        task.forget = _nothing
        try:
            with _watching_for_forgotten_awaits(self._forgotten):
                step = task.coroutine.throw(error) if error is not None else task.coroutine.send(value)
        except StopIteration as stop:
            self._finish(task, stop.value, None)
            return
        except BaseException as raised:
            if isinstance(raised, (KeyboardInterrupt, SystemExit)):
                raise
            self._finish(task, None, raised)
            return
        if self._forgotten:
            sentence = self._forgotten.pop()
            self._forgotten.clear()
            self._advance(task, None, ScriptError(sentence))
            return
        self._perform(task, step)

    def _perform(self, task: _Task, step: object) -> None:
        world = self._world
        match step:
            case Sleep(delay=delay):
                task.at = step
                task.forget = world.call_later(delay, lambda: self._advance(task, None, None)).cancel
            case Until(condition=condition, deadline=deadline):
                task.at = step
                why_not = condition.why_not(world.observed)
                if why_not is None or deadline <= world.now():
                    task.forget = world.call_later(0, lambda: self._advance(task, why_not, None)).cancel
                    return
                self._waiting[task] = step
                timer = world.call_later(deadline - world.now(), lambda: self._deadline(task, step))
                task.forget = lambda: self._stop_waiting(task, timer)
            case Act(action=action):
                task.at = step
                world.act(action, lambda receipt: self._advance(task, receipt, task.pending))
            case Together(scripts=scripts):
                task.at = step
                self._begin_together(task, scripts)
            case _:
                what = type(step).__name__
                where = f"{where_in(task.coroutine)}: "
                self._advance(
                    task, None, ScriptError(f"{where}a script may only await what the cluster offers, not {what}")
                )

    def _stop_waiting(self, task: _Task, timer: Timer) -> None:
        timer.cancel()
        self._waiting.pop(task, None)

    def _deadline(self, task: _Task, step: Until) -> None:
        self._waiting.pop(task, None)
        self._advance(task, step.condition.why_not(self._world.observed), None)

    def _wake(self) -> None:
        """Conditions are looked at only when something visible changed."""
        seen = self._world.observed
        for condition, task in self._invariants:
            why_not = condition.why_not(seen)
            if why_not is not None and not task.ended and not task.cancelled:
                self._world.record(InvariantBroken(condition.label, why_not))
                self._cancel(task, Unmet(f"{condition.label} must always hold, but {why_not}"))
        for task, step in list(self._waiting.items()):
            if task in self._waiting and step.condition.why_not(seen) is None:
                task.forget()
                self._advance(task, None, None)

    def _begin_together(self, parent: _Task, scripts: Sequence[Coroutine[Any, Any, Any]]) -> None:
        first_error: list[BaseException] = []

        def child_ended(child: _Task) -> None:
            if child.error is not None and not isinstance(child.error, Cancelled) and not first_error:
                first_error.append(child.error)
                for sibling in parent.children:
                    self._cancel(sibling, Cancelled())
            if all(c.ended for c in parent.children):
                results = [c.result for c in parent.children]
                parent.children = []
                error: BaseException | None = first_error[0] if first_error else None
                self._advance(parent, results, Cancelled() if parent.cancelled and error is None else error)

        if not scripts:
            self._world.call_later(0, lambda: self._advance(parent, [], None))
            return
        parent.children = [_Task(script, child_ended) for script in scripts]
        for child in list(parent.children):
            self._advance(child, None, None)

    def _cancel(self, task: _Task, error: BaseException) -> None:
        """Thrown in where it waits, and driven on to its end."""
        if task.ended or task.cancelled:
            return
        task.cancelled = True
        if task.children:
            for child in list(task.children):
                self._cancel(child, error)
            return
        if isinstance(task.at, Act):
            task.pending = error  # an action is seen to its end first: its receipt belongs to the history
            return
        task.forget()
        self._advance(task, None, error)

    def _finish(self, task: _Task, result: Any, error: BaseException | None) -> None:
        task.ended = True
        task.result, task.error = result, error
        task.on_end(task)

    def _root_ended(self, root: _Task) -> None:
        error = root.error
        if self._forgotten and error is None:
            error = ScriptError(self._forgotten[0])
        match error:
            case None:
                self._end(Outcome("done"))
            case Unmet():
                self._end(Outcome("failed", str(error)))
            case UserError():
                self._end(Outcome("unknown", str(error)))
            case _:
                self._end(Outcome("unknown", f"{where_raised(error)}: {type(error).__name__}: {error}"))

    def _limit_reached(self) -> None:
        root = self._root
        if self.outcome is None and root is not None and not root.ended:
            self._end(Outcome("unknown", f"it did not end in time; it was at {self.position()}"))

    def _end(self, outcome: Outcome) -> None:
        if self.outcome is None:
            self.outcome = outcome
            self.on_end()

    def position(self) -> str:
        """Where the script is now: file, line, and for what it waits."""
        return "; ".join(self._positions(self._root)) if self._root is not None else "its beginning"

    def _positions(self, task: _Task) -> list[str]:
        if task.children:
            return [p for child in task.children if not child.ended for p in self._positions(child)]
        match task.at:
            case Sleep(delay=delay):
                what = f"a sleep of {delay / SECOND:g} s"
            case Until(condition=condition):
                what = f"waiting until {condition.label}"
            case Act(action=action):
                what = f"waiting for the receipt of {type(action).__name__.lower()}"
            case _:
                what = "its own code"
        return [f"{where_in(task.coroutine)} ({what})"]


def _nothing() -> None:
    pass


@contextmanager
def _watching_for_forgotten_awaits(found: list[str]) -> Iterator[None]:
    """A verb that is called and not awaited does nothing; Python says so when the coroutine is thrown away."""
    depth = sys.get_coroutine_origin_tracking_depth()
    sys.set_coroutine_origin_tracking_depth(8)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        sys.set_coroutine_origin_tracking_depth(depth)
    for warning in caught:
        said = str(warning.message)
        verb = re.match(r"coroutine '(?:.*\.)?(\w+)' was never awaited", said)
        if verb is None:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
            continue
        lines = [(f, n) for f, n in re.findall(r'File "([^"]+)", line (\d+)', said) if f not in _OURS]
        where = f"{_short(lines[-1][0])}:{lines[-1][1]}" if lines else "the script"
        found.append(f"{where}: {verb[1]} was called without await, so it did nothing")


_OURS = (str(Path(__file__).with_name("cluster.py")), __file__)


def where_in(coroutine: Any) -> str:
    """The file and line of the script, not of the cluster's verbs, where this coroutine waits."""
    found = "the script"
    while isinstance(coroutine, CoroutineType):
        frame = coroutine.cr_frame
        if frame is not None and frame.f_code.co_filename not in _OURS:
            found = f"{_short(frame.f_code.co_filename)}:{frame.f_lineno}"
        coroutine = coroutine.cr_await
    return found


def where_raised(error: BaseException) -> str:
    found = "the script"
    traceback = error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if name not in _OURS:
            found = f"{_short(name)}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return found


def calling_line() -> str:
    """The file and line of the script that called a verb just now."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in _OURS and frame.f_back is not None:
        frame = frame.f_back
    return f"{_short(frame.f_code.co_filename)}:{frame.f_lineno}"


def _short(filename: str) -> str:
    path = Path(filename)
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(Path(*path.parts[-2:]))
