"""What a line means when a later one makes it clear, and what a member tells that its kept logs do not show."""

from __future__ import annotations

from tests.harness.systems.hazelcast.play import MEMBERS, UUIDS, Play, a_follower, a_master, info, said, several

from shaketable.node import events as e
from shaketable.node.why import Why


class TestDecisions:
    def decides(self, *gone: str) -> Play:
        play = a_master("n2", "n3", "n4", "n5")
        play.log(f"Received suspected members: {several('n4', 'n5')} from {said('n2')}")
        rest, version = ["n1", "n2", "n3", "n4", "n5"], 2
        for name in gone:
            play.log(f"Removing {said(name)} because it has disconnected from some of the members!")
            play.log(f"Removing {said(name)}")
            rest.remove(name)
            version += 1
            play.lists(version, *rest)
        return play

    def test_all_who_leave_are_of_one_decision(self) -> None:
        play = self.decides("n4", "n5")
        assert not play.has(e.DisconnectionResolved)
        play.hear("tick", 300_000)
        (decision,) = play.has(e.DisconnectionResolved)
        assert decision.leave == (MEMBERS["n4"], MEMBERS["n5"])
        assert decision.reports == ((MEMBERS["n2"], (MEMBERS["n4"], MEMBERS["n5"])),)
        assert (decision.version, len(decision.members)) == (2, 5)
        assert [(each.peer, each.version, each.why) for each in play.has(e.MemberRemoved)] == [
            (MEMBERS["n4"], 3, Why.DISCONNECTED),
            (MEMBERS["n5"], 4, Why.DISCONNECTED),
        ]
        assert play.times == sorted(play.times)

    def test_any_later_fact_ends_the_waiting(self) -> None:
        play = self.decides("n4")
        play.hear("lifecycle", 150_000, state="STARTED")
        assert not play.has(e.DisconnectionResolved)
        play.hear("lifecycle", 150_000, state="STARTED")
        assert play.has(e.DisconnectionResolved)

    def test_nothing_of_another_thread_stands_between_a_decision_and_its_removal(self) -> None:
        play = a_master("n2", "n3")
        play.hear("connection", up=True, address="n3:21003", id=1)
        play.log(f"Removing {said('n3')} because it has disconnected from some of the members!")
        play.log(f"Removing {said('n3')}")
        play.hear("connection", up=False, address="n3:21003", id=1)
        play.lists(3, "n1", "n2")
        play.hear("tick", 300_000)
        kinds = [type(each) for each in play.told[play.told.index(play.has(e.DisconnectionResolved)[0]) :]]
        assert kinds == [e.DisconnectionResolved, e.MemberRemoved, e.ViewInstalled, e.LinkDown]
        assert play.times == sorted(play.times)

    def test_a_removal_that_holds_lets_the_others_be_told(self) -> None:
        play = a_master("n2", "n3")
        play.log(f"Removing {said('n3')}")
        play.telling.holds_at(1, "Suspected")
        assert play.hear("connection", up=True, address="n2:21002", id=1) == []
        assert play.hear("held", fault=1) == [e.LinkUp("n2:21002"), e.Held(1, "Suspected", 0)]
        play.lists(3, "n1", "n2")
        assert [each.peer for each in play.has(e.MemberRemoved)] == [MEMBERS["n3"]]

    def test_the_end_of_the_line_ends_the_waiting(self) -> None:
        play = self.decides("n4")
        told = [each.event for each in play.telling.end()]
        assert [type(each) for each in told[:2]] == [e.DisconnectionResolved, e.MemberRemoved]
        assert not play.telling.end()

    def test_a_later_decision_is_another_one(self) -> None:
        play = self.decides("n4")
        play.log(f"Removing {said('n5')} because it has disconnected from some of the members!", after=300_000)
        play.hear("tick", 300_000)
        assert [each.leave for each in play.has(e.DisconnectionResolved)] == [(MEMBERS["n4"],), (MEMBERS["n5"],)]

    def test_a_report_is_told_when_it_changes(self) -> None:
        play = a_master("n2", "n3")
        for suspected in (["n3"], ["n3"], []):
            play.log(f"Received suspected members: {several(*suspected)} from {said('n2')}")
        assert [each.suspected for each in play.has(e.SuspicionsReported)] == [(MEMBERS["n3"],), ()]


def test_a_version_that_is_raised_for_another_part_makes_one_list() -> None:
    play = a_master("n2")
    before = len(play.has(e.ViewInstalled))
    raised = "Updating local member list version: 2 to 5 because of split brain merge caller: "
    play.log(f"{raised}[n9]:21009 with member list version: 4")
    play.lists(5, "n1", "n2")
    (view,) = play.has(e.ViewInstalled)[before:]
    assert (view.version, view.why) == (5, Why.VERSION_RAISED)


