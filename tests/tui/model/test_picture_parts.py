"""What screens ask beside the harness's fold: suspicions, claims, links, reports, migrations, searches, by hand-made
records."""

from __future__ import annotations

from tests.harness.notation import history_of

from shaketable.harness.observed import Observed
from shaketable.harness.records import HARNESS, NodeNamed, NodeSpawned, Record
from shaketable.node import events as e
from shaketable.node.messages import Member
from shaketable.tui.model.picture import Picture

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


def test_a_suspicion_is_as_old_as_its_first_reason_and_ends_with_the_list() -> None:
    told = [(N1, e.Suspected(N2, "silence", 5)), (N1, e.Suspected(N2, "link down")), (N1, e.Suspected(N3, "link down"))]
    picture = picture_of(*told)
    assert picture.extra("n1").suspicions[N2.uuid].since == 1000
    assert picture.extra("n1").suspicions[N2.uuid].reason == "silence"
    picture = picture_of(*told, (N1, e.ViewInstalled(2, "u1", N1, (N1, N3, N4), "")))
    assert list(picture.extra("n1").suspicions) == [N3.uuid] == list(picture.observed.nodes["n1"].suspected)
    picture = picture_of(*told, (N1, e.SuspicionEnded(N3, "heartbeat")))
    assert list(picture.extra("n1").suspicions) == [N2.uuid]


def test_a_restart_forgets_all_but_the_last_events_and_last_words_change_nothing() -> None:
    again = Member(N1.address, "again")
    picture = picture_of(
        (N1, e.Suspected(N2, "silence")),
        (N1, e.LinkUp(N2.address)),
        (N1, e.ClaimStarted(1, ALL)),
        (None, NodeSpawned("n1")),
        (N1, e.Suspected(N3, "its last words")),
        (again, e.Started(again)),
        (N1, e.Suspected(N4, "its last words")),
    )
    extra = picture.extra("n1")
    assert (extra.suspicions, extra.claim, extra.sends) == ({}, None, {})
    assert len(extra.last) == 7


def test_a_claim_tells_whom_it_asked_and_what_they_say() -> None:
    claimed = [
        (N2, e.Suspected(N1, "silence")),
        (N2, e.ClaimStarted(5, ALL)),
        (N2, e.ClaimAsked(N3)),
        (N2, e.ClaimAsked(N4)),
        (N3, e.ClaimDeclined(N2, False, "I do not suspect everyone older than you")),
        (N2, e.ClaimAnswered(N3, "not yet", None, None, "I do not suspect everyone older than you")),
    ]
    picture = picture_of(*claimed)
    claim = picture.extra("n2").claim
    assert claim is not None
    assert (claim.since, claim.version, claim.runs) == (2000, 5, True)
    assert [(each.peer, each.answer, each.final) for each in claim.asked.values()] == [
        (N3, "not yet", False),
        (N4, "waiting", False),
    ]
    assert picture.extra("n3").said[N2.uuid].answer == "not yet"
    picture = picture_of(
        *claimed,
        (N3, e.ClaimConsented(N2, 5, "u1", ALL, (N1,))),
        (N2, e.ClaimAnswered(N3, "accepted", 6, ALL, "")),
        (N2, e.Suspected(N4, "link down")),
        (N2, e.ClaimFinished(7, (N2, N3), ((N4, "suspected"),))),
    )
    claim = picture.extra("n2").claim
    assert claim is not None
    assert [(each.answer, each.version) for each in claim.asked.values()] == [("accepted", 6), ("suspected", None)]
    assert (claim.finished, claim.final_version, claim.final_members) == (10_000, 7, (N2, N3))
    assert picture.extra("n3").said[N2.uuid].answer == "accepted"


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


def test_a_master_collects_reports_until_it_has_decided() -> None:
    leads = (N1, e.MasterFollowed(N1, "founded"))
    told = [
        leads,
        (N1, e.SuspicionsReported(N2, (N3,))),
        (N1, e.SuspicionsReported(N2, (N3, N4))),
        (N1, e.SuspicionsReported(N3, (N2,))),
    ]
    reports = picture_of(*told).extra("n1").reports
    assert (reports[N2.uuid].since, reports[N2.uuid].told, reports[N2.uuid].suspected) == (2000, 3000, (N3, N4))
    resolved = e.DisconnectionResolved(3, ALL, ((N2, (N3, N4)),), (), (N3,), 5)
    decided = [*told, (N1, resolved), (N1, e.ViewInstalled(4, "u1", N1, (N1, N2, N4), ""))]
    extra = picture_of(*decided).extra("n1")
    assert [(each.by, each.suspected) for each in extra.reports.values()] == [(N2, (N4,))]
    assert [(each.time, each.event) for each in extra.decisions] == [(5000, resolved)]
    assert picture_of(*told, (N1, e.SuspicionsReported(N3, ()))).extra("n1").reports.keys() == {N2.uuid}
    assert picture_of(*told, (N1, e.DisconnectionUnresolved(3, True, 9, ""))).extra("n1").reports == {}
    assert picture_of(*told, (N1, e.MasterFollowed(N2, "its claim"))).extra("n1").reports == {}


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
        Record(1, "n1", "u1", 50, e.ViewInstalled(3, "u1", N1, (N1, N2), "published")),
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
