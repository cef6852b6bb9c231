"""How a node and the harness talk: the documented forms, shared by both sides.

Each node has one stream socket that no fault touches. It carries records: four bytes of length, the highest first, then
a MessagePack map whose "type" names one of the forms below. Any program that speaks this can be a node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final, Protocol

import msgspec

from shaketable.node import events as node_events
from shaketable.node.core import commands
from shaketable.node.core.env import Micros
from shaketable.node.events import Event
from shaketable.node.events.base import Cause
from shaketable.node.messages import Address, Uuid
from shaketable.node.shaking.filters import FilterAct
from shaketable.node.shaking.holds import Where


class Form(msgspec.Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    pass


# The node says


class Ready(Form, frozen=True):
    """The first thing on a connection: the process is there and waits for `Run`. Without the run's token: hang up."""

    token: bytes
    node: str
    pid: int


class Running(Form, frozen=True):
    """The answer to `Run`: it listens, and its member starts."""


class CannotRun(Form, frozen=True):
    """The other answer to `Run`, in one sentence."""

    reason: str


class Reported(Form, frozen=True):
    """An event. `time` is CLOCK_MONOTONIC in microseconds; `sequence` counts all of one process, from 1, no gap."""

    time: Micros
    incarnation: Uuid
    sequence: int
    event: msgspec.Raw
    cause: Cause | None = None
    """the message or the timer that began the step that tells it"""


class Done(Form, frozen=True):
    """The order with this number is carried out; `refusal` says why it is not."""

    order: int
    refusal: str = ""


class ProbeSent(Form, frozen=True):
    """`sent` is None if the link took no probe (it is down, or full)."""

    nonce: int
    sent: Micros | None


class ProbeHeard(Form, frozen=True):
    """A probe that the harness asked some other node to send has arrived here."""

    nonce: int
    sender: Address
    sent: Micros
    heard: Micros


class LinkFacts(msgspec.Struct, frozen=True):
    """One outgoing link as its node sees it."""

    state: str
    """ "connecting", "up", "down" or "closed" """
    generation: int
    sent: int
    dropped: int
    """not sent, as the link was down or full"""


class Snapshot(Form, frozen=True):
    order: int
    local_time: Micros
    links: dict[Address, LinkFacts]
    received: int
    useless: dict[str, int]
    """frames received and dropped, by reason"""


# The harness says


class Run(Form, frozen=True):
    """Listen at `port`, open the links, start the member. Until then the node looks like no process at all."""

    address: Address
    addresses: tuple[Address, ...]
    settings: dict[str, str | int | float | bool]
    seed: str
    process: int
    """a number that no other process of this address has"""
    port: int
    links: dict[Address, int]
    """where to connect to, on the loopback interface, to reach each address"""
    handshake_limit: Micros = 1_000_000
    """how long a connection may take to come up; a slow link needs four times its latency"""
    rest_port: int = 0
    """where it listens for HTTP requests, if its settings say that it does; 0: any free port"""
    hosts: dict[Address, str] = {}
    """and on which loopback address, where that is not 127.0.0.1"""
    file: str = ""
    """its configuration, from which its addresses are taken in the place of those above; "": it has none"""
    secret: str = ""
    """what nodes of this run say to each other first, in hex digits; "": the token that this one was born with"""


class AddLinks(Form, frozen=True):
    order: int
    links: dict[Address, int]
    handshake_limit: Micros = 1_000_000
    hosts: dict[Address, str] = {}


class ArmFilter(Form, frozen=True):
    order: int
    fault: int
    does: FilterAct
    kinds: tuple[str, ...] = ()
    to: tuple[Address, ...] = ()
    count: int | None = None
    delay: Micros = 0


class DisarmFilter(Form, frozen=True):
    order: int
    fault: int


class SetClock(Form, frozen=True):
    order: int
    jump: Micros
    rate_ppm: int


class ArmHold(Form, frozen=True):
    order: int
    fault: int
    event: str
    after: int | None = None
    nth: int = 1
    where: Where = ()
    """fields of the event, and the values that they must have; of a member its address"""


