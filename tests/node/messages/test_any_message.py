"""Any well-formed message, in any order, in any state: a member never fails, and keeps the rules of its list.

A step that raises kills the node. Senders are members, strangers, earlier and later incarnations, and somebody at the
member's own address; versions and requests are drawn near to those that count, so that deep states are reached."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from heapq import heappop, heappush

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from tests.node.messages.messages_by_chance import member, members, messages
from tests.reasons import reason_in

from shaketable.node import events as e
from shaketable.node import messages as m
from shaketable.node.cluster.identities import Identities
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.config import DEADLINE, DEFAULT, PHI_ACCRUAL, Settings
from shaketable.node.core.commands import LeaveCommand
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event
from shaketable.node.messages import Address, FinalizeJoin, Heartbeat, MemberList, Message

ME = 3
ADDRESSES = 5
WHO = members(ADDRESSES, 2)
VERSIONS = st.integers(1, 12)
REQUESTS = st.integers(1, 6)
DETECTORS = st.sampled_from([DEADLINE, PHI_ACCRUAL])
TIMES = st.integers(0, 400 * SECOND)


class Alarm:
    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class Draws(random.Random):
    """After a merge the next identity is that which others take for a later incarnation."""

    drawn = 0

    def getrandbits(self, k: int) -> int:
        if k != 128:
            return 0
        self.drawn += 1
        return int(member(ME, life=self.drawn - 1).uuid.replace("-", ""), 16)


class Watched:
    """An `Env` that holds its member to the rules at each report and each send."""

    def __init__(
        self,
        knowing: list[Address],
        *,
        in_batches: bool = False,
        detector: str = DEADLINE,
        rounds: int = 0,
        base: Settings = DEFAULT,
    ) -> None:
        self.rng: random.Random = Draws(0)
        self.time: Micros = 0
        self.alarms: list[tuple[Micros, int, Alarm]] = []
        self.count = 0
        self.version = 0
        self.suspected: dict[str, bool] = {}
        self.claiming = False
        self.going_over = False
        """its master's word: no list of its changes any more"""
        self.between = False
        self.stopped = False
        settings = dataclasses.replace(
            base,
            async_join=not in_batches,
            failure_detector=detector,
            partial_disconnection_heartbeat_count=rounds,
            merge_first_run_delay=30 * SECOND,
        )
        self.identities = Identities(self, ClusterMember, member(ME).address, knowing, settings)
        assert self.me == member(ME)

    @property
    def member(self) -> ClusterMember:
        return self.identities.member

    @property
    def me(self) -> m.Member:
        return self.identities.me

    def now(self) -> Micros:
        return self.time

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        assert delay >= 0
        self.count += 1
        alarm = Alarm(callback)
        heappush(self.alarms, (self.time + delay, self.count, alarm))
        return alarm

    def forget_timers(self) -> None:
        assert self.between, "a member that goes on has forgotten its timers"
        self.alarms.clear()

    def disconnect(self, to: Address) -> None:
        assert to != self.me.address

    def send(self, to: Address, message: Message) -> None:
        assert to != self.me.address, "sent to itself"
        assert message.sender == self.me
        if isinstance(message, Heartbeat):
            assert message.target not in self.suspected, "a heartbeat to a suspect"
        if isinstance(message, m.MembersUpdate | FinalizeJoin):
            assert message.view.author == self.me.uuid
            assert message.view.members[0] == self.me, "who publishes is the first of its list"
            assert not self.claiming, "published in the middle of a claim"

    def report(self, event: Event) -> None:
        assert not self.stopped, "something happened after the end"
        assert not self.between or type(event) is e.Started, "something happened between two identities"
        match event:
            case e.Started(member=me):
                assert me == self.me
                self.version, self.suspected = 0, {}
                self.claiming = self.going_over = self.between = False
            case e.MergeBegan():
                assert not self.claiming
                assert not self.going_over
                self.going_over = True
            case e.Merging():
                self.between = True
            case e.ViewInstalled(version=version, members=listed):
                assert version > self.version, "versions grow strictly"
                assert not self.going_over, "a list has changed that its master had compared"
                assert self.me in listed, "each installed list holds me"
                self.version = version
                self.suspected = {u: True for u in self.suspected if u in {x.uuid for x in listed}}
            case e.Suspected(peer=peer):
                assert peer != self.me
                self.suspected[peer.uuid] = True
            case e.SuspicionEnded(peer=peer):
                del self.suspected[peer.uuid]
            case e.ClaimStarted():
                assert not self.claiming
                self.claiming = True
            case e.ClaimFinished():
                assert self.claiming
                self.claiming = False
            case e.DisconnectionResolved(members=listed, leave=leave):
                assert listed == self.member.membership.view.members
                assert leave, "there was a broken pair"
                assert set(leave) < set(listed[1:]), "the master stays"
                assert not self.claiming
            case e.Stopped():
                self.stopped = True

    def wait(self, time: Micros) -> None:
        end = self.time + time
        while self.alarms and self.alarms[0][0] <= end and not self.stopped:
            at, _, alarm = heappop(self.alarms)
            self.time = max(self.time, at)
            if alarm.callback is not None:
                alarm.callback()
        self.time = end

    def take(self, message: Message) -> None:
        if not self.stopped:
            self.identities.receive(message)


