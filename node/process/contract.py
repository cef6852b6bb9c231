"""The contract: how a node in any language and the harness talk. The forms of control.py as JSON, one a line.

The node has the line as an open socket, whose number is in `SHAKETABLE_FD`. Some differ from our own line:
`ready` names the version of the contract, `run` and `dial` name hosts and ports, and a `snapshot` needs little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from shaketable.node.core.env import Micros
from shaketable.node.messages import Address
from shaketable.node.process import control

VERSION: Final = 1
DESCRIPTOR: Final = "SHAKETABLE_FD"
"""the environment variable that names the socket"""
LONGEST_LINE: Final = 1 << 20
"""bytes"""
MOST_LINES: Final = 200_000
"""of one process of a node: all of its events are kept in memory"""
MOST_A_SECOND: Final = 20_000
"""events, by their own times: so it is the same on a machine that reads them slowly"""


class Ready(control.Form, frozen=True):
    """The first line of a node: it waits for `run`."""

    contract: int
    """the version that it speaks"""


class Snapshot(control.Form, frozen=True):
    """The answer to `takesnapshot`: the node is there, and not stuck."""

    order: int
    time: Micros
    links: dict[Address, control.LinkFacts] = msgspec.field(default_factory=dict)
    received: int = 0
    useless: dict[str, int] = msgspec.field(default_factory=dict)


class Run(control.Form, frozen=True, omit_defaults=True):
    """Listen, and start the member."""

    contract: int
    node: str
    """its name in the script"""
    address: Address
    """by which all members know it: what it tells its peers of itself, and never where it listens"""
    listen: str
    """host and port; over TCP, and over UDP as well if it uses that"""
    join: tuple[Address, ...]
    """who may be members already; its own address is among them"""
    dial: dict[Address, str]
    """host and port where each other member is reached: the link to it"""
    settings: dict[str, str | int | float | bool]
    """by the names of `shaketable settings`; a node heeds those that it knows"""
    seed: str
    """for all that it draws by chance"""
    secret: str
    """the same for all nodes of this run, and for no others: who has another one is a stranger"""
    life: int
    """of this node's processes the first, the second..."""
    handshake_limit: Micros = 1_000_000
    """how long a connection may take to come up"""
    rest_port: int = 0
    file: str = ""


class Dial(control.Form, frozen=True):
    """More links, or the same anew. Order 0 needs no answer."""

    order: int
    dial: dict[Address, str]
    handshake_limit: Micros = 1_000_000


NodeSays = (
    Ready
    | control.Running
    | control.CannotRun
    | control.Reported
    | control.Done
    | Snapshot
    | control.ProbeSent
    | control.ProbeHeard
)
HarnessSays = (
    Run
    | Dial
    | control.LeaveGracefully
    | control.TakeSnapshot
    | control.Stop
    | control.Command
    | control.ArmHold
    | control.Release
    | control.ArmFilter
    | control.DisarmFilter
    | control.SetClock
    | control.Probe
)

said_decoder: msgspec.json.Decoder[NodeSays] = msgspec.json.Decoder(NodeSays)
order_decoder: msgspec.json.Decoder[HarnessSays] = msgspec.json.Decoder(HarnessSays)
event_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(control.AnyEvent)
_encoder: Final = msgspec.json.Encoder()


def line_of(form: NodeSays | HarnessSays) -> bytes:
    return _encoder.encode(form) + b"\n"


def where(hosts: Mapping[Address, str], ports: Mapping[Address, int]) -> dict[Address, str]:
    """Host and port of each."""
    return {address: f"{hosts.get(address, control.LOOPBACK)}:{port}" for address, port in ports.items()}


def host_and_port(place: str) -> tuple[str, int]:
    host, _, port = place.rpartition(":")
    return host, int(port)


class Lines:
    """Our node's side of it: the forms of control.py to lines and back."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def encode(self, forms: Iterable[control.Said]) -> bytes:
        return b"".join(map(_said, forms))

    def feed(self, data: bytes) -> list[control.Order | control.NotUnderstood]:
        self._rest += data
        *lines, self._rest = self._rest.split(b"\n")
        return [_order(bytes(line)) for line in lines]


class _Numbered(msgspec.Struct):
    order: int = 0


_numbered: Final = msgspec.json.Decoder(_Numbered)


def _said(form: control.Said) -> bytes:
    match form:
        case control.Ready():
            return line_of(Ready(VERSION))
        case control.Reported(time, incarnation, sequence, event, cause):
            told = msgspec.Raw(_encoder.encode(control.event_decoder.decode(event)))
            return line_of(control.Reported(time, incarnation, sequence, told, cause))
        case control.Snapshot(order, time, links, received, useless):
            return line_of(Snapshot(order, time, links, received, useless))
    return line_of(form)


def _order(line: bytes) -> control.Order | control.NotUnderstood:
    try:
        form = order_decoder.decode(line)
    except msgspec.ValidationError as error:
        return control.NotUnderstood(_numbered.decode(line).order, str(error))
    match form:
        case Run():
            return control.Run(
                address=form.address,
                addresses=form.join,
                settings=form.settings,
                seed=form.seed,
                process=form.life,
                port=host_and_port(form.listen)[1],
                links=_ports(form.dial),
                handshake_limit=form.handshake_limit,
                rest_port=form.rest_port,
                hosts=_hosts(form.dial),
                file=form.file,
            )
        case Dial(order, dial, handshake_limit):
            return control.AddLinks(order, _ports(dial), handshake_limit, _hosts(dial))
    return form


def _ports(dial: Mapping[Address, str]) -> dict[Address, int]:
    return {address: host_and_port(place)[1] for address, place in dial.items()}


def _hosts(dial: Mapping[Address, str]) -> dict[Address, str]:
    return {address: host_and_port(place)[0] for address, place in dial.items()}
