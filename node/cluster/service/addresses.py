"""Where other members of this cluster may be: the configured addresses, and those that are remembered.

From text 4.4: the addresses of members that have joined are remembered, so that a master finds those whom its
configuration never named; each is forgotten when its member left longer ago than the time of retention. They outlive a
merge, not a restart. Solution 2: the configured ones can be changed at run time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from shaketable.node.config import Settings
from shaketable.node.core.env import Env, Micros
from shaketable.node.events import AddressForgotten, AddressRemembered
from shaketable.node.messages import Address, Member
from shaketable.node.why import Because

FIRST_PORT: Final = 5701
MOST_REMEMBERED: Final = 1000
"""addresses without a member, where they come and go faster than the time of retention runs out; the oldest give way"""


class JoinAddresses:
    def __init__(self, env: Env, me: Address, configured: Sequence[str], settings: Settings) -> None:
        self._env = env
        self._me = me
        self._settings = settings
        self.configured: tuple[str, ...] = ()
        """as they were written: an address may lack its port"""
        self._configured: dict[Address, bool] = {}
        self.configure(configured)
        self._remembered: dict[Address, Micros | None] = {}
        """since when nobody of my cluster is there; None: a member is"""

    def configure(self, configured: Sequence[str]) -> None:
        self.configured = tuple(configured)
        several = [expanded(each, self._settings.port_try_count) for each in configured]
        self._configured = {address: True for addresses in several for address in addresses}

    def possible(self) -> list[Address]:
        """All but my own, the configured ones first; none where the tcp-ip join is switched off."""
        self._forget()
        if not self._settings.tcp_ip_join:
            return []
        return [each for each in {**self._configured, **self._remembered} if each != self._me]

    def __contains__(self, address: Address) -> bool:
        if address == self._me or not self._settings.tcp_ip_join:
            return False
        return address in self._configured or address in self._remembered

    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        now = self._env.now()
        gone = [member.address for member in removed]
        for address in gone:
            self._remembered[address] = now
        for member in added:
            self._remembered[member.address] = None
        if gone:
            self._forget()

    def take_over(self, former: JoinAddresses) -> None:
        """Of the identity before mine, in whose cluster I am no member any more."""
        now = self._env.now()
        self._remembered = {each: now if left is None else left for each, left in former._remembered.items()}

    def suggest(self, address: Address, reason: Because) -> None:
        """Somebody there leads another part."""
        if address == self._me or self._remembered.get(address, 0) is None:
            return
        if address not in self._remembered and address not in self._configured:
            self._env.report(AddressRemembered(address, *reason))
        self._remembered[address] = self._env.now()
        self._forget()

    def _forget(self) -> None:
        now, retention = self._env.now(), self._settings.address_retention
        empty = sorted([(left, address) for address, left in self._remembered.items() if left is not None])
        too_many = len(empty) - MOST_REMEMBERED
        for number, (left, address) in enumerate(empty):
            if now - left >= retention or number < too_many:
                del self._remembered[address]
                self._env.report(AddressForgotten(address))


def expanded(address: str, ports: int) -> list[Address]:
    """Without a port it stands for several, as in the real system."""
    return [address] if ":" in address else [f"{address}:{FIRST_PORT + number}" for number in range(ports)]
