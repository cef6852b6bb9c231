"""What the agent in a member's process tells, line by line. Its Java classes stand in agent/."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.messages import Address, Uuid

Named = tuple[Address, Uuid]


class Fact(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower, forbid_unknown_fields=True):
    t: Micros
    """CLOCK_MONOTONIC"""
    uuid: Uuid
    """the member's own at that moment; "" before it has one"""


# Its life


class Ready(Fact, frozen=True):
    pid: int


class CannotRun(Fact, frozen=True, tag="cannot-run"):
    reason: str


class Started(Fact, frozen=True):
    """It has its uuid, and nothing else yet."""


class Running(Fact, frozen=True):
    """All its ports are bound, and it begins to look for others."""


class Failed(Fact, frozen=True):
    """Its start has ended with an exception, and so does its process."""

    reason: str


class Leaving(Fact, frozen=True):
    pass


class Left(Fact, frozen=True):
    pass


# What it does


class View(Fact, frozen=True):
    """It has installed this view."""

    version: int
    author: Uuid
    """who made it, by the view's own id"""
    merged: bool
    """it joins several views into one"""
    members: Annotated[tuple[Named, ...], msgspec.Meta(min_length=1)]


class Suspected(Fact, frozen=True):
    """Nobody has refuted it within the time for that: the member is to be taken off the view."""

    peer: Named
    why: str
    """ "connection": somebody has lost the one that it watches this member by; "silence": no heartbeat"""


class Trusted(Fact, frozen=True):
    """Again, or still: a suspicion that was refuted is never told."""

    peer: Named


# Answers to orders


class Pong(Fact, frozen=True):
    number: int


class Unable(Fact, frozen=True):
    """It could not do what it was told, or could not read it."""

    reason: str


AnyFact = Ready | CannotRun | Started | Running | Failed | Leaving | Left | View | Suspected | Trusted | Pong | Unable

fact_decoder: Final[msgspec.json.Decoder[AnyFact]] = msgspec.json.Decoder(AnyFact)
