"""Which members each member sends its heartbeats to, and which it watches by them: the four policies of text 5.2.2.

- all to all: each to all others. The master watches all members, and all members watch the master.
- master and likely: each to the master. The master sends only to the members that are likeliest to succeed it.
- ring: each to the next one in the members' order, the last to the first. The receiver watches the sender.
- ring with inferred: the same, and any other message to the next one counts as a heartbeat.

Under SWIM and Lifeguard nobody sends heartbeats: members ping each other in turn (swim.py).

All are plain functions of a view. A watchdog is in no view. It neither sends heartbeats nor watches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shaketable.node.config import ALL_TO_ALL, MASTER_AND_LIKELY, SWIMS
from shaketable.node.gms.election import Rank
from shaketable.node.messages import Member, Seat


class Watch(NamedTuple):
    to: Sequence[Seat]
    """my heartbeats go there"""
    watched: Sequence[Seat]
    """theirs come here"""


def watch(detection: str, me: Member, master: Member, view: Sequence[Seat], rank: Rank, likely: int) -> Watch:
    """`view` is in the members' order."""
    others = [seat for seat in view if seat.member.uuid != me.uuid]
    leader = [seat for seat in others if seat.member.uuid == master.uuid]
    leads = me.uuid == master.uuid
    if detection in SWIMS:
        return Watch([], [])
    if detection == ALL_TO_ALL:
        return Watch(others, others if leads else leader)
    if detection == MASTER_AND_LIKELY:
        successors = sorted(
            (seat for seat in view if seat.member.uuid != master.uuid), key=lambda seat: rank(seat.member, seat.start)
        )[:likely]
        if leads:
            return Watch(successors, others)
        return Watch(leader, leader if any(seat.member.uuid == me.uuid for seat in successors) else [])
    place = next((place for place, seat in enumerate(view) if seat.member.uuid == me.uuid), None)
    if place is None or not others:
        return Watch([], [])
    return Watch([view[(place + 1) % len(view)]], [view[place - 1]])
