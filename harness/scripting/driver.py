"""The driver runs a chaos script by hand, step by step, the same in both worlds.

A script is a coroutine that awaits nothing but the steps which `Cluster`'s verbs yield. A world knows nothing of
coroutines: it offers the time, a call later, and acts. However a script ends, its `finally` blocks may still take
steps: every coroutine is driven to its own end."""

from __future__ import annotations

import traceback
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from functools import partial
from types import CoroutineType
from typing import Any, Final

from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.errors import ScriptError
from shaketable.harness.faults.actions import NoEffect, Receipt
from shaketable.harness.records import InvariantBroken, ScriptOutcome
from shaketable.harness.scripting.awaits import FOREIGN, Watch, forgotten_before
from shaketable.harness.scripting.outcome import Outcome, let_through, outcome_of
from shaketable.harness.scripting.steps import Act, Cancelled, Sleep, Step, Together, Unmet, Until
from shaketable.harness.scripting.whereabouts import where_in
from shaketable.harness.scripting.world import World
from shaketable.node.core.env import SECOND, Micros

__all__ = ["Driver", "Outcome", "ScriptError", "Unmet"]

LAST_WORDS: Final[Micros] = 2 * SECOND
"""how long the `finally` blocks of a script that must end may take"""
MOST_STEPS_AT_ONCE: Final = 100_000
"""in one and the same microsecond"""
MOST_CLOSINGS: Final = 10
_NEVER_CLOSED: Final[list[Routine]] = []
"""they catch whatever is thrown at them: let go of, they would say so among the words of others"""


Routine = Coroutine[Any, Any, Any]
Then = Callable[[list[Any], BaseException | None], None]


class _Task:
    __slots__ = (
        "at", "cancelled", "children", "coroutine", "ended", "error", "forget", "on_end", "parent", "pending", "result"
    )  # fmt: skip

    def __init__(self, coroutine: Routine, parent: _Task | None, on_end: Callable[[_Task], None]) -> None:
        self.coroutine = coroutine
        self.parent = parent
        self.on_end = on_end
        self.at: Step[Any] | None = None
        self.forget: Callable[[], None] = _nothing
        self.children: Sequence[_Task] = ()
        self.result: Any = None
        self.error: BaseException | None = None
        self.ended = False
        self.cancelled = False
        self.pending = False
        """it is to be cancelled when the action that is under way, or its children, have ended"""


