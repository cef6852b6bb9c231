"""Settings: a wrong value names the field, the value and what would be right; Hazelcast's names are accepted."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest
from tests.where import ROOT

from shaketable.node.config import (
    DEFAULT,
    FAST,
    PRESETS,
    UNITS,
    WITHOUT_EFFECT,
    SettingError,
    Settings,
    outside_name,
    read_settings,
)
from shaketable.node.core.env import MILLISECOND, SECOND

FIELDS = dataclasses.fields(Settings)
TIMES = [f for f in FIELDS if f.metadata["unit"] in UNITS]
NUMBERS = [f for f in FIELDS if f.type not in ("str", "bool")]
CHOICES = [f for f in FIELDS if f.metadata["choices"]]
TRUTHS = [f for f in FIELDS if f.type == "bool"]


def ids(fields: list[dataclasses.Field[object]]) -> list[str]:
    return [f.name for f in fields]


# The values of the text, and of hazelcast.md where it is silent.
DEFAULTS = {
    "hazelcast.heartbeat.interval.seconds": ("heartbeat_interval", 5 * SECOND),
    "hazelcast.max.no.heartbeat.seconds": ("heartbeat_timeout", 60 * SECOND),
    "hazelcast.member.list.publish.interval.seconds": ("member_list_publish_interval", 60 * SECOND),
    "hazelcast.mastership.claim.timeout.seconds": ("mastership_claim_timeout", 120 * SECOND),
    "hazelcast.connection.monitor.interval": ("connection_monitor_interval", 100 * MILLISECOND),
    "hazelcast.connection.monitor.max.faults": ("connection_monitor_max_faults", 3),
    "hazelcast.max.join.seconds": ("max_join", 300 * SECOND),
    "hazelcast.merge.first.run.delay.seconds": ("merge_first_run_delay", 300 * SECOND),
    "hazelcast.merge.next.run.delay.seconds": ("merge_next_run_delay", 120 * SECOND),
    "hazelcast.max.join.merge.target.seconds": ("max_join_merge_target", 20 * SECOND),
    "hazelcast.tcp.join.port.try.count": ("port_try_count", 3),
    "hazelcast.tcp.join.previously.joined.member.address.retention.seconds": ("address_retention", 14_400 * SECOND),
    "hazelcast.graceful.shutdown.max.wait": ("graceful_shutdown_max_wait", 600 * SECOND),
    "hazelcast.cluster.name": ("cluster_name", "dev"),
    "hazelcast.legacy.memberlist.format.enabled": ("legacy_member_list_format", False),
    "hazelcast.heartbeat.failuredetector.type": ("failure_detector", "deadline"),
    "hazelcast.heartbeat.phiaccrual.failuredetector.threshold": ("phi_accrual_threshold", 10),
    "hazelcast.heartbeat.phiaccrual.failuredetector.sample.size": ("phi_accrual_sample_size", 200),
    "hazelcast.heartbeat.phiaccrual.failuredetector.min.std.dev.millis": (
        "phi_accrual_min_std_dev",
        100 * MILLISECOND,
    ),
    "hazelcast.master.confirmation.interval.seconds": ("master_confirmation_interval", 30 * SECOND),
    "hazelcast.max.no.master.confirmation.seconds": ("master_confirmation_timeout", 150 * SECOND),
    "hazelcast.partition.count": ("partition_count", 271),
    "hazelcast.async.join.strategy.enabled": ("async_join", True),
    "hazelcast.wait.seconds.before.join": ("wait_before_join", 5 * SECOND),
    "hazelcast.max.wait.seconds.before.join": ("max_wait_before_join", 20 * SECOND),
    "hazelcast.stale.join.prevention.duration.seconds": ("stale_join_prevention", 30 * SECOND),
    "hazelcast.partial.member.disconnection.resolution.heartbeat.count": ("partial_disconnection_heartbeat_count", 0),
    "hazelcast.partial.member.disconnection.resolution.algorithm.timeout.seconds": (
        "partial_disconnection_algorithm_timeout",
        5 * SECOND,
    ),
    "hazelcast.partition.table.send.interval": ("partition_table_send_interval", 15 * SECOND),
    "hazelcast.partition.backup.sync.interval": ("backup_sync_interval", 30 * SECOND),
    "hazelcast.partition.max.parallel.migrations": ("max_parallel_migrations", 1),
    "hazelcast.partition.migration.timeout": ("migration_timeout", 300 * SECOND),
    "hazelcast.operation.call.timeout.millis": ("operation_timeout", 60 * SECOND),
    "hazelcast.invocation.retry.pause.millis": ("operation_retry", 500 * MILLISECOND),
    "hazelcast.operation.backup.timeout.millis": ("backup_timeout", 5 * SECOND),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_property_of_hazelcast_is_accepted_by_its_name_and_has_its_default(name: str) -> None:
    field, default = DEFAULTS[name]
    assert getattr(DEFAULT, field) == default
    about = next(f for f in FIELDS if f.name == field)
    number = "75" if field in ("master_confirmation_timeout", "partition_table_send_interval") else "15"
    new, wanted = {
        "str": (about.metadata["choices"] or ["", "prod"])[1:2] * 2,
        "bool": ("false", False) if default else ("true", True),
    }.get(str(about.type), (number, int(number) * UNITS.get(about.metadata["unit"], 1)))
    assert getattr(read_settings("default", {name: new}), field) == wanted != default


def test_every_property_name_is_tested_here() -> None:
    """But for those of the other family, which are none of Hazelcast's."""
    named = {f.metadata["property"] for f in FIELDS if f.metadata["property"]}
    assert named - set(DEFAULTS) == {"GMS_DISCOVERY_URI_LIST"}
    assert set(DEFAULTS) <= named


