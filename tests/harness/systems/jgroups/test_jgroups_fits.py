"""Which of our stories are for JGroups, and why others are not."""

import pytest

from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.runs.fitting import why_not
from shaketable.harness.runs.run import Options
from shaketable.harness.scripting.targets import scripts_of_ours
from shaketable.harness.systems.registry import chosen

SCRIPTS = {script.name: script for script in scripts_of_ours()}


@pytest.mark.parametrize("name", ["kill-the-master", "graceful-leave", "split-in-two", "the-masters-links-heal-first"])
def test_stories_of_views_and_merges_are_for_it(name: str) -> None:
    assert why_not(SCRIPTS[name], Options("real", system="jgroups")) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "kill-the-master-and-the-next-in-line",
            "it waits for what JGroups does not tell: n3 holds v=6 [n3, n4, n5]",
        ),
        ("cut-and-heal", "it waits for what JGroups does not tell: cluster/broken_links.py:18: waited"),
        ("a-wrong-configuration", "its members differ in the number of partitions, and a JGroups member has none"),
        ("pause-a-node", "it waits for what JGroups does not tell: cluster/crashes.py:46: waited"),
        ("lite-members", "a JGroups member is never a lite one"),
        ("figure-5-cut", "a JGroups member leaves nobody out for a link that is broken between two others"),
        ("one-way-cut", "it cuts n2->n3 alone; its connections carry both directions, so no link can be cut one way"),
        ("the-owner-crashes", "it works with data, and a JGroups member holds none"),
        ("lost-list", "it does something to single messages, and JGroups lets nobody do that"),
        ("crash-in-mid-publish", "it holds a node at an event, and a JGroups member holds nowhere"),
        ("clock-jump", "it sets a clock, and a JGroups member has the clock of its machine"),
        ("healed-by-a-file", "a JGroups member answers no HTTP requests of ours"),
    ],
)
def test_others_are_left_out_for_a_reason(name: str, why: str) -> None:
    unfit = why_not(SCRIPTS[name], Options("real", system="jgroups"))
    assert unfit is not None
    assert unfit.why.startswith(why)


def test_only_checks_that_there_are_are_promised() -> None:
    system, under_test = chosen("jgroups:5.4.8.Final")
    assert set(under_test.promises or ()) <= set(CHECK_NAMES)
    assert (system.ports, system.both_ways) == (2, True)
