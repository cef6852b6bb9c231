"""A long decision of partial member disconnection: in steps between which the master's life goes on, and void if things
changed meanwhile.

The stories (tests/data/core/partial_*.txt) tell what is decided within one step. Here a step does so little that it
takes many: a hundred followers with three hundred broken pairs among them are some ten thousand units of work."""

from __future__ import annotations

import dataclasses
import random

import pytest
from tests.node.messages.messages_by_chance import member
from tests.node.messages.test_any_message import ME, Watched
from tests.reasons import reason_in

from shaketable.node import events as e
from shaketable.node.cluster import disconnection
from shaketable.node.cluster.cliques import WORK_PER_SECOND, decide
from shaketable.node.cluster.partition.table import Table
from shaketable.node.config import DEFAULT, FAST
from shaketable.node.core.env import MILLISECOND, SECOND, Micros
from shaketable.node.events import Event
from shaketable.node.messages import Heartbeat, JoinRequest, LeaveRequest, Member, Message
from shaketable.node.why import Why

A_STEP_OF_OURS = disconnection.AT_A_TIME

FOLLOWERS = [member(number) for number in range(10, 110)]
STEP = 100
"""units of work, so that the search takes about a hundred milliseconds: ten heartbeat rounds of ten"""
SETTINGS = dataclasses.replace(
    DEFAULT,
    heartbeat_interval=10 * MILLISECOND,
    heartbeat_timeout=20 * SECOND,
    partial_disconnection_heartbeat_count=30,
)
WAIT = SETTINGS.partial_disconnection_wait


def by_chance(seed: int, count: int) -> dict[Member, list[Member]]:
    """For each member, those that it suspects."""
    draw, said = random.Random(seed), dict[Member, list[Member]]()
    for _ in range(count):
        one, other = draw.sample(FOLLOWERS, 2)
        said.setdefault(one, []).append(other)
    return said


SAID = by_chance(0, 300)


class Master(Watched):
    """Of a hundred followers."""

    def __init__(self, budget: int = WORK_PER_SECOND) -> None:
        self.events: list[Event] = []
        self.sent: list[Message] = []
        timeout = budget * SECOND // WORK_PER_SECOND
        base = dataclasses.replace(SETTINGS, partial_disconnection_algorithm_timeout=timeout)
        super().__init__([], rounds=base.partial_disconnection_heartbeat_count, base=base)
        self.identities.start()
        for follower in FOLLOWERS:
            self.join(follower)
        self.events.clear()

    def report(self, event: Event) -> None:
        self.events.append(event)
        if not isinstance(event, e.DisconnectionResolved):  # its list may have grown meanwhile
            super().report(event)

    def send(self, to: str, message: Message) -> None:
        super().send(to, message)
        self.sent.append(message)

    def join(self, who: Member) -> None:
        self.take(JoinRequest(who, self.member.membership.config))
        assert self.member.membership.is_member(who)

    def told(self, follower: Member, suspected: list[Member]) -> None:
        me = self.me
        self.take(Heartbeat(follower, me.uuid, me.address, self.version, self.time, tuple(suspected)))

    def all_told(self, said: dict[Member, list[Member]]) -> None:
        """And who suspects nobody says that."""
        for follower in self.member.membership.others():
            self.told(follower, said.get(follower, []))

    def hear(self, time: Micros, said: dict[Member, list[Member]]) -> None:
        """Each tells its word again with every heartbeat interval."""
        end = self.time + time
        while self.time < end:
            self.all_told(said)
            self.wait(min(SETTINGS.heartbeat_interval, end - self.time))

    def search(self) -> None:
        """Until the search for SAID is on its way."""
        self.hear(WAIT, SAID)
        assert self.outcomes() == [], "the search has only begun"
        assert self.searching()

    def searching(self) -> bool:
        return self.member.disconnection._search is not None

    def outcomes(self) -> list[Event]:
        return [x for x in self.events if isinstance(x, e.DisconnectionResolved | e.DisconnectionUnresolved)]

    def removed(self) -> list[Member]:
        return [x.peer for x in self.events if isinstance(x, e.MemberRemoved) and x.why is Why.DISCONNECTED]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disconnection, "AT_A_TIME", STEP)


@pytest.fixture
def master() -> Master:
    return Master()


def test_a_step_of_a_search_is_short() -> None:
    """Heartbeats wait for it."""
    assert FAST.heartbeat_interval / 10 >= A_STEP_OF_OURS * SECOND / WORK_PER_SECOND


