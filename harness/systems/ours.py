"""Our own members, in the same terms as all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.records import OURS, UnderTest
from shaketable.harness.systems.dialogue import Dialogue, Records
from shaketable.harness.systems.system import Place, Process, System
from shaketable.node.messages import Address

if TYPE_CHECKING:
    from shaketable.node.process.main import Birth

FIRST_PORT: Final = 5701


class OurMembers:
    def address(self, place: Place) -> Address:
        return f"127.0.0.1:{FIRST_PORT + place.number - 1}"

    def process(self, place: Place, birth: Birth) -> Process:
        from shaketable.node.process.main import run  # a command that only simulates needs no sockets

        return Process(run, msgspec.msgpack.encode(birth))

    def dialogue(self, place: Place) -> Dialogue:
        return Records()


def _members(under_test: UnderTest) -> OurMembers:
    return OurMembers()


SHAKETABLE: Final = System(OURS, _members, simulated=True)
