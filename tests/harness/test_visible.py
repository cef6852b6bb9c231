"""What a node or a stranger's recording says cannot move the terminal, wherever it is shown."""

from __future__ import annotations

import os
import re
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.text import Text
from tests.harness.command.command_helpers import here
from tests.harness.reports.told_runs import wild

from shaketable.harness.console.report import print_reasons, print_run, print_summary
from shaketable.harness.console.screen import Screen
from shaketable.harness.reports import FILES, report_of_session, to_json
from shaketable.harness.verdicts.verdict import RunVerdict, SessionVerdict, session_of
from shaketable.harness.visible import in_one_line, visible, visible_json

ORDERS = "\x1b[2J\x1b]0;title\x07\x9b2J\x7f\r\x08\u202e\u2066"
"""clear the screen, another title, the same by upper control characters, go back, write from right to left"""
MOVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

HALVES = """
from shaketable.harness.scripting.scripts import script


@script(title="{title}")
async def story(cluster):
    await cluster.form("n1")
    assert False, "{said}"
"""


def hostile() -> SessionVerdict:
    """A run in which every name, step and reason has orders for a terminal in it."""
    verdict, _ = wild()
    text = msgspec.json.encode(verdict).decode()
    assert text.count("\\u0000") > 20
    orders = msgspec.json.encode(ORDERS).decode()[1:-1]
    return session_of([msgspec.json.decode(text.replace("\\u0000", orders), type=RunVerdict)], "1")


def test_each_order_is_one_sign() -> None:
    assert visible("a\x1b[2J\tb\n\x7f\x9b\u202e\r") == "a␛[2J\tb\n␡\ufffd\ufffd␍"
    assert in_one_line("a\n\tb\x1b") == "a␊␉b␛"
    for text in ("✓ passed ═ ü 日本", "a\nb\tc", ""):
        assert visible(text) == text
    everything = "".join(map(chr, range(0x3000)))
    assert not MOVES.search(visible(everything))
    assert not MOVES.search(in_one_line(everything))


def test_json_keeps_its_value() -> None:
    laid_out = msgspec.json.format(msgspec.json.encode({"a": ORDERS + "ü"}), indent=1).decode()
    assert MOVES.search(laid_out)
    assert not MOVES.search(visible_json(laid_out))
    assert msgspec.json.decode(visible_json(laid_out)) == {"a": ORDERS + "ü"}


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("width", [40, 80, 300])
def test_the_console_is_not_moved(encoding: str, width: int) -> None:
    class Output(StringIO):
        @property
        def encoding(self) -> str:  # type: ignore[override]
            return encoding

    out = Output()
    screen = Screen(file=out, width=width)
    session = hostile()
    print_run(session.runs[0], screen)
    print_reasons(session.runs[0], screen)
    print_summary(session, screen)
    screen.say(ORDERS)
    said = out.getvalue()
    assert ("␛" if encoding == "utf-8" else "?[2J") in said
    assert not MOVES.search(said)


def test_colours_of_our_own_go_through() -> None:
    out = StringIO()
    Screen(file=out, width=80, force_terminal=True, color_system="standard").print(Text("held\x1b[2J", "green"))
    assert "\x1b[32m" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()


@pytest.mark.parametrize("name", FILES)
def test_no_report_moves_the_terminal_that_shows_it(name: str) -> None:
    said = FILES[name](report_of_session(hostile()), {})
    assert "[2J" in said
    assert not MOVES.search(said)


def test_the_json_of_a_report_has_the_text_as_it_is() -> None:
    session = hostile()
    assert msgspec.json.decode(to_json(session), type=SessionVerdict) == session


def test_a_sentence_that_refuses_names_a_path_without_its_orders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = here(capsys, "replay", tmp_path / "run\x1b[2J").refused("run␛[2J is no folder")
    assert not MOVES.search(said)


def test_half_a_pair_in_what_a_script_says_or_is_called_is_told_and_breaks_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = HALVES.format(title="A \\udcff.", said="as \\ud800 must")
    (tmp_path / "halves.py").write_text(text)
    ran = here(capsys, "run", tmp_path / "halves.py", "--world", "sim", "--report", tmp_path / "out")
    assert ran.code == 1, ran.err
    assert "as \ufffd must" in ran.out
    assert "A \ufffd." in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    named = tmp_path / os.fsdecode(b"half\xff.py")
    named.write_text(text)
    here(capsys, "run", named, "--world", "sim").refused("half\ufffd.py", "its name is no UTF-8; give it another one")
