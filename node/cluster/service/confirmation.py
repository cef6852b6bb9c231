"""Master confirmation: a follower tells its master, once an interval, that it still follows it.

From text 1.2, of the 3.9 parts that later versions dropped. Heartbeats alone do not show it: somebody may hear a member
well and follow another. The master removes a member that has not confirmed it in time; the time starts afresh when a
member becomes master, for each member that is added, and after a pause or a jump of the clock. No confirmation leaves
for a suspected master."""

from __future__ import annotations

from collections.abc import Iterable

from shaketable.node.cluster.service.complaint import Complaints
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Every, Micros
from shaketable.node.events import ConfirmationIgnored
from shaketable.node.messages import Identity, MasterConfirmation, Member, Uuid
from shaketable.node.why import Why, because


class MasterConfirmations:
    def __init__(self, membership: Membership, *, suspicion: Suspicion, complaints: Complaints) -> None:
        self._membership = membership
        self._env = membership.env
        self._suspicion = suspicion
        self._complaints = complaints
        self._timeout = membership.settings.master_confirmation_timeout
        self._confirmed: dict[Uuid, Micros] = {}
        """when each other member last confirmed me; empty unless I am master"""
        self._first_due: Micros = 0
        """nobody's confirmation is overdue before: what comes later only puts that off"""

    def start(self) -> None:
        Every(self._env, self._membership.settings.master_confirmation_interval, self._confirm)

    # The follower's side

    def _confirm(self) -> None:
        ms = self._membership
        master = ms.master
        if ms.joined and master is not None and master is not ms.me and master.uuid not in ms.suspected:
            self._env.send(master.address, MasterConfirmation(ms.me, master.uuid, ms.view.version, ms.cluster_time()))

    # The master's side

    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        if not self._membership.leads:
            self._confirmed.clear()
        elif not self._confirmed:
            self._start_afresh()
        else:
            now = self._env.now()
            for member in removed:
                self._confirmed.pop(member.uuid, None)
            for member in added:
                self._confirmed[member.uuid] = now

    def check(self, lateness: Micros) -> None:
        """Once each heartbeat round, which ran so late."""
        if not self._membership.leads:
            return
        if lateness > self._timeout // 2:
            self._start_afresh()
        now, confirmed = self._env.now(), self._confirmed
        if now < self._first_due:
            return
        oldest = now - self._timeout
        self._first_due = min(confirmed.values(), default=now) + self._timeout
        overdue = [m for m in self._membership.others() if confirmed[m.uuid] <= oldest]
        if overdue:
            self._suspicion.suspect(
                overdue, because(Why.NO_CONFIRMATION), {m.uuid: now - confirmed[m.uuid] for m in overdue}
            )

    def _start_afresh(self) -> None:
        now = self._env.now()
        self._confirmed = {member.uuid: now for member in self._membership.others()}

    def on_master_confirmation(self, message: MasterConfirmation) -> None:
        ms, sender = self._membership, message.sender
        if not ms.leads:
            self._env.report(ConfirmationIgnored(sender, *because(Why.NOT_MASTER)))
        elif not ms.is_member(sender) or message.target != ms.me.uuid:
            identity = Identity(sender, ms.me.address, message.version)
            self._suspicion.explicitly_suspect(identity, because(Why.STRANGE_CONFIRMATION))
            self._complaints.trigger_all(identity)
        elif ms.cluster_time() - message.cluster_time > self._timeout // 2:
            self._env.report(ConfirmationIgnored(sender, *because(Why.TOO_OLD)))
        else:
            self._confirmed[sender.uuid] = self._env.now()
