"""The real thing: `shaketable tui` in a terminal, over real processes and real links, by its keys alone."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tests.harness.command.command_helpers import COMMAND
from tests.tui.real.terminal import Terminal

from shaketable.harness.runs.directory import read_run

TAB, ENTER, CTRL_C, CTRL_Z = "\t", "\r", "\x03", "\x1a"
AS_FIGURE_5 = ["--set", "partial_disconnection_heartbeat_count=60", "--set", "merging=false"]
"""So many rounds after the last news the master decides: by then both cuts have to be there, and they come by keys.
With one of them alone it would be another one who has to go."""


@contextmanager
def tui(folder: Path, *arguments: str, **variables: str) -> Iterator[Terminal]:
    started = Terminal(folder, [*COMMAND, "tui", *arguments], more=variables)
    try:
        yield started
    finally:
        started.close()


def in_list(name: str, size: int) -> re.Pattern[str]:
    """The row of a node that holds a list of so many."""
    return re.compile(rf"^.*\b{name} .*\bv\d+ ×{size}\b", re.MULTILINE)


def have(size: int, *names: str) -> list[re.Pattern[str]]:
    return [in_list(name, size) for name in names]


def cut(terminal: Terminal, one: str, other: str, *, place: str) -> None:
    """By the menu: the first deed is the cut. Nodes are chosen by their places: the other's is `place`."""
    terminal.press("b")
    terminal.sees("▸∞ cut ")
    terminal.press(ENTER)
    terminal.presses_until(one[1:], f'await cluster.cut("{one}",')
    terminal.press(TAB)
    terminal.presses_until(place, f'await cluster.cut("{one}", "{other}")')
    terminal.press(ENTER)
    terminal.sees(f'✓ cluster.cut("{one}", "{other}"):')


def test_n2_is_cut_off_and_leaves_as_in_figure_5(tmp_path: Path) -> None:
    with tui(tmp_path, "--nodes", "4", *AS_FIGURE_5) as terminal:
        terminal.see(lambda text: all(p.search(text) for p in have(4, "n1", "n2", "n3", "n4")), "four have one list")
        terminal.sees("4/4")
        known = terminal.others()
        assert len(known) >= 4 + 2, known  # the nodes, the engine, the link server
        cut(terminal, "n2", "n3", place="2")
        cut(terminal, "n2", "n4", place="3")
        apart = [*have(3, "n1", "n3", "n4"), *have(1, "n2")]
        terminal.see(lambda text: all(p.search(text) for p in apart), "n2 has left their lists")
        terminal.press("H")
        terminal.sees("▸ all of them")
        terminal.press(ENTER)
        terminal.sees("✓ cluster.heal_all():")
        terminal.press("q")
        assert terminal.ended() == 0, terminal.screen.text
        terminal.nothing_is_left(known)
    (folder,) = (tmp_path / "runs").iterdir()
    run = read_run(folder)
    assert run.notes == []
    assert run.verdict is not None


@pytest.mark.parametrize("how", ["ctrl-c", "its window is closed"])
def test_nothing_is_left_however_it_is_ended(tmp_path: Path, how: str) -> None:
    with tui(tmp_path, "--nodes", "2") as terminal:
        terminal.see(lambda text: all(p.search(text) for p in have(2, "n1", "n2")), "both have one list")
        known = terminal.others()
        assert len(known) >= 2 + 2, known
        if how == "ctrl-c":
            terminal.press(CTRL_C)
            assert terminal.ended() == 0, terminal.screen.text
        else:
            terminal.shut()
        terminal.nothing_is_left(known)


def test_a_world_that_cannot_start_says_why_and_is_no_success(tmp_path: Path) -> None:
    why = "TOXIPROXY_SERVER names no/such/program, which is no program"
    with tui(tmp_path, TOXIPROXY_SERVER="no/such/program") as terminal:
        terminal.sees(why)
        assert "no node yet" in terminal.screen.text, "the screens are there, and beside them it is said"
        terminal.press("q")
        assert terminal.ended() == 2
        assert f"shaketable: {why}; give" in terminal.screen.text


BREAKS = """\
import sys
from shaketable.__main__ import main
from shaketable.tui.doing.looking import Looking

def broken(app):
    raise KeyError("nobody foresaw it")

Looking.action_view = broken
sys.argv[1:] = ["tui", "--nodes", "2"]
sys.exit(main())
"""


def test_a_fault_of_ours_ends_the_cluster_in_order_and_is_no_success(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, [sys.executable, "-c", BREAKS], more={"TMPDIR": str(tmp_path)})
    try:
        terminal.see(lambda text: all(p.search(text) for p in have(2, "n1", "n2")), "both have one list")
        known = terminal.others()
        terminal.press("v")
        assert terminal.ended() == 2, terminal.screen.text
        terminal.nothing_is_left(known)
    finally:
        terminal.close()
    (folder,) = (tmp_path / "runs").iterdir()
    assert read_run(folder).verdict is not None, "the run was ended in order"
    (told,) = tmp_path.glob("shaketable-fault-*.txt")
    assert "KeyError: 'nobody foresaw it'" in told.read_text()
    said = " ".join(terminal.screen.text.split())
    assert f"recorded: shaketable replay runs/{folder.name}" in said
    assert "shaketable: this is a fault of shaketable itself (KeyError: 'nobody foresaw it'): please report it" in said
    assert "Traceback" not in said


def test_ctrl_z_suspends_the_screens_alone_and_fg_brings_them_back_whole(tmp_path: Path) -> None:
    started = Terminal(tmp_path, ["bash", "--norc", "--noprofile", "-i"], more={"PS1": "prompt> "})
    try:
        started.sees("prompt>")
        started.press(f"{shlex.join([*COMMAND, 'tui', '--world', 'sim', '--nodes', '2'])}\r")
        started.see(lambda text: all(p.search(text) for p in have(2, "n1", "n2")), "both have one list")
        screens = started.child()
        engine = next(p for p in screens.children())
        started.press(CTRL_Z)
        started.see(lambda _: screens.status() == psutil.STATUS_STOPPED, "the screens are suspended")
        started.sees("Stopped")
        assert engine.status() != psutil.STATUS_STOPPED, "what lives goes on"
        started.press("clear\r")
        started.see(lambda text: "Stopped" not in text and "n2" not in text, "the shell alone is seen")
        started.press("fg\r")
        started.see(lambda text: all(p.search(text) for p in have(2, "n1", "n2")), "the screens are back")
        started.see(lambda text: "1 Cluster" in text.split("\n")[1] and "q quit" in text.split("\n")[-1], "and whole")
        started.press("q")
        started.sees("recorded: shaketable replay")
    finally:
        started.close()