def test_a_round_that_is_very_late_is_told() -> None:
    play = a_master("n2")
    jump = "Clock-Jump: 3588 ms, Heartbeat-Timeout: 5000 ms"
    play.log(f"Resetting heartbeat timestamps because of huge system clock jump! {jump}", "ClusterHeartbeatManager")
    assert play.has(e.RoundLate) == [e.RoundLate(3_588_000, True)]


class TestRemovals:
    def removes(self, *lines: tuple[str, str]) -> Play:
        play = a_master("n2", "n3")
        for source, text in lines:
            play.log(text, source)
        play.log(f"Removing {said('n3')}")
        play.lists(3, "n1", "n2")
        return play

    def why(self, play: Play) -> tuple[Why, Why]:
        (suspected,), (removed,) = play.has(e.Suspected), play.has(e.MemberRemoved)
        assert removed.version == 3
        assert not play.telling.take_troubles()
        return suspected.why, removed.why

    def inferred(self, play: Play) -> tuple[tuple[str, ...], tuple[str, ...]]:
        (suspected,), (removed,) = play.has(e.Suspected), play.has(e.MemberRemoved)
        return suspected.inferred, removed.inferred

    def test_for_a_lost_connection(self) -> None:
        play = self.removes()
        assert self.why(play) == (Why.CONNECTION_LOST, Why.CONNECTION_LOST)
        assert self.inferred(play) == (("peer", "why"), ("why",))

    def test_for_heartbeats_that_stay_out(self) -> None:
        text = (
            f"Suspecting {said('n3')} because it has not sent any heartbeats since 2026-11-27 17:20:00.000. "
            "Now: 2026-11-27 17:20:05.250, heartbeat timeout: 5000 ms, suspicion level: 1.00"
        )
        play = self.removes(("ClusterHeartbeatManager", text))
        assert self.why(play) == (Why.NO_HEARTBEAT, Why.NO_HEARTBEAT)
        assert play.has(e.Suspected)[0].silence == 5_250_000
        assert self.inferred(play) == ((), ())

    def test_for_a_new_identity(self) -> None:
        text = (
            f"New join request has been received from an existing endpoint {said('n3')}. Removing old member and "
            f"processing join request with UUID {UUIDS['n4']}"
        )
        play = self.removes(("ClusterJoinManager", text))
        assert self.why(play) == (Why.NEW_IDENTITY, Why.NEW_IDENTITY)
        assert self.inferred(play) == (("peer",), ())

    def test_for_an_explicit_suspicion(self) -> None:
        play = self.removes(("ExplicitSuspicionOp", "Received suspicion request from: [n3]:21003"))
        assert self.why(play) == (Why.EXPLICIT, Why.EXPLICIT)
        assert self.inferred(play) == (("peer", "why"), ("why",))
        assert [each.obeyed for each in play.has(e.ExplicitSuspicionReceived)] == [True]

    def test_for_a_part_that_it_leads(self) -> None:
        text = "Removing [n3]:21003, since it thinks it's already split from this cluster and looking to merge."
        play = self.removes(("SplitBrainMergeValidationOp", text))
        assert self.why(play) == (Why.LEADS_ANOTHER, Why.LEADS_ANOTHER)
        assert self.inferred(play) == (("peer",), ())
        assert [each.decision for each in play.has(e.MergeJudged)] == ["no"]


