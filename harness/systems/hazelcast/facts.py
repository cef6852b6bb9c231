"""What the agent in a member's process tells, line by line. Its Java classes stand in agent/."""

from __future__ import annotations

from typing import Final

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.messages import Address, Row, Uuid


class Fact(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower, forbid_unknown_fields=True):
    t: Micros
    """CLOCK_MONOTONIC"""
    uuid: Uuid
    """the member's own at that moment; "" before it has one"""


# Its life


class Ready(Fact, frozen=True):
    pid: int


class Running(Fact, frozen=True):
    """Its port is bound, and it begins to look for a cluster."""


class CannotRun(Fact, frozen=True, tag="cannot-run"):
    reason: str


class Failed(Fact, frozen=True):
    """Its start has ended with an exception, and so does its process."""

    reason: str


class Lifecycle(Fact, frozen=True):
    state: str


class Leaving(Fact, frozen=True):
    pass


class Left(Fact, frozen=True):
    pass


class GaveUp(Fact, frozen=True, tag="gave-up"):
    """It has shut itself down, and nobody had asked it to."""


class Tick(Fact, frozen=True):
    """Nothing else was told for three tenths of a second."""


# What it does


class Log(Fact, frozen=True, rename={"source": "from"}):
    source: str
    """the logger, without its package"""
    level: str
    text: str
    thrown: str = ""

    @property
    def shown(self) -> str:
        return f"{self.level} {self.source}: {self.text}"


class Connection(Fact, frozen=True):
    up: bool
    address: Address
    id: int


class Table(Fact, frozen=True):
    """Seen to have changed. `version`: the sum of all partitions' versions; `rows`: those that changed."""

    stamp: str
    version: int
    master: bool
    migrates: bool
    """seen as a step of a migration began"""
    rows: tuple[tuple[int, Row], ...]


class Migration(Fact, frozen=True, rename="camel"):
    step: str
    """ "start", "complete", "commit", "rollback", "promotion-start" or "promotion-complete" """
    role: str
    """ "master", "source" or "destination" """
    id: str
    partition: int
    successful: bool
    source: Uuid | None
    destination: Uuid | None
    source_now: int
    source_then: int
    destination_now: int
    destination_then: int
    version: int
    version_then: int


class Safe(Fact, frozen=True):
    """As Hazelcast names it: "SAFE", or what is missing."""

    state: str


# Its clients


class Called(Fact, frozen=True):
    client: str
    number: int
    does: str
    map: str
    key: str
    value: str
    partition: int


class Returned(Fact, frozen=True):
    client: str
    number: int
    outcome: str
    value: str | None
    holders: tuple[Uuid, ...]
    reason: str


class Stock(Fact, frozen=True):
    """Each partition's index, and of each map its number of entries and a checksum."""

    holds: tuple[tuple[int, int, tuple[tuple[str, int, str], ...]], ...]


# Answers to orders


class Held(Fact, frozen=True):
    fault: int


class Released(Fact, frozen=True):
    fault: int


class Done(Fact, frozen=True):
    order: int
    refusal: str


class Pong(Fact, frozen=True):
    number: int


AnyFact = (
    Ready
    | Running
    | CannotRun
    | Failed
    | Lifecycle
    | Leaving
    | Left
    | GaveUp
    | Tick
    | Log
    | Connection
    | Table
    | Migration
    | Safe
    | Called
    | Returned
    | Stock
    | Held
    | Released
    | Done
    | Pong
)

fact_decoder: Final[msgspec.json.Decoder[AnyFact]] = msgspec.json.Decoder(AnyFact)
