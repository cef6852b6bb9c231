"""What a history tells of what was done by hand: each call with its time, and what came of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from shaketable.harness.errors import UserError
from shaketable.harness.records import AnsweredByHand, AskedByHand, NodeNamed, Record, StepBegan, StepKind
from shaketable.node.core.env import Micros
from shaketable.tui.model.hands.calls import HEAL, START, STOP_WORK, WORK, Call, Value


@dataclass(slots=True)
class Done:
    """One call by hand, and what came of it."""

    time: Micros
    call: Call
    answered: Micros = 0
    fault: int | None = None
    trouble: str = ""
    without_effect: bool = False

    @property
    def left_out(self) -> bool:
        """What was refused, or did nothing. An end that was not noticed is an end all the same."""
        return bool(self.trouble) and not (self.call.verb == HEAL and self.without_effect)


@dataclass(slots=True)
class ByHand:
    """What a history tells of what was done by hand."""

    calls: list[Done]
    nodes: list[str]
    """those that it began with"""
    formed: Micros
    end: Micros

    @property
    def last(self) -> Micros:
        """When the last thing was done; a client at work is stopped at the end."""
        done = [each for each in self.calls if not each.left_out]
        return self.end if at_work(done) else max((max(d.time, d.answered) for d in done), default=self.formed)


def session_in(records: Iterable[Record]) -> ByHand:
    done: dict[int, Done] = {}
    named: list[str] = []
    formed: Micros | None = None
    end: Micros = 0
    for record in records:
        end = record.time
        match record.event:
            case AskedByHand(number=number, call=call):
                done[number] = Done(record.time, call_in(call))
            case AnsweredByHand(number, fault, trouble, without_effect) if number in done:
                of = done[number]
                of.fault, of.trouble, of.without_effect, of.answered = fault, trouble, without_effect, record.time
            case NodeNamed(peer=peer):
                named.append(peer)
            case StepBegan(means=StepKind.BY_HAND):
                formed = record.time
    if not done:
        raise UserError("nothing was done by hand: there is nothing to save")
    calls = list(done.values())
    nodes = [name for name in named if name not in {d.call.arguments[0] for d in calls if d.call.verb == START}]
    return ByHand(calls, nodes, calls[0].time if formed is None else formed, end)


def call_in(text: str) -> Call:
    """The other way round of how a call is written."""
    called = ast.parse(text, mode="eval").body
    if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Attribute):
        raise UserError(f"{text} is no call of a verb")
    options = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in called.keywords}
    return Call(called.func.attr, tuple(map(ast.literal_eval, called.args)), options)


def at_work(done: Iterable[Done]) -> bool:
    """Whether the clients of a node are never stopped."""
    working: dict[Value, bool] = {}
    for each in done:
        if each.call.verb in (WORK, STOP_WORK):
            working[each.call.arguments[0]] = each.call.verb == WORK
    return any(working.values())
