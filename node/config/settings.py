"""The settings of a node: typed, each with its unit, its default and where it comes from.

Times are whole microseconds inside; outside they are named and given in the unit that the name says
(`heartbeat_interval_seconds = 5`). Hazelcast's property names are accepted for every field that has one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from shaketable.node.config.choices import DEADLINE, GROUP_FAULTS, LEGACY_FAULTS, NO_LEGACY_FAULT, PHI_ACCRUAL
from shaketable.node.config.data import Protected, backup_counts, groups, merge_policies, protected
from shaketable.node.config.fields import SettingError, outside_name, setting, shown, to_inside, to_outside
from shaketable.node.config.gms import GroupSettings
from shaketable.node.config.names import shown_by_name, why_not
from shaketable.node.config.rest import check_host, open_groups
from shaketable.node.core.env import SECOND, Micros

_TEXT: Final = "the text on cluster service consistency"
_REAL: Final = "the real system's default"
_REAL_3_9: Final = "the real system's default in 3.9, which still had it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(GroupSettings):
    cluster_name: str = setting(
        "dev", meaning="a joiner must name the same cluster", source=_REAL, property_name="hazelcast.cluster.name"
    )
    heartbeat_interval: Micros = setting(
        5, unit="seconds", least=0.01, meaning="each member sends a heartbeat to each other this often", source=_REAL,
        property_name="hazelcast.heartbeat.interval.seconds",
    )  # fmt: skip
    heartbeat_timeout: Micros = setting(
        60, unit="seconds", least=0.02, meaning="silence for this long: suspected by followers, removed by the master",
        source=_REAL, property_name="hazelcast.max.no.heartbeat.seconds",
    )  # fmt: skip
    member_list_publish_interval: Micros = setting(
        60, unit="seconds", least=0.01, meaning="the master sends its list to all this often, changed or not",
        source=_TEXT, property_name="hazelcast.member.list.publish.interval.seconds",
    )  # fmt: skip
    legacy_member_list_format: bool = setting(
        False, meaning="member lists are logged in the format before 3.9, without the version", source=_TEXT,
        property_name="hazelcast.legacy.memberlist.format.enabled",
    )  # fmt: skip
    failure_detector: str = setting(
        DEADLINE, choices=(DEADLINE, PHI_ACCRUAL), meaning="how heartbeats that stay out make a member suspected",
        source=_REAL, property_name="hazelcast.heartbeat.failuredetector.type",
    )  # fmt: skip
    phi_accrual_threshold: float = setting(
        10, least=0.1, most=300, meaning="phi-accrual: suspected when phi, the doubt about a member, has reached this",
        source=_REAL, property_name="hazelcast.heartbeat.phiaccrual.failuredetector.threshold",
    )  # fmt: skip
    phi_accrual_sample_size: int = setting(
        200, least=2, most=100_000, meaning="phi-accrual: this many intervals between heartbeats are remembered",
        source=_REAL, property_name="hazelcast.heartbeat.phiaccrual.failuredetector.sample.size",
    )  # fmt: skip
    phi_accrual_min_std_dev: Micros = setting(
        100, unit="millis", least=1, meaning="phi-accrual: intervals are taken to vary by at least this",
        source=_REAL, property_name="hazelcast.heartbeat.phiaccrual.failuredetector.min.std.dev.millis",
    )  # fmt: skip
    master_confirmation_interval: Micros = setting(
        30, unit="seconds", least=0.01, meaning="a follower tells its master that it still follows it this often",
        source=_REAL_3_9, property_name="hazelcast.master.confirmation.interval.seconds",
    )  # fmt: skip
    master_confirmation_timeout: Micros = setting(
        150, unit="seconds", least=0.02, meaning="the master removes a member that has not confirmed it for this long",
        source=_REAL_3_9, property_name="hazelcast.max.no.master.confirmation.seconds",
    )  # fmt: skip
    mastership_claim_timeout: Micros = setting(
        120, unit="seconds", least=0.01, meaning="a member that has not answered a claim by then is left out",
        source=_REAL, property_name="hazelcast.mastership.claim.timeout.seconds",
    )  # fmt: skip
    mastership_claim_retry: Micros = setting(
        10, unit="millis", least=1, meaning="after a refusal for now a member is asked again so soon, then doubling",
        source="our own: the real one repeats five times at once, then from 1 ms doubling to 500 ms",
    )  # fmt: skip
    mastership_claim_longest_retry: Micros = setting(
        500, unit="millis", least=1, meaning="the doubling of mastership_claim_retry ends here", source=_REAL
    )
    connection_monitor_interval: Micros = setting(
        100, unit="millis", least=1, meaning="a lost connection counts one fault this often", source=_REAL,
        property_name="hazelcast.connection.monitor.interval",
    )  # fmt: skip
    connection_monitor_max_faults: int = setting(
        3, least=0, most=1000, source=_REAL,
        meaning="a connection may stay lost for this many times the monitor interval; then its member is suspected",
        property_name="hazelcast.connection.monitor.max.faults",
    )  # fmt: skip
    partial_disconnection_heartbeat_count: int = setting(
        0, least=0, most=1_000_000, source="the text on partial member disconnection",
        meaning="heartbeat rounds after the last change of suspicions, until the master decides who stays; 0: never",
        property_name="hazelcast.partial.member.disconnection.resolution.heartbeat.count",
    )  # fmt: skip
    partial_disconnection_algorithm_timeout: Micros = setting(
        5, unit="seconds", least=0.001, source="the text on partial member disconnection",
        meaning="a decision on a list that takes more work than this is given up, and nobody leaves",
        property_name="hazelcast.partial.member.disconnection.resolution.algorithm.timeout.seconds",
    )  # fmt: skip
    lite_member: bool = setting(False, meaning="this member holds no data", source=_REAL)
    partition_count: int = setting(
        271, least=1, most=100_000, meaning="the data are divided into this many; a joiner must have the same",
        source=_REAL, property_name="hazelcast.partition.count",
    )  # fmt: skip
    maps: str = setting(
        "data=1", meaning="the maps, and how many backups each has, 0 to 6: data=1 precious=3; all must have the same",
        source="the real system's default is 1 backup",
    )  # fmt: skip
    partition_services: str = setting(
        "", may_be_empty=True, source="our own",
        meaning="services of your own that keep data in partitions, beside the maps: package.module:Class",
    )  # fmt: skip
    own_member: str = setting(
        "", may_be_empty=True, source="our own",
        meaning="a member of your own, which runs in the nodes instead of ours: package.module:Class",
    )  # fmt: skip
    own_checks: str = setting(
        "", may_be_empty=True, source="our own",
        meaning="checks of your own, which judge the run beside ours: package.module:NAME",
    )  # fmt: skip
    partition_groups: str = setting(
        "", may_be_empty=True, source="the real system's custom groups",
        meaning="groups (racks) that hold no two replicas of a partition, the same at all members: "
        "127.0.0.1:5701 127.0.0.1:5702; ...",
    )  # fmt: skip
    partition_table_send_interval: Micros = setting(
        15, unit="seconds", least=0.01, meaning="the master sends its partition table this often, changed or not",
        source=_REAL, property_name="hazelcast.partition.table.send.interval",
    )  # fmt: skip
    backup_sync_interval: Micros = setting(
        30, unit="seconds", least=0.01, meaning="owners compare versions with their backups this often, and mend them",
        source=_REAL, property_name="hazelcast.partition.backup.sync.interval",
    )  # fmt: skip
    max_parallel_migrations: int = setting(
        1, least=1, most=1000, meaning="this many partitions are copied at once, in the whole cluster",
        source="the text on migrations: one by one", property_name="hazelcast.partition.max.parallel.migrations",
    )  # fmt: skip
    migration_timeout: Micros = setting(
        300, unit="seconds", least=0.1, meaning="a migration whose data are not copied by then has failed",
        source=_REAL, property_name="hazelcast.partition.migration.timeout",
    )  # fmt: skip
    migration_pause: Micros = setting(
        3, unit="seconds", meaning="after a failed migration the master plans afresh when this is over", source=_REAL
    )
    operation_timeout: Micros = setting(
        60_000, unit="millis", least=1, meaning="an operation is retried so long, then its outcome is unknown",
        source=_REAL, property_name="hazelcast.operation.call.timeout.millis",
    )  # fmt: skip
    operation_retry: Micros = setting(
        500, unit="millis", least=1, meaning="the longest wait before an operation is tried again", source=_REAL,
        property_name="hazelcast.invocation.retry.pause.millis",
    )  # fmt: skip
    backup_timeout: Micros = setting(
        5_000, unit="millis", least=1, meaning="a write is acknowledged without a backup that is silent for this long",
        source=_REAL, property_name="hazelcast.operation.backup.timeout.millis",
    )  # fmt: skip
    merge_policies: str = setting(
        "", may_be_empty=True,
        meaning="what becomes of entries that merge, by map: data=latest-update; else put-if-absent; the same on all",
        source="the real system's policies and its default",
    )  # fmt: skip
    merge_data_patience: Micros = setting(
        300, unit="seconds", least=0.1, source="our own",
        meaning="entries that merge are given up when for so long none of them has found its owner",
    )  # fmt: skip
    split_brain_protection: str = setting(
        "", may_be_empty=True, source="the real system's split-brain protection",
        meaning="least number of data members, by map, for operations on it: data=3 precious=2:writes",
    )  # fmt: skip
    legacy_fault: str = setting(
        NO_LEGACY_FAULT, choices=(NO_LEGACY_FAULT, *LEGACY_FAULTS, *GROUP_FAULTS),
        source="our own: what the texts call broken, and for a group what Shoal does",
        meaning="this node behaves as before the texts in one respect, to show that a check catches it",
    )  # fmt: skip
    merging: bool = setting(
        True, meaning="clusters that find each other become one (split-brain recovery)",
        source="our own: the real system cannot switch it off",
    )  # fmt: skip
    merge_first_run_delay: Micros = setting(
        300, unit="seconds", least=0.01, meaning="after this time a master looks for other parts of its cluster",
        source=_REAL, property_name="hazelcast.merge.first.run.delay.seconds",
    )  # fmt: skip
    merge_next_run_delay: Micros = setting(
        120, unit="seconds", least=0.01, meaning="then it looks again this often", source=_REAL,
        property_name="hazelcast.merge.next.run.delay.seconds",
    )  # fmt: skip
    merge_validation_timeout: Micros = setting(
        10, unit="seconds", least=0.01, source=_REAL,
        meaning="an address that does not answer a search by then is not there; a next run may begin later",
    )  # fmt: skip
    max_join_merge_target: Micros = setting(
        20, unit="seconds", least=0.05, meaning="a merging member asks the target this long, and then anybody",
        source=_REAL, property_name="hazelcast.max.join.merge.target.seconds",
    )  # fmt: skip
    address_retention: Micros = setting(
        14_400, unit="seconds", meaning="addresses of members that have left are remembered this long",
        source="the text on split-brain recovery",
        property_name="hazelcast.tcp.join.previously.joined.member.address.retention.seconds",
    )  # fmt: skip
    port_try_count: int = setting(
        3, least=1, most=1000, meaning="an address without a port is this many ports, from 5701 on", source=_REAL,
        property_name="hazelcast.tcp.join.port.try.count",
    )  # fmt: skip
    tcp_ip_join: bool = setting(
        True, meaning="a node looks for others at the addresses of its join configuration, and at remembered ones",
        source="the real system's tcp-ip join, where it is switched on",
    )  # fmt: skip
    cluster_password: str = setting(
        "", may_be_empty=True, secret=True, source="our own: none, and without one CLUSTER_WRITE stays closed",
        meaning="a change of the join configuration over HTTP has to give it; never shown or recorded",
    )  # fmt: skip
    rest_enabled: bool = setting(
        False, meaning="a node answers HTTP requests about its join configuration (docs/rest.md)", source=_REAL
    )
    rest_groups: str = setting(
        "", may_be_empty=True, source="our own: none is open",
        meaning="the groups of such requests that are open: CLUSTER_READ to read, CLUSTER_WRITE to change",
    )  # fmt: skip
    rest_host: str = setting(
        "127.0.0.1", meaning="where it listens for them: this machine alone, or another address of it, or 0.0.0.0",
        source="our own: the real one listens at the member's address",
    )  # fmt: skip
    rest_port: int = setting(
        0, most=65_000, meaning="the first node's port for them; each further node takes the next; 0: any free ports",
        source="our own: the real one has them at the member's port",
    )  # fmt: skip
    rest_request_timeout: Micros = setting(
        10, unit="seconds", least=0.05, meaning="a request that is not complete by then is answered 408 and cut off",
        source="our own",
    )  # fmt: skip
    member_list_change_timeout: Micros = setting(
        10, unit="seconds", least=0.05, source="our own",
        meaning="a changed join configuration: a member that has not taken it by then is named in the answer",
    )  # fmt: skip
    async_join: bool = setting(
        True, meaning="the master admits joiners one by one; else in batches, by the two waiting times before join",
        source=_REAL, property_name="hazelcast.async.join.strategy.enabled",
    )  # fmt: skip
    wait_before_join: Micros = setting(
        5, unit="seconds", meaning="in batches: each new joiner makes the master wait this long for more", source=_REAL,
        property_name="hazelcast.wait.seconds.before.join",
    )  # fmt: skip
    max_wait_before_join: Micros = setting(
        20, unit="seconds", meaning="in batches: a joiner waits no longer than this, however many come after it",
        source=_REAL, property_name="hazelcast.max.wait.seconds.before.join",
    )  # fmt: skip
    stale_join_prevention: Micros = setting(
        30, unit="seconds", meaning="a join request of a member that joined within this time is ignored",
        source=_REAL, property_name="hazelcast.stale.join.prevention.duration.seconds",
    )  # fmt: skip
    join_retry: Micros = setting(
        1,
        unit="seconds",
        least=0.01,
        meaning="a joiner repeats its question or request this often",
        source=_REAL,
    )
    join_patience: Micros = setting(
        5, unit="seconds", least=0.05, meaning="a joiner looks for a master this long before it founds a cluster",
        source="the real system's connection timeout of the tcp-ip join",
    )  # fmt: skip
    startup_vote_timeout: Micros = setting(
        10,
        unit="seconds",
        least=0.05,
        meaning="a node that has not answered the start-up vote by then has not consented",
        source=_REAL,
    )
    max_join: Micros = setting(
        300, unit="seconds", least=0.1, meaning="a joiner that saw signs of life waits this long for a master's answer",
        source=_REAL, property_name="hazelcast.max.join.seconds",
    )  # fmt: skip
    graceful_shutdown_max_wait: Micros = setting(
        600, unit="seconds", least=0.1, meaning="a leaving member waits this long for an answer", source=_REAL,
        property_name="hazelcast.graceful.shutdown.max.wait",
    )  # fmt: skip
    leave_retry: Micros = setting(
        1, unit="seconds", least=0.01, meaning="a leaving member repeats its request this often", source=_REAL
    )

    @property
    def backup_counts(self) -> Mapping[str, int]:
        """Of each map; in the order in which the setting names them."""
        return backup_counts(self.maps)

    @property
    def policies(self) -> Mapping[str, str]:
        """By map, the name of what decides on its entries that merge; those without one are not in it."""
        return merge_policies(self.merge_policies)

    @property
    def protected(self) -> Mapping[str, Protected]:
        return protected(self.split_brain_protection)

    @property
    def groups(self) -> Mapping[str, int]:
        """By address, the number of the configured group that it is in."""
        return groups(self.partition_groups)

    @property
    def connection_grace(self) -> Micros:
        """A lost connection is borne this long (three faults, 100 ms apart) before the peer is suspected."""
        return self.connection_monitor_interval * self.connection_monitor_max_faults

    @property
    def partial_disconnection_wait(self) -> Micros:
        """From the last news of who suspects whom until the master decides: so many rounds, but no longer than a
        heartbeat timeout. 0: it never does."""
        return min(self.partial_disconnection_heartbeat_count * self.heartbeat_interval, self.heartbeat_timeout)

    def warnings(self) -> list[str]:
        """What is accepted, and why it may not be wise."""
        count = self.partial_disconnection_heartbeat_count
        if count not in (1, 2):
            return []
        risk = "the master may decide before all have told whom they suspect, and remove more members than it must"
        return [f"partial_disconnection_heartbeat_count = {count}: {risk}; give at least 3"]

    def check(self) -> None:
        """The fields fit each other; each one's own range is checked where it is read."""
        if self.heartbeat_timeout < 2 * self.heartbeat_interval:
            raise SettingError(
                f"heartbeat_timeout_seconds = {self.heartbeat_timeout / SECOND:g} must be at least twice "
                f"heartbeat_interval_seconds = {self.heartbeat_interval / SECOND:g}, or sound members are suspected"
            )
        if self.master_confirmation_timeout < 2 * self.master_confirmation_interval:
            raise SettingError(
                f"master_confirmation_timeout_seconds = {self.master_confirmation_timeout / SECOND:g} must be at least "
                f"twice master_confirmation_interval_seconds = {self.master_confirmation_interval / SECOND:g}, "
                "or sound members are removed"
            )
        if self.max_wait_before_join < self.wait_before_join:
            raise SettingError(
                f"max_wait_before_join_seconds = {self.max_wait_before_join / SECOND:g} must be at least "
                f"wait_before_join_seconds = {self.wait_before_join / SECOND:g}"
            )
        backup_counts(self.maps)
        groups(self.partition_groups)
        for name, maps in (("merge_policies", self.policies), ("split_brain_protection", self.protected)):
            unknown = next((each for each in maps if each not in self.backup_counts), None)
            if unknown is not None:
                raise SettingError(f"{name} = {getattr(self, name)!r}: there is no map {unknown}; maps = {self.maps!r}")
        if "CLUSTER_WRITE" in open_groups(self.rest_groups) and not self.cluster_password:
            raise SettingError(f"rest_groups = {self.rest_groups!r}: CLUSTER_WRITE needs a cluster_password")
        check_host(self.rest_host)
        self.check_group(self.rest_enabled, self.legacy_fault)
        if self.max_join < self.join_patience:
            raise SettingError(
                f"max_join_seconds = {self.max_join / SECOND:g} must be at least "
                f"join_patience_seconds = {self.join_patience / SECOND:g}"
            )

    def outside(self) -> dict[str, str | int | float | bool]:
        """By the outside names and in their units, as `with_values` takes them; for people and for recordings: what is
        secret is hidden."""
        return dict(_outside(self))

    def with_secrets(self) -> dict[str, str | int | float | bool]:
        """For a node alone."""
        return {name: to_outside(f, getattr(self, f.name)) for name, f in BY_OUTSIDE_NAME.items()}

    def with_values(self, values: Mapping[str, object]) -> Settings:
        """A copy with these values, by our names with their unit or by Hazelcast's property names."""
        if not values:
            return self
        changed: dict[str, Any] = {f.name: to_inside(f, name, value) for f, name, value in named(values)}
        settings = dataclasses.replace(self, **changed) if changed else self
        settings.check()
        return settings


