"""What a member tells of its table, of migrations and of its data."""

from __future__ import annotations

from tests.harness.systems.hazelcast.play import UUIDS, Play, a_follower, a_master, said

from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.why import Why


class TestData:
    def table(self, play: Play, version: int, *, master: bool, **rows: list[str]) -> list[Event]:
        told = [[int(part[1:]), [UUIDS[name] for name in row]] for part, row in rows.items()]
        return play.hear("table", stamp=str(-version), version=version, master=master, migrates=False, rows=told)

    def test_each_change_of_the_master_s_table(self) -> None:
        play = a_master("n2", "n3")
        self.table(play, 4, master=True, p0=["n1", "n2"], p1=["n2", "n3"])
        play.migrates("commit", "master", 0, "n2", "n3")
        self.table(play, 6, master=True, p0=["n1", "n3"])
        play.log(f"Removing {said('n2')}")
        play.lists(3, "n1", "n3")
        self.table(play, 9, master=True, p1=["n3"])
        assert [each.change for each in play.has(e.TableChanged)] == ["assigned", "committed", "repaired"]
        assert all(0 <= each.stamp < 1 << 60 for each in play.has(e.TableChanged))

    def test_the_end_of_a_migration_has_the_version_of_the_table_that_it_makes(self) -> None:
        play = a_master("n2", "n3")
        self.table(play, 4, master=True, p0=["n1", "n2"])
        (end,) = play.migrates("commit", "master", 0, "n2", "n3")
        (changed,) = self.table(play, 5, master=True, p0=["n1", "n3"])
        assert end == e.MigrationFinished(0, "id0", "master", True, 5, -1, -1)
        assert isinstance(changed, e.TableChanged)
        assert (changed.change, changed.why) == ("committed", Why.MOVE)

    def test_a_master_that_is_the_destination_has_committed_as_both(self) -> None:
        play = a_master("n2", "n3")
        self.table(play, 4, master=True, p0=["n2", "n3"])
        play.migrates("commit", "master", 0, "n3", "n1")
        self.table(play, 5, master=True, p0=["n2", "n1"])
        assert play.migrates("commit", "destination", 0, "n3", "n1") == []
        assert [each.role for each in play.has(e.MigrationFinished)] == ["destination", "master"]

    def test_an_owner_that_only_sends_learns_the_end_from_the_table(self) -> None:
        play = a_follower("n1", "n2", "n3")
        self.table(play, 4, master=False, p0=["n2"])
        play.migrates("start", "source", 0, None, "n3")
        assert play.migrates("complete", "source", 0, None, "n3") == []
        _, end = self.table(play, 5, master=False, p0=["n2", "n3"])
        assert end == e.MigrationFinished(0, "id0", "owner", True, 5, 0, 0)

    def test_a_migration_whose_end_nobody_told_has_failed_when_its_member_says_that_none_is_left(self) -> None:
        play = a_follower("n3", "n2")
        self.table(play, 4, master=False, p0=["n2", "n1"])
        play.migrates("start", "destination", 0, "n1", "n3")
        assert len(play.hear("safe", state="MIGRATION_LOCAL")) == 1
        end, _ = play.hear("safe", state="SAFE")
        assert end == e.MigrationFinished(0, "id0", "destination", False, 4, -1, -1)
        play.hear("safe", state="MIGRATION_LOCAL")
        assert len(play.hear("safe", state="SAFE")) == 1

    def test_a_new_master_tells_its_whole_table(self) -> None:
        play = a_follower("n1", "n2", "n3")
        self.table(play, 4, master=False, p0=["n1", "n2"], p1=["n2", "n3"])
        (found,) = self.table(play, 5, master=True, p0=["n2"])
        assert isinstance(found, e.TableChanged)
        assert found.change == "found"
        assert found.rows == ((0, (UUIDS["n2"],)), (1, (UUIDS["n2"], UUIDS["n3"])))

    def test_why_it_is_not_safe(self) -> None:
        play = a_master("n2")
        whys = [play.hear("safe", state=state)[0] for state in ("REPLICA_NOT_SYNC", "SAFE")]
        assert [(each.safe, each.why) for each in whys if isinstance(each, e.SafetyChanged)] == [
            (False, Why.BACKUPS_IN_DOUBT),
            (True, None),
        ]
        (unknown,) = play.hear("safe", state="ELSEWHERE")
        assert isinstance(unknown, e.SafetyChanged)
        assert not unknown.safe
        assert "ELSEWHERE" in play.telling.take_troubles()[0]

    def test_it_is_not_safe_while_its_entries_are_being_merged(self) -> None:
        play = a_master("n2")
        told = [
            *play.hear("safe", state="SAFE"), *play.hear("lifecycle", state="MERGING"),
            *play.hear("safe", state="NOT_JOINED"), *play.hear("safe", state="SAFE"),
            *play.hear("lifecycle", state="MERGED"),
        ]  # fmt: skip
        whys = [(each.safe, each.why) for each in told if isinstance(each, e.SafetyChanged)]
        assert whys == [(True, None), (False, Why.MERGE_ON_ITS_WAY), (False, Why.NO_MEMBER), (True, None)]

    def test_a_lost_partition_is_told_with_its_new_owner(self) -> None:
        play = a_master("n2")
        self.table(play, 4, master=True, p0=["n2"])
        assert play.log("partitionId=0 is completely lost!", "MigrationManagerImpl") == []
        self.table(play, 5, master=True, p0=[])
        lost, changed = self.table(play, 6, master=True, p0=["n1"])
        assert lost == e.PartitionLost(0, 6)
        assert isinstance(changed, e.TableChanged)
        assert (changed.change, changed.why) == ("owner assigned", Why.ALL_HOLDERS_GONE)

    def test_who_never_had_a_table_has_lost_nothing(self) -> None:
        play = a_master("n2")
        play.log("partitionId=0 is completely lost!", "MigrationManagerImpl")
        (changed,) = self.table(play, 1, master=True, p0=["n1"])
        assert isinstance(changed, e.TableChanged)
        assert changed.change == "assigned"