class TestSuspicions:
    def test_a_reason_that_is_not_known_is_a_trouble(self) -> None:
        play = a_follower("n1", "n2", "n3")
        play.log(f"{said('n1')} is suspected to be dead for reason: the moon")
        assert not play.has(e.Suspected)
        assert "the moon" in play.telling.take_troubles()[0]

    def test_a_follower_that_hears_of_a_restart_suspects_the_former_identity(self) -> None:
        play = a_follower("n1", "n2", "n3")
        reason = (
            f"New join request has been received from an existing endpoint {said('n1')}. Removing old member and "
            f"processing join request with UUID {UUIDS['n4']}"
        )
        play.log(f"{said('n1')} is suspected to be dead for reason: {reason}")
        assert [(each.peer, each.why) for each in play.has(e.Suspected)] == [(MEMBERS["n1"], Why.NEW_IDENTITY)]
        assert not play.telling.take_troubles()

    def test_of_two_explicit_ones_the_first_is_not_obeyed(self) -> None:
        play = a_follower("n1", "n2", "n3")
        for _ in range(2):
            play.log("Received suspicion request from: [n3]:21003", "ExplicitSuspicionOp")
        play.log("Ignoring explicit suspicion of [n3]:21003. Expected: it, Local: other")
        play.log(f"{said('n3')} is suspected to be dead for reason: explicit suspicion")
        play.hear("tick", 100_000)
        assert [each.obeyed for each in play.has(e.ExplicitSuspicionReceived)] == [False, True]
        assert isinstance(play.told[-1], e.Suspected)

    def test_what_a_follower_says_is_not_inferred(self) -> None:
        play = a_follower("n1", "n2", "n3")
        play.log(f"{said('n3')} is suspected to be dead for reason: No connection")
        assert [each.inferred for each in play.has(e.Suspected)] == [()]

    def test_it_ends_once(self) -> None:
        play = a_follower("n1", "n2", "n3")
        play.log(f"{said('n3')} is suspected to be dead for reason: No connection")
        for _ in range(2):
            play.log(f"Removed suspicion of {said('n3')}. Reason: Valid heartbeat")
        assert [each.why for each in play.has(e.SuspicionEnded)] == [Why.HEARTBEAT]

    def test_an_explicit_one_that_is_not_obeyed(self) -> None:
        play = a_follower("n1", "n2", "n3")
        play.log("Received suspicion request from: [n3]:21003", "ExplicitSuspicionOp")
        view = f"MembersViewMetadata{{address=[n3]:21003, memberUuid='{UUIDS['n3']}', memberListVersion=4}}"
        play.log(f"Ignoring explicit suspicion of {view}. Expected: {view}, Local: {view}")
        assert [(each.peer, each.obeyed) for each in play.has(e.ExplicitSuspicionReceived)] == [(MEMBERS["n3"], False)]

    def test_an_explicit_one_by_a_suspected_member_is_told_when_nothing_comes_of_it(self) -> None:
        play = a_follower("n1", "n2", "n3")
        play.log("Received suspicion request from: [n3]:21003", "ExplicitSuspicionOp")
        assert not play.has(e.ExplicitSuspicionReceived)
        play.hear("tick", 100_000)
        assert [each.obeyed for each in play.has(e.ExplicitSuspicionReceived)] == [True]


class TestClaims:
    def claims(self) -> Play:
        play = a_follower("n1", "n2", "n3", "n4")
        play.log(f"{said('n1')} is suspected to be dead for reason: No connection")
        play.log("Starting mastership claim process...")
        play.log("Setting master address to [n2]:21002", "ClusterService")
        own = f"MembersView{{version=5, members=[{', '.join(map(info, ('n1', 'n2', 'n3', 'n4')))}]}}"
        play.log(
            f"Local {own} with suspected members: {several('n1')} and initial addresses to ask: {several('n3', 'n4')}"
        )
        return play

    def test_a_newer_list_of_an_answer(self) -> None:
        play = self.claims()
        newer = f"MembersView{{version=6, members=[{', '.join(map(info, ('n2', 'n3', 'n4', 'n5')))}]}}"
        play.log(f"A more recent {newer} is received from {said('n3')}")
        play.log("Asking MembersView of [n5]:21005")
        play.lists(7, "n2", "n3", "n5")
        assert [each.peer for each in play.has(e.ClaimAsked)] == [MEMBERS[name] for name in ("n3", "n4", "n5")]
        answers = {each.peer: each for each in play.has(e.ClaimAnswered)}
        assert answers[MEMBERS["n3"]].version == 6
        assert answers[MEMBERS["n3"]].members == tuple(MEMBERS.values())
        assert answers[MEMBERS["n5"]].answer == "accepted"
        assert answers[MEMBERS["n4"]].answer == "silent"
        (final,) = play.has(e.ClaimFinished)
        assert final.left_out == ((MEMBERS["n1"], "suspected"), (MEMBERS["n4"], "silent"))
        assert play.has(e.ViewInstalled)[-1].why is Why.OWN_CLAIM
        assert not play.telling.take_troubles()

    def test_a_member_that_is_suspected_meanwhile_gives_no_answer(self) -> None:
        play = self.claims()
        play.log(f"{said('n4')} is suspected to be dead for reason: No connection")
        play.lists(6, "n2", "n3")
        assert [each.peer for each in play.has(e.ClaimAnswered)] == [MEMBERS["n3"]]
        assert play.has(e.ClaimFinished)[0].left_out == ((MEMBERS["n1"], "suspected"), (MEMBERS["n4"], "suspected"))

    def test_a_claim_that_is_given_up_has_no_end(self) -> None:
        play = self.claims()
        play.log("Ignoring decided members view after mastership claim: MembersView{}, because not joined!")
        play.lists(6, "n2", "n3")
        assert not play.has(e.ClaimFinished)


