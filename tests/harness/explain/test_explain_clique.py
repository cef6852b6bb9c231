"""`shaketable explain clique`: the examples of its page word for word, who leaves, and what is said about why."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from tests.conftest import AsWritten
from tests.harness.command.command_helpers import Ran, here
from tests.harness.explain.explain_helpers import CLIQUE, FIGURE_5, LEAVES_N2, Ask, as_answered, asking, question
from tests.node.cluster.cliques.cliques_by_hand import Case, by_all_subsets, case_by_chance
from tests.where import DOCS

from shaketable.node.cluster.cliques import decide

PAGE = DOCS / "explain-clique.md"


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    return asking(capsys, monkeypatch)


def case_said(case: Case) -> str:
    return question(members=case.members, broken=case.broken, lite=case.lite, replicas=case.replicas)


# The page


def test_the_page_shows_what_is_answered(
    as_written: AsWritten, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PAGE.read_text()
    now = as_answered(page, capsys, monkeypatch)
    assert page.count("    $ shaketable ") == 6
    as_written(PAGE, now)


# The answers


def test_figure_5_in_json_is_one_line(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    ran = ask(FIGURE_5 + "\n", "--json")
    assert ran == Ran(0, LEAVES_N2, "")
    assert here(capsys, *CLIQUE, "--json", "n1", "n2", "n3", "n4", "--broken", "n2,n3", "n2,n4") == ran


RACKS = ("A1", "A2", "B1", "B2", "C1", "C2")
RACKS_CUT = [["B1", "C1"], ["B1", "C2"], ["B2", "C1"], ["B2", "C2"]]
AT_RANDOM = [["A1", "B1"], ["B2", "C1"]]
ANSWERS: dict[str, tuple[dict[str, Any], str]] = {
    "figure 2": ({"members": ["n1", "n2", "n3", "n4"], "broken": [["n1", "n2"], ["n3", "n2"], ["n2", "n4"]]}, "n2"),
    "figure 3": ({"members": ["n1", "n2", "n3", "n4"], "broken": [["n2", "n1"]]}, "n2"),
    "figure 4": ({"members": ["n2", "n3", "n4"], "broken": []}, ""),
    "figure 5, told by all three": (
        {"members": ["n1", "n2", "n3", "n4"], "broken": [["n2", "n3"], ["n2", "n4"], ["n3", "n2"], ["n4", "n2"]]}, "n2"
    ),
    "racks": ({"members": RACKS, "broken": RACKS_CUT}, "C1 C2"),
    "racks, where one of the older is lite": ({"members": RACKS, "broken": RACKS_CUT, "lite": ["B2"]}, "B1 B2"),
    "racks, where the younger hold more": (
        {"members": RACKS, "broken": RACKS_CUT, "replicas": {"B1": 5, "C1": 3, "C2": 3}}, "B1 B2"
    ),
    "the random case under a seventh member": ({"members": ["M", *RACKS], "broken": AT_RANDOM}, "B1 C1"),
    "the random case under A1": ({"members": RACKS, "broken": AT_RANDOM}, "B1 C1"),
    "one alone": ({"members": ["n1"], "broken": []}, ""),
    "a pair said three times": ({"broken": [["n3", "n2"], ["n2", "n3"], ["n3", "n2"]]}, "n3"),
    "names that look like something": (
        {"members": ["127.0.0.1:5701", "[a]", "b,c", "d e", "ü"], "broken": [["b,c", "[a]"], ["ü", "d e"]]}, "b,c ü"
    ),
    "a name said twice to be lite": ({"lite": ["n2", "n2"]}, "n2"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_equal_lists(name: str, ask: Ask) -> None:
    asked, leave = ANSWERS[name]
    ran = ask(question(**asked), "--json")
    assert (ran.code, ran.err, ran.out.count("\n")) == (0, "", 1)
    answer = json.loads(ran.out)
    assert " ".join(answer["leave"]) == leave
    members = list(json.loads(question(**asked))["members"])
    assert answer["stay"] == [name for name in members if name not in answer["leave"]]
    words = ask(question(**asked))
    assert (words.code, words.err) == (0, "")
    assert words.out.startswith(f"Line 1: {len(members)} member")


ARGUMENTS: dict[str, tuple[str, str]] = {
    "addresses": ("h:1 h:2 h:3 --broken h:2,h:3", "h:3"),
    "addresses with a dash between": ("h:1 h:2 h:3 --broken h:2-h:3", "h:3"),
    "names with dashes": ("n-1 n-2 n-3 --broken n-2,n-3", "n-3"),
    "names with dashes, and a dash between": ("n-1 n-2 n-3 --broken n-2-n-3", "n-3"),
    "an option given twice": ("a b c d --broken b,c --broken b,d", "b"),
    "the members last, after --": ("--broken b,c --json -- a b c", "c"),
    "lite": ("a b c --broken b,c --lite b", "b"),
    "replicas": ("a b=b c --broken b=b,c --replicas b=b=1 c=2", "b=b"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_question_by_arguments(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, leave = ARGUMENTS[name]
    ran = here(capsys, *CLIQUE, *(() if "--json" in arguments else ("--json",)), *arguments.split())
    assert (ran.code, ran.err) == (0, "")
    assert " ".join(json.loads(ran.out)["leave"]) == leave


# The words


@pytest.mark.parametrize("seed", range(60))
def test_the_words_count_the_ways_and_list_them_all(seed: int, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    rng = random.Random(seed)
    count = rng.randint(2, 11)
    case = case_by_chance(rng, count, rng.randint(0, 2 * count), master=rng.random() < 0.3)
    lists = [", ".join(answer) for answer in by_all_subsets(case)]
    told = ask(case_said(case)).out
    if len(lists) == 1:
        assert "equally large member lists" not in told
        return
    _, _, rest = told.partition(f"So there are {len(lists)} equally large member lists, here the one taken first:\n")
    listed = [line.strip() for line in rest.partition("\n\n")[0].splitlines()]
    if len(lists) <= 12:
        assert listed == lists
    else:
        assert (listed[0], len(listed), listed[-1]) == (lists[0], 13, "...")
        assert set(listed[:-1]) < set(lists)


RULES: dict[str, tuple[dict[str, Any], str]] = {
    "age": ({}, "it keeps n2, the oldest member in which they differ"),
    "data": ({"lite": ["n2"]}, "it keeps more data members (1 against 0)"),
    "replicas": ({"replicas": {"n2": 3, "n3": 4}}, "it keeps more replicas (4 against 3)"),
    "data, whatever the replicas": (
        {"lite": ["n2"], "replicas": {"n2": 3}}, "it keeps more data members (1 against 0)"
    ),
    "data, then age": (
        {"members": ["n1", "n2", "n3", "n4"], "broken": [["n2", "n3"], ["n3", "n4"], ["n2", "n4"]], "lite": ["n3"]},
        "it keeps more data members (1 against 0); then it keeps n2, the oldest member in which they differ",
    ),
    "replicas, then age": (
        {"members": ["n1", "n2", "n3", "n4"], "broken": [["n2", "n3"], ["n3", "n4"], ["n2", "n4"]],
         "replicas": {"n3": 1, "n4": 1}},
        "it keeps more replicas (1 against 0); then it keeps n3, the oldest member in which they differ",
    ),
    "age twice": (
        {"members": ["n1", "n2", "n3", "n4", "n5", "n6"],
         "broken": [["n2", "n3"], ["n3", "n4"], ["n4", "n5"], ["n5", "n6"], ["n6", "n2"]]},
        "it keeps n2, n4, each the oldest member in which those that are left differ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_the_words_name_the_rule_that_chose(name: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    asked, rule = RULES[name]
    assert f"The one taken: {rule}\n" in ask(question(**asked)).out


def test_members_that_leave_for_the_same_reason_share_a_line(ask: Ask) -> None:
    told = ask(question(members=RACKS, broken=RACKS_CUT)).out
    assert "\n    C1, C2 cannot talk to B1, B2\n" in told


def test_many_ways_are_counted_and_many_names_are_cut_short(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    names = [f"n{i}" for i in range(1, 102)]
    pairs = [[names[i], names[i + 1]] for i in range(1, 100, 2)]
    told = ask(question(members=names, broken=pairs)).out
    assert ": n3, n5, n7, n9, n11, n13, n15, n17, n19, n21, n23, n25 and 38 more leave.\n" in told
    assert "\n    and 38 more groups\n" in told
    assert "\nSo there are more than 1,000,000,000,000 equally large member lists.\n" in told
    assert len(told.splitlines()) < 100
    few = ask(question(members=names, broken=pairs[:1])).out
    assert ", here the one taken first, without the 99 who are in all:\n    n2\n    n3\n" in few


HARD = case_by_chance(random.Random(1), 300, 2000)


def test_when_the_time_runs_out_nobody_leaves_and_that_is_said(ask: Ask) -> None:
    ran = ask(case_said(HARD), "--timeout", "0.1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Line 1: 300 members, 2,")
    assert "no decision in time, so nobody leaves." in ran.out.replace("\n", " ")
    assert "\nStay:\n    all\n" in ran.out
    assert "more work than is counted as 0.1 s" in " ".join(ran.out.split())
    ran = ask(case_said(HARD), "--timeout", "0.1", "--json")
    assert (ran.code, json.loads(ran.out)) == (0, {"stay": HARD.members, "leave": [], "timed_out": True})
    assert ran.err == (
        "shaketable: line 1: no decision within 0.1 s of counted work, so nobody leaves; --timeout gives it more\n"
    )
    ran = ask(question(members=HARD.members, broken=[]), "--timeout", "0.1", "--json")
    assert json.loads(ran.out) == {"stay": HARD.members, "leave": []}, "nothing is broken: that is another answer"


def test_a_group_whose_ways_take_too_long_is_explained_all_the_same(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    case = case_by_chance(random.Random(1), 100, 250)
    decision = decide(case.members, case.broken, lite=case.lite, replicas=case.replicas)
    assert decision is not None
    monkeypatch.setattr("shaketable.harness.explain.clique_ways.WORK_PER_SECOND", 100)
    told = ask(case_said(case)).out
    assert f"\nLeave:\n    {', '.join(decision.leave)}\n" in told
    assert "; whether in other ways too would take long to find out. If so, the one taken: it keeps the " in told
    assert "equally large" not in told, "the group says all that is known"
