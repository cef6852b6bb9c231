"""A message to the member that watches me carries my heartbeat, and stands for the next one (text 5.2.2.3.3).

It says all that the heartbeat would say. So a member that is spared heartbeats still learns that it lacks a
notification (rulings 7.8). If the message is lost, the next period's says it again. One message a period carries the
heartbeat, and another one if meanwhile there is more to say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from shaketable.node.config import INFERRED
from shaketable.node.gms.group import Group
from shaketable.node.messages import Address, Beat, GroupMessage, HealthMessage, HealthState, Message, Seat

IS_WELL: Final[tuple[HealthState, ...]] = ("alive", "alive and ready")
"""Only a member that has last said so can be inferred to live on."""


class Carrying:
    def __init__(self, group: Group) -> None:
        self._group = group
        self._infers = group.settings.gms_detection == INFERRED
        self._carried: dict[Address, Beat | None] = {}
        """who gets my heartbeats, and the last one that a message has carried there since my last round"""

    def go_to(self, to: Iterable[Seat]) -> None:
        addresses = [seat.member.address for seat in to] if self._infers else []
        self._carried = {address: self._carried.get(address) for address in addresses}

    def forget(self, seat: Seat) -> None:
        """It came anew, or is gone: it knows nothing of me."""
        if seat.member.address in self._carried:
            self._carried[seat.member.address] = None

    def begin_round(self) -> None:
        self._carried = dict.fromkeys(self._carried)

    def stands_for_one(self, to: Address) -> bool:
        """A message of this round has carried what I would say now."""
        beat = self._carried.get(to)
        return beat is not None and beat == self._beat()

    def onto(self, to: Address, message: Message) -> Message:
        """The message, with my heartbeat if it is to carry one."""
        if isinstance(message, HealthMessage) or not isinstance(message, GroupMessage):
            return message
        if to not in self._carried or self._group.state not in IS_WELL:
            return message
        beat = self._beat()
        if self._carried[to] == beat:
            return message
        self._carried[to] = beat
        return msgspec.structs.replace(message, stamp=msgspec.structs.replace(message.stamp, beat=beat))

    def _beat(self) -> Beat:
        return Beat(self._group.state, self._group.reign)