@pytest.mark.parametrize("name", sorted(WITHOUT_EFFECT))
def test_a_property_of_hazelcast_without_effect_here_is_refused_by_name(name: str) -> None:
    with pytest.raises(SettingError, match=re.escape(f"{name} = 7: Hazelcast has this property, but here it would")):
        DEFAULT.with_values({name: 7})


@pytest.mark.parametrize("value", ["", "yes", 0, 1, None, [True]], ids=repr)
@pytest.mark.parametrize("field", TRUTHS, ids=ids(TRUTHS))
def test_a_wrong_truth_value(field: dataclasses.Field[object], value: object) -> None:
    with pytest.raises(SettingError, match=re.escape(f"{field.name} = {value!r}: give true or false")):
        DEFAULT.with_values({field.name: value})


@pytest.mark.parametrize("field", CHOICES, ids=ids(CHOICES))
def test_a_wrong_choice(field: dataclasses.Field[object]) -> None:
    with pytest.raises(SettingError, match=re.escape(f"{field.name} = 'phi': give {field.default} or ")):
        DEFAULT.with_values({field.name: "phi"})


@pytest.mark.parametrize("name", ["hazelcast.io.thread.count", "hazelcast.heartbeat.interval", "heartbeat_interval"])
def test_another_name_is_refused_by_name(name: str) -> None:
    with pytest.raises(SettingError, match=re.escape(f"{name} = 7: there is no such setting")):
        DEFAULT.with_values({name: 7})


def test_a_name_with_a_slip_gets_a_hint() -> None:
    with pytest.raises(SettingError, match=r"did you mean heartbeat_timeout_seconds\?"):
        DEFAULT.with_values({"heartbeat_timout_seconds": 7})


WRONG = [-1, "", "soon", math.nan, math.inf, -math.inf, None, True, [5], b"5", "1e400", 1e300]


