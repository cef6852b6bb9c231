"""How a member of a group stands at the end of a calm: whom it follows, and its view."""

from __future__ import annotations

from typing import NamedTuple

from shaketable.harness.history.history import Install, Process
from shaketable.harness.records import Record
from shaketable.node.messages import Member


class AtRest(NamedTuple):
    """A member at the end of a calm."""

    process: Process
    master: Member | None
    since: Record
    """when it last said whom it follows, or that it is there at all"""
    install: Install | None

    @property
    def leads(self) -> bool:
        return self.master is not None and self.master.uuid == self.process.uuid
