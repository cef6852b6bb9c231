"""The messages that go by UDP unicast, each as one datagram, instead of over the link (text 5.2.1.1 and 5.2.2.2).

A datagram may be lost, late, overtaken or repeated. Each world's driver asks here what it is to send so. A member does
not know which way its messages went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.node.config import BOTH, GMS, HEARTBEATS, NO_UDP, NOTIFICATIONS, Settings
from shaketable.node.messages import (
    HealthMessage,
    Message,
    Notified,
    SwimAck,
    SwimPing,
    SwimPingTried,
    SwimPingWanted,
)

MOST_SEATS: Final = 150
"""A larger view may not fit into a datagram, where the addresses of its members are long: it goes by the link."""

Kinds = tuple[type[Message], ...]
PINGS: Final[Kinds] = (SwimPing, SwimAck, SwimPingWanted, SwimPingTried)
"""They are SWIM's heartbeats."""
_KINDS: Final[Mapping[str, Kinds]] = {
    NO_UDP: (),
    HEARTBEATS: (HealthMessage, *PINGS),
    NOTIFICATIONS: (Notified,),
    BOTH: (HealthMessage, *PINGS, Notified),
}

ANY_KIND: Final = _KINDS[BOTH]
"""what some member may send so"""


def datagram_kinds(settings: Settings) -> Kinds:
    """None: all that such a node sends goes by its links."""
    return _KINDS[settings.gms_udp] if settings.family == GMS else ()


def by_datagram(kinds: Kinds, message: Message) -> bool:
    if not isinstance(message, kinds):
        return False
    return not isinstance(message, Notified) or len(message.notification.view) <= MOST_SEATS
