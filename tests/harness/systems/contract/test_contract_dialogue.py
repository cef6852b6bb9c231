"""What a node says by contract that no node says: it is told as that, and never an error of ours."""

from __future__ import annotations

import json

import pytest

from shaketable.harness.systems.contract.dialogue import Dialogue
from shaketable.harness.systems.contract.times import Times
from shaketable.harness.systems.dialogue import BrokenAfter
from shaketable.node.events import Joined
from shaketable.node.process import control
from shaketable.node.why import Why

VIEW = {"kind": "ViewInstalled", "version": 1, "author": "a", "master": ["n1:5701", "a"], "members": []}


def dialogue(began: int = 0, now: int = 10) -> Dialogue:
    return Dialogue("n1", b"", Times(began, lambda: now))


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
        dialogue().heard(said(event))


def test_the_usual_reason_of_one_that_founds_is_that_it_founds() -> None:
    heard = dialogue().heard(said({"kind": "Joined", "founded": True}, {"kind": "Joined", "founded": False}))
    told = [control.event_decoder.decode(each.event) for each in heard if isinstance(each, control.Reported)]
    assert told == [
        Joined(True, Why.FOUNDED.words, Why.FOUNDED),
        Joined(False, Why.FINALIZE_JOIN.words, Why.FINALIZE_JOIN),
    ]


@pytest.mark.parametrize("line", [b"\xff\xfe", b"[]", b'{"type":[]}', b'{"type":"ready"}', b"{" * 100_000, b"1e999"])
def test_a_line_that_is_none_of_the_contract_s_breaks_it(line: bytes) -> None:
    with pytest.raises(control.BrokenStream):
        dialogue().heard(line + b"\n")


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ([11], "it tells the time 11, and it is 10"),
        ([4], "it tells the time 4, and it was started at 5"),
        ([-5], "it tells the time -5, and it was started at 5"),
        ([8, 8, 6], "it tells a time that goes back by 2 us"),
    ],
)
def test_a_time_that_no_clock_of_this_machine_shows_breaks_it(times: list[int], why: str) -> None:
    told = dialogue(began=5)
    told.heard(b'{"type":"ready","contract":1}\n')
    for time in times[:-1]:
        told.heard(at(time))
    with pytest.raises(control.BrokenStream) as broken:
        told.heard(at(times[-1]))
    assert str(broken.value) == why


def at(time: int) -> bytes:
    event = {"kind": "LinkUp", "address": "n2:5702"}
    line = {"type": "reported", "time": time, "incarnation": "a", "sequence": 1, "event": event}
    return f"{json.dumps(line)}\n".encode()
