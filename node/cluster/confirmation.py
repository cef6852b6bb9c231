"""Master confirmation: a follower tells its master, once an interval, that it still follows it.

From the text on cluster service consistency ("Master confirmation", "Master confirmation timeout"), of the 3.9 parts
that later versions dropped. Heartbeats alone do not show it: somebody may hear a member well and follow another. The
master removes who has not confirmed it in time; the time starts afresh when a member becomes master, for each member
that is added, and after a pause or a jump of the clock. No confirmation leaves for a suspected master."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from shaketable.node.cluster.views import Membership
from shaketable.node.env import Every, Micros
from shaketable.node.events import ConfirmationIgnored
from shaketable.node.messages import Identity, MasterConfirmation, Member, Uuid


class MasterConfirmations:
    def __init__(
        self,
        membership: Membership,
        cluster_time: Callable[[], Micros],
        suspect: Callable[[Sequence[Member], str, Mapping[Uuid, Micros]], None],
        from_stranger: Callable[[Identity, str], None],
    ) -> None:
        self._membership = membership
        self._env = membership.env
        self._cluster_time = cluster_time
        self._suspect = suspect
        self._from_stranger = from_stranger
        self._timeout = membership.settings.master_confirmation_timeout
        self._confirmed: dict[Uuid, Micros] = {}
        """when each other member last confirmed me; empty unless I am master"""

    def start(self) -> None:
        Every(self._env, self._membership.settings.master_confirmation_interval, self._confirm)

    # The follower's side

    def _confirm(self) -> None:
        ms = self._membership
        master = ms.master
        if ms.joined and master is not None and master is not ms.me and master.uuid not in ms.suspected:
            self._env.send(
                master.address, MasterConfirmation(ms.me, master.uuid, ms.view.version, self._cluster_time())
            )

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
        oldest = now - self._timeout
        overdue = [m for m in self._membership.others() if confirmed[m.uuid] <= oldest]
        if overdue:
            self._suspect(overdue, "no master confirmation", {m.uuid: now - confirmed[m.uuid] for m in overdue})

    def _start_afresh(self) -> None:
        now = self._env.now()
        self._confirmed = {member.uuid: now for member in self._membership.others()}

    def on_master_confirmation(self, message: MasterConfirmation) -> None:
        ms, sender = self._membership, message.sender
        if not ms.leads:
            self._env.report(ConfirmationIgnored(sender, "I am not master"))
        elif not ms.is_member(sender) or message.target != ms.me.uuid:
            identity = Identity(sender, ms.me.address, message.version)
            self._from_stranger(identity, "a master confirmation from an unknown endpoint")
        elif self._cluster_time() - message.cluster_time > self._timeout // 2:
            self._env.report(ConfirmationIgnored(sender, "older than half the timeout"))
        else:
            self._confirmed[sender.uuid] = self._env.now()
