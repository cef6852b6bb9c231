"""A system of another package whose code fails while its members run: one sentence, no traceback, nothing left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.harness.systems.faulty import BOOM, boom, faulty, gives
from tests.harness.worlds.real.world_helpers import stage
from tests.lengths import LONG

from shaketable.harness.faults.actions import NoEffect, Start
from shaketable.harness.history.history import History
from shaketable.harness.records import Ending, NodeEnded
from shaketable.harness.systems.system import Process
from shaketable.harness.verdicts.reasons import reasons_of
from shaketable.node.events import Leaving
from shaketable.node.process import control

FAULT = "this is a fault of the package wrong"


@pytest.mark.parametrize(
    ("name", "does", "said"),
    [
        ("address", boom, BOOM),
        ("address", gives(7), "given 7, and has to give a text"),
        ("process", boom, BOOM),
    ],
)
async def test_members_that_cannot_be_started(
    name: str, does: Callable[..., Any], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with stage(tmp_path, system=faulty({name: does})) as it:
        with pytest.raises(NoEffect) as told:
            await it.act(Start(("n1",), ("n1",)))
        assert str(told.value) == f"--system toy: its `{name}` has {said}; {FAULT}"
        assert it.events(kind=NodeEnded) == []
    assert capfd.readouterr() == ("", "")


@LONG
@pytest.mark.parametrize("name", ["dialogue", "order", "heard", "take_troubles"])
async def test_a_dialogue_that_fails_ends_its_process(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    system = faulty({name: boom}) if name == "dialogue" else faulty(of_dialogue={name: boom})
    async with stage(tmp_path, system=system) as it:
        with pytest.raises(NoEffect, match=r"^n1 ended: not understood$"):
            await it.act(Start(("n1",), ("n1",)))
        assert it.events(kind=NodeEnded) == [NodeEnded("n1", "not understood", Ending.NOT_UNDERSTOOD)]
    reasons = [reason for reason in reasons_of(History(it.records)) if reason.about != "script"]
    said = f"--system toy: its `{name}` has {BOOM}; {FAULT}; so the harness kills it"
    assert [(reason.outcome, reason.text) for reason in reasons] == [
        ("unknown", f"what n1 tells is not understood: {said}")
    ]
    assert capfd.readouterr() == ("", "")


@LONG
async def test_an_answer_that_comes_at_once_and_is_wrong(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The number of an event counts those of its process."""
    event = control.Reported(1, "", 7, control.raw_event(Leaving()))
    async with stage(tmp_path, system=faulty(of_dialogue={"order": gives((b"", [event]))})) as it:
        with pytest.raises(NoEffect, match=r"^n1 ended: not understood$"):
            await it.act(Start(("n1",), ("n1",)))
    assert capfd.readouterr() == ("", "")


@LONG
async def test_what_fails_at_the_end_of_a_run_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with stage(tmp_path, system=faulty(of_dialogue={"ended": boom})) as it:
        await it.act(Start(("n1",), ("n1",)))
    (reason,) = [reason for reason in reasons_of(History(it.records)) if reason.about != "script"]
    assert f"its `ended` has {BOOM}; {FAULT}" in reason.text
    assert capfd.readouterr() == ("", "")


@LONG
async def test_a_process_that_fails_where_it_begins_says_so_in_its_log(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with stage(tmp_path, system=faulty({"process": gives(Process(boom, b""))})) as it:
        with pytest.raises(NoEffect, match=r"^the process of n1 ended before it ran \(exit code 70\)$"):
            await it.act(Start(("n1",), ("n1",)))
        said = f"--system toy: the beginning of its `process` has {BOOM}; {FAULT}\n"
        assert (tmp_path / "n1.log").read_text() == said
    assert capfd.readouterr() == ("", "")
