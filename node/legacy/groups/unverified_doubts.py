"""Unverified doubts: if a master dies, its successor doubts its suspects for ever, and never declares them dead.

Acts out Shoal's `FailureVerifier` on a successor: the member is dead in its cache, and as its detector watches only
members that run, it stays in the new master's view for ever (rulings 5.8, B7)."""

from __future__ import annotations

from typing import Any

from shaketable.node.core.env import Micros
from shaketable.node.gms import GroupMember
from shaketable.node.gms.doubts import Doubts
from shaketable.node.messages import Seat, Uuid
from shaketable.node.why import Because


class NeverVerifiesThem(Doubts):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._zombies: dict[Uuid, bool] = {}

    def master_changed(self, former: Seat | None) -> None:
        if self._group.leads:
            self._zombies.update(dict.fromkeys(self._all, True))
        super().master_changed(former)

    def doubt(self, seat: Seat, reason: Because, silence: Micros | None = None) -> None:
        if seat.member.uuid not in self._zombies:
            super().doubt(seat, reason, silence)

    def heard_from(self, seat: Seat) -> None:
        self._zombies.pop(seat.member.uuid, None)
        super().heard_from(seat)


class UnverifiedDoubts(GroupMember):
    DOUBTS = NeverVerifiesThem
