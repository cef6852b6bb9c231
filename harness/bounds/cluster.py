"""The longest and shortest times of the protocol, computed from the settings and never typed in seconds.

The checks and the scripts use this one class. Each bound has an allowance for the machine under a world (little in
virtual time). The checks are given it. A script's bounds have none, because its verbs add it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shaketable.harness.bounds.group import MEMBERS, GroupBounds
from shaketable.node.cluster.service.detector import detector_of
from shaketable.node.config import GMS, Settings
from shaketable.node.core.env import Micros


@dataclass(frozen=True, slots=True)
class Bounds:
    settings: Settings
    allowance: Micros = 0
    members: int = MEMBERS
    """that there are at most"""

    def of_so_many(self, nodes: int) -> Bounds:
        """Of a run with these, but never of fewer members than usual."""
        return replace(self, members=nodes) if nodes > self.members else self

    @property
    def group(self) -> GroupBounds:
        """The bounds of a group."""
        return GroupBounds(self.settings, self.allowance, self.members)

    @property
    def crash(self) -> Micros:
        """A process ends: its connections break, and only their grace passes (G)."""
        return self._grace + self._round + self.allowance

    @property
    def first_connection(self) -> Micros:
        """A link to a new member does not come up at first: it has the whole timeout."""
        return self.settings.heartbeat_timeout + self._round + self.allowance

    @property
    def shortest_grace(self) -> Micros:
        """Nobody is suspected for a connection that is gone for less: G, less a round."""
        return max(0, self._grace - self._round)

    @property
    def shortest_first_connection(self) -> Micros:
        """Nobody is suspected sooner for a connection that never was."""
        return max(0, self.settings.heartbeat_timeout - self._round)

    @property
    def silence(self) -> Micros:
        """Nothing comes from a follower any more, or nothing comes to the master: T + H."""
        return self._silence + self.allowance

    @property
    def shortest_silence(self) -> Micros:
        """Nobody is suspected for a shorter silence: T - H."""
        return self.settings.heartbeat_timeout - self.settings.heartbeat_interval

    @property
    def no_confirmation(self) -> Micros:
        """A follower does not confirm its master any more: the timeout for that, checked once a heartbeat round."""
        return self.settings.master_confirmation_timeout + self.settings.heartbeat_interval + self.allowance

    @property
    def shortest_no_confirmation(self) -> Micros:
        """Nobody is suspected for a shorter time without confirmation."""
        return self.settings.master_confirmation_timeout - self.settings.master_confirmation_interval

    @property
    def claim(self) -> Micros:
        """Until the slowest answer of the members in the candidate's own list: T + H."""
        return self._silence + self.allowance

    @property
    def take_over(self) -> Micros:
        """The master is silent to all: the last member notices (T + H), and the candidate asks it once more."""
        return self._silence + self.settings.mastership_claim_longest_retry + self.allowance

    @property
    def lost_publish(self) -> Micros:
        """A member that missed a list gets the next periodic one: P."""
        return self.settings.member_list_publish_interval + self.allowance

    @property
    def hanging_up(self) -> Micros:
        """A link to a former member is dropped: 2H after its end, or after the last word that opened the link."""
        return 2 * self.settings.heartbeat_interval + self.allowance

    @property
    def resolution(self) -> Micros:
        """From the last follower's suspicion until the master's decision: the follower's next heartbeat, then D, then
        the master's next round. H + D + H."""
        return self.settings.partial_disconnection_wait + 2 * self.settings.heartbeat_interval + self.allowance

    @property
    def forming(self) -> Micros:
        """Until all started nodes are one cluster: the longest time that a joiner waits for a master it heard of. If
        joins are batched, it waits for others as well."""
        s = self.settings
        if s.family == GMS:
            return self.group.forming
        batch = 0 if s.async_join else s.max_wait_before_join + s.wait_before_join
        return s.max_join + s.join_patience + s.startup_vote_timeout + s.join_retry + batch + self.allowance

    def settle(self, failing_candidates: int = 0) -> Micros:
        """From the last receipt until all agree on every list: (1 + k) x (2(T + H) + C) + D + P, with k candidates that
        fail after it. With partial member disconnection on, a decision takes D and a round more."""
        s = self.settings
        if s.family == GMS:
            return self.group.settle(failing_candidates)
        once = 2 * self._silence + s.mastership_claim_timeout
        resolution = s.partial_disconnection_wait + s.heartbeat_interval if s.partial_disconnection_wait else 0
        return (1 + failing_candidates) * once + resolution + s.member_list_publish_interval + self.allowance

    def converge(self, clusters: int = 2, up_for: Micros = 0) -> Micros:
        """Until `clusters` clusters have become one, once the last link is whole: settle + (until the first search, by
        a node that has run for `up_for`) + 2 x (clusters - 1) x (interval of the searches: the first may only teach an
        address) + (time in which the target has to admit)."""
        s = self.settings
        first = max(0, s.merge_first_run_delay - up_for)
        return self.settle() + first + 2 * (clusters - 1) * s.merge_next_run_delay + s.max_join_merge_target

    @property
    def operation(self) -> Micros:
        """Until an operation has returned: the time of its retries, then the wait of a write for its backups, and a
        round more."""
        s = self.settings
        return s.operation_timeout + s.backup_timeout + s.heartbeat_interval + self.allowance

    def migrations(self, count: int) -> Micros:
        """`count` migrations of little data, one after the other: an operation's retry pause each. A copy and a commit
        over sound links take much less."""
        return count * self.settings.operation_retry + self.allowance

    def safe(self, failing_candidates: int = 0, migrations: int | None = None) -> Micros:
        """From the last receipt until all is safe again, with little data: settle + (pause after a failed migration) +
        (publish of the table, if one is lost) + 2 x (interval of the backup sync: to see what a backup missed, and that
        it is mended) + migrations. If no number of migrations is given, it is four for each partition."""
        s = self.settings
        count = 4 * s.partition_count if migrations is None else migrations
        table = s.migration_pause + s.partition_table_send_interval + 2 * s.backup_sync_interval
        return self.settle(failing_candidates) + table + count * s.operation_retry

    @property
    def _silence(self) -> Micros:
        """With the detector `phi-accrual`: if the heartbeats came regularly before."""
        return detector_of(self.settings).longest_silence() + self.settings.heartbeat_interval

    @property
    def _grace(self) -> Micros:
        return self.settings.connection_grace

    @property
    def _round(self) -> Micros:
        """Faults of a connection are counted in rounds: the grace ends up to one of them late."""
        return self.settings.connection_monitor_interval
