"""Our settings as Hazelcast's configuration."""

from __future__ import annotations

import pytest

from shaketable.harness.systems.hazelcast.settings import maps, properties, why_not
from shaketable.node.config import FAST, Settings


def of(**values: object) -> Settings:
    return Settings().with_values(values)


def test_times_are_whole_and_never_shorter() -> None:
    told = properties(FAST)
    assert told["hazelcast.heartbeat.interval.seconds"] == "1"
    assert told["hazelcast.max.no.heartbeat.seconds"] == "3"
    assert told["hazelcast.master.confirmation.interval.seconds"] == "2"
    assert told["hazelcast.connection.monitor.interval"] == "100"


def test_each_value_as_hazelcast_writes_it() -> None:
    told = properties(of(failure_detector="phi-accrual", phi_accrual_threshold=8.5, async_join=False))
    assert told["hazelcast.heartbeat.failuredetector.type"] == "phi-accrual"
    assert told["hazelcast.heartbeat.phiaccrual.failuredetector.threshold"] == "8.5"
    assert told["hazelcast.async.join.strategy.enabled"] == "false"
    assert told["hazelcast.wait.seconds.before.join"] == "5"


def test_nobody_waits_for_joiners_where_they_join_one_by_one() -> None:
    assert properties(of())["hazelcast.wait.seconds.before.join"] == "0"
    assert properties(of())["hazelcast.max.wait.seconds.before.join"] == "0"


def test_merging_that_is_off_begins_never() -> None:
    name = "hazelcast.merge.first.run.delay.seconds"
    assert properties(of())[name] == "300"
    assert int(properties(of(merging=False))[name]) > 10 * 24 * 3600


def test_what_is_no_property_is_not_among_them() -> None:
    assert "hazelcast.cluster.name" not in properties(of(cluster_name="shaken"))
    assert all(name.startswith("hazelcast.") for name in properties(of()))


def test_maps() -> None:
    told = maps(
        of(maps="data=1 precious=3", merge_policies="data=latest-update", split_brain_protection="precious=2:writes")
    )
    assert told == {
        "data": {"backups": 1, "merge": "com.hazelcast.spi.merge.LatestUpdateMergePolicy"},
        "precious": {"backups": 3, "least": 2, "protects": "WRITE"},
    }
    assert maps(of(split_brain_protection="data=3"))["data"]["protects"] == "READ_WRITE"


@pytest.mark.parametrize(
    "values",
    [
        {"legacy_fault": "stale overwrite"},
        {"own_member": "module:Class"},
        {"partition_services": "module:Class"},
        {"partition_groups": "127.0.0.1:5701 127.0.0.1:5702"},
        {"rest_enabled": True},
        {"tcp_ip_join": False},
        {"merge_policies": "data=module:Policy"},
    ],
    ids=lambda values: next(iter(values)),
)
def test_what_it_cannot_have(values: dict[str, object]) -> None:
    assert why_not(of(**values)).startswith("a Hazelcast member ")


def test_it_can_have_the_default_preset_and_has_no_parts_of_a_second() -> None:
    assert why_not(of()) == ""
    assert why_not(FAST) == "Hazelcast takes whole seconds: heartbeat_interval_seconds = 0.25"