class TestMerges:
    def wants_to(self) -> Play:
        play = a_master("n2")
        play.log("[n1]:21001 is merging [tcp/ip] to [n3]:21003", "TcpIpJoiner")
        return play

    def freezes(self, play: Play, initiator: str) -> None:
        state = "ClusterStateChange{type=class com.hazelcast.cluster.ClusterState, newState=FROZEN}"
        text = f"Changing cluster state from ACTIVE to {state}, initiator: {initiator}, transient: false"
        play.log(text, "CommitClusterStateOp")

    def test_one_begins_when_the_cluster_is_frozen(self) -> None:
        play = self.wants_to()
        self.freezes(play, "[n2]:21002")
        assert not play.has(e.MergeBegan)
        self.freezes(play, "[n1]:21001")
        play.log("[n1]:21001 is merging to [n3]:21003, because: instructed by master [n1]:21001", "MergeClustersOp")
        assert [each.peer.address for each in play.has(e.MergeBegan)] == ["n3:21003"]

    def test_one_that_waits_for_migrations_has_not_begun(self) -> None:
        play = self.wants_to()
        play.log("While changing cluster state to FROZEN! IllegalStateException: Still have pending migration tasks, "
                 "cannot lock cluster state!", "TcpIpJoiner")  # fmt: skip
        play.log("Could not change cluster state to FROZEN in time. Postponing merge process until next attempt.",
                 "TcpIpJoiner")  # fmt: skip
        self.freezes(play, "[n1]:21001")
        assert not play.has(e.MergeBegan)
        assert [(each.peer.address, each.why) for each in play.has(e.MergePutOff)] == [
            ("n3:21003", Why.MIGRATION_UNDER_WAY)
        ]

    def test_one_whose_list_has_changed_has_not_begun(self) -> None:
        play = self.wants_to()
        play.log("Could not change cluster state to FROZEN because local member list version: 9 is different than "
                 "expected member list version: 7", "TcpIpJoiner")  # fmt: skip
        assert [each.why for each in play.has(e.MergePutOff)] == [Why.LIST_CHANGED]


class TestIdentity:
    def test_a_uuid_that_no_line_has_announced_is_a_trouble(self) -> None:
        play = a_master("n2")
        play.uuid = UUIDS["n5"]
        play.hear("lifecycle", state="MERGED")
        play.hear("lifecycle", state="MERGED")
        assert len(play.telling.take_troubles()) == 1

    def test_a_fact_that_makes_no_sense_is_a_trouble(self) -> None:
        play = Play("n2")
        play.hear("running")
        play.log("Setting members [], version: 3")
        (trouble,) = play.telling.take_troubles()
        assert "Setting members []" in trouble

    def test_a_connection_is_one_link_however_many_there_are(self) -> None:
        play = a_master("n2")
        for up, number in ((True, 1), (True, 2), (False, 1), (False, 2), (False, 2)):
            play.hear("connection", up=up, address="n2:21002", id=number)
        links = [each for each in play.told if isinstance(each, e.LinkUp | e.LinkDown)]
        assert links == [e.LinkUp("n2:21002"), e.LinkDown("n2:21002")]

    def test_a_connection_ends_as_its_log_says_so(self) -> None:
        """The call comes later, or never in a member that shuts down."""
        play = a_master("n2")
        play.hear("connection", up=True, address="n2:21002", id=7)
        text = (
            "Connection[id=7, /127.0.0.1:40139->n2/127.1.1.2:21002, qualifier=null, endpoint=[n2]:21002, "
            f"remoteUuid={UUIDS['n2']}, alive=false, connectionType=MEMBER, planeIndex=0] closed. Reason: Connection "
            "closed by the other side"
        )
        assert play.log(text, "TcpServerConnection") == [e.LinkDown("n2:21002")]
        assert play.hear("connection", up=False, address="n2:21002", id=7) == []

    def test_who_gives_up_is_refused(self) -> None:
        play = Play("n3")
        play.hear("running")
        text = "[n3]:21003 [dev] [5.7.0] Node could not join cluster."
        play.hear("log", 1000, **{"from": "FinalizeJoinOp", "level": "SEVERE", "text": text})
        (stopped,) = play.hear("gave-up")
        assert isinstance(stopped, e.Stopped)
        assert stopped.refused
        assert "could not join" in stopped.reason

    def test_a_start_that_fails(self) -> None:
        play = Play("n3")
        play.hear("running")
        assert play.hear("failed", reason="OutOfMemoryError: none left") == [e.Failed("OutOfMemoryError: none left")]

    def test_a_claim_ends_with_the_identity_that_made_it(self) -> None:
        play = TestClaims().claims()
        play.log(f"Resetting local member UUID. Previous: {UUIDS['n2']}, new: {UUIDS['n5']}", "ClusterService")
        play.uuid = UUIDS["n5"]
        play.log("Setting master address to [n1]:21001", "ClusterService")
        play.log(f"Setting members [{said('n1')}, Member [n2]:21002 - {UUIDS['n5']} this], version: 9")
        assert [type(each) for each in play.told[-3:]] == [e.MasterFollowed, e.ViewInstalled, e.Joined]
        assert not play.has(e.ClaimFinished)
        assert not play.telling.take_troubles()