@pytest.mark.parametrize("field", NUMBERS, ids=ids(NUMBERS))
def test_a_wrong_number_names_the_field_the_value_and_what_is_right(field: dataclasses.Field[object]) -> None:
    name = outside_name(field)
    for value in WRONG:
        with pytest.raises(SettingError) as caught:
            DEFAULT.with_values({name: value})
        said = str(caught.value)
        assert said.startswith(f"{name} = {value!r}: give a ")
        assert "number" in said
        assert f"of at least {field.metadata['least']:g}" in said
        assert field.metadata["unit"] in said


@pytest.mark.parametrize("field", NUMBERS, ids=ids(NUMBERS))
def test_what_is_said_to_be_right_is_right(field: dataclasses.Field[object]) -> None:
    """The least and the most are themselves in range; beyond, they are refused."""
    name, least, most = outside_name(field), field.metadata["least"], field.metadata["most"]
    for right in (least, most):
        said = ""
        try:
            DEFAULT.with_values({name: right})
        except SettingError as error:
            said = str(error)
        assert "give" not in said, "its own range admits it; only another setting may not"
    for wrong in (least - 0.001, most + 1):
        with pytest.raises(SettingError, match="give"):
            DEFAULT.with_values({name: wrong})


def test_a_count_is_whole() -> None:
    for wrong in (2.5, "2.5", "x"):
        with pytest.raises(SettingError, match=rf"connection_monitor_max_faults = {wrong!r}: give a whole number"):
            DEFAULT.with_values({"connection_monitor_max_faults": wrong})


@pytest.mark.parametrize("value", ["", None, 5])
def test_a_cluster_has_a_name(value: object) -> None:
    with pytest.raises(SettingError, match=re.escape(f"cluster_name = {value!r}: give a text that is not empty")):
        DEFAULT.with_values({"cluster_name": value})


def test_one_setting_is_not_given_twice() -> None:
    with pytest.raises(SettingError, match="max_join_seconds is given already"):
        DEFAULT.with_values({"max_join_seconds": 20, "hazelcast.max.join.seconds": 30})


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"heartbeat_timeout_seconds": 9.9}, "heartbeat_timeout_seconds = 9.9 must be at least twice heartbeat_inter"),
        ({"heartbeat_interval_seconds": 31}, "heartbeat_timeout_seconds = 60 must be at least twice heartbeat_inter"),
        (
            {"master_confirmation_interval_seconds": 76},
            "master_confirmation_timeout_seconds = 150 must be at least twice",
        ),
        ({"max_wait_before_join_seconds": 4}, "max_wait_before_join_seconds = 4 must be at least wait_before_join_sec"),
        ({"max_join_seconds": 4}, "max_join_seconds = 4 must be at least join_patience_seconds = 5"),
    ],
)
def test_settings_that_do_not_fit_each_other_are_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(SettingError, match=re.escape(said)):
        DEFAULT.with_values(values)


def test_a_text_of_foreign_bytes_is_refused_and_a_secret_not_shown() -> None:
    with pytest.raises(SettingError, match=re.escape("cluster_name = 'a\\udcff': give a text in UTF-8")):
        DEFAULT.with_values({"cluster_name": "a\udcff"})
    with pytest.raises(SettingError, match=re.escape("cluster_password = '***': give a text in UTF-8")):
        DEFAULT.with_values({"cluster_password": "a\udcff"})


def test_a_preset_that_is_none() -> None:
    with pytest.raises(SettingError, match="preset = 'quick': give one of default, fast"):
        read_settings("quick", {})


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_survives_the_way_out_and_in(preset: str) -> None:
    settings = PRESETS[preset]
    settings.check()
    assert DEFAULT.with_values(settings.outside()) == settings
    assert read_settings(preset, {}) == settings


@pytest.mark.parametrize("number", ["11", 11, 11.0])
def test_equal_settings_are_told_alike(number: object) -> None:
    """Values told of them are kept, and stand in the history: 11.0 would make another one than 11."""
    assert repr(DEFAULT.with_values({"phi_accrual_threshold": number}).outside()["phi_accrual_threshold"]) == "11"


