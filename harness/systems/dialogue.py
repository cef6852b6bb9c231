"""How the harness talks to one process of a member: orders become bytes, and bytes become what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from shaketable.node.process import control


class Dialogue(Protocol):
    """With one process, from its first word after `Ready` on. It does no I/O and has no clock."""

    def order(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        """What to send, and what is answered at once: a refusal of what such a member cannot do."""

    def heard(self, data: bytes) -> Sequence[control.Said]:
        """What these bytes say, with what was left over from before. `control.BrokenStream`: no member says that."""

    def take_troubles(self) -> Sequence[str]:
        """What of it cannot be understood, since this was asked last: the run is unknown."""


class Records:
    """The forms of control.py as they are, in MessagePack: how our own nodes talk."""

    def __init__(self) -> None:
        self._splitter = control.Splitter()

    def order(self, order: control.Order) -> tuple[bytes, Sequence[control.Said]]:
        return control.encode_record(order), ()

    def heard(self, data: bytes) -> Sequence[control.Said]:
        try:
            return [control.said_decoder.decode(body) for body in self._splitter.feed(data)]
        except (msgspec.MsgspecError, RecursionError) as error:
            raise control.BrokenStream(str(error)) from error

    def take_troubles(self) -> Sequence[str]:
        return ()
