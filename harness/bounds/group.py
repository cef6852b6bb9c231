"""The longest and shortest times of a group, computed from its settings (rulings 5.2 to 5.5), and its heartbeats.

With period P, K missed, verify V and probe R, counted from the last heartbeat that was received: a member is suspected
within [KP, (K+1)P + R], and announced [V, V+R] later. The rest adds the steps of node/gms/succession.py.
docs/group-rules.md has the formulas in words.

Under SWIM no silence is watched. With N members, ping timeout D and suspicion time S, a crashed member is pinged by
somebody within 2(N-1)-1 periods, even if all had just pinged it; that ping has failed 3D later. S replaces the second
probe. Under Lifeguard members that take themselves for slow need up to 1 + `health` times longer to ping."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from shaketable.node.config import ALL_TO_ALL, INFERRED, MASTER_AND_LIKELY, RING, Settings
from shaketable.node.core.env import Micros

RINGS: Final = (RING, INFERRED)
MEMBERS: Final = 10
"""of a group, where nobody says how many there are"""


@dataclass(frozen=True, slots=True)
class GroupBounds:
    settings: Settings
    allowance: Micros = 0
    members: int = MEMBERS
    """that there are at most: under SWIM times depend on it"""
    health: int | None = None
    """how slow members take themselves to be at most; None: as slow as the settings allow"""

    @property
    def bare(self) -> GroupBounds:
        """The same without the allowance."""
        return replace(self, allowance=0)

    @property
    def shortest_suspicion(self) -> Micros:
        """Nobody is suspected sooner after its last heartbeat: KP, or under SWIM 3D."""
        s = self.settings
        return 3 * s.swim_ping_timeout if s.swims else s.detection_window

    @property
    def suspicion(self) -> Micros:
        """The monitor's next look, and a probe that fails: (K+1)P + R."""
        return self._suspicion + self.allowance

    @property
    def shortest_verification(self) -> Micros:
        """V: the second probe may fail at once. Under SWIM there is one if another incarnation was heard in time."""
        s = self.settings
        return min(s.suspicion_wait(1), s.gms_verify_timeout) if s.swims else s.gms_verify_timeout

    @property
    def verification(self) -> Micros:
        """From INDOUBT until the failure is announced, or the doubt ends: V + R, under SWIM S."""
        return self._verification + self.allowance

    @property
    def report(self) -> Micros:
        """A monitor that is not the master tells it, one hop more. A report that is not taken within V does not
        count."""
        return self._report + self.allowance

    @property
    def unheard_master(self) -> Micros:
        """A member that expects no heartbeat of the master, or whose ring is broken, asks for a sign after two
        detection windows: 2KP + P + R."""
        return self._unheard + self.allowance

    def failure(self, neighbours: int = 1) -> Micros:
        """From the crash of a member until its failure is told. In a ring, each of `neighbours` dead members in a row
        is found only when the next one is gone, which watches it."""
        in_a_row = neighbours if self.settings.gms_detection in RINGS else 1
        return in_a_row * (self._suspicion + self._report + self._verification) + self.allowance

    def take_over(self, dead_candidates: int = 0) -> Micros:
        """From the crash of the master until its successor has told that it leads and that the master failed. The
        master is missed. In a ring the candidate is told, and probes it. Each dead candidate takes no report for V.
        INDOUBT is verified. One more member is asked, which probes it as well."""
        s = self.settings
        told = self._report + s.gms_probe_timeout if self._report else 0
        asked = s.gms_probe_timeout + s.gms_verify_timeout
        return (
            self._missed(dead_candidates)
            + told
            + dead_candidates * s.gms_verify_timeout
            + self._verification
            + asked
            + self.allowance
        )

    def take_over_and_failures(self, candidates: int = 0, others: int = 0) -> Micros:
        """The same, and until members that crashed with the master are found. Candidates are verified at once. For
        others the new master's time begins."""
        verified = self._verification if candidates else 0
        missed = self.bare.failure(others) if others else 0
        return self.take_over(candidates) + max(verified, missed)

    @property
    def heal(self) -> Micros:
        """From the moment when the links between the parts are whole until there is one group. Each master asks once a
        detection window, and may do so just before a link is up. The members of the master that yields ask to be
        added."""
        s = self.settings
        return 2 * s.detection_window + 2 * s.discovery_retry + self.allowance

    @property
    def forming(self) -> Micros:
        """A member that starts looks for a master, and lets another member found the group for as long again. Two
        groups that are founded so merge as after a split."""
        s = self.settings
        return 3 * s.discovery_timeout + s.discovery_retry + self.heal

    def settle(self, failing: int = 0) -> Micros:
        """From the last receipt until all hold one view: another master follows, one more member has failed, and parts
        are one again. `failing`: members and candidates that fail after it."""
        bare = self.bare
        return bare.take_over(1 + failing) + bare.failure(1 + failing) + bare.heal + self.allowance

    def settle_without(self, missing: int) -> Micros:
        """The same in a group that misses so many members. Two of them are in `group.settle` already."""
        return self.settle(max(0, missing - 2))

    @property
    def shutdown(self) -> Micros:
        """Until a member that shuts down is off the view, or stops waiting for that."""
        return self.settings.gms_shutdown_patience + self.allowance

    def heartbeats(self, members: int) -> tuple[int, int]:
        """The fewest and the most heartbeats in a period, of all members together, when nothing changes. Under SWIM the
        pings are the heartbeats; the same number of answers comes on top."""
        others = members - 1
        if others <= 0:
            return 0, 0
        most = {
            ALL_TO_ALL: members * others,
            MASTER_AND_LIKELY: others + min(self.settings.likely_successors, others),
        }.get(self.settings.gms_detection, members)
        return 0 if self.settings.gms_detection == INFERRED else most, most

    def _missed(self, dead_candidates: int) -> Micros:
        """Until a member that lives has missed the master: somebody who watches it, if one is left."""
        s = self.settings
        if s.swims:
            return self._suspicion
        watchers = {ALL_TO_ALL: dead_candidates + 1, MASTER_AND_LIKELY: s.likely_successors}.get(s.gms_detection, 1)
        if dead_candidates < watchers:
            return self._suspicion
        return self._unheard

    @property
    def _unheard(self) -> Micros:
        return self._suspicion + self.settings.detection_window

    @property
    def _suspicion(self) -> Micros:
        s = self.settings
        if s.swims:
            return s.longest_unpinged(self.members, s.worst_health if self.health is None else self.health)
        return s.detection_window + s.gms_heartbeat_period + s.gms_probe_timeout

    @property
    def _report(self) -> Micros:
        s = self.settings
        return s.gms_verify_timeout if s.gms_detection in RINGS or s.swims else 0

    @property
    def _verification(self) -> Micros:
        s = self.settings
        return s.suspicion_wait(self.members) if s.swims else s.gms_verify_timeout + s.gms_probe_timeout