class Driver:
    """Runs one script in one world. `outcome` is None until it has ended."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._root: _Task | None = None
        self._beside: list[_Task] = []
        self._waiting: dict[_Task, Until] = {}
        self._invariants: list[Condition] = []
        self._watch = Watch()
        self._ending: Outcome | None = None
        """how it will have ended, once its `finally` blocks are through"""
        self._depth = 0
        self._look_again = False
        self._instant: Micros = -1
        self._steps_at_once = 0
        self.outcome: Outcome | None = None
        self.on_end: Callable[[], None] = _nothing
        world.on_change = self._look

    def start(self, script: Routine) -> None:
        """Begins at the world's next moment: never inside whatever task the caller runs in."""
        root = self._root = _Task(script, None, self._root_ended)
        self._world.call_later(0, lambda: self._advance(root))

    def end_at_limit(self, limit: Micros) -> None:
        self._world.call_later(limit, self._limit_reached)

    def always(self, condition: Condition) -> None:
        """From now on this must hold at every moment; the whole script has failed when it does not."""
        self._invariants.append(condition)
        self._look()

    def also(self, routine: Routine, then: Callable[[Any, BaseException | None], None]) -> None:
        """Beside the script, from the world's next moment on. Its end is told to `then`: the result, or the error,
        which is no matter of the script. When the script ends, the routine is left where it is and nothing is told."""
        if self.outcome is not None:
            routine.close()
            return

        def ended(task: _Task) -> None:
            self._beside.remove(task)
            self._watch.forgotten.clear()
            then(task.result, task.error)

        task = _Task(routine, None, ended)
        self._beside.append(task)
        self._world.call_later(0, lambda: self._advance(task))

    def stop(self, reason: str, kind: ScriptOutcome = ScriptOutcome.UNKNOWN) -> None:
        """Ends the script from outside (Ctrl-C, a world that broke); its `finally` blocks run, but not for long."""
        self._end_early(Outcome(kind, reason))

    def give_up(self, reason: str) -> None:
        """Called by a verb, or where no time passes any more: the script does not go on, and catches no error."""
        self._end(Outcome(ScriptOutcome.UNKNOWN, f"{self.position()}: {reason}"))

    def position(self) -> str:
        """Where the script is now: file, line, and for what it waits."""
        return "; ".join(self._positions(self._root)) if self._root is not None else "its beginning"

    # Driving

    def _advance(self, task: _Task, value: Any = None, error: BaseException | None = None) -> None:
        if task.ended:
            return
        task.at, task.forget = None, _nothing
        self._depth += 1
        try:
            self._resume(task, value, error)
        finally:
            self._depth -= 1
        if self._look_again and not self._depth:
            self._look()

    def _resume(self, task: _Task, value: Any, error: BaseException | None) -> None:
        while True:
            try:
                with self._watch:
                    step = task.coroutine.throw(error) if error is not None else task.coroutine.send(value)
            except StopIteration as stop:
                self._close_generators(task, partial(self._finish, task, stop.value))
                return
            except BaseException as raised:
                let_through(raised)
                told = forgotten_before(raised, self._watch.forgotten) or raised
                self._watch.forgotten.clear()
                self._close_generators(task, partial(self._finish, task, None), told)
                return
            mistake = self._mistake(step)
            if self.outcome is not None:
                _close(task.coroutine)
                return
            if mistake is None:
                break
            if isinstance(step, Together):
                for script in step.scripts:
                    script.close()
            value, error = None, mistake

        def go_on(failed: BaseException | None) -> None:
            if failed is not None:
                self._advance(task, None, failed)
            else:
                self._perform(task, step)

        self._close_generators(task, go_on)

    def _mistake(self, step: object) -> ScriptError | None:
        if self._watch.forgotten:
            first = self._watch.forgotten[0]
            self._watch.forgotten.clear()
            return first
        if not isinstance(step, Step):
            return ScriptError(FOREIGN)
        now = self._world.now()
        if now != self._instant:
            self._instant, self._steps_at_once = now, 0
        self._steps_at_once += 1
        if self._steps_at_once < MOST_STEPS_AT_ONCE:
            return None
        sentence = "it goes round and round and no time passes: a loop needs a sleep, or an until that has to wait"
        if self._steps_at_once > MOST_STEPS_AT_ONCE:
            self._end(Outcome(ScriptOutcome.UNKNOWN, f"{self.position()}: {sentence}"))  # it would not be told
        return ScriptError(sentence)

    def _perform(self, task: _Task, step: Step[Any]) -> None:
        world = self._world
        task.at = step
        match step:
            case Sleep(delay=delay):
                task.forget = world.call_later(delay, lambda: self._advance(task)).cancel
            case Until():
                self._wait(task, step)
            case Act(action=action):
                world.act(action, lambda receipt: self._received(task, step, receipt))
            case Together(scripts=scripts):
                self._run_all(task, scripts, lambda results, error: self._advance(task, results, error))

    def _received(self, task: _Task, act: Act, receipt: Receipt | NoEffect) -> None:
        if task.at is act:
            act.record(receipt)
            cancelled, task.pending = task.pending, False
            self._advance(task, receipt, Cancelled() if cancelled else None)

    def _run_all(self, parent: _Task, scripts: Sequence[Routine], then: Then) -> None:
        first: list[BaseException] = []

        def child_ended(child: _Task) -> None:
            if child.error is not None and not isinstance(child.error, Cancelled) and not first:
                first.append(child.error)
                for sibling in children:
                    self._cancel(sibling)
            if parent.children is children and all(c.ended for c in children):
                parent.children = ()
                cancelled, parent.pending = parent.pending, False
                then([c.result for c in children], first[0] if first else Cancelled() if cancelled else None)

        if not scripts:
            parent.forget = self._world.call_later(0, lambda: then([], None)).cancel
            return
        children = parent.children = [_Task(script, parent, child_ended) for script in scripts]
        for child in children:
            self._advance(child)

    def _close_generators(
        self, task: _Task, then: Callable[[BaseException | None], None], error: BaseException | None = None
    ) -> None:
        """An async generator that was left early (a `break` in its loop) has a `finally` of its own to run first."""
        if not self._watch.left:
            then(error)
            return
        left, self._watch.left[:] = list(self._watch.left), []
        self._run_all(task, [_closed(generator) for generator in left], lambda results, failed: then(error or failed))

    def _finish(self, task: _Task, result: Any, error: BaseException | None) -> None:
        task.ended, task.result, task.error = True, result, error
        task.on_end(task)

    # Waiting for conditions

    def _wait(self, task: _Task, step: Until) -> None:
        world = self._world
        try:
            why_not = step.condition.ask(world.observed)
        except BaseException as error:
            let_through(error)
            self._advance(task, None, error)
            return
        if why_not is None or step.deadline <= world.now():
            task.forget = world.call_later(0, lambda: self._advance(task, why_not)).cancel
            return
        self._waiting[task] = step
        timer = world.call_later(step.deadline - world.now(), lambda: self._look_at(task, step, at_the_latest=True))

        def forget() -> None:
            timer.cancel()
            self._waiting.pop(task, None)

        task.forget = forget

    def _look(self) -> None:
        """Conditions are looked at only when something visible changed, and never while the script's code runs."""
        if self._depth:
            self._look_again = True
            return
        self._look_again = False
        for condition in self._invariants if self._ending is None else ():
            try:
                why_not = condition.ask(self._world.observed)
            except BaseException as error:
                let_through(error)
                self._end_early(outcome_of(error))
                return
            if why_not is not None:
                self._world.record(InvariantBroken(condition.label, why_not))
                self._end_early(Outcome(ScriptOutcome.FAILED, f"{condition.label} must always hold; but {why_not}"))
                return
        for task, step in list(self._waiting.items()):
            if self._waiting.get(task) is step:
                self._look_at(task, step, at_the_latest=False)

    def _look_at(self, task: _Task, step: Until, *, at_the_latest: bool) -> None:
        why_not, error = None, None
        try:
            if not at_the_latest and step.condition.still_not(self._world.observed):
                return
            why_not = step.condition.ask(self._world.observed)
        except BaseException as raised:
            let_through(raised)
            error = raised
        if why_not is None or error is not None or at_the_latest:
            task.forget()
            self._advance(task, why_not, error)

    # Ending

    def _end_early(self, outcome: Outcome) -> None:
        if self.outcome is not None or self._ending is not None:
            return
        self._ending = outcome
        if self._root is None:
            self._end(outcome)
            return
        self._world.call_later(LAST_WORDS, lambda: self._end(outcome))
        self._cancel(self._root)

    def _cancel(self, task: _Task) -> None:
        """Thrown in where it waits, and driven on to its end. Once: what its `finally` then waits for is its own."""
        if task.ended or task.cancelled:
            return
        task.cancelled = True
        if task.children:
            task.pending = True
            for child in list(task.children):
                self._cancel(child)
        elif isinstance(task.at, Act):
            task.pending = True
        else:
            task.forget()
            self._advance(task, None, Cancelled())

    def _limit_reached(self) -> None:
        self._end_early(Outcome(ScriptOutcome.UNKNOWN, f"it did not end in time; it was at {self.position()}"))

    def _root_ended(self, root: _Task) -> None:
        if self._ending is not None:
            self._end(self._ending)
        elif root.error is not None:
            self._end(outcome_of(root.error))
            with Watch():  # what the error's frames still hold of coroutines that nobody awaited goes quietly
                traceback.clear_frames(root.error.__traceback__)
        elif self._watch.forgotten:
            self._end(outcome_of(self._watch.forgotten[0]))
        else:
            self._end(Outcome(ScriptOutcome.DONE))

    def _end(self, outcome: Outcome) -> None:
        if self.outcome is None:
            self.outcome = outcome
            for task in (self._root, *self._beside):
                if task is not None:
                    self._abandon(task)
            self.on_end()

    def _abandon(self, task: _Task) -> None:
        for child in task.children:
            self._abandon(child)
        if not task.ended:
            task.ended = True
            task.forget()
            _close(task.coroutine)

    def _positions(self, task: _Task) -> list[str]:
        if task.children:
            return [p for child in task.children if not child.ended for p in self._positions(child)]
        match task.at:
            case Sleep(delay=delay):
                what = f"a sleep of {delay / SECOND:g} s"
            case Until(condition=condition):
                try:
                    why_not = condition.ask(self._world.observed)
                except BaseException as error:
                    let_through(error)
                    why_not = type(error).__name__
                what = f"waiting until {condition.label}" + (f", but {why_not}" if why_not else "")
            case Act(what=action):
                what = f"waiting for the receipt of {action}"
            case _:
                what = "its own code"
        return [f"{_where(task)} ({what})"]


def _where(task: _Task | None) -> str:
    while task is not None:
        where = where_in(task.coroutine)
        if where is not None:
            return where
        task = task.parent  # a verb that `together` runs by itself has no line of its own
    return "the script"


async def _closed(generator: AsyncGenerator[Any, Any]) -> None:
    await generator.aclose()


def _close(coroutine: Routine) -> None:
    if coroutine.cr_running if isinstance(coroutine, CoroutineType) else False:
        return  # it has called the verb that ends it, and is closed when it waits
    for _ in range(MOST_CLOSINGS):
        try:
            coroutine.close()
            return
        except BaseException:
            continue  # a `finally` that would still wait
    _NEVER_CLOSED.append(coroutine)


def _nothing() -> None:
    pass
