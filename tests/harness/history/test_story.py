"""What the story of a run tells, what it leaves out, and why several members are said to have installed a list."""

from __future__ import annotations

import pytest
from tests.notation.notation import Writer, history_of, member
from tests.reasons import reason_in

from shaketable.harness.history.history import History
from shaketable.harness.history.story import story_of
from shaketable.harness.verdicts.verdict import ScriptSubject, judge
from shaketable.node import events as e
from shaketable.node.config import DEFAULT
from shaketable.node.core.env import MILLISECOND

HELD = """
n1 installs v2 [n1 n2]
n2 installs v2 by n1 [n1 n2]
n1 installs v3 [n1 n2]
n2 installs v3 by n1 [n1 n2]
"""


def told(story: str) -> list[str]:
    return [moment.told for moment in story_of(History(history_of(story)))]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("n2 ignores v3 by n1 (not newer)", None),
        ("n2 ignores v2 by n1 (not newer)", "n2 ignores v2 by n1, sent by n1 (not newer)"),
        ("n2 ignores v3 by n3 (not newer)", "n2 ignores v3 by n3, sent by n3 (not newer)"),
        ("n2 ignores v4 by n1 (without me)", "n2 ignores v4 by n1, sent by n1 (without me)"),
        ("n2 ignores v3 by n3 (not from my master)", "n2 ignores v3 by n3, sent by n3 (not from my master)"),
        ("n2 ignores v3 by n1 from n3 (not from my master)", "n2 ignores v3 by n1, sent by n3 (not from my master)"),
    ],
)
def test_a_list_that_is_ignored_is_told_unless_it_is_the_one_that_is_held(line: str, sentence: str | None) -> None:
    said = [moment for moment in told(f"{HELD}n3 starts\n{line}") if "ignores" in moment]
    assert said == ([sentence] if sentence else [])


def test_the_same_list_ignored_again_is_told_once_and_each_is_counted() -> None:
    story = HELD + "n2 ignores v2 by n1 (not newer)\n" * 3 + "n2 ignores v3 by n1 (not newer)\n" * 4
    assert sum("ignores" in moment for moment in told(story)) == 1
    verdict = judge(history_of(story), ScriptSubject("story", "A story", "story.py"), DEFAULT, 0)
    assert verdict.counts["ignored lists"] == 7


def test_old_heartbeats_and_confirmations_that_are_ignored_are_told() -> None:
    writer = Writer()
    writer.write(HELD)
    writer.tell("n2", e.StaleHeartbeat(member("n1"), 31_000_000))
    writer.tell("n2", e.ConfirmationIgnored(member("n1"), *reason_in("I am not master")))
    writer.write("the script ends")
    said = [moment.told for moment in story_of(History(writer.records))]
    assert "n2 ignores a heartbeat of n1 that is 31.000 s old" in said
    assert "n2 ignores a master confirmation of n1 (I am not master)" in said


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        ({"n2": "members update", "n3": "members update"}, " (members update)"),
        ({"n2": "members update", "n3": "finalize join"}, ""),
        ({"n1": "n3 joined", "n2": "members update", "n3": "finalize join"}, " (n3 joined)"),
        ({"n2": "members update", "n1": "n3 joined"}, " (n3 joined)"),
        ({"n2": "", "n3": ""}, ""),
    ],
)
def test_several_install_for_the_reason_that_all_have_or_its_author_had(reasons: dict[str, str], said: str) -> None:
    writer = Writer()
    writer.write("n1 starts\nn2 starts\nn3 starts")
    everybody = tuple(map(member, ("n1", "n2", "n3")))
    for name, reason in reasons.items():
        writer.time += MILLISECOND
        writer.tell(name, e.ViewInstalled(3, member("n1").uuid, member("n1"), everybody, *reason_in(reason)))
    writer.write("the script ends")
    (moment,) = [m.told for m in story_of(History(writer.records)) if m.kind == "view"]
    assert moment == f"{' '.join(reasons)} install v3 [n1 n2 n3] by n1{said}, within 0.00{len(reasons) - 1} s"


FIGURE_5 = """
n1 installs v4 [n1 n2 n3 n4]
n2 suspects n3
n1 is told by n2: suspects n3
n3 suspects n2
n1 is told by n3: suspects n2
n1 is told by n4: suspects nobody
{}
n1 decides v4: n3 leaves (n2 suspects n3, n3 suspects n2)
"""


@pytest.mark.parametrize(
    ("meanwhile", "said"),
    [
        ("", ["n1 is told who suspects whom: n2 [n3], n3 [n2], n4 nobody any more"]),
        (
            "n1 is told by n3: suspects nobody",
            [
                "n1 is told who suspects whom: n2 [n3], n3 [n2], n4 nobody any more",
                "n1 is told by n3: suspects nobody any more",
            ],
        ),
        (
            "n1 installs v5 [n1 n2 n3 n4 n5]\nn1 is told by n5: suspects n2",
            [
                "n1 is told who suspects whom: n2 [n3], n3 [n2], n4 nobody any more",
                "n1 is told by n5: suspects [n2]",
            ],
        ),
    ],
)
def test_what_a_master_is_told_of_suspicions_is_one_moment_after_them(meanwhile: str, said: list[str]) -> None:
    moments = told(FIGURE_5.format(meanwhile))
    assert [moment for moment in moments if "is told" in moment] == said
    assert moments.index(said[0]) > moments.index("n3 suspects n2 (connection lost)")
    assert moments[-2] == "n1 decides that [n3] leave v4 (by 2 reports)"


def test_a_decision_that_is_dropped_is_told() -> None:
    assert "n1 drops its decision about v2: nobody leaves (I do not lead any more)" in told(
        "n1 installs v2 [n1 n2]\nn1 drops its decision about v2"
    )


def test_of_a_merge_each_new_decision_is_told_and_no_search() -> None:
    story = """
        n1 installs v3 [n1 n2]
        n2 installs v3 by n1 [n1 n2]
        n3 installs v2 [n3]
        n3 searches 2 addresses
        n1 judges n3: stay (data members: 2 here, 1 there)
        n3 judges n1: merge (data members: 1 here, 2 there)
        n3 ends its search: 1 answered
        n3 puts off merging into n1 (somebody joins)
        n3 searches 2 addresses
        n1 judges n3: stay (data members: 2 here, 1 there)
        n3 judges n1: merge (data members: 1 here, 2 there)
        n3 begins to merge into n1
        n3 goes over to n1
        n3' starts
        n3' is not admitted (n1 did not admit me)
        """
    moments = [moment for moment in story_of(History(history_of(story))) if moment.kind == "merge"]
    assert [moment.told for moment in moments] == [
        "n1 is to take in n3#aa03 (data members: 2 here, 1 there)",
        "n3#aa03 has to go over to n1 (data members: 1 here, 2 there)",
        "n3#aa03 does not go over to n1 now (somebody joins)",
        "n3#aa03 begins to merge into n1's cluster, with v2 [n3#aa03]",
        "n3#aa03 ends as this identity, and goes over to n1",
        "n3#bb03 is not admitted where it was to merge (n1 did not admit me)",
    ]
    assert [moment.told for moment in moments if moment.matters] == [moments[3].told, moments[5].told]
