"""A node looks for a group at the addresses of its discovery list, without multicast (text 5.2.1 and 5.2.4).

It asks all of them which member is master, and asks to be added. The first node to start is the master. If none answers
within the discovery timeout, the nodes that look elect one of them, which founds the group and adds the others. A
member without a master looks again in the same way: it was removed though it lives, or its master gave way to
another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import ReadmissionAsked
from shaketable.node.gms.election import elected
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.messages import Address, MasterAnswer, MasterQuery, Member, Seat
from shaketable.node.why import Because, Why, because


class Discovery:
    def __init__(
        self, group: Group, *, sender: Sender, addresses: Sequence[Address], found: Callable[[Because], None]
    ) -> None:
        """`found`: no group is there, and I am to make one."""
        self._group = group
        self._env = group.env
        self._sender = sender
        self.configured = [address for address in dict.fromkeys(addresses) if address != group.me.address]
        self._found = found
        self._asked: dict[Address, bool] = {}
        self._others: dict[Address, tuple[Micros, Seat]] = {}
        """who looks for a group as well, and when that was last heard"""
        self._looking: Timer | None = None
        self._until: Micros = 0
        self._waited_for_another = False

    def start(self) -> None:
        self._look_for(self.configured)

    def look_again(self, master: Member | None, also: Sequence[Address], reason: Because) -> None:
        self._env.report(ReadmissionAsked(master, *reason))
        first = [master.address] if master is not None else []
        self._look_for([*first, *self.configured, *also])

    def stop(self) -> None:
        """I have found a group, or look for none any more."""
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        self._others.clear()
        self._asked.clear()

    def on_master_query(self, message: MasterQuery) -> None:
        """Somebody else looks for a group while I do."""
        if message.wants_in:
            seat = Seat(message.sender, message.stamp.kind, message.stamp.start, 0, message.stamp.stay)
            self._others[message.sender.address] = self._env.now(), seat

    def on_master_answer(self, message: MasterAnswer) -> None:
        master = message.reign.master
        if self._looking is None or master == self._group.me:
            return
        self._until = max(self._until, self._env.now() + self._group.settings.discovery_timeout)
        if master.address not in self._asked:
            self._asked[master.address] = True
            self._ask(master.address)

    def _look_for(self, addresses: Sequence[Address]) -> None:
        self._asked = {address: True for address in addresses if address != self._group.me.address}
        self._until = self._env.now() + self._group.settings.discovery_timeout
        self._waited_for_another = False
        if self._looking is not None:
            self._looking.cancel()
        self._looking = None
        if not self._asked:
            self._found(because(Why.NOBODY_TO_ASK))
            return
        self._round()

    def _round(self) -> None:
        now, settings = self._env.now(), self._group.settings
        if now >= self._until and self._decide(now):
            return
        for address in self._asked:
            self._ask(address)
        wait = settings.discovery_retry if now >= self._until else min(settings.discovery_retry, self._until - now)
        self._looking = self._env.call_later(wait, self._round)

    def _ask(self, address: Address) -> None:
        group = self._group
        self._sender.send(address, MasterQuery(group.me, group.stamp, True, None))

    def _decide(self, now: Micros) -> bool:
        """Nobody leads: who is elected of us founds the group. Another one gets as long again to do so."""
        group, settings = self._group, self._group.settings
        others = [seat for heard, seat in self._others.values() if group.still_looks(heard)]
        first = elected(group.rank, [group.seat, *others])
        if first is not None and first.member != group.me and not self._waited_for_another:
            self._waited_for_another = True
            self._until = now + settings.discovery_timeout
            return False
        self._looking = None
        self._found(because(Why.NO_MASTER_ANSWERED))
        return True
