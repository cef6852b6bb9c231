"""A system in another program, without any other thing that would have to be there."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from shaketable.harness.faults.actions import Action, Begin
from shaketable.harness.faults.table import Hold, MessageFault
from shaketable.harness.records import UnderTest
from shaketable.harness.systems.dialogue import Lines
from shaketable.harness.systems.program import Program, become
from shaketable.harness.systems.system import BOTH_WAYS, Place, Process, System
from shaketable.node.core.env import SECOND
from shaketable.node.events import Leaving, Started, Stopped
from shaketable.node.messages import Address, Member
from shaketable.node.process import control
from shaketable.node.process.main import Birth
from shaketable.node.why import Why

MEMBER: Final = Path(__file__).with_name("toy_member.py")


class ToyMembers:
    def __init__(self, does: Mapping[str, str]) -> None:
        self._does = does

    def address(self, place: Place) -> Address:
        return f"{place.node}:{place.port}"

    def process(self, place: Place, birth: Birth) -> Process:
        does = self._does.get(place.node, "")
        program = "/nowhere/at/all" if does == "is not there" else sys.executable
        command = (program, str(MEMBER), str(place.hosts), does)
        return Process(become, msgspec.msgpack.encode(Program(birth, command, {"TOY": does})))

    def dialogue(self, place: Place) -> "ToyDialogue":
        return ToyDialogue(f"{place.node}:{place.port}")


class ToyDialogue(Lines):
    def __init__(self, address: Address) -> None:
        super().__init__()
        self._me = Member(address, f"the uuid of {address}")

    def order(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        match order:
            case control.Run(port=port, addresses=addresses):
                others = [address for address in addresses if address != self._me.address]
                return _line(do="run", port=port, others=others), ()
            case control.LeaveGracefully():
                return _line(do="leave"), ()
            case control.TakeSnapshot(order=number):
                return _line(do="ping", number=number), ()
            case control.AddLinks(order=number):
                return b"", (control.Done(number),)
            case control.Command(order=number):
                return _line(do="misbehave"), (control.Done(number),)
            case control.SetClock(order=number):
                return b"", (control.Done(number, "a toy has no clock"),)
        return b"", ()

    def hear(self, line: bytes) -> list[control.Said]:
        try:
            fact = json.loads(line)
        except ValueError:
            raise control.BrokenStream(f"a line that is none of a toy's: {line!r}") from None
        match fact["kind"]:
            case "running":
                return [control.Running(), self._reported(fact, Started(self._me))]
            case "cannot-run":
                return [control.CannotRun(fact["reason"])]
            case "leaving":
                return [self._reported(fact, Leaving())]
            case "left":
                return [self._reported(fact, Stopped("left", Why.LEFT))]
            case "pong":
                return [control.Snapshot(fact["number"], fact["t"], {}, 0, {})]
        self.trouble(f"a fact of the kind {fact['kind']}")
        return []

    def _reported(self, fact: Mapping[str, Any], event: Started | Leaving | Stopped) -> control.Reported:
        return self.reported(fact["t"], self._me.uuid, event)


def _line(**order: object) -> bytes:
    return json.dumps(order).encode() + b"\n"


def _cannot(action: Action) -> str:
    match action:
        case Begin(fault=MessageFault()):
            return "it does something to single messages, and a toy sends none"
        case Begin(fault=Hold(event=event)) if event != "Started":
            return f"a toy does not hold at {event}"
    return ""


def toy(**does: str) -> System:
    """`does`: by the name of a node, what is wrong with it."""
    told = UnderTest(name="toy", version="1", title="Toy", tells=("Leaving", "Started", "Stopped"), promises=())
    return System(told, lambda under_test: ToyMembers(does), cannot=_cannot, both_ways=True, patience=120 * SECOND)


TOY: Final = toy()
REFUSALS: Final = {
    "cut one_way": BOTH_WAYS,
    "drop": "it does something to single messages, and a toy sends none",
    "hold Joined": "a toy does not hold at Joined",
}
"""some of what a menu says of it"""
