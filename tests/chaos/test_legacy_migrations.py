"""The old behaviour that the text on migrations begins with, in detail: followers that edit their own tables."""

from __future__ import annotations

from tests.chaos.red_and_green import told_by

from shaketable.chaos.legacy import legacy_migrations
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.node.events import ReplicaDropped, ReplicaPromoted, TableChanged


def test_the_first_backup_promotes_itself_once_more_than_its_master_does() -> None:
    legacy = run_simulated(legacy_migrations.legacy_own_tables, Options("sim"))
    assert told_by(legacy, "n3", TableChanged)
    assert told_by(legacy, "n3", ReplicaDropped)
    versions = [event.version for event in told_by(legacy, "n3", ReplicaPromoted)]
    assert sorted(set(versions)) == [1, 2]
    real = run_simulated(legacy_migrations.one_table, Options("sim"))
    assert told_by(real, "n3", TableChanged) == []
    assert told_by(real, "n3", ReplicaDropped) == []
    versions = [event.version for event in told_by(real, "n3", ReplicaPromoted)]
    assert sorted(set(versions)) == [2]
