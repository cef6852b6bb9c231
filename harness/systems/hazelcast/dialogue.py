"""Between the forms of the harness and the lines of the agent in a Hazelcast member: one process, all its life."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from shaketable.harness.systems.dialogue import Lines
from shaketable.harness.systems.hazelcast import facts
from shaketable.harness.systems.hazelcast.facts import AnyFact, fact_decoder
from shaketable.harness.systems.hazelcast.holds import HOLDS, point_of
from shaketable.harness.systems.hazelcast.settings import run_order, why_not
from shaketable.harness.systems.hazelcast.state import Told, UuidAt
from shaketable.harness.systems.hazelcast.telling import Telling
from shaketable.node.config import Settings
from shaketable.node.config.fields import SettingError
from shaketable.node.core import commands
from shaketable.node.messages import Uuid
from shaketable.node.process import control

Sent = tuple[bytes, tuple[control.Said, ...]]
"""What goes to the process, and what is answered at once."""
Note = Callable[[Uuid, int, str], None]
"""Takes the line behind the event that has this incarnation and this number."""


class Dialogue(Lines):
    def __init__(self, uuid_at: UuidAt = lambda address: "", note: Note = lambda *behind: None) -> None:
        super().__init__()
        self._uuid_at = uuid_at
        self._note = note
        self._telling: Telling | None = None
        self._seed = ""
        self._ran = False

    # What the harness says

    def order(self, order: control.Order) -> Sent:
        match order:
            case control.Run():
                return self._run(order)
            case control.LeaveGracefully(order=number):
                return _line({"order": number, "do": "leave"})
            case control.Command(order=number, command=command):
                return self._command(number, command)
            case control.ArmHold(order=number):
                point, refusal = point_of(order)
                if refusal:
                    return b"", (control.Done(number, refusal),)
                if self._telling is not None:
                    self._telling.holds_at(order.fault, order.event)
                within = HOLDS[order.event].within
                held = {"fault": order.fault, "point": point, "within": within, "nth": order.nth}
                return _line({"order": number, "do": "hold", **held})
            case control.Release(order=number, fault=fault):
                return _line({"order": number, "do": "release", "fault": fault})
            case control.TakeSnapshot(order=number):
                return _line({"do": "ping", "number": number})
            case control.AddLinks(order=number):
                return b"", (control.Done(number),)  # it finds others by their names
            case control.ArmFilter(order=number) | control.DisarmFilter(order=number):
                return b"", (control.Done(number, "a Hazelcast member lets nobody stop single messages"),)
            case control.SetClock(order=number):
                return b"", (control.Done(number, "a Hazelcast member has the clock of its machine alone"),)
            case control.Probe(nonce=nonce):
                return b"", (control.ProbeSent(nonce, None),)
            case control.Stop():
                return _line({"do": "stop"})

    def _run(self, run: control.Run) -> Sent:
        try:
            settings = Settings().with_values(run.settings)
        except SettingError as error:
            return b"", (control.CannotRun(str(error)),)
        refusal = why_not(settings)
        if self._telling is not None:
            refusal = "it runs already"
        if refusal:
            return b"", (control.CannotRun(refusal),)
        self._telling, self._seed = Telling(run.address, self._uuid_at), run.seed
        return _line(run_order(run, settings, run.addresses))

    def _command(self, number: int, command: commands.DataCommand | commands.GroupCommand) -> Sent:
        order: dict[str, Any]
        match command:
            case commands.OperateCommand():
                order = {"do": "operate", **_fields(command)}
            case commands.ReadCommand():
                order = {"do": "read", **_fields(command)}
            case commands.WorkCommand(operations=operations):
                order = {"do": "work", "seed": self._seed, **_fields(command)}
                order["operations"] = -1 if operations is None else operations
            case commands.StopWorkCommand():
                order = {"do": "stop-work", **_fields(command)}
            case commands.TakeStockCommand():
                order = {"do": "take-stock"}
            case _:
                refusal = f"a Hazelcast member is in no group of ours: it knows no {type(command).__name__}"
                return b"", (control.Done(number, refusal),)
        return _line({"order": number, **order})

    # What the process says

    def ended(self) -> list[control.Said]:
        """The half of a line says nothing."""
        return self._reports(self._telling, self._telling.end()) if self._telling is not None else []

    def hear(self, line: bytes) -> list[control.Said]:
        try:
            fact = fact_decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise control.BrokenStream(f"a line that is none of the agent's ({error}): {line[:200]!r}") from error
        reports = self._reports(self._telling, self._telling.hear(fact)) if self._telling is not None else []
        return [*reports, *self._answer(fact)]

    def _reports(self, telling: Telling, told: Iterable[Told]) -> list[control.Said]:
        for trouble in telling.take_troubles():
            self.trouble(trouble)
        said: list[control.Said] = []
        for time, incarnation, event, line in told:
            report = self.reported(time, incarnation, event)
            if line:
                self._note(incarnation, report.sequence, line)
            said.append(report)
        return said

    def _answer(self, fact: AnyFact) -> list[control.Said]:
        match fact:
            case facts.Ready(pid=pid):
                return [control.Ready(b"", "", pid)]
            case facts.Running():
                self._ran = True
                return [control.Running()]
            case facts.CannotRun(reason=reason):
                return [control.CannotRun(reason)]
            case facts.Done(order=0, refusal=refusal):
                if refusal:
                    self.trouble(f"it refuses an order: {refusal}")
                return []
            case facts.Done(order=number, refusal=refusal):
                return [control.Done(number, refusal)]
            case facts.Pong(number=number):
                return [control.Snapshot(number, fact.t, {}, 0, {})]
        return []


def _line(order: dict[str, Any]) -> Sent:
    return json.dumps(order, ensure_ascii=False, separators=(",", ":")).encode() + b"\n", ()


def _fields(command: commands.Asked) -> dict[str, Any]:
    return {name: getattr(command, name) for name in command.__struct_fields__}
