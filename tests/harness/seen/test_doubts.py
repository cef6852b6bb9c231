"""What the fold of a history has of suspicions, claims and reports, by hand-made records."""

from __future__ import annotations

from tests.reasons import reason_in

from shaketable.harness.records import HARNESS, NodeNamed, Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node import events as e
from shaketable.node.messages import Member

N1, N2, N3, N4 = (Member(f"127.0.0.1:570{i}", f"u{i}") for i in range(1, 5))
ALL = (N1, N2, N3, N4)


def seen(*told: tuple[Member | None, e.Event]) -> dict[str, NodeSeen]:
    """One record a millisecond, after all four have been named and started."""
    observed = Observed()
    events: list[tuple[Member | None, e.Event]] = [(None, NodeNamed(name_of(m), m.address)) for m in ALL]
    events += [(m, e.Started(m)) for m in ALL]
    for place, (who, event) in enumerate([*events, *told]):
        name, uuid = (name_of(who), who.uuid) if who is not None else (HARNESS, "")
        observed.apply(Record(1000 * (place - 7), name, uuid, place, event))
    return observed.nodes


def name_of(member: Member) -> str:
    return f"n{member.address[-1]}"


def test_a_suspicion_is_as_old_as_its_first_reason_and_ends_with_the_list() -> None:
    told = [
        (N1, e.Suspected(N2, *reason_in("silence"), 5)),
        (N1, e.Suspected(N2, *reason_in("link down"))),
        (N1, e.Suspected(N3, *reason_in("link down"))),
    ]
    assert seen(*told)["n1"].suspected[N2.uuid] == (N2, 1000, "silence", 5)
    node = seen(*told, (N1, e.ViewInstalled(2, "u1", N1, (N1, N3, N4), *reason_in(""))))["n1"]
    assert (list(node.suspected), list(node.given_up)) == ([N3.uuid], [N2.uuid])
    node = seen(*told, (N1, e.SuspicionEnded(N3, *reason_in("heartbeat"))))["n1"]
    assert (list(node.suspected), list(node.given_up)) == ([N2.uuid], [])


def test_who_is_back_on_the_list_is_given_up_no_more() -> None:
    lists = [
        (N1, e.ViewInstalled(2, "u1", N1, (N1, N3), *reason_in(""))),
        (N1, e.ViewInstalled(3, "u1", N1, (N1, N2, N3), *reason_in(""))),
    ]
    node = seen((N1, e.Suspected(N2, *reason_in("silence"), 5)), *lists)["n1"]
    assert (node.suspected, node.given_up) == ({}, {})


CLAIMED = [
    (N2, e.Suspected(N1, *reason_in("silence"))),
    (N2, e.ClaimStarted(5, ALL)),
    (N2, e.ClaimAsked(N3)),
    (N2, e.ClaimAsked(N4)),
    (N3, e.ClaimDeclined(N2, False, *reason_in("I do not suspect everyone older than you"))),
    (N2, e.ClaimAnswered(N3, "not yet", None, None, *reason_in("I do not suspect everyone older than you"))),
]


def test_a_claim_tells_whom_it_asked_and_what_they_say() -> None:
    nodes = seen(*CLAIMED)
    claim = nodes["n2"].claims.open
    assert claim is not None
    assert (claim.began.time, claim.began.event.version) == (2000, 5)
    assert nodes["n2"].claiming
    assert [(each.peer, each.answer, each.final) for each in claim.asked.values()] == [
        (N3, "not yet", False),
        (N4, "waiting", False),
    ]
    assert nodes["n3"].claims.said[N2.uuid].answer == "not yet"


def test_a_claim_that_has_finished_tells_who_was_left_out() -> None:
    finished = e.ClaimFinished(7, (N2, N3), ((N4, "suspected"),))
    nodes = seen(
        *CLAIMED,
        (N3, e.ClaimConsented(N2, 5, "u1", ALL, (N1,))),
        (N2, e.ClaimAnswered(N3, "accepted", 6, ALL, "", None)),
        (N2, e.Suspected(N4, *reason_in("link down"))),
        (N2, finished),
    )
    claim = nodes["n2"].claims.last
    assert claim is not None
    assert [(each.answer, each.version) for each in claim.asked.values()] == [("accepted", 6), ("suspected", None)]
    assert claim.finished is not None
    assert (claim.finished.time, claim.finished.event) == (10_000, finished)
    assert nodes["n2"].claims.open is None
    assert nodes["n3"].claims.said[N2.uuid].answer == "accepted"


def test_a_candidate_that_follows_somebody_else_claims_no_more() -> None:
    assert seen(*CLAIMED, (N2, e.MasterFollowed(N2, *reason_in("own mastership claim"))))["n2"].claiming
    assert not seen(*CLAIMED, (N2, e.MasterFollowed(N3, *reason_in("its claim"))))["n2"].claiming


def test_a_master_collects_reports_until_it_has_decided() -> None:
    told = [
        (N1, e.MasterFollowed(N1, *reason_in("founded"))),
        (N1, e.SuspicionsReported(N2, (N3,))),
        (N1, e.SuspicionsReported(N2, (N3, N4))),
        (N1, e.SuspicionsReported(N3, (N2,))),
    ]
    assert seen(*told)["n1"].reports[N2.uuid] == (N2, 2000, 3000, (N3, N4))
    resolved = e.DisconnectionResolved(3, ALL, ((N2, (N3, N4)),), (), (N3,), 5)
    node = seen(*told, (N1, resolved), (N1, e.ViewInstalled(4, "u1", N1, (N1, N2, N4), *reason_in(""))))["n1"]
    assert [(each.by, each.suspected) for each in node.reports.values()] == [(N2, (N4,))]
    assert seen(*told, (N1, e.SuspicionsReported(N3, ())))["n1"].reports.keys() == {N2.uuid}
    assert seen(*told, (N1, e.DisconnectionUnresolved(3, True, 9, *reason_in(""))))["n1"].reports == {}
    assert seen(*told, (N1, e.MasterFollowed(N2, *reason_in("its claim"))))["n1"].reports == {}


def test_a_copy_and_what_it_was_made_of_no_longer_change_each_other() -> None:
    nodes = seen(*CLAIMED, (N2, e.SuspicionsReported(N3, (N4,))))
    copied = nodes["n2"].copy()
    assert copied == nodes["n2"]
    for event in (
        e.Suspected(N4, *reason_in("link down")),
        e.SuspicionsReported(N3, ()),
        e.ClaimFinished(7, (N2, N3), ()),
    ):
        nodes["n2"] = _after(nodes["n2"], event)
    assert (copied.claiming, list(copied.suspected), list(copied.reports)) == (True, [N1.uuid], [N3.uuid])


def _after(node: NodeSeen, event: e.Event) -> NodeSeen:
    observed = Observed()
    observed.nodes[node.name] = node
    observed.apply(Record(20_000, node.name, node.incarnation, 99, event))
    return node
