"""Where members are a set, those that live at the end see the same, and nobody who is gone."""

from __future__ import annotations

import pytest
from tests.notation.notation import Case, cases, history_of

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.membership.same_members import NAME, SAME_MEMBERS
from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.checks.result import CheckResult
from shaketable.harness.history.history import History
from shaketable.node.config import DEFAULT

STORIES = """
== two see each other
n1 sees [n1]
n1 sees [n1 n2]
n2 sees [n2 n1]
@2000s
the script ends
----
held: 2 live members at the end of the run

== nobody tells a set
n1 installs v1 [n1]
----
vacuous: 0 live members at the end of the run

== one is gone, and the other notices
n1 sees [n1 n2]
n2 sees [n1 n2]
n2 is killed
n1 sees [n1]
@2000s
the script ends
----
held: 1 live member at the end of the run

== one is gone, and the other does not notice
n1 sees [n1 n2]
n2 sees [n1 n2]
n2 is killed
@2000s
the script ends
----
broken: 1 live member at the end of the run
n1 sees [n1 n2], and n2 is gone.

== it may still notice
n1 sees [n1 n2]
n2 sees [n1 n2]
n2 is killed
+1s
the script ends
----
unknown: 1 live member at the end of the run
note: the run ended 308.999 s before the settle bound was over

== it notices when the script has ended
n1 sees [n1 n2]
n2 sees [n1 n2]
n2 is killed
@2000s
the script ends
n1 sees [n1]
----
broken: 1 live member at the end of the run
n1 sees [n1 n2], and n2 is gone.

== one that has started again is another member
n1 sees [n1 n2]
n2 sees [n1 n2]
n2 is killed
n2' sees [n1 n2']
@2000s
the script ends
----
broken: 2 live members at the end of the run
n1 sees [n1 n2#aa02], and n2#aa02 is gone.
n2#bb02 sees [n1 n2#bb02], and n1 sees [n1 n2#aa02].

== one knows more than the other
n1 sees [n1]
n2 sees [n1 n2]
@2000s
the script ends
----
broken: 2 live members at the end of the run
n2 sees [n1 n2], and n1 sees [n1].

== one is seen that has told nothing
n1 sees [n1 n2]
n2 starts
@2000s
the script ends
----
broken: 1 live member at the end of the run
n1 sees [n1 n2], and n2 sees nobody.

== parts that do not see each other may each be right
n1 sees [n1]
n2 sees [n2]
@2000s
the script ends
----
held: 2 live members at the end of the run

== a sleeper can do nothing about what it sees
n1 sees [n1 n2]
n2 sees [n1 n2]
fault 1: pause n2
n1 sees [n1]
@2000s
the script ends
----
held: 1 live member at the end of the run
"""


def judged(story: str) -> CheckResult:
    result = SAME_MEMBERS.begin(History(history_of(story)), Bounds(DEFAULT))
    assert isinstance(result, CheckResult)
    return result


@pytest.mark.parametrize("case", [pytest.param(case, id=case.title) for case in cases(STORIES)])
def test_it_says_what_the_case_expects(case: Case) -> None:
    result = judged(case.story)
    said = [f"{result.status}: {result.looked_at}", *(each.sentence for each in result.violations)]
    assert "\n".join([*said, *(f"note: {note}" for note in result.notes)]) == case.expected


def test_its_proof_ends_where_the_run_does() -> None:
    (violation,) = judged("n1 sees [n1 n2]\nn2 sees [n1 n2]\nn2 is killed\n@2000s\nthe script ends").violations
    assert [proof.kind for proof in violation.proof] == ["MembersSeen", "NodeEnded", "ScriptEnded"]


def test_it_is_none_of_those_that_judge_every_run() -> None:
    assert NAME not in CHECK_NAMES
