"""What travels on a link: one frame, a fixed header and then the bytes of a message or of a probe. Pure.

The header says what the protocol need not know: which connection, how old. Its seal is a keyed hash of all the rest and
of the link, and only the nodes of the run have the key. So a reader of a frame can neither make another one of it nor
send it over another link; and the same one again is known by its number. A frame that does not fit raises
`UselessFrame` with the reason by which it is counted. Nothing of a frame is ever evaluated, and nothing is answered."""

from __future__ import annotations

import hmac
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import Final, NamedTuple

from shaketable.node.core.env import Micros
from shaketable.node.events.base import Mark
from shaketable.node.messages import LARGEST_MESSAGE, Address, Message, encode

WIRE_VERSION: Final = 4
MESSAGE: Final = 0
PROBE: Final = 1

TOKEN_BYTES: Final = 16
SEAL_BYTES: Final = 16
LARGEST_ADDRESS: Final = 255
_MAGIC: Final = b"STbl"

# Magic and version come first and stay for ever: they say whether the rest can be read at all.
_OPENING: Final = Struct("!4sB")
# seal, process, generation, sequence, message, time sent, mark, kind, length of the sender's address
_HEADER: Final = Struct(f"!4sB{SEAL_BYTES}sQLQQQQBB")
_SEALED: Final = _OPENING.size + SEAL_BYTES
"""where what is sealed begins: before it stand the seal, and what is the same in every frame"""
_NONCE: Final = Struct("!Q")

_NO_SEAL: Final = bytes(SEAL_BYTES)
_START: Final = _OPENING.pack(_MAGIC, WIRE_VERSION)
LARGEST_FRAME: Final = _HEADER.size + LARGEST_ADDRESS + LARGEST_MESSAGE


class Frame(NamedTuple):
    sender: Address
    """whose link this came over; its sender is named inside the message"""
    process: int
    """a number that no other process with this address has: a restarted sender counts its generations afresh"""
    generation: int
    """rises each time that the sender's link comes up anew"""
    sequence: int
    """counts the frames of this link"""
    sent: Micros
    """CLOCK_MONOTONIC, which all processes of a machine share"""
    kind: int
    body: bytes
    mark: Mark = 0
    """of the step that sent the message"""
    message: int = 0
    """counts the messages of this link, also those that could not be handed over; 0: a probe, or a datagram"""

    @property
    def nonce(self) -> int:
        """Of a probe; 0 for the regular ones."""
        return int(_NONCE.unpack_from(self.body)[0])


class UselessFrame(ValueError):
    """`str()` of it is the reason by which it is counted."""


MALFORMED: Final = "malformed"
TOO_LARGE: Final = "too large"
STRANGER: Final = "of a stranger"
REPEATED: Final = "that was taken already"
OTHER_VERSION: Final = "of another version"
OLD_GENERATION: Final = "of an older link generation"
UNKNOWN_SENDER: Final = "of an unknown sender"


class EncodeOnce:
    """A message that goes to many is one object for all of them, and is made bytes of for the first alone."""

    __slots__ = ("_body", "_message")

    def __init__(self) -> None:
        self._message: Message | None = None
        self._body = b""

    def __call__(self, message: Message) -> bytes:
        if message is not self._message:
            self._message, self._body = message, encode(message)
        return self._body


@lru_cache(maxsize=4096)
def _sealing(key: bytes, link: str) -> blake2b:
    """It has taken in what is the same for each frame of a link; a copy goes on from there."""
    sealing = blake2b(digest_size=SEAL_BYTES, key=key)
    sealing.update(b"%c%s\0" % (WIRE_VERSION, link.encode()))
    return sealing


def _seal(key: bytes, link: str, sealed: bytes | bytearray | memoryview) -> bytes:
    sealing = _sealing(key, link).copy()
    sealing.update(sealed)
    return sealing.digest()


def encode_frame(frame: Frame, key: bytes, link: str = "") -> bytes:
    """`link`: which one it is for, in words on which both its ends agree; the sender stands in the frame."""
    address = frame.sender.encode()
    header = _HEADER.pack(
        _MAGIC,
        WIRE_VERSION,
        _NO_SEAL,
        frame.process,
        frame.generation,
        frame.sequence,
        frame.message,
        frame.sent,
        frame.mark,
        frame.kind,
        len(address),
    )
    sealed = b"".join((header[_SEALED:], address, frame.body))
    return b"".join((_START, _seal(key, link, sealed), sealed))


