"""A live cluster of a system that others wrote: what it cannot do is grey, with the reason, and is not done."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.systems.toy import REFUSALS, TOY
from tests.node.process.process_helpers import in_loop
from tests.tui.acting import Living, acting

from shaketable.harness.cli import main
from shaketable.tui.dialogs.break_menu import BreakMenu


def living(**more: str) -> Living:
    return Living("real", system=TOY.under_test, cannot={**REFUSALS, **more})


@in_loop
async def test_a_deed_that_it_cannot_do_is_not_done_and_says_why() -> None:
    async with acting(living(), 120, 40) as here:
        await here.press("b", "d")
        await here.sees("✗ drop")
        await here.sees("✗ it does something to single")
        await here.press("enter", "enter")
        assert isinstance(here.app.screen, BreakMenu)
        assert here.hands.done == []


@in_loop
async def test_a_link_is_cut_both_ways_alone() -> None:
    async with acting(living(), 120, 40) as here:
        await here.press("b", "enter", "down", "down", "right")
        await here.sees("✗ its connections carry both directions")
        await here.press("enter")
        assert here.hands.done == []
        await here.press("left", "enter")
        assert here.hands.done == ['cluster.cut("n1", "n2")']


@in_loop
async def test_a_key_of_a_node_says_it_too() -> None:
    async with acting(living(pause="a toy never stops"), 120, 40) as here:
        await here.press("down", "p")
        assert here.said[-1].endswith("cannot be paused: a toy never stops")
        assert here.hands.done == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--system", "nobody"], "--system nobody: there is no such system; there are shaketable, hazelcast, jgroups"),
        (["--system", "hazelcast:1"], "--system hazelcast:1: Hazelcast can be had as 5.3.8, "),
        (["--system", "hazelcast", "--world", "sim"], "--system hazelcast: it has no simulated world"),
        (["--system", "hazelcast", "--set", "family=gms"], "--system hazelcast: it is a group's, and Hazelcast is"),
        (
            ["--system", "jgroups", "--script", "the-owner-crashes"],
            "the-owner-crashes cannot be run with JGroups 5.4.8.Final: it works with data, and a JGroups member holds",
        ),
    ],
)
@pytest.mark.parametrize("plain", [[], ["--plain"]], ids=["screens", "plain"])
def test_what_does_not_go_is_said_before_a_screen_opens(
    arguments: list[str], sentence: str, plain: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tui", *arguments, *plain]) == 2
    told = capsys.readouterr()
    assert told.err.startswith(f"shaketable: {sentence}")
    assert told.err.count("\n") == 1
    assert not told.out


@pytest.mark.parametrize("plain", [[], ["--plain"]], ids=["screens", "plain"])
def test_without_java_one_sentence_says_what_mends_it(
    plain: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert main(["tui", "--system", "hazelcast", *plain]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("shaketable: hazelcast 5.7.0 cannot be run here: it needs Java 17 or newer: install one")
    assert told.err.count("\n") == 1
    assert not told.out