class AnyMessage(RuleBasedStateMachine):
    env: Watched

    @initialize(
        alone=st.booleans(),
        follower=st.booleans(),
        in_batches=st.booleans(),
        detector=DETECTORS,
        rounds=st.sampled_from([0, 1, 5]),
        place=st.integers(1, 4),
    )
    def begin(self, alone: bool, follower: bool, in_batches: bool, detector: str, rounds: int, place: int) -> None:
        """A joiner, a founder, or a follower somewhere in the list of member 1."""
        others = [member(i).address for i in range(1, ADDRESSES + 1) if i != ME]
        env = self.env = Watched([] if alone else others, in_batches=in_batches, detector=detector, rounds=rounds)
        env.identities.start()
        if follower and not alone:
            names = [member(1), member(2), member(4), member(5)]
            names.insert(place, env.me)
            env.take(m.MasterResponse(member(1), member(1).address))
            env.take(FinalizeJoin(member(1), env.me.uuid, MemberList(4, member(1).uuid, tuple(names)), 0))
            assert env.member.membership.joined

    @rule(message=messages(WHO, versions=VERSIONS, requests=REQUESTS, times=TIMES))
    def receive_any(self, message: Message) -> None:
        self.env.take(message)

    @rule(kind=st.sampled_from(["list", "heartbeat", "claim", "explicit", "merge"]), who=WHO, data=st.data())
    def receive_what_fits(self, kind: str, who: m.Member, data: st.DataObject) -> None:
        """As a sound sender would say it: from a member, to me, with the version that is next."""
        ms, me = self.env.member.membership, self.env.me
        who = data.draw(st.sampled_from(ms.others() or [who]))
        match kind:
            case "list" if who.address != me.address:
                who = ms.master if ms.master is not None and ms.master != me else who
                others = data.draw(st.lists(WHO, max_size=4, unique_by=lambda w: w.address))
                listed = [who, *(w for w in others if w.address not in (who.address, me.address)), me]
                self.env.take(m.MembersUpdate(who, me.uuid, MemberList(ms.view.version + 1, who.uuid, tuple(listed))))
            case "heartbeat":
                suspected = data.draw(st.lists(st.sampled_from(ms.others() or [who]), max_size=3))
                master = (ms.master or who).address
                heartbeat = Heartbeat(who, me.uuid, master, ms.view.version, self.env.time, tuple(suspected))
                self.env.take(heartbeat)
            case "claim":
                self.env.take(m.MastershipClaim(who, 1, me.uuid))
            case "merge" if data.draw(st.integers(0, 2)) == 0:
                self.env.take(m.MergeClusters(ms.master or who, 1, me.uuid, data.draw(WHO), ()))
            case "explicit":
                self.env.take(m.ExplicitSuspicion(who, ms.identity()))

    @rule(who=WHO, data=st.data())
    def answer_a_claim(self, who: m.Member, data: st.DataObject) -> None:
        view = data.draw(messages(WHO, versions=VERSIONS, kinds=(m.MembersUpdate,))).view
        number = data.draw(REQUESTS)
        accepted = data.draw(st.booleans())
        self.env.take(
            m.ClaimAccepted(who, number, view) if accepted else m.ClaimRefused(who, number, True, reason_in("no"))
        )

    @rule(who=WHO, data=st.data())
    def ask_or_answer_a_master(self, who: m.Member, data: st.DataObject) -> None:
        """The leader of another part: it asks me, or what I asked it is answered."""
        ms, asked = self.env.member.membership, self.env.member.splitbrain.search._asked
        number: int = data.draw(REQUESTS)
        answers: bool = bool(asked) and data.draw(st.booleans())
        if answers:
            address: str = data.draw(st.sampled_from(sorted(asked)))
            number = asked[address].number
            who = next(each for each in map(member, range(1, ADDRESSES + 1)) if each.address == address)
        others = data.draw(st.lists(WHO, max_size=3, unique_by=lambda w: w.address))
        listed = (who, *(w for w in others if w.address != who.address))
        view = MemberList(data.draw(VERSIONS), who.uuid, listed)
        if data.draw(st.booleans()):
            self.env.take(m.MergeValidation(who, number, ms.config, view))
        else:
            self.env.take(m.MergeValidationAnswer(who, number, self.env.me.uuid, view, ""))

    @rule(number=st.integers(1, ADDRESSES), up=st.booleans())
    def link(self, number: int, up: bool) -> None:
        if number != ME and not self.env.stopped:
            (self.env.identities.link_up if up else self.env.identities.link_down)(member(number).address)

    @rule(time=st.sampled_from([1, 10_000, 300_000, SECOND, 5 * SECOND, 31 * SECOND, 61 * SECOND]))
    def wait(self, time: Micros) -> None:
        self.env.wait(time)

    @rule(time=st.integers(0, 200 * SECOND))
    def sleep(self, time: Micros) -> None:
        """A pause, or a jump of its clock: what was due runs late."""
        self.env.time += time
        self.env.wait(0)

    @rule(chance=st.integers(0, 9))
    def leave(self, chance: int) -> None:
        if chance == 0 and not self.env.stopped:
            self.env.identities.command(LeaveCommand())

    @invariant()
    def what_it_reports_is_what_it_believes(self) -> None:
        if not hasattr(self, "env") or self.env.between:
            return
        ms = self.env.member.membership
        assert ms.view.version == self.env.version
        assert set(ms.suspected) == set(self.env.suspected)
        assert ms.claiming == self.env.claiming
        assert set(ms.suspected) <= set(ms.known)
        assert {p.uuid for p in ms.peers} == set(ms.known) - set(ms.suspected) - {self.env.me.uuid}

    def teardown(self) -> None:
        """A claim ends, whatever happened: at the latest when its time is over."""
        if hasattr(self, "env"):
            self.env.wait(DEFAULT.mastership_claim_timeout + SECOND)
            assert self.env.stopped or not self.env.claiming
            assert self.env.stopped or not self.env.going_over, "its merge has begun and does not end"


def test_a_member_bears_any_message_in_any_state() -> None:
    run_state_machine_as_test(
        AnyMessage,
        settings=settings(
            max_examples=50, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


@given(
    st.booleans(),
    DETECTORS,
    st.sampled_from([0, 1, 5]),
    st.lists(messages(WHO, versions=VERSIONS, requests=REQUESTS, times=TIMES), max_size=60),
)
@settings(max_examples=70, deadline=None)
def test_a_master_bears_any_messages(in_batches: bool, detector: str, rounds: int, flood: list[Message]) -> None:
    env = Watched([], in_batches=in_batches, detector=detector, rounds=rounds)
    env.identities.start()
    for message in flood:
        env.take(message)
        env.wait(SECOND)
