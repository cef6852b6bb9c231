"""What a screen and its engine say to each other, over the engine's standard input and output.

Each message is one JSON object, strictly decoded, behind its length in four bytes. Events travel as the lines of a
recorded history, so the screen reads a live run with the codec that reads a recorded one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from shaketable.harness.checks.result import CheckResult
from shaketable.tui.model.calls import Call
from shaketable.tui.model.session import RunFacts, Vitals

MOST_BYTES: Final = 64 * 1024 * 1024
LENGTH_BYTES: Final = 4


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
    directory: str = ""
    """where to record the run"""
    speed: float | None = 1.0


class Do(Order, frozen=True):
    """By hand. `heals` names a fault by its number, and then `call` is of no account."""

    number: int
    call: Call | None = None
    heals: int | None = None


class SetSpeed(Order, frozen=True):
    """Of a simulated run: 0 halts it, None lets it run as fast as it can."""

    speed: float | None


class StepOn(Order, frozen=True):
    """A halted simulation goes on until so many more records have come."""

    events: int = 1


class Save(Order, frozen=True):
    """What was done by hand so far, as a chaos script, into this file."""

    path: str


class Stop(Order, frozen=True):
    """End the run and tell its verdict; the end of the standard input means the same."""


class Word(msgspec.Struct, frozen=True, tag_field="type", tag=True, forbid_unknown_fields=True):
    """From the engine."""


class Began(Word, frozen=True):
    facts: RunFacts


class Happened(Word, frozen=True):
    """Records, as the lines of a history, in the order in which they came."""

    lines: str


class Vital(Word, frozen=True):
    of: dict[str, Vitals]


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


Orders = Begin | Do | SetSpeed | StepOn | Save | Stop
Words = Began | Happened | Vital | Checked | Done | Said | Over

_encoder = msgspec.json.Encoder()
orders: Final = msgspec.json.Decoder(Orders)
words: Final = msgspec.json.Decoder(Words)


def framed(message: Order | Word) -> bytes:
    data = _encoder.encode(message)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def vitals_of(of: Mapping[str, Vitals]) -> Vital:
    return Vital(dict(of))
