"""Datagrams in virtual time: their own draws, no connection, and the same faults as on the links."""

from __future__ import annotations

from typing import Any

import pytest
from tests.harness.worlds.sim.sim_helpers import Puppet, Stage, told

from shaketable.harness.faults.actions import Begin, End, Kill, Receipt, Restart, Start
from shaketable.harness.faults.datagrams import Datagrams
from shaketable.harness.faults.link_kinds import DELAY_DATAGRAMS as DELAY
from shaketable.harness.faults.link_kinds import LOSE_DATAGRAMS as LOSE
from shaketable.harness.faults.link_kinds import REPEAT_DATAGRAMS as REPEAT
from shaketable.harness.faults.link_kinds import SLOW
from shaketable.harness.faults.links import SOUND, LinkState
from shaketable.harness.faults.node_kinds import DROP, HOLD_BACK
from shaketable.harness.faults.table import DatagramFault, LinkFault, MessageFault, Pause
from shaketable.harness.records import DatagramCaught
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.messages import HealthMessage, Ping, Reign, Stamp

FORTH = "a", "b"
SEED = 5


class GroupStage(Stage):
    """Members of a group that only do what a test tells them; each heartbeat and ping has a number."""

    def __init__(self, *names: str, udp: str = "heartbeats") -> None:
        settings = DEFAULT.with_values({"family": "gms", "gms_udp": udp})
        self.world = SimWorld(SEED, settings, self._make)  # type: ignore[arg-type]
        self.receipts = []
        self.act(Start(names, names))
        self.run(SECOND)
        for name in names:
            self[name].heard.clear()
            self[name].receive = lambda message, name=name: self.hears(name, message)  # type: ignore[method-assign, misc]

    def __getitem__(self, name: str) -> Puppet:
        member: Any = self.world.nodes[name].identities
        assert isinstance(member, Puppet)
        return member

    def hears(self, name: str, message: HealthMessage | Ping) -> None:
        number = message.request if isinstance(message, Ping) else message.reign.last if message.reign else 0
        self[name].hears(f"{type(message).__name__} {number}")

    def beat(self, sender: str, to: str, *numbers: int) -> None:
        me, node = self[sender].me, self.world.nodes[sender]
        for number in numbers:
            message = HealthMessage(me, STAMP, "alive", Reign(me, 0, 0, number, ""))
            self.world.heap.later(0, node, lambda message=message: node.env.send(self.address(to), message))  # type: ignore[misc]

    def ping(self, sender: str, to: str, number: int) -> None:
        node, message = self.world.nodes[sender], Ping(self[sender].me, STAMP, number)
        self.world.heap.later(0, node, lambda: node.env.send(self.address(to), message))

    def numbers(self, name: str) -> list[int]:
        return [int(what.split()[1]) for what in self.said(name)]


STAMP = Stamp("domain", "group", "core", 0, 1)


def test_they_arrive_once_and_in_order_while_nothing_is_wrong() -> None:
    stage = GroupStage("a", "b")
    stage.beat("a", "b", *range(1, 50))
    stage.run(SECOND)
    assert stage.numbers("b") == list(range(1, 50))


def test_those_are_lost_that_the_draw_says() -> None:
    stage, fault = GroupStage("a", "b"), DatagramFault(LOSE, (FORTH,), 30)
    drawn = Datagrams(SEED)
    drawn.begin(4, fault)
    stage.act(Begin(4, fault))
    stage.beat("a", "b", *range(200))
    stage.run(SECOND)
    expected = [n for n in range(200) if drawn.fate(FORTH, SOUND).arrivals]
    assert stage.numbers("b") == expected
    assert told(stage, DatagramCaught) == 1
    stage.act(End(4))
    stage.beat("a", "b", *range(5))
    stage.run(SECOND)
    assert stage.numbers("b") == list(range(5))
    ended = stage.receipts[-1]
    assert isinstance(ended, Receipt)
    assert ended.how == f"{200 - len(expected)} of 200 datagrams were lost"


