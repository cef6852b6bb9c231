"""`shaketable explain clique` and what comes in: lines one after the other, and each mistake in one sentence."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.harness.command.command_helpers import COMMAND, Ran, environment, here
from tests.harness.explain.explain_helpers import CLIQUE, FIGURE_5, LEAVES_N2, Ask, asking, question
from tests.waiting import HANG

from shaketable.harness.explain import lines as explain_lines


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    return asking(capsys, monkeypatch)


# Line by line


def test_each_line_is_answered_in_its_place(ask: Ask) -> None:
    lines = [FIGURE_5, question(broken=[["n2", "n9"]]), "", question(), "{", question(broken=[])]
    ran = ask("\n".join(lines), "--json")
    assert (ran.code, ran.err) == (2, "")
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [next(iter(answer)) for answer in answers] == ["stay", "error", "error", "stay", "error", "stay"]
    words = ask("\n".join(lines))
    assert words.code == 2
    assert re.findall("^Line [0-9]", words.out, re.MULTILINE) == ["Line 1", "Line 4", "Line 6"]
    said = [f"shaketable: line {n}: {answers[n - 1]['error']}" for n in (2, 3, 5)]
    assert words.err.splitlines() == said


FORM = 'a question is {"members": ["n1", "n2", "n3"], "broken": [["n2", "n3"]]}'
REFUSED: dict[str, tuple[str | bytes, str]] = {
    "an unknown member": (
        question(broken=[["n2", "n9"]]),
        "n9, named in the broken pair n2, n9, is not in the member list: add it there, or correct it",
    ),
    "an unknown lite member": (
        question(lite=["n9"]), "n9, named in lite, is not in the member list: add it there, or correct it"
    ),
    "replicas of nobody": (
        question(replicas={"n9": 1}), "n9, named in replicas, is not in the member list: add it there, or correct it"
    ),
    "a pair with itself": (
        question(broken=[["n2", "n2"]]), "n2 cannot have a broken pair with itself: a pair names two members"
    ),
    "no members": (question(members=[]), "the member list is empty: name at least the master"),
    "a member twice": (
        question(members=["n1", "n2", "n1"]),
        "n1 is in the member list twice: name each member once, the master first",
    ),
    "a nameless member": (question(members=["n1", ""]), "a member has an empty name: give each a name of its own"),
    "too many members": (
        question(members=[str(i) for i in range(2001)], broken=[]),
        "2,001 members are too many: at most 2,000 can be decided about",
    ),
    "negative replicas": (
        question(replicas={"n2": -1}), "n2 cannot hold -1 replicas: give a whole number from 0 on, up to 1,000,000,000"
    ),
    "far too many replicas": (
        question(replicas={"n2": 10**30}),
        f"n2 cannot hold {10**30:,} replicas: give a whole number from 0 on, up to 1,000,000,000",
    ),
    "half a replica": (question(replicas={"n2": 1.5}), f"in `replicas[...]` expected `int`, got `float`: {FORM}"),
    "a whole float": (question(replicas={"n2": 1.0}), f"in `replicas[...]` expected `int`, got `float`: {FORM}"),
    "true replicas": (question(replicas={"n2": True}), f"in `replicas[...]` expected `int`, got `bool`: {FORM}"),
    "a list of replicas": (question(replicas=[1]), f"in `replicas` expected `object`, got `array`: {FORM}"),
    "one name for a list": (question(lite="n2"), f"in `lite` expected `array`, got `str`: {FORM}"),
    "no list of members": (question(members=3), f"in `members` expected `array`, got `int`: {FORM}"),
    "a member that is a number": (
        question(members=["n1", 2]), f"in `members[1]` expected `str`, got `int`: {FORM}"
    ),
    "a pair of one": (question(broken=[["n2"]]), f"in `broken[0]` expected `array` of length 2: {FORM}"),
    "a pair of three": (
        question(broken=[["n2", "n3"], ["n1", "n2", "n3"]]), f"in `broken[1]` expected `array` of length 2: {FORM}"
    ),
    "a pair in words": (question(broken=["n2,n3"]), f"in `broken[0]` expected `array`, got `str`: {FORM}"),
    "nothing for a list": (question(lite=None), f"in `lite` expected `array`, got `null`: {FORM}"),
    "an unknown key": (question(light=["n2"]), f"object contains unknown field `light`: {FORM}"),
    "no broken pairs": ('{"members": ["n1"]}', f"object missing required field `broken`: {FORM}"),
    "a list": ("[1]", f"expected `object`, got `array`: {FORM}"),
    "no JSON": ("n1 n2 n3", f"the line is not JSON (JSON is malformed: invalid character (byte 4)): {FORM}"),
    "half a line": ('{"members": ["n1"', f"the line is not JSON (Input data was truncated): {FORM}"),
    "two in a line": (
        question() + question(), f"the line is not JSON (JSON is malformed: trailing characters (byte 58)): {FORM}"
    ),
    "deep brackets": ('{"members": ' + "[" * 100_000, f"in `members[0]` expected `str`, got `array`: {FORM}"),
    "not UTF-8": (b'{"members": ["\xff"], "broken": []}', "the line is not UTF-8: save it in that encoding"),
    "an empty line": ("\n", f"the line is empty: {FORM}"),
    "a line of blanks": (" \t\r\n", f"the line is empty: {FORM}"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_line_that_makes_no_sense_gets_its_sentence_and_the_next_its_answer(name: str, ask: Ask) -> None:
    line, sentence = REFUSED[name]
    data = line if isinstance(line, bytes) else line.encode()
    ran = ask(data.rstrip(b"\n") + b"\n" + FIGURE_5.encode(), "--json")
    assert (ran.code, ran.err) == (2, "")
    refused, answered = ran.out.splitlines(keepends=True)
    assert json.loads(refused) == {"error": sentence}
    assert answered == LEAVES_N2
    assert ask(data).refused() == f"shaketable: line 1: {sentence}\n"


def test_a_line_of_any_length_is_read_past(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain_lines, "LONGEST_LINE", 100)
    sentence = "the line is longer than 100 bytes: no question is that long"
    assert ask(f"{'x' * 1000}\n{FIGURE_5}\n", "--json").out == json.dumps({"error": sentence}) + "\n" + LEAVES_N2
    for length in (99, 100, 101, 199, 200, 201):
        ran = ask(f"{FIGURE_5:<{length}}\n{FIGURE_5}\n", "--json")
        assert ran.out.count("\n") == 2
        assert ran.code == (0 if length < 100 else 2)
        assert ran.out.endswith(LEAVES_N2)
        assert ask(f"{FIGURE_5:<{length}}", "--json").out.count("\n") == 1


def test_the_mark_that_some_editors_put_first_is_no_mistake(ask: Ask) -> None:
    assert ask("\ufeff" + FIGURE_5 + "\r\n", "--json") == Ran(0, LEAVES_N2, "")


def test_names_cannot_take_over_the_terminal(ask: Ask) -> None:
    names = ["n1", "\x1b[2J", "a\nb", "\u202e", "[red]n[/red]", "x" * 500]
    told = ask(question(members=names, broken=[names[1:3], names[3:5]])).out
    assert not set(told) & {"\x1b", "\u202e"}
    assert "n1 (the master), \\x1b[2J, \\u202e, xxx" in told.replace("\n    ", " ")
    assert "a\\nb, [red]n[/red]" in told
    assert "x" * 59 not in told.replace("x" * 59 + "…", "")
    ask(question(broken=[["n1", "\x1b[2J\n"]])).refused("line 1: \\x1b[2J\\n, named in the broken pair n1, ")


MISTAKES: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "nothing to explain": ((), ("SUBJECT",)),
    "an unknown subject": (("click",), ("'click'", "clique")),
    "an unknown member": (("clique", "n1", "n2", "--broken", "n1,n9"), ("n9, named in the broken pair n1, n9",)),
    "an unknown member after a dash": (("clique", "a", "b", "--broken", "a-c"), ("c, named in the broken pair a, c",)),
    "a pair of one": (("clique", "n1", "n2", "--broken", "n2"), ("--broken n2: a broken pair is two", "n2,n3")),
    "a pair of three": (("clique", "a", "b", "c", "--broken", "a,b,c"), ("--broken a,b,c: a broken pair is two",)),
    "half a pair": (("clique", "a", "b", "--broken", "a,"), ("--broken a,: a broken pair is two",)),
    "half a pair with a dash": (("clique", "a", "b", "--broken", "a-"), ("--broken a-: a broken pair is two",)),
    "a dash that may be any": (("clique", "a", "a-b", "b-c", "c", "--broken", "a-b-c"), ("--broken a-b-c: a broken",)),
    "a pair with itself": (("clique", "a", "b", "--broken", "b,b"), ("b cannot have a broken pair with itself",)),
    "a member twice": (("clique", "a", "b", "a"), ("a is in the member list twice",)),
    "members with commas": (("clique", "a,b,c"), ("a,b,c holds a comma", "one by one")),
    "a member without a name": (("clique", "a", ""), ("a member has an empty name",)),
    "no number of replicas": (("clique", "a", "b", "--replicas", "b"), ("--replicas b: give MEMBER=COUNT",)),
    "half a replica": (("clique", "a", "b", "--replicas", "b=1.5"), ("--replicas b=1.5: give MEMBER=COUNT",)),
    "negative replicas": (("clique", "a", "b", "--replicas", "b=-1"), ("--replicas b=-1: give MEMBER=COUNT",)),
    "replicas without end": (("clique", "a", "--replicas", "a=" + "9" * 5000), ("a=999", "give MEMBER=COUNT")),
    "replicas given twice": (("clique", "a", "--replicas", "a=1", "a=2"), ("--replicas a=2: a is given already",)),
    "lite, but nobody": (("clique", "a", "--lite", "b"), ("b, named in lite, is not in the member list",)),
    "pairs without members": (("clique", "--broken", "a,b"), ("--broken without members: name the members before it",)),
    "members taken for pairs": (("clique", "--broken", "a,b", "a", "b"), ("--broken without members",)),
    "no time": (("clique", "a", "--timeout", "0"), ("--timeout 0: give seconds above 0",)),
    "time without end": (("clique", "a", "--timeout", "inf"), ("--timeout inf: give seconds above 0",)),
    "no number of seconds": (("clique", "a", "--timeout", "nan"), ("--timeout nan: give seconds above 0",)),
    "seconds in words": (("clique", "a", "--timeout", "long"), ("--timeout", "'long'")),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_command_line_that_cannot_be_obeyed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = MISTAKES[name]
    ran = here(capsys, "explain", *arguments)
    assert ran.out == ""
    ran.refused(*words)


# As a process


def test_no_input_is_said_in_one_sentence(tmp_path: Path) -> None:
    master, terminal = os.openpty()
    with (tmp_path / "empty").open("w+b") as empty:
        for stdin, sentence in (
            (terminal, "give members and --broken pairs, or questions on standard input"),
            (empty, "standard input is empty"),
        ):
            done = subprocess.run(
                [*COMMAND, *CLIQUE], stdin=stdin, env=environment(), capture_output=True, text=True, timeout=HANG
            )
            Ran(done.returncode, done.stdout, done.stderr).refused(sentence, "shaketable explain clique --help")
    for descriptor in (master, terminal):
        os.close(descriptor)
    closed = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, *CLIQUE]
    done = subprocess.run(closed, env=environment(), capture_output=True, text=True, timeout=HANG)
    Ran(done.returncode, done.stdout, done.stderr).refused("give members and --broken pairs")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_line_is_answered_before_the_next_is_there_until_somebody_interrupts(form: list[str]) -> None:
    buffered = environment(PYTHONUNBUFFERED="")
    with subprocess.Popen(
        [*COMMAND, *CLIQUE, *form], env=buffered, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, bufsize=1,
    ) as running:  # fmt: skip
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        watchdog = threading.Timer(HANG, running.kill)  # what is not flushed would be waited for without end
        watchdog.start()
        for _ in range(2):
            running.stdin.write(FIGURE_5 + "\n")
            while "n2" not in (line := running.stdout.readline()):
                assert line, running.stderr.read()
        running.stdin.write("nonsense\n")
        told = (running.stdout if form else running.stderr).readline()
        while not told.strip():
            told = running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=HANG)
        watchdog.cancel()
    assert "is not JSON" in told
    assert (running.returncode, err) == (2, "shaketable: interrupted\n")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_who_goes_ends_it_without_a_word(form: list[str], tmp_path: Path) -> None:
    (tmp_path / "questions").write_text((FIGURE_5 + "\n") * 5000)
    with (
        (tmp_path / "questions").open("rb") as questions,
        subprocess.Popen(
            [*COMMAND, *CLIQUE, *form], env=environment(), stdin=questions, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as running,
    ):  # fmt: skip
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        assert (running.stderr.read(), running.wait(HANG)) == (b"", 2)


@pytest.mark.parametrize(("arguments", "spared"), [(["--help"], ["msgspec", "rich"]), (["a", "--json"], ["rich"])])
def test_it_loads_no_more_than_it_needs(arguments: list[str], spared: list[str]) -> None:
    program = (
        "import sys\nfrom shaketable.harness.cli import main\n"
        "try:\n    main(['explain', 'clique', *sys.argv[1:]])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {spared!r} if name in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [["--help"], ["clique", "--help"]], ids=" ".join)
def test_help_reads_well_at_80_columns(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = here(capsys, "explain", *arguments)
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "clique" in ran.out
