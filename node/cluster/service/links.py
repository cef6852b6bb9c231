"""What this member was told of its own outgoing links: which are up, which are down, and which are lost for good."""

from __future__ import annotations

from shaketable.node.messages import Address


class Links:
    """Written by the connections (connection.py), read by all others."""

    def __init__(self) -> None:
        self.told: dict[Address, bool] = {}
        """all addresses of whose link I was told, and whether it is up"""
        self.lost: dict[Address, bool] = {}
        """down beyond the grace"""

    def is_up(self, address: Address) -> bool:
        return self.told.get(address, False)

    def is_down(self, address: Address) -> bool:
        """It has been told that it is; of what it has not been told anything yet it is neither up nor down."""
        return self.told.get(address) is False

    def is_lost(self, address: Address) -> bool:
        return address in self.lost
