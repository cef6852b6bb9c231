"""What of a long story is left where there is no room for all of it: never the routine at the cost of what matters."""

from __future__ import annotations

import io
import random
from itertools import pairwise
from typing import Final

import pytest
from rich.console import Console
from tests.notation.notation import history_of

from shaketable.harness.console.report import print_run
from shaketable.harness.history.abridged import abridged
from shaketable.harness.history.history import History
from shaketable.harness.history.story import MOST_MOMENTS, Moment, story_of
from shaketable.harness.reports.markdown import to_markdown
from shaketable.harness.verdicts.verdict import ScriptSubject, judge, session_of
from shaketable.node.config import DEFAULT

KINDS: Final = ("step", "fault", "view", "suspicion", "decision", "claim", "node", "trouble", "outcome")


def routine(many: int, kind: str = "suspicion") -> list[Moment]:
    return [Moment(0, kind, f"{kind} {n}", matters=False) for n in range(many)]


def matters(kind: str, many: int = 1) -> list[Moment]:
    return [Moment(0, kind, f"the {kind} {n}") for n in range(many)]


def told(moments: list[Moment | int]) -> list[str | int]:
    return [moment if isinstance(moment, int) else moment.told for moment in moments]


def test_what_is_short_enough_is_told_as_it_is() -> None:
    assert abridged(routine(60), 60) == routine(60)


def test_what_matters_stays_wherever_it_stands_and_the_rest_is_counted() -> None:
    story = [m for kind in KINDS for m in (*routine(100), *matters(kind), *routine(100, "view"))]
    short = abridged(story, 20)
    assert [m for m in told(short) if str(m).startswith("the ")] == [f"the {kind} 0" for kind in KINDS]
    assert short[0] == story[0]


def test_each_kind_is_shown_where_even_what_matters_is_too_much() -> None:
    story = matters("fault", 200) + matters("node", 50) + routine(50) + matters("decision") + matters("step", 40)
    short = told(abridged(story, 60))
    for first_and_last in ("the fault 0", "the fault 199", "the node 0", "the node 49", "the decision 0"):
        assert first_and_last in short
    assert "the step 0" in short
    assert "suspicion 0" in short


def test_of_a_row_of_the_same_both_ends_are_told() -> None:
    assert told(abridged(routine(10), 4)) == ["suspicion 0", "suspicion 1", 6, "suspicion 8", "suspicion 9"]


def test_one_alone_is_told_for_to_leave_it_out_would_be_as_long() -> None:
    first, second, third = matters("decision", 3)
    story = [first, *routine(3), second, *routine(1, "claim"), third]
    assert told(abridged(story, 4)) == [first.told, "suspicion 0", 2, second.told, "claim 0", third.told]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_lost_or_out_of_order(seed: int) -> None:
    chance = random.Random(seed)
    story = [
        Moment(n, chance.choice(KINDS), str(n), chance.random() < 0.2, left_out=chance.choice((0, 0, 0, 5)))
        for n in range(chance.randint(0, 300))
    ]
    most = chance.randint(1, 100)
    short = abridged(story, most)
    kept = [m for m in short if isinstance(m, Moment)]
    assert kept == sorted(kept, key=lambda m: m.time)
    assert len(kept) >= min(most, len(story))
    counted = sum(m for m in short if isinstance(m, int))
    assert counted + len(kept) == len(story) + sum(m.left_out for m in story)
    assert not any(isinstance(a, int) and isinstance(b, int) for a, b in pairwise(short))


# What matters


STORY = """
step: form n1, n2, n3
n1 installs v3 [n1 n2 n3]
n2 installs v3 by n1 [n1 n2 n3]
fault 1: cut n2->n3
n3 suspects n2
n1 is told by n3: suspects n2
{}
n1 is told by n2: suspects n3
n1 decides v3: n3 leaves (n3 suspects n2, n2 suspects n3)
n1 installs v4 [n1 n2]
fault 1 ends
n2 installs v4 by n1 [n1 n2]
n3 claims
n3 finishes v4 [n3]
n2 is killed
n1 trusts n2
"""


def test_the_story_knows_what_matters() -> None:
    news = "n1 is told by n3: suspects nobody\nn1 is told by n3: suspects n2"
    moments = story_of(History(history_of(STORY.format(news))))
    assert [(m.matters, m.told) for m in moments if m.kind != "suspicion"] == [
        (True, "form n1, n2, n3"),
        (False, "n1 n2 install v3 [n1 n2 n3] by n1, within 0.001 s"),
        (True, "fault 1: cut n2->n3"),
        (False, "fault 1 took effect (seen by its probes)"),
        (True, "n1 decides that [n3] leave v3 (by 2 reports)"),
        (True, "n1 installs v4 [n1 n2] by n1"),
        (True, "fault 1 has ended (probes come again)"),
        (False, "n2 installs v4 [n1 n2] by n1"),
        (False, "n3 claims the mastership of v0 []"),
        (True, "n3 finishes its claim with v4 [n3]"),
        (True, "n2 is gone (killed)"),
        (True, "the script ends: done"),
    ]
    suspicions = [(m.matters, m.told) for m in moments if m.kind == "suspicion"]
    assert [told for matters, told in suspicions if matters] == ["n1 is told who suspects whom: n3 [n2], n2 [n3]"], (
        suspicions
    )


# In reports


def test_a_decision_in_the_middle_of_a_long_story_is_in_every_report() -> None:
    noise = "n1 trusts n2\n" * 300
    verdict = judge(history_of(STORY.format(noise) + noise), ScriptSubject("a", "", ""), DEFAULT, 0)
    assert verdict.outcome != "passed"
    console = Console(file=io.StringIO(), width=200)
    print_run(verdict, console)
    assert isinstance(console.file, io.StringIO)
    for shown in (console.file.getvalue(), to_markdown(session_of([verdict], "1"))):
        for sentence in (
            "fault 1: cut n2", "is told who suspects whom: n3", "n1 decides that", "n1 installs v4",
            "n2 is gone (killed)", "more moments ...",
        ):  # fmt: skip
            assert sentence in shown.replace("\\", "")
        assert shown.count("suspects n2 no longer") < 200


def test_a_very_long_story_keeps_its_end_and_says_how_much_it_lacks() -> None:
    many = 3 * MOST_MOMENTS
    moments = story_of(History(history_of(STORY.format("n1 trusts n2\n" * many))))
    assert MOST_MOMENTS <= len(moments) < MOST_MOMENTS + 10
    assert moments[-1].told == "the script ends: done"
    whole = len(story_of(History(history_of(STORY.format(""))))) + many
    assert len(moments) + sum(m.left_out for m in moments) == whole
    short = abridged(moments, 60)
    assert sum(m if isinstance(m, int) else 1 for m in short) == whole
