"""Connection loss: my own outgoing link to a member is gone, and stays gone beyond the grace.

The rest of a crash's detection beside heartbeats: a crash is so known in a third of a second, a black hole only by
silence. A link is directed: a broken incoming one is noticed by silence alone. While an outgoing link stays lost, a
heartbeat over the incoming one does not end the suspicion (else a one-way cut makes it flutter for ever).

From the text on partial disconnection: who gets a list without a member "also drops its connection" to it. That waits
for two heartbeat intervals: the next heartbeat of a removed member is still answered, and so it learns of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shaketable.node.cluster.service.batches import JoinBatches
from shaketable.node.cluster.service.links import Links
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import LinkClosed, LinkDown, LinkUp
from shaketable.node.messages import Address, Member
from shaketable.node.why import Why, because


class Connections:
    def __init__(self, membership: Membership, *, links: Links, suspicion: Suspicion, batches: JoinBatches) -> None:
        self._membership = membership
        self._links = links
        self._suspicion = suspicion
        self._batches = batches
        self._patience: dict[Address, Timer] = {}
        self._former: dict[Address, Timer | None] = {}
        """where a member was and none is now; while my link to it is up, with the timer that will hang it up"""

    def link_up(self, address: Address) -> None:
        self._membership.env.report(LinkUp(address))
        self._links.told[address] = True
        self._links.lost.pop(address, None)
        self._stop_waiting(address)
        if address in self._former:
            self._hang_up_later(address)

    def link_down(self, address: Address) -> None:
        self._membership.env.report(LinkDown(address))
        was_up = self._links.is_up(address)
        self._links.told[address] = False
        if address in self._former:
            self._do_not_hang_up(address)
        if was_up:
            self._wait(address, self._membership.settings.connection_grace)
        elif address not in self._patience and any(m.address == address for m in self._membership.others()):
            self._wait_for_the_first(address)

    def members_changed(self, added: Iterable[Member], removed: Sequence[Member]) -> None:
        still_there = frozenset(m.address for m in self._membership.view.members) if removed else frozenset()
        for member in removed:
            self._stop_waiting(member.address)
            self._links.lost.pop(member.address, None)
            if member.address not in still_there:
                self._left_behind(member.address)
        for member in added:
            self._links.lost.pop(member.address, None)
            self._do_not_hang_up(member.address)
            self._former.pop(member.address, None)
            if self._links.is_down(member.address):
                self._wait_for_the_first(member.address)

    def _wait_for_the_first(self, address: Address) -> None:
        """A first connection to a new member that is slow to come up is no loss of one: it gets the full timeout."""
        if not self._links.is_lost(address):
            self._wait(address, self._membership.settings.heartbeat_timeout)

    def _wait(self, address: Address, patience: Micros) -> None:
        self._stop_waiting(address)
        self._patience[address] = self._membership.env.call_later(patience, lambda: self._give_up(address))

    def _stop_waiting(self, address: Address) -> None:
        timer = self._patience.pop(address, None)
        if timer is not None:
            timer.cancel()

    def _give_up(self, address: Address) -> None:
        del self._patience[address]
        self._links.lost[address] = True
        self._suspicion.suspect(
            [m for m in self._membership.others() if m.address == address], because(Why.CONNECTION_LOST)
        )

    # Hanging up

    def _left_behind(self, address: Address) -> None:
        self._former.setdefault(address, None)
        if self._links.is_up(address):
            self._hang_up_later(address)

    def _hang_up_later(self, address: Address) -> None:
        """Also when it is up again after that: explicit suspicion was sent there, say, or an answer to a joiner."""
        self._do_not_hang_up(address)
        soon = 2 * self._membership.settings.heartbeat_interval
        self._former[address] = self._membership.env.call_later(soon, lambda: self._hang_up(address))

    def _do_not_hang_up(self, address: Address) -> None:
        timer = self._former.get(address)
        if timer is not None:
            timer.cancel()
            self._former[address] = None

    def _hang_up(self, address: Address) -> None:
        self._former[address] = None
        if self._batches.waits(address):  # its end has to be noticed
            self._hang_up_later(address)
            return
        self.hung_up(address)
        self._membership.env.disconnect(address)

    def hung_up(self, address: Address) -> None:
        """By myself, or by the identity before mine: no loss. I am told when it is up next."""
        self._links.told[address] = False
        self._membership.env.report(LinkClosed(address))
