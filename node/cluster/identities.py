"""One node, through all its identities: the member that it is now, and after a merge the next one.

From the text on split-brain recovery: a node that merges resets, takes a new identity and joins the target. Nothing is
reset here: the member is at its end, and a fresh one begins in its place. Some things outlive it and are handed over by
name: the addresses that it remembers, when the node looks for other parts of its cluster, and what it has been told to
do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import Settings
from shaketable.node.core.commands import Command, LeaveCommand
from shaketable.node.core.env import Env
from shaketable.node.events import Merging
from shaketable.node.messages import Address, Member, Message
from shaketable.node.why import Why, because

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
        self._between = False
        """one identity has ended, the next one has not begun: nobody is there"""
        self._missed: dict[Address, bool] = {}
        """whose link came up or went down meanwhile"""
        self._commands: list[Command] = []
        """given meanwhile"""
        self.member = make(env, address, addresses, settings)
        self._listen()

    @property
    def me(self) -> Member:
        return self.member.me

    def start(self) -> None:
        self.member.start(go=self._merge)

    def command(self, command: Command) -> None:
        if self._between:
            self._commands.append(command)
        else:
            self.member.command(command)

    def _listen(self) -> None:
        """Hands a message straight to the member: nothing is done more often."""
        member = self.member
        self.receive: Callable[[Message], None] = member.receive
        self.link_up: Callable[[Address], None] = member.link_up
        self.link_down: Callable[[Address], None] = member.link_down

    def _merge(self, into: Member) -> None:
        """In a step of its own, and at a later time: the last word of one identity stands before the first of the next
        in every history."""
        self._between = True
        self.receive = _unheard
        self.link_up = self.link_down = self._miss
        self.member.member_list.give_up(Why.MEMBER_GOES_OVER.words)
        self.member.partitions.end(because(Why.MEMBER_GOES_OVER))
        self._env.report(Merging(into))
        self._env.forget_timers()
        former = self.member
        self.member = self._make(self._env, self._address, former.addresses.configured, self._settings)
        self._env.call_later(1, lambda: self._begin_anew(former, into))

    def _miss(self, address: Address) -> None:
        self._missed[address] = True

    def _begin_anew(self, former: ClusterMember, into: Member) -> None:
        member = self.member
        were_up = [address for address, up in former.links.told.items() if up]
        for address in {**former.links.told, **self._missed}:
            self._env.disconnect(address)  # as it opens them again the new identity is told which are up
        self._listen()
        member.addresses.take_over(former.addresses)
        member.join.merge_into(into)
        member.splitbrain.going.former = former.me.uuid
        member.start(go=self._merge, merge_runs=former.splitbrain.runs)
        for address in were_up:
            member.connections.hung_up(address)
        member.addresses.suggest(into.address, because(Why.GOES_OVER_TO_IT))
        member.partitions.take_over(former.partitions)
        member.leave.join_first()
        self._between = False
        commands, self._missed, self._commands = self._commands, {}, []
        for command in (*[LeaveCommand()] * former.leave.wanted, *commands):
            member.command(command)


def _unheard(_: object) -> None:
    pass
