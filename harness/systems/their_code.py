"""Guards the code of a system from another package, its members and their dialogues. An error there, or an answer of a
wrong kind, is told as the fault of that package, in a sentence."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

import msgspec

from shaketable.harness.errors import SystemRefused, UserError, shortened
from shaketable.harness.records import Record
from shaketable.harness.systems.dialogue import BrokenAfter, Dialogue
from shaketable.harness.systems.system import Members, Place, Process, System
from shaketable.harness.systems.their_values import FUNCTION, TEXT, TRUTH, Kind, shown
from shaketable.node.messages import Address
from shaketable.node.process import control

if TYPE_CHECKING:
    from shaketable.node.process.main import Birth

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

_OURS: Final = str(Path(__file__).parents[2])
"""all that is below it is of this package"""
_ANYTHING: Final = Kind(lambda value: True, "anything")
_RECORD: Final = Kind(lambda value: value is None or isinstance(value, Record), "a `Record`, or None")
_PROCESS: Final = Kind(
    lambda value: isinstance(value, Process) and callable(value.begin) and isinstance(value.with_, bytes),
    "a `Process` of a function and bytes",
)
_SENT: Final = Kind(
    lambda value: isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], bytes),
    "bytes and what is answered at once",
)
_MANY: Final = Kind(
    lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray), "a sequence"
)
_TROUBLES: Final = Kind(
    lambda value: (
        isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(each, str) for each in value)
    ),
    "a sequence of texts",
)
_MEMBERS: Final = ("address", "process", "dialogue")
_DIALOGUE: Final = ("order", "heard", "ended", "take_troubles")
_BEGINNING_FAILED: Final = 70
"""the exit code of a process whose beginning has raised an error"""


def guarded(system: System, package: str) -> System:
    """`package`: as a sentence calls it."""
    theirs = _Theirs(system.name, package)
    members, retold = theirs.call("members", system.members, _ANYTHING), theirs.call("retold", system.retold, FUNCTION)
    return replace(
        system,
        members=lambda under_test: _Members(theirs, members(under_test)),
        unfit=theirs.call("unfit", system.unfit, TEXT),
        cannot=theirs.call("cannot", system.cannot, TEXT),
        retold=lambda: theirs.call("retold", retold(), _RECORD),
        install=theirs.call("install", system.install, _ANYTHING),
        missing=theirs.call("missing", system.missing, TEXT),
        ready=theirs.call("ready", system.ready, TRUTH),
    )


def said_by(error: BaseException) -> str:
    return shortened(" ".join(f"{type(error).__name__}: {error}".split()))


def _said_and_where(error: BaseException) -> str:
    """With the last line of the file that was called: nobody is shown a traceback."""
    frames = [frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(_OURS)]
    lines = [frame.lineno for frame in frames if frame.filename == frames[0].filename]
    place = f" ({Path(frames[0].filename).name}:{lines[-1]})" if frames else ""
    return said_by(error) + place


@dataclass(frozen=True, slots=True)
class _Theirs:
    system: str
    package: str

    def fault(self, told: str) -> SystemRefused:
        return SystemRefused(self.system, f"{told}; this is a fault of {self.package}")

    def call(
        self, what: str, call: Callable[P, R], kind: Kind, may_raise: type[Exception] = UserError
    ) -> Callable[P, R]:
        def guard(*given: P.args, **named: P.kwargs) -> R:
            try:
                answer = call(*given, **named)
            except (UserError, may_raise):
                raise
            except (Exception, SystemExit) as error:
                raise self.fault(f"its `{what}` has raised {_said_and_where(error)}") from error
            self.check(what, answer, kind)
            return answer

        return guard

    def check(self, what: str, answer: object, kind: Kind) -> None:
        if not kind.fits(answer):
            raise self.fault(f"its `{what}` has given {shown(answer)}, and has to give {kind.words}")

    def has(self, value: object, what: str, names: Sequence[str]) -> None:
        """UserError: what `what` has given has not these methods."""
        lacks = [f"`{name}`" for name in names if not callable(getattr(value, name, None))]
        if lacks:
            raise self.fault(f"its `{what}` has given {shown(value)}, which has no {' and no '.join(lacks)}")


class _Members:
    def __init__(self, theirs: _Theirs, members: Members) -> None:
        theirs.has(members, "members", _MEMBERS)
        self._theirs = theirs
        self.address: Callable[[Place], Address] = theirs.call("address", members.address, TEXT)
        self._process = theirs.call("process", members.process, _PROCESS)
        self._dialogue = theirs.call("dialogue", members.dialogue, _ANYTHING)

    def process(self, place: Place, birth: Birth) -> Process:
        begin, with_ = self._process(place, birth)
        process = Process(partial(_begin, self._theirs, begin, birth.log), with_)
        self._theirs.call("process", _pickled, _ANYTHING)(process)
        return process

    def dialogue(self, place: Place) -> Dialogue:
        return _Dialogue(self._theirs, self._dialogue(place))


def _pickled(process: Process) -> None:
    """As it is on its way into the new process."""
    from multiprocess.reduction import ForkingPickler  # a command that only simulates starts none

    ForkingPickler.dumps(process)


def _begin(theirs: _Theirs, begin: Callable[[bytes], None], log: str, with_: bytes) -> None:
    """In the new process, whose standard error still is the user's console."""
    try:
        begin(with_)
    except Exception as error:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{theirs.fault(f'the beginning of its `process` has raised {_said_and_where(error)}')}\n")
        os._exit(_BEGINNING_FAILED)


