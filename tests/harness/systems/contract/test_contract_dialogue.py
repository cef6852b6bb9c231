"""What a node says by contract that no node says: it is told as that, and never an error of ours."""

from __future__ import annotations

import json

import pytest

from shaketable.harness.systems.contract.dialogue import Dialogue
from shaketable.harness.systems.dialogue import BrokenAfter
from shaketable.node.events import Joined
from shaketable.node.process import control
from shaketable.node.why import Why

VIEW = {"kind": "ViewInstalled", "version": 1, "author": "a", "master": ["n1:5701", "a"], "members": []}


def said(*events: object) -> bytes:
    lines: list[object] = [{"type": "ready", "contract": 1}]
    for sequence, event in enumerate(events, 1):
        lines.append({"type": "reported", "time": 1, "incarnation": "a", "sequence": sequence, "event": event})
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


@pytest.mark.parametrize(
    "event",
    [
        *({}, [], 7, "x", None, {"kind": []}, {"kind": {}}, {"kind": None}, {"kind": "Rain"}),
        *(VIEW | {"version": 2**80}, VIEW | {"version": 1.5}, VIEW | {"members": [["n1:5701"]]}),
        *(VIEW | {"why": []}, VIEW | {"why": "because"}, VIEW | {"reason": 7}, VIEW | {"colour": "red"}),
    ],
)
def test_an_event_that_is_none_of_ours_breaks_the_line(event: object) -> None:
    with pytest.raises(BrokenAfter, match="an event that is none of ours"):
        Dialogue("n1", b"").heard(said(event))


def test_the_usual_reason_of_one_that_founds_is_that_it_founds() -> None:
    heard = Dialogue("n1", b"").heard(said({"kind": "Joined", "founded": True}, {"kind": "Joined", "founded": False}))
    told = [control.event_decoder.decode(each.event) for each in heard if isinstance(each, control.Reported)]
    assert told == [
        Joined(True, Why.FOUNDED.words, Why.FOUNDED),
        Joined(False, Why.FINALIZE_JOIN.words, Why.FINALIZE_JOIN),
    ]


@pytest.mark.parametrize("line", [b"\xff\xfe", b"[]", b'{"type":[]}', b'{"type":"ready"}', b"{" * 100_000, b"1e999"])
def test_a_line_that_is_none_of_the_contract_s_breaks_it(line: bytes) -> None:
    with pytest.raises(control.BrokenStream):
        Dialogue("n1", b"").heard(line + b"\n")
