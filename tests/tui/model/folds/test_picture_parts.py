"""What screens ask beside the harness's fold: links, decisions, migrations, searches, by hand-made records."""

from __future__ import annotations

from tests.notation.notation import history_of
from tests.reasons import reason_in

from shaketable.harness.records import HARNESS, NodeNamed, NodeSpawned, Record
from shaketable.harness.seen.run import Observed
from shaketable.node import events as e
from shaketable.node.messages import Member
from shaketable.tui.model.folds.picture import Picture

N1, N2, N3, N4 = (Member(f"127.0.0.1:570{i}", f"u{i}") for i in range(1, 5))
ALL = (N1, N2, N3, N4)


def picture_of(*told: tuple[Member | None, e.Event]) -> Picture:
    """One record a millisecond, after all four have been named and started."""
    picture = Picture()
    events: list[tuple[Member | None, e.Event]] = [(None, NodeNamed(name_of(m), m.address)) for m in ALL]
    events += [(m, e.Started(m)) for m in ALL]
    for place, (who, event) in enumerate([*events, *told]):
        name, uuid = (name_of(who), who.uuid) if who is not None else (HARNESS, "")
        picture.apply(Record(1000 * (place - 7), name, uuid, place, event))
    return picture


def name_of(member: Member) -> str:
    return f"n{member.address[-1]}"


def test_a_restart_forgets_all_but_the_last_events_and_last_words_change_nothing() -> None:
    again = Member(N1.address, "again")
    picture = picture_of(
        (N1, e.LinkUp(N2.address)),
        (None, NodeSpawned("n1")),
        (N1, e.LinkUp(N3.address)),
        (again, e.Started(again)),
        (N1, e.LinkUp(N4.address)),
    )
    extra = picture.extra("n1")
    assert extra.sends == {}
    assert len(extra.last) == 5


def test_both_ends_of_a_link_have_their_say_with_its_time() -> None:
    picture = picture_of(
        (N1, e.LinkUp(N2.address)),
        (N1, e.LinkUp(N2.address)),
        (N2, e.LinkHeard(N1.address)),
        (N2, e.LinkSilent(N1.address)),
        (N1, e.LinkClosed(N3.address)),
    )
    assert picture.extra("n1").sends[N2.address] == ("up", 1000)
    assert picture.extra("n1").sends[N3.address] == ("closed", 5000)
    assert picture.extra("n2").hears[N1.address] == ("silent", 4000)


def test_the_decisions_of_a_master_stand_with_their_places() -> None:
    resolved = e.DisconnectionResolved(3, ALL, ((N2, (N3, N4)),), (), (N3,), 5)
    extra = picture_of((N1, e.MasterFollowed(N1, *reason_in("founded"))), (N1, resolved)).extra("n1")
    assert [(each.time, each.place, each.event) for each in extra.decisions] == [(2000, 9, resolved)]


def test_a_migration_is_told_in_bytes_by_both_its_ends() -> None:
    moving = [
        (N2, e.MigrationBegan(7, "u1-1", "owner")),
        (N2, e.ChunkSent(N3, "u1-1", 1, 100, 250)),
        (N3, e.MigrationBegan(7, "u1-1", "destination")),
        (N3, e.ChunkArrived(N2, "u1-1", 1, 100, False)),
        (N2, e.ChunkSent(N3, "u1-1", 2, 250, 250)),
        (N2, e.ChunkSent(N3, "mended", 1, 9, 9)),
    ]
    picture = picture_of(*moving)
    (movement,) = picture.movements.under_way.values()
    assert (movement.partition, movement.phase) == (7, "copying")
    assert (movement.sent, movement.arrived, movement.total) == (250, 100, 250)
    ended = e.MigrationFinished(7, "u1-1", "master", True, 5, 0, -1)
    picture = picture_of(*moving, (N3, e.ChunkArrived(N2, "u1-1", 2, 150, True)), (N1, ended))
    assert picture.movements.under_way == {}
    assert (picture.movements.succeeded, picture.movements.failed, picture.movements.bytes) == (1, 0, 250)


def test_chunks_that_come_again_from_the_first_are_not_counted_twice() -> None:
    picture = picture_of(
        (N3, e.MigrationBegan(7, "u1-1", "destination")),
        (N3, e.ChunkArrived(N2, "u1-1", 1, 100, False)),
        (N3, e.ChunkArrived(N2, "u1-1", 1, 80, False)),
    )
    assert picture.movements.under_way["u1-1"].arrived == 80


def test_the_search_for_a_table_tells_who_has_answered() -> None:
    told = [(N1, e.TableSearchBegan((N2, N3))), (N1, e.TableFetched(N2, 8, ("a",), ("b",)))]
    search = picture_of(*told).extra("n1").search
    assert search is not None
    assert (search.since, search.waiting, search.fetched[N2.uuid].version) == (1000, [N3], 8)
    search = picture_of(*told, (N1, e.TableSearchEnded(8, N2, (), ("b",)))).extra("n1").search
    assert search is not None
    assert (search.ended, search.version, search.found_at, search.waiting) == (3000, 8, N2, [])


def test_a_history_without_its_beginning_shows_who_tells_something() -> None:
    picture = Picture()
    for record in (
        Record(1, "n1", "u1", 50, e.ViewInstalled(3, "u1", N1, (N1, N2), *reason_in("published"))),
        Record(2, "n2", "u2", 70, e.LinkUp(N1.address)),
    ):
        picture.apply(record)
    first, second = picture.nodes()
    assert (first.name, first.state, first.address, first.version) == ("n1", "running", N1.address, 3)
    assert picture.observed.list_of(first) == "v=3 [n1, 127.0.0.1:5702]"
    assert second.running


def test_the_harnesss_fold_is_what_it_is_without_screens() -> None:
    records = history_of("n1 installs v1 [n1]\nn1 installs v2 [n1 n2]\nn2 installs v2 by n1 [n1 n2]\n")
    picture, observed = Picture(), Observed(keys=False)
    for record in records:
        picture.apply(record)
        observed.apply(record)
    assert picture.observed == observed
