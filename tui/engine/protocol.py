"""What a screen and its engine say to each other, over the engine's standard input and output.

A frame is a byte for its kind, its length in four bytes, and that many bytes. Words and orders are one JSON object
each, strictly decoded. Events travel as the very lines of a recorded history, so the screen reads a live run with the
codec that reads a recorded one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from shaketable.harness.checks.result import CheckResult
from shaketable.harness.errors import UserError
from shaketable.tui.model.hands.calls import Call
from shaketable.tui.model.run_facts import RunFacts, Vitals


class Order(msgspec.Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """From the screen."""


class Begin(Order, frozen=True):
    """The first: what is to be run. Without a script so many nodes form a cluster and wait for hands."""

    world: str
    seed: int
    preset: str | None = None
    nodes: int = 5
    script: str = ""
    """as it would be named to `shaketable run`"""
    values: dict[str, str] = {}
    """settings by their outside names"""
    toxiproxy: str | None = None
    system: str = ""
    """whose members: a name, or NAME:VERSION; "": ours"""
    directory: str = ""
    """where to record the run; it is there already. "": nowhere"""
    speed: float | None = 1.0


class Do(Order, frozen=True):
    """By hand; `Done` says what came of it, with this number."""

    number: int
    call: Call


class SetSpeed(Order, frozen=True):
    """Of a simulated run: 0 halts it, None lets it run as fast as it can."""

    speed: float | None


class StepOn(Order, frozen=True):
    """A halted simulation goes on until so many more records have come."""

    events: int = 1


class Stop(Order, frozen=True):
    """End the run and tell its verdict; the end of the standard input means the same."""


class Word(msgspec.Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """From the engine."""


class Began(Word, frozen=True):
    facts: RunFacts


class Vital(Word, frozen=True):
    of: dict[str, Vitals]


class Now(Word, frozen=True):
    """The world's time: where nothing happens, time passes too."""

    time: int


class Checked(Word, frozen=True):
    """What the checks say of so many records of the run."""

    records: int
    results: tuple[CheckResult, ...]


class Done(Word, frozen=True):
    """What came of something done by hand; without trouble the receipt is among the events."""

    number: int
    trouble: str = ""


class Said(Word, frozen=True):
    """One sentence for the user: what is being prepared, what went wrong and what to do."""

    text: str
    error: bool = False


class Over(Word, frozen=True):
    """The last word: how the run ended, and where it is recorded."""

    outcome: str
    reasons: tuple[str, ...] = ()
    directory: str = ""


class Judge(Order, frozen=True):
    """To the process that judges: by which settings. The first, and nothing else but events and asking follows."""

    settings: dict[str, str | int | float | bool]
    allowance: int
    lag: int
    """what is younger than this may not be complete yet"""


Orders = Begin | Do | SetSpeed | StepOn | Stop
Words = Began | Now | Vital | Checked | Done | Said | Over

_encoder = msgspec.json.Encoder()
orders: Final[msgspec.json.Decoder[Orders]] = msgspec.json.Decoder(Orders)
words: Final[msgspec.json.Decoder[Words]] = msgspec.json.Decoder(Words)
judge: Final = msgspec.json.Decoder(Judge)

MESSAGE: Final = b"M"
"""a word or an order"""
EVENTS: Final = b"E"
"""lines of a history, in the order in which the events came"""
ASK: Final = b"A"
"""of the process that judges: what do the checks say of all so far? And the world's time, in digits"""
_KINDS: Final = {kind[0]: kind for kind in (MESSAGE, EVENTS, ASK)}
_LENGTH: Final = 4
_HEAD: Final = 1 + _LENGTH
MOST_BYTES: Final = 64 * 1024 * 1024
"""in one frame"""


class Malformed(UserError):
    """The bytes that came through the pipe are no frame, or no word: nothing more can be understood."""


def framed(message: Order | Word) -> bytes:
    return frame_of(MESSAGE, _encoder.encode(message))


def frame_of(kind: bytes, data: bytes) -> bytes:
    return kind + len(data).to_bytes(_LENGTH, "big") + data


class Splitter:
    """Cuts what comes through the pipe into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The kind and the content of each frame that is complete."""
        buffer = self._buffer
        buffer += data
        begin = 0
        while len(buffer) - begin >= _HEAD:
            kind = _KINDS.get(buffer[begin])
            size = int.from_bytes(buffer[begin + 1 : begin + _HEAD], "big")
            if kind is None or size > MOST_BYTES:
                raise Malformed("something came through the pipe between screen and engine that neither of them says")
            end = begin + _HEAD + size
            if len(buffer) < end:
                break
            yield kind, bytes(buffer[begin + _HEAD : end])
            begin = end
        del buffer[:begin]


def order_in(data: bytes) -> Orders:
    try:
        return orders.decode(data)
    except msgspec.MsgspecError as error:
        raise Malformed(f"the screen says what no screen says: {error}") from None


def word_in(data: bytes) -> Words:
    try:
        return words.decode(data)
    except msgspec.MsgspecError as error:
        raise Malformed(f"the engine says what no engine says: {error}") from None