class _Dialogue:
    """After a fault it is asked nothing more: its process is killed."""

    def __init__(self, theirs: _Theirs, dialogue: Dialogue) -> None:
        theirs.has(dialogue, "dialogue", _DIALOGUE)
        self._theirs = theirs
        self._dialogue = dialogue
        self._over = False

    def order(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        nothing: tuple[bytes, Sequence[control.Said]] = (b"", ())
        return self._asked("order", lambda: self._ordered(order), nothing)

    def heard(self, data: bytes) -> Sequence[control.Said]:
        return self._asked("heard", lambda: self._heard(data), ())

    def ended(self) -> Sequence[control.Said]:
        return self._asked("ended", lambda: self._said("ended", self._dialogue.ended()), ())

    def take_troubles(self) -> Sequence[str]:
        return self._asked("take_troubles", self._troubles, ())

    def _asked(self, what: str, ask: Callable[[], T], nothing: T) -> T:
        if self._over:
            return nothing
        try:
            return self._theirs.call(what, ask, _ANYTHING, control.BrokenStream)()
        except UserError:
            self._over = True
            raise

    def _ordered(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        answer = self._dialogue.order(order)
        self._theirs.check("order", answer, _SENT)
        data, answers = answer
        return data, self._said("order", answers)

    def _heard(self, data: bytes) -> Sequence[control.Said]:
        try:
            return self._said("heard", self._dialogue.heard(data))
        except BrokenAfter as broken:
            self._said("heard", broken.said)
            raise

    def _troubles(self) -> Sequence[str]:
        troubles = self._dialogue.take_troubles()
        self._theirs.check("take_troubles", troubles, _TROUBLES)
        return troubles

    def _said(self, what: str, answer: Sequence[control.Said]) -> Sequence[control.Said]:
        """Nobody has checked what they are made of."""
        self._theirs.check(what, answer, _MANY)
        said = tuple(answer)
        for each in said:
            if why := _why_unsaid(each):
                raise self._theirs.fault(f"its `{what}` has given {shown(each)}, which no member can say: {why}")
        return said


def _why_unsaid(said: object) -> str:
    if not isinstance(said, control.Said):
        return "it is no form of node/process/control.py"
    try:
        control.said_decoder.decode(msgspec.msgpack.encode(said))
        if isinstance(said, control.Reported):
            control.event_decoder.decode(said.event)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        return str(error)
    return ""