def test_fast_is_about_twenty_times_shorter_and_keeps_the_ratios() -> None:
    """Except what the machine sets: join patience, the grace of a connection, how long data may take."""
    for time in (FAST.heartbeat_timeout, FAST.member_list_publish_interval):
        assert time / FAST.heartbeat_interval == DEFAULT.heartbeat_timeout / DEFAULT.heartbeat_interval
    assert FAST.mastership_claim_timeout / FAST.heartbeat_timeout == 2
    by_the_machine = {"connection_monitor_interval", "join_retry", "join_patience", "mastership_claim_retry"}
    by_the_machine |= {"merge_validation_timeout", "max_join_merge_target"}
    by_the_machine |= {"member_list_change_timeout", "rest_request_timeout"}
    by_the_machine |= {"phi_accrual_min_std_dev", "partial_disconnection_algorithm_timeout"}
    by_the_machine |= {"migration_timeout", "operation_timeout", "backup_timeout", "partition_table_send_interval"}
    by_the_machine |= {"gms_heartbeat_period", "gms_probe_timeout", "gms_verify_timeout", "gms_resend_history"}
    by_the_machine |= {"swim_ping_timeout", "discovery_timeout", "discovery_retry", "gms_shutdown_patience"}
    for f in TIMES:
        if f.name not in by_the_machine:
            assert getattr(FAST, f.name) * 20 == getattr(DEFAULT, f.name), f.name
    assert FAST.connection_grace == DEFAULT.connection_grace == 300 * MILLISECOND
    assert FAST.join_patience >= 800 * MILLISECOND


@pytest.mark.parametrize("field", FIELDS, ids=[f.name for f in FIELDS])
def test_every_field_says_what_it_means_and_where_its_default_comes_from(field: dataclasses.Field[object]) -> None:
    assert field.metadata["meaning"]
    assert field.metadata["source"]


def test_no_setting_is_without_effect() -> None:
    """One that nothing in the node reads would be accepted and do nothing."""
    root = ROOT / "node"
    read = "".join(p.read_text(encoding="utf-8") for p in root.rglob("*.py") if p.name != "config.py")
    derived = {"connection_monitor_interval", "connection_monitor_max_faults", "merging", "rest_port"}
    derived |= {"master_confirmation_interval", "master_confirmation_timeout", "maps", "partition_groups"}
    derived |= {"merge_policies", "split_brain_protection"}
    derived |= {"own_checks", "schedule", "schedule_changes", "schedule_order"}  # the harness reads them
    derived |= {"gms_multicast_address"}  # refused, whatever it says
    derived |= {"swim_suspicion_periods", "lifeguard_longest_suspicion", "lifeguard_confirmations"}
    derived |= {"lifeguard_worst_health", "lifeguard_buddy"}
    assert [f.name for f in FIELDS if f"settings.{f.name}" not in read and f.name not in derived] == []


@pytest.mark.parametrize(("count", "warned"), [(0, False), (1, True), (2, True), (3, False), (5, False)])
def test_a_count_of_heartbeat_rounds_that_is_too_small_is_accepted_with_a_warning(count: int, warned: bool) -> None:
    settings = DEFAULT.with_values({"partial_disconnection_heartbeat_count": count})
    assert settings.partial_disconnection_heartbeat_count == count
    said = settings.warnings()
    assert bool(said) == warned
    assert all("remove more members than it must" in each for each in said)


@pytest.mark.parametrize(("count", "wait"), [(0, 0), (1, 5), (5, 25), (12, 60), (13, 60), (1_000_000, 60)])
def test_the_master_waits_no_longer_than_a_heartbeat_timeout_for_reports(count: int, wait: int) -> None:
    settings = DEFAULT.with_values({"partial_disconnection_heartbeat_count": count})
    assert settings.partial_disconnection_wait == wait * SECOND
