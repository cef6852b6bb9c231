"""Which member becomes master, and which of two masters stays: one order, chosen by a setting (text 5.2.2.1 and 5.2.4).

The members' order is the order of the text's sorted PeerIDs. Shoal takes the senior member. There, a rolling scale-down
that stops the oldest first changes the master with each step."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from shaketable.node.config import BY_SENIORITY, WATCHDOG
from shaketable.node.core.env import Micros
from shaketable.node.messages import Address, Member, Seat, Uuid

Rank = Callable[[Member, Micros], Any]
"""of a member and its start time: who has the lowest is elected"""


def member_order(address: Address) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port) if port.isdecimal() else 0


def in_order(seats: Iterable[Seat]) -> tuple[Seat, ...]:
    return tuple(sorted(seats, key=lambda seat: member_order(seat.member.address)))


def rank_of(election: str) -> Rank:
    if election == BY_SENIORITY:
        return lambda member, start: (start, member_order(member.address), member.uuid)
    return lambda member, start: (member_order(member.address), start, member.uuid)


def elected(rank: Rank, seats: Iterable[Seat], without: Collection[Uuid] = ()) -> Seat | None:
    """None: there is nobody else who may lead."""
    candidates = [seat for seat in seats if seat.kind != WATCHDOG and seat.member.uuid not in without]
    return min(candidates, key=lambda seat: rank(seat.member, seat.start), default=None)
