"""Every message on the wire, decoded strictly.

The sender's identity is in the message, stamped by the core; the transport's own header (generation, sequence number,
time sent) is not seen here. A frame that is no valid message raises `MalformedMessage` and nothing else."""

from __future__ import annotations

from functools import reduce
from operator import or_
from types import ModuleType
from typing import Final, TypeVar

import msgspec

from shaketable.node.messages import cluster, gms, merging, partition, splitbrain, swim
from shaketable.node.messages.base import *  # noqa: F403
from shaketable.node.messages.base import Message
from shaketable.node.messages.cluster import *  # noqa: F403
from shaketable.node.messages.gms import *  # noqa: F403
from shaketable.node.messages.gms import GroupMessage
from shaketable.node.messages.merging import *  # noqa: F403
from shaketable.node.messages.partition import *  # noqa: F403
from shaketable.node.messages.splitbrain import *  # noqa: F403
from shaketable.node.messages.swim import *  # noqa: F403

Of = TypeVar("Of", bound=Message)

LARGEST_MESSAGE: Final = 1 << 20
"""A larger frame is refused unread: a list of 7,000 members still fits."""


def _made_of(base: type[Of], *modules: ModuleType) -> tuple[type[Of], ...]:
    """The kinds of messages in these modules, in the order in which they stand there."""
    found = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    below = dict.fromkeys(kind for kind in found if issubclass(kind, base))
    return tuple(kind for kind in below if not kind.__subclasses__())


DATA_MESSAGES: Final = _made_of(Message, partition, merging)
"""the partition service's"""
GROUP_MESSAGES: Final = _made_of(GroupMessage, gms, swim)
KINDS: Final = (*_made_of(Message, cluster), *DATA_MESSAGES, *_made_of(Message, splitbrain), *GROUP_MESSAGES)
"""all of them: a new one need be named nowhere but in its module, and where it is handled"""


class MalformedMessage(ValueError):
    """The bytes are no message of this version."""


_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(reduce(or_, KINDS))


def encode(message: Message) -> bytes:
    return _encoder.encode(message)


def decode(data: bytes) -> Message:
    if len(data) > LARGEST_MESSAGE:
        raise MalformedMessage(f"{len(data)} bytes are more than a message may have ({LARGEST_MESSAGE})")
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedMessage(str(error)) from error


def kind_of(message: Message) -> str:
    """The name by which a chaos script speaks of this kind of message: "membersupdate"."""
    return str(message.__struct_config__.tag)
