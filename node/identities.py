"""One node, through all its identities: the member that it is now, and after a merge the next one.

From the text on split-brain recovery: who merges resets, takes a new identity and joins the target. Nothing is reset
here: the member is at its end, and a fresh one begins in its place. What outlives it is handed over by name: the
addresses that it remembers, and when the node looks for other parts of its cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shaketable.node.commands import Command
from shaketable.node.config import Settings
from shaketable.node.env import Env
from shaketable.node.events import Merging
from shaketable.node.member import ClusterMember
from shaketable.node.messages import Address, Member, Message

MakeMember = Callable[[Any, Address, Sequence[Address], Settings], ClusterMember]
"""How a node gets its member, in its Env: a test plants a bug here, and may know more of its world."""


class Identities:
    def __init__(
        self, env: Env, make: MakeMember, address: Address, addresses: Sequence[Address], settings: Settings
    ) -> None:
        self._env = env
        self._make = make
        self._address = address
        self._settings = settings
        self.member = make(env, address, addresses, settings)
        self._listen()

    @property
    def me(self) -> Member:
        return self.member.me

    def start(self) -> None:
        self.member.start()

    def command(self, command: Command) -> None:
        self.member.command(command)

    def _listen(self) -> None:
        """What comes in goes straight to the member: nothing is done more often."""
        member = self.member
        member.splitbrain.merge.go = self._merge
        self.receive: Callable[[Message], None] = member.receive
        self.link_up: Callable[[Address], None] = member.link_up
        self.link_down: Callable[[Address], None] = member.link_down

    def _merge(self, into: Member) -> None:
        """In a step of its own, and at a later time: the last word of one identity stands before the first of the next
        in every history."""
        if self.receive is _nothing:
            return
        self.receive = self.link_up = self.link_down = _nothing
        self._env.report(Merging(into))
        self._env.forget_timers()
        self._env.call_later(1, lambda: self._begin_anew(into))

    def _begin_anew(self, into: Member) -> None:
        former = self.member
        for address in former.addresses.possible():
            self._env.disconnect(address)
        self.member = member = self._make(self._env, self._address, former.addresses.configured, self._settings)
        self._listen()
        member.addresses.take_over(former.addresses)
        member.addresses.suggest(into.address, "I go over to it")
        member.join.merge_into(into)
        member.start(merge_run_at=former.splitbrain.next_due)


def _nothing(_: object) -> None:
    """Between two identities nobody is there."""
