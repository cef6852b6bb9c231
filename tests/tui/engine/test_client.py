"""The screens' end of the pipe, with an engine that is none: what it says is understood or ends it, and a flood of
events neither fills the memory nor keeps a key waiting."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from tests.tui.engine.driving import Driving, drive

from shaketable.tui.engine import client
from shaketable.tui.engine.protocol import Begin

FLOOD = """
import sys
from shaketable.harness.records import Record, StepBegan
from shaketable.harness.history import codec
from shaketable.tui.engine.protocol import EVENTS, frame_of
lines = codec.to_lines([Record(n, "", "", n, StepBegan("x" * 500)) for n in range(250)])
while True:
    sys.stdout.buffer.write(frame_of(EVENTS, lines))
"""
IN_DISORDER = """
import sys, time
from shaketable.harness.records import Record, StepBegan
from shaketable.harness.history import codec
from shaketable.node.events import Leaving
from shaketable.tui.engine.protocol import EVENTS, frame_of
told = [(1_434, "n2", 1), (1_431, "n1", 7), (1_434, "", 3), (1_430, "", 1), (1_430, "n1", 6)]
of = lambda node: Leaving() if node else StepBegan("")
lines = codec.to_lines([Record(at, node, "", number, of(node)) for at, node, number in told])
sys.stdout.buffer.write(frame_of(EVENTS, lines))
sys.stdout.buffer.flush()
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(client, "COMMAND", (sys.executable, "-c", code))


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("print('Traceback, and then some')", "the engine cannot be understood any more, and is ended: "),
        ("import os; os.write(1, b'M' + (4).to_bytes(4, 'big') + b'null')", "the engine cannot be understood any more"),
        ("import os; os.write(1, b'E' + (4).to_bytes(4, 'big') + b'{}{}')", "the engine cannot be understood any more"),
        ("import sys; sys.exit(3)", "the engine has ended unexpectedly; see runs/"),
        (
            "import os; os.write(1, b'M' + (400).to_bytes(4, 'big') + b'{')",
            "the engine has ended unexpectedly; see runs/",
        ),
    ],
    ids=["a print", "no word", "no events", "an end", "an end in the middle of a word"],
)
def test_an_engine_that_is_not_itself_is_told_and_ended(
    code: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, code)

    async def ended(driving: Driving) -> None:
        await driving.until(lambda: driving.engine.session.ended)
        assert await driving.do() == []
        refused: list[str] = []
        driving.engine.heal(1, refused.append)
        assert refused == ["the run is over: nothing can be done to it any more"]

    driving = drive(Begin(world="sim", seed=1), ended)
    ((said, trouble),) = driving.said
    assert trouble
    assert said.startswith(sentence)
    assert "\n" not in said
    assert driving.engine.session.ended is not None
    assert driving.engine.session.ended.outcome == "unknown"
    assert driving.engine.hands is None


def test_a_flood_waits_in_the_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, FLOOD)
    monkeypatch.setattr(client, "A_FRAME_TAKES", 0.0)
    monkeypatch.setattr(client, "PATIENCE", 0.1)  # this one does not listen

    async def flooded(driving: Driving) -> None:
        engine, most = driving.engine, 0
        await driving.until(lambda: engine._waiting > client.WAITING)
        for _ in range(50):
            await asyncio.sleep(0.01)
            most = max(most, engine._waiting)
            before = len(engine.session.store)
            assert engine.pump()
            # Its time is over at once: it takes what it has begun with, and no more.
            assert len(engine.session.store) == before + 250
        assert most < client.WAITING + 2 * client.READ

    drive(Begin(world="sim", seed=1), flooded)


def test_events_that_come_together_stand_in_the_order_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, IN_DISORDER)
    monkeypatch.setattr(client, "PATIENCE", 0.1)

    async def all_here(driving: Driving) -> None:
        await driving.until(lambda: len(driving.engine.session.store) == 5)

    told = [(record.time, record.node) for record in drive(Begin(world="real", seed=1), all_here).engine.session.store]
    # Of one time: as they came, for the cause of two comes first.
    assert told == [(1_430, ""), (1_430, "n1"), (1_431, "n1"), (1_434, "n2"), (1_434, "")]
