"""All that is known of a run is one fold of its history, faults included."""

from __future__ import annotations

from tests.notation.notation import Writer, history_of, member
from tests.reasons import reason_in

from shaketable.harness import records as h
from shaketable.harness.records import HARNESS, Record
from shaketable.harness.seen.run import Observed
from shaketable.node import events as e

FORMED = """
    n1 installs v1 [n1]
    n1 installs v2 [n1 n2]
    n2 installs v2 by n1 [n1 n2]
"""


def seen(text: str) -> Observed:
    observed = Observed()
    for record in history_of(text, ends=False):
        observed.apply(record)
    return observed


def test_a_node_is_what_it_last_said() -> None:
    observed = seen(FORMED)
    n2 = observed.nodes["n2"]
    assert (n2.state, n2.joined, n2.version, n2.author) == ("running", True, 2, member("n1").uuid)
    assert observed.names_of(n2.members) == ["n1", "n2"]
    assert observed.list_of(n2) == "v=2 [n1, n2]"
    assert n2.master == member("n1")


def test_a_restart_begins_from_nothing() -> None:
    observed = seen(FORMED + "n2 is killed\nn2' starts")
    n2 = observed.nodes["n2"]
    assert (n2.state, n2.joined, n2.incarnation) == ("running", False, member("n2'").uuid)
    assert observed.is_current(member("n2")) is None
    assert observed.is_current(member("n2'")) is n2


def test_the_last_words_of_an_earlier_incarnation_are_not_its_successor_s() -> None:
    observed = seen(FORMED + "n2 is killed\nn2' starts")
    late = Record(9, "n2", member("n2").uuid, 99, e.Suspected(member("n1"), *reason_in("too late")))
    assert not observed.apply(late)
    assert not observed.nodes["n2"].suspected
    observed.apply(Record(10, HARNESS, "", 99, h.NodeSpawned("n2")))
    assert not observed.apply(late)
    assert observed.nodes["n2"].state == "spawned"


def test_how_a_node_ended_is_what_was_known_first() -> None:
    observed = seen(FORMED + "n2 leaves\nn2 is killed")
    assert observed.nodes["n2"].state == "left"
    assert [n.name for n in observed.running()] == ["n1"]


def test_a_suspicion_ends_with_a_list_without_the_suspect() -> None:
    observed = seen(FORMED + "n1 suspects n2")
    assert list(observed.nodes["n1"].suspected) == [member("n2").uuid]
    observed = seen(FORMED + "n1 suspects n2\nn1 installs v3 [n1]")
    assert not observed.nodes["n1"].suspected


def test_paused_and_held_nodes_run_but_are_not_awake() -> None:
    for sleeps, wakes in (("fault 1: pause n2", "fault 1 ends"), ("n2 holds", "n2 goes on")):
        observed = seen(FORMED + sleeps)
        assert [n.name for n in observed.running()] == ["n1", "n2"]
        assert [n.name for n in observed.awake()] == ["n1"]
        assert len(seen(f"{FORMED}{sleeps}\n{wakes}").awake()) == 2


def test_a_pause_that_took_no_effect_is_none() -> None:
    assert len(seen(FORMED + "fault 1 is asked: pause n2\nfault 1 has no effect").awake()) == 2


def test_a_claim_is_open_until_it_is_finished() -> None:
    assert seen(FORMED + "n2 claims").nodes["n2"].claiming
    assert not seen(FORMED + "n2 claims\nn2 finishes v3 [n2]").nodes["n2"].claiming


def test_calm_is_counted_from_what_last_took_effect_or_ended_and_from_a_node_s_coming_and_going() -> None:
    story = FORMED
    last = []
    for line in (
        "@10s\nfault 1 is asked: cut n1->n2",
        "@20s\nfault 2: pause n2",
        "@30s\nfault 2 ends",
        "@40s\nn1 follows n1",
        "@50s\nn2 is killed",
    ):
        story += line + "\n"
        last.append(seen(story).calm // 1_000_000)
    assert last == [0, 20, 30, 30, 50]


def test_only_what_a_condition_can_see_is_a_change() -> None:
    observed = Observed()
    told = {type(r.event).__name__: observed.apply(r) for r in history_of(FORMED + "step: wait")}
    assert told == {
        "RunBegan": False,
        "NodeNamed": True,
        "Started": True,
        "MasterFollowed": True,
        "ViewInstalled": True,
        "Joined": True,
        "StepBegan": False,
        "ScriptEnded": False,
    }


def test_it_knows_which_holds_and_filters_fired() -> None:
    writer = Writer()
    writer.write(FORMED + "fault 1: hold n2\nfault 2: hold n2\nfault 3: drop n1\nn2 holds by fault 2")
    writer.tell("n1", e.FilterMatched(3, "heartbeat", member("n2").address))
    writer.tell("n1", e.FilterMatched(4, "heartbeat", member("n2").address))
    observed = Observed()
    for record in writer.records:
        observed.apply(record)
    assert [number for number, fault in observed.faults.items() if fault.fired] == [2, 3]


def test_members_that_are_a_set_have_no_version_and_one_order_for_all() -> None:
    observed = seen("n1 sees [n2 n1]\nn2 sees [n1 n2]")
    n1, n2 = observed.nodes["n1"], observed.nodes["n2"]
    assert n1.members == n2.members == (member("n1"), member("n2"))
    assert (n1.a_set, n1.version, n1.master) == (True, 0, None)
    assert observed.list_of(n1) == "[n1, n2]"


def test_who_starts_again_sees_nobody_yet() -> None:
    n2 = seen("n1 sees [n1 n2]\nn2 sees [n1 n2]\nn2 is killed\nn2' starts").nodes["n2"]
    assert (n2.a_set, n2.members) == (False, ())
