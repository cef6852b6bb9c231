"""The partition service: wires its parts below, and routes messages to them.

As in `member.py`, the parts do not know each other: each gets the shared state and the few callables that it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from shaketable.node.cluster.views import Membership
from shaketable.node.commands import Command
from shaketable.node.messages import Address, AnyMessage, Message
from shaketable.node.partition.state import PartitionState
from shaketable.node.requests import Requests


class Partitions:
    def __init__(self, membership: Membership, requests: Requests, send: Callable[[Address, Message], None]) -> None:
        self.state = PartitionState(membership, requests, send)
        self.handlers: Mapping[type[Message], Callable[[Any], None]] = {
            kind: lambda message: None
            for kind in get_args(AnyMessage)
            if kind.__module__ == "shaketable.node.messages.partition"
        }

    def command(self, command: Command) -> None:
        pass