class Release(Form, frozen=True):
    """Ends a hold, whether the node holds there or never came to it. While it holds a node answers only this socket."""

    order: int
    fault: int


class Probe(Form, frozen=True):
    """Send a probe over this link now; `padding` bytes make it larger."""

    nonce: int
    to: Address
    padding: int = 0


class LeaveGracefully(Form, frozen=True):
    """The process ends when its member has stopped."""

    order: int


class Command(Form, frozen=True):
    """The member is asked to do this; answered when it has been handed over."""

    order: int
    command: commands.DataCommand | commands.GroupCommand


class TakeSnapshot(Form, frozen=True):
    order: int


class Stop(Form, frozen=True):
    """End at once."""


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """What came in the place of an order."""

    order: int
    why: str


Said = Ready | Running | CannotRun | Reported | Done | ProbeSent | ProbeHeard | Snapshot
Order = (
    Run
    | AddLinks
    | ArmFilter
    | DisarmFilter
    | SetClock
    | ArmHold
    | Release
    | Probe
    | LeaveGracefully
    | Command
    | TakeSnapshot
    | Stop
)

said_decoder: msgspec.msgpack.Decoder[Said] = msgspec.msgpack.Decoder(Said)
order_decoder: msgspec.msgpack.Decoder[Order] = msgspec.msgpack.Decoder(Order)

_EVENTS: Final = tuple(
    each
    for each in vars(node_events).values()
    if isinstance(each, type) and issubclass(each, Event) and each is not Event
)
AnyEvent: Any = _EVENTS[0]
for _each in _EVENTS[1:]:
    AnyEvent = AnyEvent | _each
event_decoder: msgspec.msgpack.Decoder[Event] = msgspec.msgpack.Decoder(AnyEvent)

_encoder: Final = msgspec.msgpack.Encoder()


def raw_event(event: Event) -> msgspec.Raw:
    return msgspec.Raw(_encoder.encode(event))


LOOPBACK: Final = "127.0.0.1"
_LENGTH: Final = Struct("!L")
LARGEST_RECORD: Final = 1 << 24


class BrokenStream(ValueError):
    """The bytes that came cannot be a record; the connection is of no use any more."""


def encode_record(form: Said | Order) -> bytes:
    body = _encoder.encode(form)
    return _LENGTH.pack(len(body)) + body


def first_record(data: bytes, largest: int) -> tuple[bytes | None, bytes]:
    """The body of the first record, None if it is not there as a whole, and what comes after it."""
    if len(data) < _LENGTH.size:
        return None, data
    (length,) = _LENGTH.unpack_from(data)
    if length > largest:
        raise BrokenStream(f"a record of {length} bytes")
    end = _LENGTH.size + length
    return (data[_LENGTH.size : end], data[end:]) if len(data) >= end else (None, data)


class Splitter:
    """Cuts a stream of bytes into the bodies of its records."""

    __slots__ = ("_rest", "largest")

    def __init__(self, largest: int = LARGEST_RECORD) -> None:
        self._rest = bytearray()
        self.largest = largest

    def feed(self, data: bytes) -> list[bytes]:
        rest = self._rest
        rest += data
        bodies: list[bytes] = []
        start = 0
        while len(rest) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(rest, start)
            if length > self.largest:
                raise BrokenStream(f"a record of {length} bytes")
            end = start + _LENGTH.size + length
            if len(rest) < end:
                break
            bodies.append(bytes(rest[start + _LENGTH.size : end]))
            start = end
        del rest[:start]
        return bodies


class Spoken(Protocol):
    """A node's words as bytes, and the harness's bytes as orders."""

    def encode(self, forms: Iterable[Said]) -> bytes: ...
    def feed(self, data: bytes) -> Sequence[Order | NotUnderstood]: ...


class Records:
    """The forms as they are."""

    def __init__(self) -> None:
        self._splitter = Splitter()

    def encode(self, forms: Iterable[Said]) -> bytes:
        return b"".join([encode_record(form) for form in forms])

    def feed(self, data: bytes) -> list[Order]:
        return [order_decoder.decode(body) for body in self._splitter.feed(data)]