def test_the_delayed_are_overtaken_and_the_repeated_come_twice() -> None:
    stage = GroupStage("a", "b")
    stage.act(Begin(1, DatagramFault(DELAY, (FORTH,), 50, 100 * MILLISECOND)))
    stage.beat("a", "b", *range(50))
    stage.run(SECOND)
    got = stage.numbers("b")
    assert sorted(got) == list(range(50)) != got
    stage.act(End(1))
    stage.act(Begin(2, DatagramFault(REPEAT, (FORTH,), 100, 10)))
    stage.beat("a", "b", 7)
    stage.run(SECOND)
    assert stage.numbers("b") == [7, 7]


@pytest.mark.parametrize("state", [LinkState(cut=True), LinkState(blackhole=True)])
def test_none_passes_a_link_that_is_cut_or_a_black_hole(state: LinkState) -> None:
    stage = GroupStage("a", "b")
    stage.act(Begin(1, LinkFault(SLOW, (FORTH,), state)))
    stage.beat("a", "b", 1)
    stage.beat("b", "a", 2)
    stage.run(SECOND)
    stage.act(End(1))
    stage.beat("a", "b", 3)
    stage.run(SECOND)
    assert [what for what in stage.said("b") if what.startswith("Health")] == ["HealthMessage 3"]
    assert [what for what in stage.said("a") if what.startswith("Health")] == ["HealthMessage 2"]


def test_a_slow_link_delays_them_too() -> None:
    stage = GroupStage("a", "b")
    stage.act(Begin(1, LinkFault(SLOW, (FORTH,), LinkState(latency=SECOND))))
    stage.beat("a", "b", 1)
    stage.run(SECOND)
    assert stage.numbers("b") == []
    stage.run(SECOND)
    assert stage.numbers("b") == [1]


def test_only_what_the_setting_names_goes_so() -> None:
    stage, all_of_them = GroupStage("a", "b"), DatagramFault(LOSE, (FORTH,), 100)
    stage.act(Begin(1, all_of_them))
    stage.ping("a", "b", 1)
    stage.beat("a", "b", 2)
    stage.run(SECOND)
    assert stage.said("b") == ["Ping 1"]
    for udp in ("none", "notifications"):
        stage = GroupStage("a", "b", udp=udp)
        stage.act(Begin(1, all_of_them))
        stage.beat("a", "b", 2)
        stage.run(SECOND)
        assert stage.numbers("b") == [2]


def test_who_is_paused_gets_them_when_it_goes_on() -> None:
    stage = GroupStage("a", "b")
    stage.act(Begin(1, Pause("b")))
    stage.beat("a", "b", 1, 2)
    stage.run(SECOND)
    assert stage.numbers("b") == []
    stage.act(End(1))
    stage.run(SECOND)
    assert stage.numbers("b") == [1, 2]


def test_one_that_arrives_after_a_restart_comes_to_the_new_incarnation_and_one_before_it_to_nobody() -> None:
    stage = GroupStage("a", "b")
    stage.act(Begin(1, DatagramFault(DELAY, (FORTH,), 100, 3 * SECOND)))
    stage.beat("a", "b", *range(20))
    stage.run(MILLISECOND)
    stage.act(Kill("b"))
    stage.run(SECOND)
    stage.act(Restart("b"))
    stage.run(3 * SECOND)
    heard = [what for what in stage.said("b") if what.startswith("health")]
    assert 5 < len(heard) < 18


def test_a_filter_by_kind_takes_them_before_they_leave() -> None:
    stage = GroupStage("a", "b")
    stage.act(Begin(1, MessageFault("a", DROP, ("healthmessage",), (), 1)))
    stage.act(Begin(2, MessageFault("a", HOLD_BACK, ("healthmessage",), (), 1)))
    stage.beat("a", "b", 1, 2, 3)
    stage.run(SECOND)
    assert stage.numbers("b") == [2, 3]
    stage.act(Begin(3, MessageFault("a", HOLD_BACK, ("healthmessage",), (), 1)))
    stage.beat("a", "b", 4, 5)
    stage.run(SECOND)
    stage.act(End(3))
    stage.run(SECOND)
    assert stage.numbers("b") == [5, 4]
