"""All that the menu offers is done by hand to a simulated cluster, takes effect, and is taken off where it lasts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from shaketable.harness.records import (
    AnsweredByHand,
    AskedByHand,
    FaultAsked,
    FaultTook,
    Record,
    ScriptOutcome,
    StepBegan,
    StepKind,
)
from shaketable.harness.runs.run import Options, Run, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script, load_scripts
from shaketable.harness.worlds.sim.world import SimWorld
from shaketable.node.config import FAST, GMS, Settings
from shaketable.node.core.env import SECOND
from shaketable.node.events import OperationReturned
from shaketable.node.legacy import make_member
from shaketable.tui.engine.hand import Hand
from shaketable.tui.model.hands.by_hand import call_in
from shaketable.tui.model.hands.calls import BY_VERB, DEEDS, FROM_HERE, Call, Deed, heal
from shaketable.tui.model.hands.filling_in import filled_in
from shaketable.tui.model.hands.saving import save
from shaketable.tui.model.run_facts import RunFacts
from shaketable.tui.model.standing.possible import lasting

BEFORE = {
    "resume": Call("pause", ("n2",)),
    "restart": Call("kill", ("n2",)),
    "stop_work": Call("work", ("n2",)),
    "read_back": Call("put", ("n1", "k1", "v1")),
    "get": Call("put", ("n1", "k1", "v1")),
    "heal_link": Call("cut", ("n2", "n3")),
    "heal_all": Call("cut", ("n2", "n3")),
}


OF_A_GROUP = FAST.with_values({"family": "gms", "gms_udp": "both"})
OPEN = "CLUSTER_READ CLUSTER_WRITE"
ASKED = FAST.with_values({"rest_enabled": True, "rest_groups": OPEN, "cluster_password": "let me"})
"""its nodes are asked over HTTP"""


class Session:
    """Four nodes, and a hand."""

    def __init__(self, settings: Settings = FAST) -> None:
        async def lasts(cluster: Cluster) -> None:
            await cluster.form("n1", "n2", "n3", "n4")
            await cluster.sleep(10_000 * SECOND)

        self.world = SimWorld(1, settings, make_member)
        self.run = Run(Script("by-hand", "", "", lasts), Options(preset="fast", limit=1e6), settings, self.world)
        self.run.start()
        self.go_on(60 * SECOND)
        assert len([n for n in self.world.observed.nodes.values() if n.joined]) == 4
        self.hand = Hand(self.run, self.world)

    def go_on(self, time: int) -> None:
        end = self.world.time + time
        self.world.call_later(time, lambda: None)
        self.world.run(lambda: self.world.time >= end)

    def do(self, call: Call) -> str:
        troubles: list[str] = []
        self.hand.do(call, troubles.append)
        self.go_on(60 * SECOND)
        (trouble,) = troubles
        return trouble


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.verb)
def test_each_deed(deed: Deed) -> None:
    session = Session(OF_A_GROUP if deed.family == GMS else ASKED if deed.needs else FAST)
    if deed.verb in BEFORE:
        assert session.do(BEFORE[deed.verb]) == ""
    nodes = {"link": ["n2", "n3"], "node": ["n2"]}.get(deed.of, [])
    typed = {"clock": {"jump": "3"}, "delay": {"kind": "heartbeat"}}.get(deed.verb, {})
    call = filled_in(deed, nodes, typed)
    assert session.do(call) == ""
    answers = [r.event for r in session.world.records if isinstance(r.event, AnsweredByHand)]
    asked = [r.event for r in session.world.records if isinstance(r.event, AskedByHand)]
    assert [event.number for event in asked] == [event.number for event in answers] == list(range(1, len(asked) + 1))
    assert call_in(asked[-1].call).verb == deed.verb
    fault = answers[-1].fault
    assert (fault is not None) == deed.lasts
    if fault is not None:
        assert fault in [r.event.fault for r in session.world.records if isinstance(r.event, FaultTook)]
        assert session.world.observed.faults[fault].active
        assert session.do(heal(fault)) == ""
        assert not any(each.active for each in session.world.observed.faults.values())


Mistake = Callable[[Session], str]
MISTAKES: dict[str, Mistake] = {
    "there is no fault 7": lambda session: session.do(heal(7)),
    "no client of n2 was set to work": lambda session: session.do(Call("stop_work", ("n2",))),
    "n2 is not paused": lambda session: session.do(Call("resume", ("n2",))),
    "there is no link from n2 to itself": lambda session: session.do(Call("cut", ("n2", "n2"))),
    "it took no effect: n2 is not running (killed)": lambda session: (
        session.do(Call("kill", ("n2",))) or session.do(Call("kill", ("n2",)))
    ),
    "fault 1 (cut) is healed already": lambda session: (
        session.do(Call("cut", ("n2", "n3"))) or session.do(heal(1)) or session.do(heal(1))
    ),
    "fault 1 (kill) does not last: there is nothing to heal": lambda session: (
        session.do(Call("kill", ("n2",))) or session.do(heal(1))
    ),
}


@pytest.mark.parametrize("sentence", MISTAKES)
def test_a_mistake_is_told_and_ends_nothing(sentence: str) -> None:
    session = Session()
    assert MISTAKES[sentence](session) == sentence
    assert session.run.driver.outcome is None
    assert session.do(Call("pause", ("n3",))) == ""


@pytest.mark.parametrize("how", ["its own heal", "heal all"])
def test_a_flap_is_one_fault_and_its_script_ends_where_it_was_healed(how: str, tmp_path: Path) -> None:
    session = Session()
    session.world.record(StepBegan(FROM_HERE, means=StepKind.BY_HAND))
    assert session.do(filled_in(BY_VERB["flap"], ["n2", "n3"], {})) == ""
    (flap,) = lasting(session.world.observed)
    assert (flap.verb, flap.number) == ("flap", 1)
    healed = heal(flap.number) if how == "its own heal" else Call("heal_all")
    assert session.do(healed) == ""
    assert session.do(heal(1)) == "fault 1 (flap) is healed already"
    cuts = len(session.world.observed.faults) - 1
    assert cuts > 50
    session.go_on(60 * SECOND)
    assert len(session.world.observed.faults) - 1 == cuts, "it goes on"
    assert not any(fault.active for fault in session.world.observed.faults.values())

    path = tmp_path / "flap.py"
    facts = RunFacts("", "sim", "simulated", 1, "fast", FAST.outside())
    assert save(session.world.records, facts, path) == ""
    (script,) = load_scripts([path])
    again = run_simulated(script, Options(seed=1, preset="fast"))
    assert again.outcome.kind == "done", again.outcome
    asked = [record.event for record in again.records if isinstance(record.event, FaultAsked)]
    assert asked[0].verb == "flap"
    assert abs(len(asked) - 1 - cuts) <= 1


def test_a_fault_of_several_links_is_one_that_is_healed_at_once_and_saved(tmp_path: Path) -> None:
    session = Session()
    session.world.record(StepBegan(FROM_HERE, means=StepKind.BY_HAND))
    slow = filled_in(BY_VERB["slow"], ["n1", ("n2", "n3", "n4")], {}, one_way=True)
    between = filled_in(BY_VERB["blackhole"], [("n1", "n2"), ("n3", "n4")], {})
    assert [session.do(slow), session.do(between)] == ["", ""]
    observed = session.world.observed
    assert observed.faults[1].links == ("n1->n2", "n1->n3", "n1->n4")
    assert len(observed.faults[2].links) == 8
    assert len(lasting(observed)) == 2
    assert [session.do(heal(1)), session.do(heal(2)), len(lasting(observed))] == ["", "", 0]
    assert session.do(filled_in(BY_VERB["cut"], [("n1", "n2"), ("n1", "n2")], {})) == ""
    assert observed.faults[3].links == ("n1->n2", "n2->n1")

    path = tmp_path / "several.py"
    assert save(session.world.records, RunFacts("", "sim", "simulated", 1, "fast", FAST.outside()), path) == ""
    assert 'cluster.slow("n1", ["n2", "n3", "n4"], 200 * MILLISECOND, jitter=0, one_way=True)' in path.read_text()
    (script,) = load_scripts([path])
    again = run_simulated(script, Options(seed=1, preset="fast"))
    assert again.outcome.kind == "done", again.outcome
    asked = [record.event for record in again.records if isinstance(record.event, FaultAsked)]
    assert [each.links for each in asked] == [fault.links for fault in observed.faults.values()]


def test_a_node_that_is_added_gets_the_next_free_name() -> None:
    session = Session()
    assert [session.do(Call("start")), session.do(Call("start"))] == ["", ""]
    assert [n.name for n in session.world.observed.nodes.values() if n.joined][4:] == ["n5", "n6"]


ASKED_FOR = (
    Call("start", (), {"settings": {"lite_member": True}}),
    Call("drop", ("heartbeat",), {"sender": "n2", "to": ("n3", "n4"), "count": 2}),
    Call("hold", ("n2", "ViewInstalled"), {"where": {"version": 99}, "perhaps": True}),
    Call("put", ("n1", "k1", "v1"), {"map": "data"}),
    Call("get", ("n2", "k1"), {"map": "data"}),
    Call("remove", ("n3", "k1"), {"map": "data"}),
    Call("get", ("n2", "k1"), {"map": "data"}),
    Call("work", ("n3",), {"map": "data", "clients": 2, "keys": 2, "operations": 3}),
    Call("note", ("so far",)),
    Call("set_member_list", ("n1", ("n1", "n2", "127.0.0.1:9"))),
    Call("member_list", ("n2",)),
)
ANSWERS = [
    "ok, at n1 n2",
    "ok, v1",
    "ok, at n1 n2",
    "ok",
    "200, The member list of TCP-IP join config is updated at run time, members n1 n2 127.0.0.1:9",
    "200, members n1 n2 127.0.0.1:9",
]


def test_what_is_asked_for_by_hand_is_answered_and_its_script_asks_the_same(tmp_path: Path) -> None:
    session = Session(ASKED)
    session.world.record(StepBegan(FROM_HERE, means=StepKind.BY_HAND))
    assert [session.do(call) for call in ASKED_FOR] == [""] * len(ASKED_FOR)
    said = [r.event.said for r in session.world.records if isinstance(r.event, AnsweredByHand)]
    assert [each for each in said if each] == ANSWERS
    n5 = session.world.observed.nodes["n5"]
    assert [member.lite for member in n5.members if member.uuid == n5.incarnation] == [True]

    path = tmp_path / "asked.py"
    facts = RunFacts("", "sim", "simulated", 1, "fast", ASKED.outside())
    assert save(session.world.records, facts, path) == ""
    (script,) = load_scripts([path])
    text = path.read_text()
    assert '    cluster.note("so far")\n' in text
    again = run_simulated(script, Options(seed=1, preset="fast"))
    assert again.outcome.kind == "done", again.outcome
    assert [verb_of(record) for record in again.records if verb_of(record)] == [
        verb_of(record) for record in session.world.records if verb_of(record)
    ]


def verb_of(record: Record) -> tuple[str, ...]:
    match record.event:
        case FaultAsked(verb=verb, nodes=nodes, detail=detail):
            return verb, *nodes, detail
        case OperationReturned(client=client, outcome=outcome, value=value) if client.startswith("script"):
            return outcome, str(value)
    return ()


def test_nothing_can_be_done_to_a_run_that_is_over() -> None:
    session = Session()
    session.run.driver.stop("enough", ScriptOutcome.DONE)
    assert session.do(Call("pause", ("n3",))) == "the run is over: nothing can be done to it any more"
