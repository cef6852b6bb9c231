"""How long a group may take, computed from its settings (rulings 5.2 to 5.5), and how many heartbeats it may cost.

With period P, K missed, verify V, probe R, counted from the last heartbeat that was received: suspected within
[KP, (K+1)P + R], announced [V, V+R] later. The rest adds what the steps of node/gms/succession.py add.
docs/group-rules.md has the formulas in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shaketable.node.config import ALL_TO_ALL, INFERRED, MASTER_AND_LIKELY, RING, Settings
from shaketable.node.core.env import Micros

RINGS: Final = (RING, INFERRED)


@dataclass(frozen=True, slots=True)
class GroupBounds:
    settings: Settings
    allowance: Micros = 0

    @property
    def shortest_suspicion(self) -> Micros:
        """Nobody is suspected sooner after its last heartbeat: KP."""
        return self.settings.detection_window

    @property
    def suspicion(self) -> Micros:
        """Its monitor's next look, and a probe that fails: (K+1)P + R."""
        return self._suspicion + self.allowance

    @property
    def shortest_verification(self) -> Micros:
        """V: the second probe may fail at once."""
        return self.settings.gms_verify_timeout

    @property
    def verification(self) -> Micros:
        """From INDOUBT to the failure that is announced, or the end of the doubt: V + R."""
        return self._verification + self.allowance

    @property
    def report(self) -> Micros:
        """A ring's monitor tells the master, one hop more: a report that is not taken within V counts for nothing."""
        return self._report + self.allowance

    @property
    def unheard_master(self) -> Micros:
        """Who expects no heartbeat of the master, or whose ring is broken, asks for a sign after two detection windows:
        2KP + P + R."""
        return self._unheard + self.allowance

    def failure(self, neighbours: int = 1) -> Micros:
        """From the crash of a member until its failure is told. In a ring each of so many that are dead in a row is
        watched by the next one of them, and so found only when that one is gone."""
        in_a_row = neighbours if self.settings.gms_detection in RINGS else 1
        return in_a_row * (self._suspicion + self._report + self._verification) + self.allowance

    def take_over(self, dead_candidates: int = 0) -> Micros:
        """From the crash of the master until its successor has told so and that it failed: it is missed; in a ring the
        candidate is told, and probes it; so many candidates that are dead too take no report for V each; INDOUBT is
        verified; and one more member is asked, which probes it as well."""
        s = self.settings
        told = self._report + s.gms_probe_timeout if s.gms_detection in RINGS else 0
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
        """And until those are found who crashed with it: candidates are verified at once, for others the new master's
        time begins."""
        verified = self._verification if candidates else 0
        missed = GroupBounds(self.settings).failure(others) if others else 0
        return self.take_over(candidates) + max(verified, missed)

    @property
    def heal(self) -> Micros:
        """From the moment when the links between the parts are whole until there is one group: each master asks once a
        detection window, and may do so just before a link is up; the members of who yields ask to be added."""
        s = self.settings
        return 2 * s.detection_window + 2 * s.discovery_retry + self.allowance

    @property
    def forming(self) -> Micros:
        """Who starts looks for a master, and leaves another one that starts as long again to found the group; two that
        founded one each meet as after a split."""
        s = self.settings
        return 3 * s.discovery_timeout + s.discovery_retry + self.heal

    def settle(self, failing: int = 0) -> Micros:
        """From the last receipt until all hold one view: the master is followed by another, one more member has failed,
        and what had come apart is one again. `failing`: members and candidates more that fail after it."""
        bare = GroupBounds(self.settings)
        return bare.take_over(1 + failing) + bare.failure(1 + failing) + bare.heal + self.allowance

    @property
    def shutdown(self) -> Micros:
        """Until who shuts down is off the view, or stops waiting for that."""
        return self.settings.gms_shutdown_patience + self.allowance

    def heartbeats(self, members: int) -> tuple[int, int]:
        """The fewest and the most in a period, by all together, when nothing changes."""
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
        return s.detection_window + s.gms_heartbeat_period + s.gms_probe_timeout

    @property
    def _report(self) -> Micros:
        return self.settings.gms_verify_timeout if self.settings.gms_detection in RINGS else 0

    @property
    def _verification(self) -> Micros:
        return self.settings.gms_verify_timeout + self.settings.gms_probe_timeout
