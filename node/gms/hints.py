"""A watchdog is in no view: all that it may do is tell the master that a member has failed.

Its word is not verified."""

from __future__ import annotations

from shaketable.node.config import WATCHDOG
from shaketable.node.events import HintIgnored, HintTaken
from shaketable.node.gms.group import Group
from shaketable.node.gms.succession import Succession
from shaketable.node.messages import FailureHint
from shaketable.node.why import Why, because


class Hints:
    def __init__(self, group: Group, *, succession: Succession) -> None:
        self._group = group
        self._succession = succession

    def on_failure_hint(self, message: FailureHint) -> None:
        group = self._group
        if not group.leads:
            return
        seat = group.by_address.get(message.failed)
        if message.stamp.kind != WATCHDOG:
            group.env.report(HintIgnored(message.sender, *because(Why.NO_WATCHDOG)))
        elif seat is None or seat.member == group.me or seat.member.uuid in self._succession.stopping:
            group.env.report(HintIgnored(message.sender, *because(Why.COULD_NOT_FAIL, message.failed)))
        else:
            group.env.report(HintTaken(message.sender, seat.member))
            self._succession.hinted(seat)