def answer() -> list[Member]:
    """The members that leave, found in one go."""
    list_of_all = [member(ME).uuid, *(m.uuid for m in FOLLOWERS)]
    decision = decide(list_of_all, [(one.uuid, other.uuid) for one, named in SAID.items() for other in named])
    assert decision is not None
    return [m for m in FOLLOWERS if m.uuid in decision.leave]


ANSWER = answer()
STAYING_BUT_REPORTED = next(m for m in FOLLOWERS if m not in ANSWER and any(m in named for named in SAID.values()))


def only_void(master: Master, reason: str) -> None:
    """The search came to its end, once, and nobody was removed for it."""
    master.wait(2 * SECOND)
    (outcome,) = master.outcomes()[:1]
    assert isinstance(outcome, e.DisconnectionUnresolved)
    assert (outcome.timed_out, outcome.reason) == (False, reason)
    assert outcome.work > 20 * STEP


def test_heartbeats_leave_and_arrive_while_the_master_searches(master: Master) -> None:
    master.search()
    master.sent.clear()
    rounds = 0
    while master.searching():
        master.wait(SETTINGS.heartbeat_interval)
        rounds += 1
        peers = master.member.membership.peers
        for follower in peers:
            master.told(follower, SAID.get(follower, []))
        longest = master.time + SETTINGS.heartbeat_timeout - 1
        assert not master.member.heartbeats._detector.silent(peers, longest), "all were heard just now"
        assert rounds < 100
    beats = sum(isinstance(m, Heartbeat) for m in master.sent)
    assert rounds >= 5
    assert beats >= (rounds - 1) * len(FOLLOWERS)


def test_a_search_that_takes_longer_than_the_wait_is_one_search(
    master: Master, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disconnection, "PAUSE", 3 * SETTINGS.heartbeat_interval)
    master.search()
    began = master.time
    while master.searching():
        master.all_told(SAID)
        master.wait(SETTINGS.heartbeat_interval)
    assert master.time - began > 1.5 * WAIT
    assert [type(x) for x in master.outcomes()] == [e.DisconnectionResolved]
    assert master.removed() == ANSWER


def test_the_answer_is_that_of_one_go_and_one_list(master: Master) -> None:
    before = master.version
    master.search()
    master.wait(SECOND)
    (resolved,) = master.outcomes()
    assert isinstance(resolved, e.DisconnectionResolved)
    assert (resolved.version, list(resolved.leave)) == (before, ANSWER)
    assert master.removed() == ANSWER
    installed = [x for x in master.events if isinstance(x, e.ViewInstalled)]
    assert [x.version for x in installed] == [before + len(ANSWER)]


def test_what_a_follower_takes_back_in_mid_search_makes_it_void(master: Master) -> None:
    master.search()
    reporter = next(iter(SAID))
    master.told(reporter, [])
    only_void(master, "not all of those pairs are broken any more")
    assert not master.removed()


def test_that_one_side_of_a_pair_takes_it_back_changes_nothing_while_the_other_does_not(master: Master) -> None:
    reporter, named = next(iter(SAID.items()))
    master.search()
    for other in named:
        master.told(other, [*SAID.get(other, []), reporter])
    master.told(reporter, [])
    master.wait(SECOND)
    assert isinstance(master.outcomes()[0], e.DisconnectionResolved)
    assert master.removed() == ANSWER


