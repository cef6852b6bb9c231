"""No all-clear: an application hears that a member is suspected, and never that it no longer is.

Acts out Shoal, whose event NO_LONGER_INDOUBT nothing ever emits (rulings 5.8, B11)."""

from __future__ import annotations

from shaketable.node.gms import GroupMember
from shaketable.node.gms.doubts import NO_LONGER_SUSPECTED, Doubts
from shaketable.node.messages import Seat


class KeepsItToItself(Doubts):
    def _signal(self, signal: str, seat: Seat) -> None:
        if signal != NO_LONGER_SUSPECTED:
            super()._signal(signal, seat)


class NoAllClear(GroupMember):
    DOUBTS = KeepsItToItself
