"""`shaketable explain plan`: the examples of its page word for word, answers in JSON, each mistake in one sentence."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from typing import Any

import pytest
from tests.conftest import AsWritten
from tests.harness.command.command_helpers import Ran, environment, here
from tests.harness.explain.explain_helpers import Ask, as_answered, asking
from tests.where import DOCS

from shaketable.harness.explain.plan_words import reason
from shaketable.harness.explain.planning import planned
from shaketable.node.cluster.partition.cycles import without_cycles
from shaketable.node.cluster.partition.planner import with_owner

PLAN = ("explain", "plan")
PAGE = DOCS / "explain-plan.md"


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    return asking(capsys, monkeypatch, PLAN)


def question(current: Any, target: Any, **more: Any) -> str:
    return json.dumps({"current": current, "target": target, **more})


SHIFT_DOWN = question(["A", None, "C"], ["D", "A", "C"])
SHIFTED_DOWN = (
    '{"migrations": [{"type": "SHIFT DOWN", "source": "A", "source_current_index": 0, "source_new_index": 1, '
    '"destination": "D", "destination_current_index": -1, "destination_new_index": 0}], '
    '"states": [["D", "A", "C"]], "prioritised": [0]}\n'
)


def test_the_page_shows_what_is_answered(
    as_written: AsWritten, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PAGE.read_text()
    now = as_answered(page, capsys, monkeypatch)
    assert page.count("    $ shaketable ") == 8
    as_written(PAGE, now)


# Answers


def test_an_answer_in_json_is_one_line(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    ran = ask(SHIFT_DOWN + "\n", "--json")
    assert ran == Ran(0, SHIFTED_DOWN, "")
    assert here(capsys, *PLAN, "A,-,C", "D,A,C", "--json") == ran
    assert here(capsys, *PLAN, "--json", "A, -, C", "D, A, C") == ran


def answered(ask: Ask, current: Any, target: Any) -> dict[str, Any]:
    ran = ask(question(current, target), "--json")
    assert (ran.code, ran.err, ran.out.count("\n")) == (0, "", 1)
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def test_states_are_in_planned_order_and_as_long_as_the_longer_row(ask: Ask) -> None:
    answer = answered(ask, ["A", "B"], ["C", "B", "D"])
    assert answer["states"] == [["C", "B", None], ["C", "B", "D"]]
    assert answer["prioritised"] == [1, 0]
    answer = answered(ask, ["A", "B", "C", None], ["A"])
    assert answer["states"] == [["A", None, "C", None], ["A", None, None, None]]
    assert [each["destination"] for each in answer["migrations"]] == [None, None]


def test_a_row_that_does_not_change_and_one_that_may_not(ask: Ask) -> None:
    nothing: dict[str, list[Any]] = {"migrations": [], "states": [], "prioritised": []}
    assert answered(ask, ["A", "B"], ["A", "B", None]) == nothing
    assert answered(ask, ["A", "B", "C"], ["C", "A", "B"]) == nothing


def test_a_row_that_lost_all_copies(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    for current in ([], [None], [None, None]):
        assert answered(ask, current, ["A", "B"])["states"] == [["A", "B"]]
    for row in ("-", "-,-", "-,-,-"):
        ran = here(capsys, *PLAN, row, "A,B,C", "--json")
        assert json.loads(ran.out)["states"] == [["A", "B", None], ["A", "B", "C"]]


def test_each_line_is_answered_in_its_place(ask: Ask) -> None:
    lines = [SHIFT_DOWN, question(["A"], []), "", SHIFT_DOWN]
    ran = ask("\n".join(lines), "--json")
    assert (ran.code, ran.err) == (2, "")
    first, second, third, fourth = ran.out.splitlines(keepends=True)
    assert first == fourth == SHIFTED_DOWN
    errors = [json.loads(line)["error"] for line in (second, third)]
    words = ask("\n".join(lines))
    assert words.code == 2
    told = [line for line in words.out.splitlines() if line.startswith("Line ")]
    assert told == ["Line 1: 1 migration", "Line 4: 1 migration"]
    assert words.err.splitlines() == [f"shaketable: line {n}: {e}" for n, e in zip((2, 3), errors, strict=True)]


# What is said


@pytest.mark.parametrize("seed", range(40))
def test_every_step_is_said_with_its_row_and_a_reason(seed: int, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    rng = random.Random(seed)
    backups: list[str | None] = [*rng.sample("BCDEFG", 4), None, None]
    rng.shuffle(backups)
    current, target = ["A", *backups], rng.sample("ABCDEFGHIJ", rng.randint(1, 7))
    answer = planned(current, target)
    told = ask(question(current, target)).out.splitlines()
    if answer.migrations:
        told = told[told.index("PLANNED MIGRATIONS:") + 1 :]
    end = without_cycles(answer.current, answer.target)
    before = with_owner(answer.current, end)
    for number, (migration, state) in enumerate(zip(answer.migrations, answer.states, strict=True), 1):
        step, row, why, *told = told
        assert step.startswith(f"{number}. {migration.type.split('+')[0]} ")
        assert row.strip() == ", ".join(member or "-" for member in state)
        assert why.strip() == reason(migration, answer.current, before, end)
        assert "None" not in why
        assert "index -1" not in why
        before = state
    in_order = [line for line in told if line[:1].isdigit()]
    assert [int(line.partition(".")[0]) - 1 for line in in_order] == (
        [] if answer.prioritised == sorted(answer.prioritised) else answer.prioritised
    )


# Mistakes


FORM = 'a question is {"current": ["A", null, "C"], "target": ["D", "A", "C"]}'
OWNERLESS = "name who holds index 0, or nobody at all (a backup is promoted before anything is planned)"
REFUSED: dict[str, tuple[str, str]] = {
    "no owner": (
        question([None, "B"], ["A"]),
        f"the current row has no owner: {OWNERLESS}",
    ),
    "no target": (question(["A"], []), "the target row has no owner: name who is to hold index 0"),
    "nobody as the target": (question(["A"], [None]), "the target row has no owner: name who is to hold index 0"),
    "a target without an owner": (
        question(["A"], [None, "B"]), "the target row has a gap at index 0: fill it, or end the row there"
    ),
    "a gap": (
        question(["A"], ["A", None, "B", None]), "the target row has a gap at index 1: fill it, or end the row there"
    ),
    "a name twice": (
        question(["A", "B", "A"], ["A"]), "A is in the current row twice: a member holds one replica of a partition"
    ),
    "a name twice in the target": (
        question(["A"], ["A", "B", "B"]), "B is in the target row twice: a member holds one replica of a partition"
    ),
    "too many replicas": (
        question(list("ABCDEFGH"), ["A"]), "the current row has 8 indexes: there are at most 7 replicas"
    ),
    "too many, though nobody": (
        question(["A"], ["A", *[None] * 7]), "the target row has 8 indexes: there are at most 7 replicas"
    ),
    "no name": (
        question(["A", ""], ["A"]), "the current row has an empty name at index 1: nobody is -, or null in JSON"
    ),
    "a number": (question(["A", 1], ["A"]), f"in `current[1]` expected `str | null`, got `int`: {FORM}"),
    "a row in words": (question("A,B", ["A"]), f"in `current` expected `array`, got `str`: {FORM}"),
    "no current row": ('{"target": ["A"]}', f"object missing required field `current`: {FORM}"),
    "an unknown key": (question(["A"], ["A"], groups=[]), f"object contains unknown field `groups`: {FORM}"),
    "no JSON": ("A,B", f"the line is not JSON (JSON is malformed: invalid character (byte 0)): {FORM}"),
    "an empty line": ("", f"the line is empty: {FORM}"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_line_that_makes_no_sense_gets_its_sentence_and_the_next_its_answer(name: str, ask: Ask) -> None:
    line, sentence = REFUSED[name]
    ran = ask(f"{line}\n{SHIFT_DOWN}", "--json")
    assert (ran.code, ran.err) == (2, "")
    refused, answer = ran.out.splitlines(keepends=True)
    assert json.loads(refused) == {"error": sentence}
    assert answer == SHIFTED_DOWN
    assert ask(f"{line}\n").refused() == f"shaketable: line 1: {sentence}\n"


MISTAKES: dict[str, tuple[tuple[str, ...], str]] = {
    "one row": (("A,B",), "give two rows, the current one and the target, such as A,B,C D,B,C"),
    "three rows": (("A", "B", "C"), "give two rows"),
    "an empty name": (("A,,C", "A"), "the current row has an empty name at index 1"),
    "an empty row": (("A", ""), "the target row has an empty name at index 0"),
    "a gap": (("A,B", "A,-,B"), "the target row has a gap at index 1"),
    "a name that cannot be printed": (("A,\x1b[2J", "A"), "\\x1b[2J cannot be printed"),
    "an unknown option": (("A", "B", "-x"), "unrecognized arguments: -x"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_command_line_that_cannot_be_obeyed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, words = MISTAKES[name]
    ran = here(capsys, *PLAN, *arguments)
    assert ran.out == ""
    ran.refused(words)


def test_names_cannot_take_over_the_terminal(ask: Ask) -> None:
    told = ask(question(["\x1b[2J", "[red]B[/red]"], ["a\nb", "[red]B[/red]"])).out
    assert "\x1b" not in told
    assert "1. MOVE migrate index 0 from \\x1b[2J to a\\nb\n" in told
    assert "[red]B[/red]" in told


def test_help_reads_well_at_80_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = here(capsys, *PLAN, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "shaketable explain plan A,-,C D,A,C" in ran.out


def test_json_does_without_what_only_words_need() -> None:
    program = (
        "import sys\nfrom shaketable.harness.cli import main\nmain(['explain', 'plan', 'A', 'B', '--json'])\n"
        "print('rich' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stderr == "False\n"