def probe_body(nonce: int, padding: int = 0) -> bytes:
    return _NONCE.pack(nonce) + bytes(padding)


def decode_frame(data: bytes, key: bytes, link: str = "") -> Frame:
    if len(data) > LARGEST_FRAME:
        raise UselessFrame(TOO_LARGE)
    if len(data) < _OPENING.size:
        raise UselessFrame(MALFORMED)
    magic, version = _OPENING.unpack_from(data)
    if magic != _MAGIC:
        raise UselessFrame(MALFORMED)
    if version != WIRE_VERSION:
        raise UselessFrame(OTHER_VERSION)
    if len(data) < _HEADER.size:
        raise UselessFrame(MALFORMED)
    _, _, seal, process, generation, sequence, number, sent, mark, kind, length = _HEADER.unpack_from(data)
    if not hmac.compare_digest(seal, _seal(key, link, memoryview(data)[_SEALED:])):
        raise UselessFrame(STRANGER)
    start = _HEADER.size + length
    if kind not in (MESSAGE, PROBE) or length == 0 or len(data) < start + (_NONCE.size if kind == PROBE else 1):
        raise UselessFrame(MALFORMED)
    try:
        sender = data[_HEADER.size : start].decode()
    except UnicodeDecodeError as error:
        raise UselessFrame(MALFORMED) from error
    return Frame(sender, process, generation, sequence, sent, kind, data[start:], mark, number)


class Generations:
    """Which link generation is the newest that came from each sender: what is older was under way when a link broke.

    To be asked only of senders that the node knows and of frames that are sound: what is admitted is remembered."""

    __slots__ = ("_newest",)

    def __init__(self) -> None:
        self._newest: dict[Address, dict[int, int]] = {}

    def admits(self, frame: Frame) -> bool:
        newest = self._newest.setdefault(frame.sender, {})
        known = newest.get(frame.process)
        if known is None:
            # Of an address that restarts again and again only the last few processes matter.
            if len(newest) == _PROCESSES_KEPT:
                del newest[next(iter(newest))]
            newest[frame.process] = frame.generation
            return True
        if frame.generation < known:
            return False
        newest[frame.process] = frame.generation
        return True


class Numbers:
    """Which frames of each sender were taken: the same one again is somebody else's doing. A frame may be overtaken by
    others when a link breaks and comes up; one that was overtaken by many is taken for a repeated one.

    To be asked, as `Generations`, only of senders that the node knows."""

    __slots__ = ("_taken",)

    def __init__(self) -> None:
        self._taken: dict[Address, dict[int, tuple[int, int]]] = {}
        """of each process the highest number, and below it by bits which were taken"""

    def admits(self, frame: Frame) -> bool:
        processes = self._taken.setdefault(frame.sender, {})
        highest, bits = processes.get(frame.process, (0, 0))
        ahead = frame.sequence - highest
        if ahead > 0:
            if len(processes) == _PROCESSES_KEPT and frame.process not in processes:
                del processes[next(iter(processes))]
            processes[frame.process] = frame.sequence, ((bits << ahead) | 1) & _WINDOW if ahead < OVERTAKING else 1
            return True
        if -ahead >= OVERTAKING or bits >> -ahead & 1:
            return False
        processes[frame.process] = highest, bits | 1 << -ahead
        return True


class Gap(NamedTuple):
    missed: int
    before: Micros
    """so long ago came the last one before it"""


class Gaps:
    """How many messages of each sender never came: seen by the numbers of those that do, as a link keeps their order.

    Frames before the first that came may have been for somebody else. To be asked, as `Generations`, only of senders
    that the node knows, and of frames that are admitted."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: dict[Address, tuple[int, int, Micros]] = {}
        """by sender: of which process, the number of its last message, and when that came"""

    def before(self, frame: Frame, now: Micros) -> Gap | None:
        process, number, came = self._last.get(frame.sender, (None, 0, 0))
        self._last[frame.sender] = frame.process, frame.message, now
        if process != frame.process or frame.message <= number + 1:
            return None
        return Gap(frame.message - number - 1, now - came)


OVERTAKING: Final = 1024
"""so many frames may overtake one"""
_WINDOW: Final = (1 << OVERTAKING) - 1
_PROCESSES_KEPT: Final = 4
