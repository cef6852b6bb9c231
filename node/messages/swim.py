"""The messages of SWIM and Lifeguard in a group: pings, what answers them, and how a suspect refutes a doubt."""

from __future__ import annotations

from shaketable.node.messages.base import Member, Number
from shaketable.node.messages.gms import GroupMessage, Reign


class SwimPing(GroupMessage, frozen=True, omit_defaults=True):
    """To one member a period. `doubt`: you are suspected, your master's doubt has this number."""

    request: Number
    doubt: Number = 0


class SwimAck(GroupMessage, frozen=True):
    """To a ping: I live."""

    request: Number
    reign: Reign | None


class SwimPingWanted(GroupMessage, frozen=True, omit_defaults=True):
    """This member has not answered my ping: try yours."""

    request: Number
    member: Member
    doubt: Number = 0


class SwimPingTried(GroupMessage, frozen=True):
    """To the member that wanted a ping: whether an answer has come."""

    request: Number
    reached: bool


class DoubtRefuted(GroupMessage, frozen=True):
    """A suspect to the member that announced the doubt with this number: I live. Or another member: it answers me.
    `member`: the suspect. Each master counts its own doubts, and this one may be of the master before."""

    member: Member
    doubt: Number
