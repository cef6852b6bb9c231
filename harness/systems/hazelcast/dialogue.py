"""Between the forms of the harness and the lines of the agent in a Hazelcast member: one process, all its life."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from shaketable.harness.systems.hazelcast import facts
from shaketable.harness.systems.hazelcast.facts import AnyFact, fact_decoder
from shaketable.harness.systems.hazelcast.holds import point_of
from shaketable.harness.systems.hazelcast.settings import run_order, why_not
from shaketable.harness.systems.hazelcast.state import Told, UuidAt
from shaketable.harness.systems.hazelcast.telling import Telling
from shaketable.node.config import Settings
from shaketable.node.config.fields import SettingError
from shaketable.node.core import commands
from shaketable.node.core.env import Micros
from shaketable.node.process import control

LONGEST_LINE: Final = control.LARGEST_RECORD
LINES_KEPT: Final = 1_000
"""an event may be told only when some later lines have come"""

Sent = tuple[bytes, tuple[control.Said, ...]]
"""What goes to the process, and what is answered at once."""


class Dialogue:
    def __init__(self, uuid_at: UuidAt) -> None:
        self._uuid_at = uuid_at
        self._rest = bytearray()
        self._telling: Telling | None = None
        self._seed = ""
        self._sequence = 0
        self._ran = False
        self._troubles: list[str] = []
        self._log: dict[Micros, str] = {}
        """the last lines, by their times"""

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
                return _line({"order": number, "do": "hold", "fault": order.fault, "point": point, "nth": order.nth})
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

    def heard(self, data: bytes) -> list[control.Said]:
        self._rest += data
        *lines, rest = self._rest.split(b"\n")
        self._rest = rest
        said: list[control.Said] = []
        for line in lines:
            said += self._hear(bytes(line))
        if len(self._rest) > LONGEST_LINE:
            raise control.BrokenStream(f"a line of more than {LONGEST_LINE} bytes")
        return said

    def take_troubles(self) -> list[str]:
        """Why what it tells cannot be trusted, since the last time that this was asked: the run is unknown."""
        troubles, self._troubles = self._troubles, []
        return troubles

    def line_at(self, time: Micros) -> str:
        """The line of its log of that very moment, if it is one of the last; "": there is none."""
        return self._log.get(time, "")

    def _hear(self, line: bytes) -> list[control.Said]:
        if len(line) > LONGEST_LINE:
            raise control.BrokenStream(f"a line of {len(line)} bytes")
        try:
            fact = fact_decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise control.BrokenStream(f"a line that is none of the agent's ({error}): {line[:200]!r}") from error
        if isinstance(fact, facts.Log):
            self._log[fact.t] = f"{fact.level} {fact.source}: {fact.text}"
            if len(self._log) > LINES_KEPT:
                del self._log[next(iter(self._log))]
        return [*self._reports(fact), *self._answer(fact)]

    def _reports(self, fact: AnyFact) -> list[control.Said]:
        if self._telling is None:
            return []
        told = self._telling.hear(fact)
        self._troubles += self._telling.take_troubles()
        return [self._reported(each) for each in told]

    def _reported(self, told: Told) -> control.Reported:
        self._sequence += 1
        return control.Reported(told.time, told.incarnation, self._sequence, control.raw_event(told.event))

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
                self._troubles += [f"it refuses an order: {refusal}"] if refusal else []
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
