"""Chosen and typed values become a call, or one sentence that says what is wrong with it."""

from __future__ import annotations

import inspect

import pytest

from shaketable.harness.errors import UserError
from shaketable.harness.scripting.cluster import Cluster
from shaketable.tui.engine.protocol import Do, framed, order_in
from shaketable.tui.model.hands.by_hand import call_in
from shaketable.tui.model.hands.calls import BY_VERB, DEEDS, OF_A_LINK, Call, Deed, Value
from shaketable.tui.model.hands.filling_in import checked, filled_in
from shaketable.tui.model.hands.groups import groups_in, splits_of, wrong_with
from shaketable.tui.model.hands.saving import step_of, written


def nodes_for(deed: Deed) -> list[str]:
    return {"link": ["n1", "n2"], "node": ["n1"]}.get(deed.of, [])


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.verb)
def test_every_deed_with_its_usual_values_is_a_call_that_its_verb_takes(deed: Deed) -> None:
    typed = {"jump": "3"} if deed.verb == "clock" else {}
    call = filled_in(deed, nodes_for(deed), typed)
    arguments = call.arguments or (("n6",) if deed.verb == "start" else ())
    if deed.verb == "stop_work":
        return  # a hand names the node, a script its load
    if not hasattr(Cluster, deed.verb):  # a kind of fault without a method of its own
        inspect.signature(Cluster.inject).bind(None, deed.verb, *arguments, **call.options)
        return
    inspect.signature(getattr(Cluster, deed.verb)).bind(None, *arguments, **call.options)


@pytest.mark.parametrize("deed", [d for d in DEEDS if d.one_way], ids=lambda deed: deed.verb)
def test_one_direction_alone(deed: Deed) -> None:
    assert deed.of == OF_A_LINK
    assert filled_in(deed, ["n2", "n1"], {}, one_way=True).options["one_way"] is True
    assert "one_way" not in filled_in(deed, ["n2", "n1"], {}).options


def test_units_become_those_of_the_verb() -> None:
    slow = filled_in(BY_VERB["slow"], ["n1", "n2"], {"latency": "1.5", "jitter": "1"})
    assert slow == Call("slow", ("n1", "n2", 1500), {"jitter": 1000})
    delay = filled_in(BY_VERB["delay"], ["n3"], {"by": "20", "count": "2"})
    assert delay == Call("delay", ("membersupdate", 20_000), {"sender": "n3", "count": 2})
    senders = [deed for deed in DEEDS if deed.of_sender]
    assert senders == [deed for deed in senders if "sender" in filled_in(deed, ["n3"], {}).options] != []


@pytest.mark.parametrize(
    ("verb", "typed", "line"),
    [
        ("drop", {"to": "n2, n3", "perhaps": "yes"},
         'drop("membersupdate", sender="n1", to=["n2", "n3"], perhaps=True)'),
        ("drop", {"perhaps": "no"}, 'drop("membersupdate", sender="n1")'),
        ("hold", {"nth": "2", "where": "cause=none version=3"},
         'hold("n1", "ViewInstalled", nth=2, where={"cause": None, "version": 3})'),
        ("start", {"settings": "lite_member=true maps='data=1 b=2'"},
         'start(settings={"lite_member": True, "maps": "data=1 b=2"})'),
        ("flap", {"times": "3"}, 'flap("n1", "n2", down=500 * MILLISECOND, up=500 * MILLISECOND, times=3)'),
        ("note", {"what": "now look"}, 'note("now look")'),
    ],
)  # fmt: skip
def test_what_only_some_verbs_take(verb: str, typed: dict[str, str], line: str) -> None:
    deed = BY_VERB[verb]
    call = filled_in(deed, ["n1"] if deed.of_sender else nodes_for(deed), typed)
    assert step_of(call) == f"{'await ' if verb != 'note' else ''}cluster.{line}"
    assert call_in(str(call)) == call
    assert order_in(framed(Do(1, call))[5:]) == Do(1, call)


@pytest.mark.parametrize(
    ("verb", "nodes", "typed", "sentence"),
    [
        ("slow", ["n1", "n2"], {"latency": "much"}, "slow: the latency in ms is a number, not 'much'"),
        ("slow", ["n1", "n2"], {"latency": " "}, "slow: say the latency in ms"),
        ("slow", ["n1"], {}, "slow takes two nodes and 1 more, and was given 2 values"),
        ("thin", ["n1", "n2"], {"rate": "1e999"}, "thin: the rate in bytes/s is a number, not '1e999'"),
        ("clock", ["n1"], {"jump": "1e300"}, "clock: jump is a whole number, not 1"),
        ("drop", [], {}, "drop: choose the node that sends"),
    ],
)
def test_what_is_wrong_is_said(verb: str, nodes: list[str], typed: dict[str, str], sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        filled_in(BY_VERB[verb], nodes, typed)
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (Call("__init__"), "__init__ cannot be done by hand"),
        (Call("form", ("n1",)), "form cannot be done by hand"),
        (Call("cut", ("n1", 2)), "cut: a node is a text, not 2"),
        (Call("cut", ("n1", "n2"), {"one_way": 1}), "cut: one way is yes or no, not 1"),
        (Call("cut", ("n1", "n2"), {"sender": "n1"}), "cut takes no sender"),
        (Call("drop", ("membersupdate",)), "drop: choose the node that sends"),
        (Call("pause", (("n1",),)), "pause: a node is a text, not ('n1',)"),
        (Call("cut", (("n1", "n1"), "n2")), "cut: n1 is there twice"),
        (Call("cut", ("n1", ())), "cut: name at least one node on each side"),
        (Call("split", (("n1", "n2"),)), "split: give two groups or more, each with a node: n1 n2 | n3"),
        (Call("split", (("n1", "n2"), "n3")), "split: it takes groups of nodes"),
        (Call("split", (("n1", "n2"), ("n2",))), "split: n2 is there twice"),
        (Call("heal", (True,)), "heal takes the number of a fault"),
        (Call("load", (None,)), "load: busy is a whole number, not None"),
    ],
)
def test_a_call_from_elsewhere_is_looked_at_as_well(call: Call, sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        checked(call)
    assert str(refused.value) == sentence


def test_a_split_takes_as_many_groups_as_are_typed() -> None:
    split = filled_in(BY_VERB["split"], [], {"groups": "n1, n2|n3 |n4  n5", "how": "blackhole"})
    assert split == Call("split", (("n1", "n2"), ("n3",), ("n4", "n5")), {"how": "blackhole"})
    assert written(split) == 'cluster.split(["n1", "n2"], ["n3"], ["n4", "n5"], how="blackhole")'
    assert order_in(framed(Do(1, split))[5:]) == Do(1, split)


@pytest.mark.parametrize("names", [[], ["n1"], ["n1", "n2"], ["n1", "n2", "n3", "n4", "n5"]])
def test_the_splits_that_are_offered_are_all_right(names: list[str]) -> None:
    offered = splits_of(names)
    assert [wrong_with(groups_in(text), names) for text in offered] == [""] * len(offered)
    assert len(offered) == len(set(offered)) == {0: 0, 1: 0, 2: 2, 5: 7}[len(names)]


@pytest.mark.parametrize("value", [("n1", "n2"), "n1", 'it\'s "so"\n', 3, -1, True, None])
def test_a_call_is_read_as_it_is_written(value: Value) -> None:
    call = Call("put", ("n1", value), {"within": value})
    assert call_in(str(call)) == call
