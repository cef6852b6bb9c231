"""Any well-formed message of a group, in any order and state: a member never fails, and keeps the rules of its view.

A step that raises kills the node. Senders are members, strangers, earlier and later incarnations, and somebody at the
member's own address; sequence ids, stays and requests are drawn near to those that count."""

from __future__ import annotations

import random
from collections.abc import Callable
from heapq import heappop, heappush
from typing import get_args

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.node.messages.messages_by_chance import member, members, messages
from tests.node.messages.test_any_message import Alarm

from shaketable.node import events as e
from shaketable.node import messages as m
from shaketable.node.config import DEFAULT, DETECTIONS, ELECTIONS
from shaketable.node.core.commands import GroupShutdownCommand, LeaveCommand
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.events import Event
from shaketable.node.gms import GroupMember
from shaketable.node.messages import Address, Message

ME = 3
ADDRESSES = 5
KINDS = m.GROUP_MESSAGES
ANY = messages(
    members(ADDRESSES, 2),
    versions=st.integers(1, 12),
    requests=st.integers(0, 6),
    times=st.integers(0, 400 * SECOND),
    kinds=KINDS,
)


def told(master: int, first: int, last: int, change: m.Change, about: int, others: list[int], since: int) -> m.Notified:
    """As a sound master would say it, of a view that holds it and me."""
    sender = member(master)
    seats = {i: m.Seat(member(i), "core", i, first, 1) for i in (master, *others, about)}
    seats[ME] = m.Seat(member(ME), "core", 0, min(since, last), 1)
    if change in ("failure", "planned shutdown") and about not in (ME, master):
        del seats[about]
    view = tuple(seats[i] for i in sorted(seats))
    reign = m.Reign(sender, master, first, last, member(1).uuid)
    gone = m.Seat(member(about), "core", about, first, 1)
    notification = m.Notification(last, change, gone, view, last, False, None)
    return m.Notified(sender, m.Stamp("domain", "group", "core", master, 1), reign, notification, False)


PEERS = st.sampled_from([1, 2, 4, 5])
CHANGES = st.sampled_from(get_args(m.Change))
SOUND = st.builds(
    lambda master, first, more, change, about, others, back: told(
        master, first, first + more, change, about, others, first + more - back
    ),
    PEERS,
    st.sampled_from([1, 1, 1, 4, 9]),
    st.integers(0, 5),
    CHANGES,
    st.integers(1, ADDRESSES),
    st.lists(PEERS, max_size=3),
    st.integers(0, 2),
)
STEPS = st.lists(
    SOUND
    | ANY
    | st.sampled_from([1, 300_000, SECOND, 5 * SECOND, 31 * SECOND])
    | st.sampled_from(["leave", "stop", "up 1", "up 2", "down 1", "down 2", "down 4"]),
    max_size=60,
)


class Draws(random.Random):
    def getrandbits(self, k: int) -> int:
        return int(member(ME).uuid.replace("-", ""), 16) if k == 128 else 0


class Watched:
    """An `Env` that holds its member to the rules at each report and each send."""

    def __init__(self, detection: str, election: str) -> None:
        self.rng: random.Random = Draws(0)
        self.time: Micros = 0
        self.stopped = False
        self._alarms: list[tuple[Micros, int, Alarm]] = []
        self._count = 0
        self._published = 0
        values = {"family": "gms", "gms_detection": detection, "gms_election": election}
        others = [member(i).address for i in range(1, ADDRESSES + 1) if i != ME]
        self.member = GroupMember(self, member(ME).address, others, DEFAULT.with_values(values))
        self.member.start()

    def now(self) -> Micros:
        return self.time

    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Alarm:
        assert delay >= 0
        self._count += 1
        alarm = Alarm(callback)
        heappush(self._alarms, (self.time + delay, self._count, alarm))
        return alarm

    def forget_timers(self) -> None:
        raise AssertionError("a member of a group has one identity")

    def disconnect(self, to: Address) -> None:
        assert to != member(ME).address

    def send(self, to: Address, message: Message) -> None:
        assert to != member(ME).address, "sent to itself"
        assert message.sender == member(ME)
        if isinstance(message, m.Notified):
            assert message.reign.master == member(ME), "only a master publishes"

    def report(self, event: Event) -> None:
        assert not self.stopped, "something happened after the end"
        match event:
            case e.NotificationPublished(version=version, members=listed):
                assert version > self._published, "sequence ids grow strictly, whatever was led or followed between"
                assert listed[0] == member(ME)
                self._published = version
            case e.ViewInstalled(master=master, members=listed):
                assert member(ME) in listed, "each installed view holds me"
                assert listed[0] == master
            case e.Suspected(peer=peer):
                assert peer != member(ME)
            case e.Stopped():
                self.stopped = True

    def wait(self, time: Micros) -> None:
        end = self.time + time
        while self._alarms and self._alarms[0][0] <= end and not self.stopped:
            at, _, alarm = heappop(self._alarms)
            self.time = max(self.time, at)
            if alarm.callback is not None:
                alarm.callback()
        self.time = end

    def do(self, step: Message | int | str) -> None:
        match step:
            case _ if self.stopped:
                return
            case int():
                self.wait(step)
            case "leave":
                self.member.command(LeaveCommand())
            case "stop":
                self.member.command(GroupShutdownCommand())
            case str():
                change, number = step.split()
                told = self.member.link_up if change == "up" else self.member.link_down
                told(member(int(number)).address)
            case _:
                self.member.receive(step)


@given(st.sampled_from(DETECTIONS), st.sampled_from(ELECTIONS), st.sampled_from([0, 6 * SECOND]), STEPS)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_member_of_a_group_bears_any_messages(
    detection: str, election: str, first: Micros, steps: list[Message | int | str]
) -> None:
    """From its start on, or as a master."""
    env = Watched(detection, election)
    env.wait(first)
    for step in steps:
        env.do(step)
    env.wait(100 * SECOND)
