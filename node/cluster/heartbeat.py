"""The failure detector's heartbeats: each member to each other that it does not suspect, once an interval.

From the text on cluster service consistency ("Heartbeat", "Heartbeat timeout"). One timer serves the round over all
peers. A round that finds itself late by more than half the timeout (a pause, a jump of the clock) first starts all
deadlines afresh: without that a woken master expels everybody at once. A heartbeat older than half the timeout, by
the cluster's time, is ignored; the cluster's time is the master's clock, learned from its heartbeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from shaketable.node.cluster.views import Membership
from shaketable.node.env import Micros
from shaketable.node.events import RoundLate, StaleHeartbeat
from shaketable.node.messages import Heartbeat, Identity, Member, Uuid


class Heartbeats:
    def __init__(
        self,
        membership: Membership,
        suspect: Callable[[Sequence[Member], str, Mapping[Uuid, Micros]], None],
        heard_from: Callable[[Member, str], None],
        from_stranger: Callable[[Identity, str], None],
        complain: Callable[[Identity], None],
    ) -> None:
        self._membership = membership
        self._env = membership.env
        self._suspect = suspect
        self._heard_from = heard_from
        self._from_stranger = from_stranger
        self._complain = complain
        self._interval = membership.settings.heartbeat_interval
        self._timeout = membership.settings.heartbeat_timeout
        self._last_heard: dict[Uuid, Micros] = {}
        self._stale: dict[Uuid, bool] = {}
        self._clock_offset: Micros = 0
        self._clock_in_doubt = False
        """the own clock may have jumped: the next word of the master sets the cluster's time, however old it looks"""
        self._due: Micros = 0

    def start(self) -> None:
        self._due = self._env.now() + self._interval

    def cluster_time(self) -> Micros:
        return self._env.now() + self._clock_offset

    def set_cluster_time(self, time: Micros) -> None:
        self._clock_offset = time - self._env.now()

    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        """Who is new is taken to be alive now, and learns at once that I am."""
        now = self._env.now()
        for member in removed:
            self._last_heard.pop(member.uuid, None)
            self._stale.pop(member.uuid, None)
        for member in added:
            self._last_heard[member.uuid] = now
        self._send_to(added)

    def start_deadlines_afresh(self) -> None:
        now = self._env.now()
        for uuid in self._last_heard:
            self._last_heard[uuid] = now

    def round(self) -> Micros:
        """How late it is."""
        now = self._env.now()
        lateness = now - self._due
        self._due = now + self._interval
        # A jump of the clock shows as a lateness that is up to an interval less than it.
        if lateness > self._timeout // 2 - self._interval:
            self._clock_in_doubt = True
        if lateness > self._interval:
            afresh = lateness > self._timeout // 2
            self._env.report(RoundLate(lateness, afresh))
            if afresh:
                self.start_deadlines_afresh()
        if not self._membership.joined:
            return lateness
        oldest = now - self._timeout
        last_heard = self._last_heard
        silent = [peer for peer in self._membership.peers if last_heard[peer.uuid] <= oldest]
        if silent:
            self._suspect(silent, "no heartbeat", {peer.uuid: now - last_heard[peer.uuid] for peer in silent})
        self._send_to(self._membership.peers)
        return lateness

    def _send_to(self, peers: Iterable[Member]) -> None:
        ms, send = self._membership, self._env.send
        me, version, time = ms.me, ms.view.version, self.cluster_time()
        master = ms.master.address if ms.master is not None else None
        for peer in peers:
            send(peer.address, Heartbeat(me, peer.uuid, master, version, time))

    def on_heartbeat(self, message: Heartbeat) -> None:
        ms = self._membership
        sender = message.sender
        uuid = sender.uuid
        known = ms.known.get(uuid)
        if known is None or known.address != sender.address or message.target != ms.me.uuid:
            self._on_invalid(message)
            return
        now = self._env.now()
        from_master = ms.master is known or ms.master == known
        age = now + self._clock_offset - message.cluster_time
        if age > self._timeout // 2 and not (from_master and self._clock_in_doubt):
            if uuid not in self._stale:
                self._stale[uuid] = True
                self._env.report(StaleHeartbeat(sender, age))
            return
        if from_master:
            self._clock_offset = message.cluster_time - now
            self._clock_in_doubt = False
        if self._stale:
            self._stale.pop(uuid, None)
        self._last_heard[uuid] = now
        if uuid in ms.suspected:
            self._heard_from(sender, "heartbeat")

    def _on_invalid(self, message: Heartbeat) -> None:
        """From an unknown endpoint, or meant for an earlier incarnation of this one."""
        ms = self._membership
        if not ms.joined and message.target == ms.me.uuid:
            return
        stranger = Identity(message.sender, message.master, message.version)
        if not ms.joined or ms.leads:
            self._from_stranger(stranger, "a heartbeat from an unknown endpoint")
        else:
            self._complain(stranger)
