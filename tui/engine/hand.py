"""What is done by hand to a run: each call is a task of its own beside the script, and an event of the history.

So a recording knows what was done to it, and can be made a chaos script of."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from itertools import count
from typing import Any

from shaketable.harness.checks.result import counted
from shaketable.harness.errors import ScriptError, UserError
from shaketable.harness.records import AnsweredByHand, AskedByHand
from shaketable.harness.runs.run import Run
from shaketable.harness.scripting.cluster import Injected
from shaketable.harness.scripting.driver import Unmet
from shaketable.harness.scripting.outcome import outcome_of
from shaketable.harness.scripting.verbs.data import Reading, Result, Work
from shaketable.harness.scripting.verbs.rest import Answer as Answered
from shaketable.harness.scripting.world import World
from shaketable.harness.seen.run import FaultSeen
from shaketable.tui.model.hands import calls
from shaketable.tui.model.hands.calls import Call
from shaketable.tui.model.hands.filling_in import checked, names_of

Answer = Callable[[str], None]
"""is told the trouble, or "" """


class Hand:
    def __init__(self, run: Run, world: World) -> None:
        self._run = run
        self._world = world
        self._numbers = count(1)
        self._works: dict[str, list[Work]] = {}
        """by the node whose clients were set to work"""

    def do(self, call: Call, answer: Answer) -> None:
        if self._run.driver.outcome is not None:
            answer("the run is over: nothing can be done to it any more")
            return
        try:
            call = self._named(checked(call))
        except UserError as error:
            answer(str(error))
            return
        number, before = next(self._numbers), max(self._world.observed.faults, default=0)
        self._world.record(AskedByHand(number, str(call)))

        def ended(result: Any, error: BaseException | None) -> None:
            fault = result.number if isinstance(result, Injected) else None
            missed = self._without_effect(call, fault, before) if error is None else None
            said = "" if missed is None else f"it took no effect: {missed.without_effect}"
            trouble = said if error is None else _sentence(error)
            self._world.record(AnsweredByHand(number, fault, trouble, missed is not None, _answer(result)))
            answer(trouble)

        self._run.driver.also(self._done(call), ended)

    async def _done(self, call: Call) -> Any:
        cluster = self._run.cluster
        match call:
            case Call(verb=calls.HEAL, arguments=(int(number),)):
                fault = self._world.observed.faults.get(number)
                if fault is None:
                    raise ScriptError(f"there is no fault {number}")
                if not fault.lasts:
                    raise ScriptError(f"fault {number} ({fault.verb}) does not last: there is nothing to heal")
                await cluster.heal(Injected(number, fault.verb))
                return None
            case Call(verb=calls.WORK, arguments=(str(node), *_)):
                work = await cluster.work(*call.arguments, **call.options)  # type: ignore[arg-type]
                self._works.setdefault(node, []).append(work)
                return None
            case Call(verb=calls.STOP_WORK, arguments=(str(node),)):
                if not self._works.get(node):
                    raise ScriptError(f"no client of {node} was set to work")
                for work in self._works.pop(node):
                    await cluster.stop_work(work)
                return None
        done = getattr(cluster, call.verb)(*call.arguments, **call.options)
        return await done if isawaitable(done) else done

    def _named(self, call: Call) -> Call:
        """One more node gets the next name that is free."""
        if call.verb != calls.START or call.arguments:
            return call
        nodes = self._world.observed.nodes
        return Call(calls.START, (next(name for n in count(1) if (name := f"n{n}") not in nodes),), call.options)

    def _without_effect(self, call: Call, number: int | None, before: int) -> FaultSeen | None:
        """Of the fault that this call was, if it was one."""
        faults = self._world.observed.faults
        if number is not None:
            mine: list[FaultSeen] = [faults[number]] if number in faults else []
        elif call.verb == calls.HEAL:
            mine = [fault for n, fault in faults.items() if n == call.arguments[0]]
        else:
            mine = [f for n, f in faults.items() if n > before and f.kind.verb == call.verb and _is_about(f, call)]
        return next((fault for fault in mine if fault.missed), None)


def _is_about(fault: FaultSeen, call: Call) -> bool:
    if fault.nodes:
        return fault.nodes == call.arguments[: len(fault.nodes)]
    named = [name for each in call.arguments for name in names_of(each)]
    return all(link.split("->")[0] in named for link in fault.links)


def _answer(result: object) -> str:
    """What a verb gives back, in words."""
    match result:
        case Result(outcome=outcome, value=value, holders=holders, reason=reason):
            of = [str(value)] * (value is not None) + [f"at {' '.join(map(str, holders))}"] * bool(holders)
            return ", ".join([outcome, *of, *[reason] * bool(reason)])
        case Reading(keys=keys, outcomes=outcomes):
            return f"{counted(keys, 'key')}: {', '.join(f'{many} {how}' for how, many in outcomes.items())}"
        case Answered(status=status, message=message, members=members):
            told = message.strip().removesuffix(".")
            of = [told] * bool(told) + [f"members {' '.join(members)}"] * bool(members)
            return ", ".join([str(status), *of])
    return ""


def _sentence(error: BaseException) -> str:
    return str(error) if isinstance(error, UserError | Unmet) else outcome_of(error).reason