@lru_cache(maxsize=64)
def _outside(settings: Settings) -> dict[str, str | int | float | bool]:
    """Of thousands of simulated runs each begins with the same ones."""
    return {name: shown(f, value) for (name, value), f in zip(settings.with_secrets().items(), _FIELDS, strict=True)}


_FIELDS: Final = sorted(dataclasses.fields(Settings), key=lambda f: hasattr(GroupSettings, f.name))
"""those of a cluster first"""
BY_OUTSIDE_NAME: Final = {outside_name(f): f for f in _FIELDS}
BY_PROPERTY: Final = {f.metadata["property"]: f for f in _FIELDS if f.metadata["property"]}


def named(values: Mapping[str, object]) -> Iterator[tuple[dataclasses.Field[Any], str, object]]:
    """Each value with the setting that its name stands for. To name one twice within one source is a mistake."""
    given: dict[str, bool] = {}
    for name, value in values.items():
        known = BY_OUTSIDE_NAME.get(name) or BY_PROPERTY.get(name)
        if known is None:
            raise SettingError(
                f"{name} = {shown_by_name(name, value)}: {why_not(name, [*BY_OUTSIDE_NAME, *BY_PROPERTY])}"
            )
        if known.name in given:
            raise SettingError(
                f"{name} = {shown(known, value)}: {outside_name(known)} is given already, by its other name"
            )
        given[known.name] = True
        yield known, name, value
