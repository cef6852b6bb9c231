"""Where a system promises other than ours: the same history is judged by what it promises."""

from typing import Any

import msgspec
import pytest
from tests.notation.notation import history_of
from tests.notation.other_system import of_system

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.history.history import History
from shaketable.harness.records import UnderTest
from shaketable.node.config import DEFAULT

OTHER = UnderTest(name="other", title="Other")
ONE_BY_ONE = """
n1 installs v4 [n1 n2 n3 n4]
@10s
fault 1: blackhole n2->n3 n2->n4 n3->n4
@75s
n1 is told by n2: suspects n3 n4
n1 is told by n3: suspects n2
n1 is told by n4: suspects n2 n3
@100s
n1 decides v4: n3 n4 leave (n2 suspects n3 n4, n3 suspects n2, n4 suspects n2 n3)
n1 loses n3
n1 removes n3 in v5 (partial member disconnection)
n1 installs v5 [n1 n2 n4]
n1 publishes v5 [n1 n2 n4]
n1 removes n4 in v6 (partial member disconnection)
n1 installs v6 [n1 n2]
n1 publishes v6 [n1 n2]
"""
THE_YOUNGER_STAYS = """
n1 installs v3 [n1 n2 n3]
@10s
fault 1: blackhole n3->n2
@75s
n1 is told by n3: suspects n2
@100s
n1 decides v3: n2 leaves (n3 suspects n2)
n1 installs v4 [n1 n3]
"""
TWO_FOR_ONE = """
n1 installs v4 [n1 n2 n3 n4]
n1 is told by n3: suspects n2
n1 decides v4: n2 n3 leave (n3 suspects n2)
n1 installs v6 [n1 n4]
"""
THE_WRONG_ONE = """
n1 installs v4 [n1 n2 n3 n4]
n1 is told by n3: suspects n2
n1 decides v4: n4 leaves (n3 suspects n2)
n1 installs v5 [n1 n2 n3]
"""
A_LINK_STAYS = """
n1 installs v3 [n1 n2 n3]
n2 installs v3 by n1 [n1 n2 n3]
n3 installs v3 by n1 [n1 n2 n3]
n2 reaches n3
@10s
fault 1: blackhole n2->n3
@75s
n1 is told by n3: suspects n2
@100s
n1 decides v3: n3 leaves (n3 suspects n2)
n1 installs v4 [n1 n2]
n2 installs v4 by n1 [n1 n2]
n3 installs v4 [n3]
@500s
"""
AT_ONCE = """
n1 installs v3 [n1 n2 n3]
n2 installs v3 by n1 [n1 n2 n3]
n2 reaches n1
fault 1: cut n1->n2 n2->n1
n2 loses n1
n2 suspects n1
"""
NEVER = """
n1 installs v3 [n1 n2 n3]
n2 installs v3 by n1 [n1 n2 n3]
n2 reaches n1
fault 1: cut n1->n2 n2->n1
n2 loses n1
+50s
"""
UP_ALL_THE_TIME = """
n1 installs v3 [n1 n2 n3]
n2 installs v3 by n1 [n1 n2 n3]
n2 reaches n1
fault 1: cut n1->n3 n3->n1
n2 suspects n1
"""


SOME_LIST = """
n2 installs v3 by n1 [n1 n2 n3]
n3 installs v3 by n1 [n1 n2 n3]
n2 suspects n1
n3 suspects n1
n2 claims
n2 asks n3
n3 accepts n2
n2 is answered by n3: accepted
n2 finishes v4 [n2 n3] without n1 (older than the candidate)
n2 installs v4 [n2 n3]
"""
NOBODY_ACCEPTED = SOME_LIST.replace("n3 accepts n2\n", "")


ONE_OWNS_FOUR = """
n1 installs v2 [n1 n2]
n2 starts
n1 changes the table to v1 (assigned): 0 [n1 n2], 1 [n1 n2], 2 [n1 n2], 3 [n1 n2], 4 [n2 n1]
n1 is done with its plan v1
@400s
"""
ONE_OWNS_ALL = ONE_OWNS_FOUR.replace("4 [n2 n1]", "4 [n1 n2]")
A_BACKUP_IS_MISSING = ONE_OWNS_FOUR.replace("4 [n2 n1]", "4 [n2]")


@pytest.mark.parametrize(
    ("check", "story", "dialect", "ours", "theirs"),
    [
        ("best clique", ONE_BY_ONE, {"one_by_one": True}, "broken", "held"),
        ("detection", ONE_BY_ONE, {"one_by_one": True}, "broken", "vacuous"),
        ("best clique", THE_YOUNGER_STAYS, {"any_best": True}, "broken", "held"),
        ("best clique", TWO_FOR_ONE, {"any_best": True}, "broken", "broken"),
        ("best clique", THE_WRONG_ONE, {"any_best": True}, "broken", "broken"),
        ("best clique", A_LINK_STAYS, {"keeps_links": True}, "broken", "held"),
        ("claims", SOME_LIST, {"infers": ("ClaimAnswered",)}, "broken", "held"),
        ("claims", NOBODY_ACCEPTED, {"infers": ("ClaimAnswered",)}, "broken", "broken"),
        ("detection", AT_ONCE, {"untimed_losses": True}, "broken", "held"),
        ("detection", NEVER, {"untimed_losses": True}, "broken", "vacuous"),
        ("balanced", ONE_OWNS_FOUR, {"uneven_owners": True}, "broken", "held"),
        ("balanced", ONE_OWNS_ALL, {"uneven_owners": True}, "broken", "broken"),
        ("balanced", A_BACKUP_IS_MISSING, {"uneven_owners": True}, "broken", "broken"),
        ("detection", UP_ALL_THE_TIME, {"untimed_losses": True}, "broken", "broken"),
    ],
)
def test_a_check_knows_what_its_system_promises(
    check: str, story: str, dialect: dict[str, Any], ours: str, theirs: str
) -> None:
    records = history_of(story)
    other = msgspec.structs.replace(OTHER, **dialect)
    for system, status in ((OTHER, ours), (other, theirs)):
        (result,) = run_checks(History(of_system(records, system)), Bounds(DEFAULT), [check])
        assert result.status == status, [each.sentence for each in result.violations]