def test_what_is_taken_back_of_a_pair_that_does_not_count_changes_nothing(master: Master) -> None:
    one, other = member(200), member(201)
    master.join(one)
    master.join(other)
    while not master.searching():
        assert not master.outcomes()
        master.hear(WAIT // 2, SAID)
        if not master.searching():
            master.hear(WAIT // 2, {**SAID, other: [one]})
            master.told(other, [] if not master.searching() else [one])
    master.told(other, [])
    master.wait(SECOND)
    (outcome,) = master.outcomes()
    assert isinstance(outcome, e.DisconnectionResolved)
    assert outcome.unsettled == ((one, other),)
    assert master.removed() == ANSWER


def test_a_victim_that_leaves_by_itself_makes_it_void(master: Master) -> None:
    master.search()
    master.take(LeaveRequest(ANSWER[0], 1))
    only_void(master, f"{ANSWER[0].address} has gone by itself")
    assert not master.removed(), "all or nothing"


def test_one_of_a_pair_that_leaves_by_itself_makes_it_void(master: Master) -> None:
    """It would have stayed, so that the others need not leave for it."""
    master.search()
    master.take(LeaveRequest(STAYING_BUT_REPORTED, 1))
    only_void(master, f"{STAYING_BUT_REPORTED.address} has gone by itself")


def test_who_joins_in_mid_search_stays(master: Master) -> None:
    master.search()
    master.join(member(200))
    version = master.version
    master.wait(SECOND)
    assert master.removed() == ANSWER
    assert master.version == version + len(ANSWER)
    assert master.member.membership.is_member(member(200))


def test_a_break_reported_in_mid_search_is_for_the_next_decision(master: Master) -> None:
    master.search()
    for newcomer in (member(200), member(201)):
        master.join(newcomer)
    later = {**SAID, member(201): [member(200)]}
    master.hear(SECOND // 5, later)
    assert master.removed() == ANSWER
    master.hear(WAIT, later)
    assert master.removed() == [*ANSWER, member(201)]


def test_who_leads_no_more_decides_nothing(master: Master) -> None:
    master.search()
    master.member.membership.follow(FOLLOWERS[0], reason_in("a merge"))
    only_void(master, "I do not lead any more")
    assert not master.removed()


def test_a_master_that_sleeps_in_mid_search_decides_nothing(master: Master) -> None:
    """A suspicion taken back meanwhile waits to be read, behind the timer by which the search goes on."""
    master.search()
    master.wait(30 * MILLISECOND)
    master.time += WAIT
    master.wait(0)
    (outcome,) = master.outcomes()
    assert isinstance(outcome, e.DisconnectionUnresolved)
    assert outcome.reason == "I slept: what came meanwhile may not be read yet"
    assert not master.searching()
    master.hear(WAIT + SECOND, SAID)
    assert master.removed() == ANSWER


def test_a_search_that_takes_too_much_work_removes_nobody_and_is_not_repeated() -> None:
    master = Master(budget=2_000)
    master.search()
    master.all_told(SAID)
    while master.searching():
        master.wait(MILLISECOND)
    (first,) = master.outcomes()
    assert isinstance(first, e.DisconnectionUnresolved)
    assert first.timed_out
    assert 2_000 < first.work < 4_000
    assert not master.member.disconnection._reports.broken, "what was heard in mid-search is forgotten too"
    master.hear(WAIT + 2 * SETTINGS.heartbeat_interval, SAID)
    (again,) = master.outcomes()[1:]
    assert isinstance(again, e.DisconnectionUnresolved)
    assert (again.timed_out, again.work) == (True, 0)
    assert not master.removed()


def test_another_question_is_searched_after_one_that_was_too_much() -> None:
    master = Master(budget=2_000)
    master.search()
    master.wait(WAIT)
    few = dict(list(SAID.items())[:10])
    master.hear(2 * WAIT, few)
    assert isinstance(master.outcomes()[-1], e.DisconnectionResolved)
    assert master.removed()


def test_a_heartbeat_with_ten_thousand_names_is_kept_as_those_whom_the_master_knows(master: Master) -> None:
    strangers = [member(20_000 + number) for number in range(5_000)]
    master.told(FOLLOWERS[0], [*strangers, *[FOLLOWERS[1], FOLLOWERS[2]] * 2_500])
    assert [x for x in master.events if isinstance(x, e.SuspicionsReported)] == [
        e.SuspicionsReported(FOLLOWERS[0], (FOLLOWERS[1], FOLLOWERS[2]))
    ]


def test_of_two_equal_answers_the_older_goes_if_the_younger_holds_more_replicas(master: Master) -> None:
    older, younger = FOLLOWERS[:2]
    table = Table(7, [(master.me.uuid, younger.uuid), (younger.uuid, older.uuid), (younger.uuid, None)])
    master.member.partitions.state.table = table
    master.hear(WAIT, {older: [younger]})
    master.wait(SECOND)
    (resolved,) = master.outcomes()
    assert isinstance(resolved, e.DisconnectionResolved)
    assert resolved.leave == (older,)
    assert resolved.replicas == (1, 1, 3, *[0] * 98)


def test_without_a_partition_table_no_replicas_are_told(master: Master) -> None:
    older, younger = FOLLOWERS[:2]
    master.hear(WAIT, {older: [younger]})
    master.wait(SECOND)
    (resolved,) = master.outcomes()
    assert isinstance(resolved, e.DisconnectionResolved)
    assert (resolved.leave, resolved.replicas) == ((younger,), ())
