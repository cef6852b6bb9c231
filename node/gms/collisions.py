"""Two masters learn of each other, and one of them gives way: a split heals (text 5.2.2.1; rulings 5.2).

Once a detection window each master asks the addresses of the discovery list that are not in its view, and the members
that it declared failed. Both masters decide by the order of the election which one stays. The members of the other one
ask to be added to the view of the one that stays. A master that shuts down never stays, whatever its rank, because it
adds nobody and will be gone. So it claims nothing. If it is asked, it says what it leads, and the other one claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shaketable.node.core.env import Every, Micros
from shaketable.node.events import LeadershipYielded, MastersCollided
from shaketable.node.gms.group import Group
from shaketable.node.gms.sender import Sender
from shaketable.node.gms.shutdown import Shutdown
from shaketable.node.messages import (
    Address,
    FollowMaster,
    MasterAnswer,
    MasterCollision,
    MasterQuery,
    Member,
    Reign,
    Seat,
)
from shaketable.node.why import Because, Why, because


class Collisions:
    def __init__(
        self,
        group: Group,
        *,
        sender: Sender,
        shutdown: Shutdown,
        configured: Sequence[Address],
        look_for: Callable[[Member, Because], None],
    ) -> None:
        """`look_for`: I follow nobody any more, and ask this master to be added."""
        self._group = group
        self._env = group.env
        self._sender = sender
        self._shutdown = shutdown
        self._configured = configured
        self._look_for = look_for
        self._failed: dict[Address, Micros] = {}
        """until when it is asked"""

    def start(self) -> None:
        Every(self._env, self._group.settings.detection_window, self._ask_around)

    def has_failed(self, seat: Seat) -> None:
        self._failed[seat.member.address] = self._env.now() + self._group.settings.gms_failed_member_memory

    def on_master_query(self, message: MasterQuery) -> None:
        """Another master asks around."""
        group = self._group
        if self._shutdown.wanted and group.reign is not None:
            self._sender.send(message.sender.address, MasterAnswer(group.me, group.stamp, group.reign))
        elif message.reign is not None:
            self.learn_of(message.reign)

    def learn_of(self, other: Reign) -> None:
        """Nobody gives way by hearsay: the other one is told, and says itself what it is."""
        group = self._group
        if self._shutdown.wanted or group.reign is None:
            return
        if group.leads and other.master != group.me:
            self._sender.send(other.master.address, MasterCollision(group.me, group.stamp, group.reign))

    def on_master_collision(self, message: MasterCollision) -> None:
        group, other = self._group, message.reign
        if group.reign is None:
            return
        if not group.leads:
            self._sender.send(message.sender.address, MasterAnswer(group.me, group.stamp, group.reign))
        elif message.sender == other.master and other.master != group.me:
            stays = self._stays(other)
            self._env.report(MastersCollided(other.master, group.me if stays else other.master))
            if stays:
                self._sender.send(message.sender.address, MasterCollision(group.me, group.stamp, group.reign))
            else:
                self._yield_to(other.master)

    def on_follow_master(self, message: FollowMaster) -> None:
        group = self._group
        if message.sender == group.master and not group.leads and message.stamp.stay >= group.master_stay:
            self._look_for(message.master, because(Why.MASTER_GIVES_WAY))

    def _ask_around(self) -> None:
        group, now = self._group, self._env.now()
        if not group.leads:
            return
        self._failed = {address: until for address, until in self._failed.items() if until > now}
        for address in dict.fromkeys([*self._configured, *self._failed]):
            if address not in group.by_address:
                self._sender.send(address, MasterQuery(group.me, group.stamp, False, group.reign))

    def _stays(self, other: Reign) -> bool:
        group = self._group
        if self._shutdown.wanted:
            return False
        return bool(group.rank(group.me, group.seat.start) < group.rank(other.master, other.start))

    def _yield_to(self, master: Member) -> None:
        group = self._group
        self._env.report(
            LeadershipYielded(
                master, *(because(Why.SHUTS_DOWN) if self._shutdown.wanted else because(Why.RANKS_BEFORE_ME))
            )
        )
        self._sender.broadcast(FollowMaster(group.me, group.stamp, master))
        self._look_for(master, because(Why.GIVES_WAY))
