"""The failure detector's heartbeats: each member sends one to each other that it does not suspect, once an interval.

From text 1.2. One timer serves the round over all peers. The failure detector says whose silence is too long. A round
that finds itself late by more than half the timeout (a pause, a jump of the clock) first starts all deadlines afresh.
Without that a woken master would expel everybody at once. A heartbeat older than half the timeout, by the cluster's
time, is ignored. The cluster's time is the master's clock, learned from the heartbeats that come while the member is
surely awake (rulings 7.3). A member that hears the master late has a clock that lags by as much. If the way there and
the way back take a quarter of the timeout each, a sound heartbeat seems to be half the timeout old and a little more.
So half an interval more is allowed.

With partial member disconnection on, a follower's heartbeat to its master tells which members it suspects. By the text
these are the members that are silent or whose connection is lost. A member that left and said so is no broken link. The
master itself notices that member's silence. (The real system tells of it too, and removes the member that was told.)"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from shaketable.node.cluster.service.complaint import Complaints
from shaketable.node.cluster.service.detector import FailureDetector
from shaketable.node.cluster.service.suspicion import Suspicion
from shaketable.node.cluster.service.views import Membership
from shaketable.node.core.env import Micros
from shaketable.node.events import RoundLate, StaleHeartbeat
from shaketable.node.messages import Heartbeat, Identity, Member, Uuid
from shaketable.node.why import Why, because


class Listens(Protocol):
    """Partial member disconnection, as heartbeats know it."""

    def reported(self, reporter: Member, suspected: Sequence[Member]) -> None:
        """With a heartbeat of a follower: all whom it suspects now."""


class Heartbeats:
    def __init__(
        self,
        membership: Membership,
        *,
        detector: FailureDetector,
        suspicion: Suspicion,
        complaints: Complaints,
        disconnection: Listens,
    ) -> None:
        self._membership = membership
        self._env = membership.env
        self._detector = detector
        self._suspicion = suspicion
        self._complaints = complaints
        self._disconnection = disconnection
        self._shares = membership.settings.partial_disconnection_heartbeat_count > 0
        """a follower tells its master whom it suspects, and the master listens"""
        self._interval = membership.settings.heartbeat_interval
        self._half_timeout = membership.settings.heartbeat_timeout // 2
        self._stale_after = self._half_timeout + self._interval // 2
        self._stale: dict[Uuid, bool] = {}
        self._clock_of: Uuid | None = None
        """the master whose clock the cluster's is; None: the own clock may have jumped. The next word of another one,
        or of any, sets the cluster's time, however old it looks"""
        # A jump of the clock shows as a lateness that is up to an interval less than it.
        self._borne_lateness = min(self._interval, self._half_timeout - self._interval)
        self._due: Micros = 0
        self._overslept: Micros = 0
        """after this the next round starts all deadlines afresh, and it cannot be told when a heartbeat really came"""
        self._awake_from: Micros = 0
        """what comes before may have waited while I slept: old as it looks, it does not say what the time is now"""

    def start(self) -> None:
        self._due = self._env.now() + self._interval
        self._overslept = self._due + self._half_timeout

    def members_changed(self, added: Iterable[Member], removed: Iterable[Member]) -> None:
        """A new member is taken to be alive now, and learns at once that I am alive."""
        now = self._env.now()
        for member in removed:
            self._detector.forget(member.uuid)
            self._stale.pop(member.uuid, None)
        for member in added:
            self._detector.expect(member.uuid, now)
        self._send_to(added)

    def round(self) -> Micros:
        """How late it is."""
        now = self._env.now()
        lateness = now - self._due
        self._due = due = now + self._interval
        self._overslept = due + self._half_timeout
        if lateness > self._borne_lateness:
            self._late(lateness, now)
        if not self._membership.joined:
            return lateness
        silent = self._detector.silent(self._membership.peers, now)
        if silent:
            silences = {peer.uuid: silence for peer, silence in silent}
            self._suspicion.suspect([peer for peer, _ in silent], because(Why.NO_HEARTBEAT), silences)
        self._send_to(self._membership.peers)
        return lateness

    def _late(self, lateness: Micros, now: Micros) -> None:
        self._clock_of = None
        self._awake_from = now + self._interval // 2
        if lateness > self._interval:
            afresh = lateness > self._half_timeout
            self._env.report(RoundLate(lateness, afresh))
            if afresh:
                self._detector.afresh(now)

    def _send_to(self, peers: Iterable[Member]) -> None:
        ms, send = self._membership, self._env.send
        me, version, time = ms.me, ms.view.version, ms.cluster_time()
        master = ms.master.address if ms.master is not None else None
        if not self._shares or not ms.suspected:
            for peer in peers:
                send(peer.address, Heartbeat(me, peer.uuid, master, version, time))
            return
        told_of = ms.cut_off()
        for peer in peers:
            told = told_of if peer.address == master else ()
            send(peer.address, Heartbeat(me, peer.uuid, master, version, time, told))

    def on_heartbeat(self, message: Heartbeat) -> None:
        ms = self._membership
        sender = message.sender
        uuid = sender.uuid
        known = ms.known.get(uuid)
        if known is None or known.address != sender.address or message.target != ms.me.uuid:
            self._on_invalid(message)
            return
        now = self._env.now()
        master = ms.master
        from_master = master is not None and master.uuid == uuid and master.address == known.address
        age = now + ms.clock_offset - message.cluster_time
        if age > self._stale_after and not (from_master and self._may_set_the_clock(uuid, now)):
            if uuid not in self._stale:
                self._stale[uuid] = True
                self._env.report(StaleHeartbeat(sender, age))
            return
        if from_master and not self._may_have_waited(now):
            ms.clock_offset = message.cluster_time - now
            self._clock_of = uuid
        if self._stale:
            self._stale.pop(uuid, None)
        if uuid in ms.suspected:
            self._detector.expect(uuid, now)
            self._suspicion.heard_from(sender, because(Why.HEARTBEAT))
        elif now > self._overslept:
            self._detector.expect(uuid, now)
        else:
            self._detector.heartbeat(uuid, now)
        if master is ms.me and self._shares and message.master == ms.me.address:
            # Nobody tells any but its master: that others name nobody here is no all clear.
            self._disconnection.reported(known, message.suspected)

    def _may_set_the_clock(self, master: Uuid, now: Micros) -> bool:
        return self._clock_of != master and not self._may_have_waited(now)

    def _may_have_waited(self, now: Micros) -> bool:
        """A message that comes now came earlier, while I slept: my round is late, or was very late just now."""
        return now < self._awake_from or now > self._due

    def _on_invalid(self, message: Heartbeat) -> None:
        """From an unknown endpoint, or meant for an earlier incarnation of this one."""
        ms = self._membership
        if not ms.joined and message.target == ms.me.uuid:
            return
        stranger = Identity(message.sender, message.master, message.version)
        if not ms.joined or ms.leads:
            self._suspicion.explicitly_suspect(stranger, because(Why.STRANGE_HEARTBEAT))
        else:
            self._complaints.complain(stranger)
