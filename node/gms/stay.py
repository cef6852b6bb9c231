"""A member's stay in its master's view: how it begins, and what a member does that has lost its master or its place.

It asks to be added again, to the view of any member that leads now, and says so (rulings 5.6). Each such stay has its
own number, so that the master can tell it from a question that it has answered already."""

from __future__ import annotations

from shaketable.node.events import Joined
from shaketable.node.gms.discovery import Discovery
from shaketable.node.gms.doubts import Doubts
from shaketable.node.gms.group import Group
from shaketable.node.gms.health import Health
from shaketable.node.gms.notifications import Notifications
from shaketable.node.gms.shutdown import Shutdown
from shaketable.node.gms.succession import Succession
from shaketable.node.messages import Member
from shaketable.node.why import Because


class Stay:
    def __init__(
        self,
        group: Group,
        *,
        notifications: Notifications,
        health: Health,
        doubts: Doubts,
        succession: Succession,
        discovery: Discovery,
        shutdown: Shutdown,
    ) -> None:
        self._group = group
        self._notifications = notifications
        self._health = health
        self._doubts = doubts
        self._succession = succession
        self._discovery = discovery
        self._shutdown = shutdown
        self.has_begun = False
        """I have a view"""

    def begins(self, reason: Because) -> None:
        """It may do so even while I shut down."""
        self.has_begun = True
        if self._group.state == "starting":
            self._group.state = "alive"
        self._discovery.stop()
        self._group.env.report(Joined(self._group.leads, *reason))

    def look_for(self, master: Member | None, reason: Because) -> None:
        """I follow nobody any more, and ask this member first. None: any member that will say that it leads. A member
        that shuts down asks nobody. It waits until its master's view lacks it, or until it has no master."""
        group = self._group
        if self._shutdown.wanted:
            self._shutdown.removed()
            return
        also = [seat.member.address for seat in group.others]
        self._health.left_alone()
        self._notifications.follow_nobody()
        self._doubts.forget_all()
        self._succession.master_changed()
        group.follow_nobody()
        self.has_begun = False
        self._discovery.look_again(master, also, reason)
