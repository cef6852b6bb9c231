"""The vector clocks say what happened before what: exactly what the messages and the order of each process say."""

from __future__ import annotations

import json
import re

import pytest
from tests.chaos.shipped import GROUPS

from shaketable.chaos.demo import demo_figure_5
from shaketable.chaos.split_brain.split_brain import two_of_five_come_back
from shaketable.chaos.storms.storm import storm
from shaketable.harness.causes.clocks import clocks
from shaketable.harness.causes.shiviz import shiviz
from shaketable.harness.causes.steps import Life, Steps
from shaketable.harness.causes.trace import trace
from shaketable.harness.history.history import History
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.scripts import Script

STORIES = [
    demo_figure_5,
    storm,
    two_of_five_come_back,
    *(each for each in GROUPS if each.name == "group-kill-ring"),
]
SHIVIZ = re.compile(r"(?P<event>.*)\n(?P<host>\S*) (?P<clock>{.*})\n?")
"""what its page offers first"""


@pytest.fixture(params=STORIES, ids=lambda script: script.name)
def history(request: pytest.FixtureRequest) -> History:
    script: Script = request.param
    return History(run_simulated(script, Options("sim")).records)


Event = tuple[Life, int]


def test_a_clock_has_what_can_be_reached_backwards_and_nothing_else(history: History) -> None:
    steps = Steps(history)
    before: dict[Event, set[Event]] = {}
    known: dict[Event, dict[Life, int]] = {}
    for record, life, clock in clocks(history, steps):
        known[life, record.sequence] = dict(clock)
        links: set[Event] = {(life, record.sequence - 1)} if record.sequence > 1 else set()
        sent = steps.sent(record)
        if sent is not None and sent.after:
            links.add((sent.life, sent.after))
        before[life, record.sequence] = links
    assert len(known) == sum(1 for record in history.records if record.node)
    for event in list(known)[:: max(1, len(known) // 200)]:
        reached: dict[Life, int] = {}
        todo, seen = [event], {event}
        while todo:
            life, number = todo.pop()
            reached[life] = max(number, reached.get(life, 0))
            todo += [each for each in before[life, number] if each not in seen]
            seen |= before[life, number]
        assert known[event] == reached


def test_shiviz_can_read_it(history: History) -> None:
    text = "".join(shiviz(history))
    found = list(SHIVIZ.finditer(text))
    assert "".join(each[0] for each in found) == text
    counts: dict[str, int] = {}
    for each in found:
        host, clock = each["host"], json.loads(each["clock"])
        counts[host] = counts.get(host, 0) + 1
        assert clock[host] == counts[host], "a process counts its own events one by one"
        assert all(count <= counts.get(other, 0) for other, count in clock.items()), "of what has been written"


def test_a_trace_names_its_tracks_and_each_arrow_has_two_ends(history: History) -> None:
    told = json.loads(trace(history))["traceEvents"]
    for each in told:
        assert {"name", "ph", "pid", "tid"} <= each.keys()
        assert each["ph"] == "M" or isinstance(each["ts"], int)
    named = {each["pid"] for each in told if each["name"] == "process_name"}
    assert {each["pid"] for each in told} == named
    slices = {(each["pid"], each["tid"], each["ts"]) for each in told if each["ph"] == "X"}
    begins = {each["id"]: each for each in told if each["ph"] == "s"}
    ends = {each["id"]: each for each in told if each["ph"] == "f"}
    assert begins
    assert begins.keys() == ends.keys()
    for number, begin in begins.items():
        end = ends[number]
        assert begin["ts"] <= end["ts"]
        assert begin["name"] == end["name"]
        assert {(at["pid"], at["tid"], at["ts"]) for at in (begin, end)} <= slices, "an arrow joins two slices"
