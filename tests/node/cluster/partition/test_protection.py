"""Split-brain protection: what is refused below which number of data members, and is not applied then."""

from __future__ import annotations

import pytest
from tests.node.cluster.partition.data_planes import Planes, keeps, three, value
from tests.node.cluster.partition.merging_planes import aside, bring, told

from shaketable.node.core.env import MILLISECOND, SECOND
from shaketable.node.messages import Backup, Does, OperationAnswer


def two_of_three(protection: str) -> Planes:
    """An entry was written, and then one is off the list."""
    planes = three(split_brain_protection=protection)
    assert planes.do(1, "put", "k", "old").outcome == "ok"
    planes.gone(2)
    return planes


@pytest.mark.parametrize("protection", ["data=3", "data=3:reads", "data=3:writes", "data=2", "precious=3"])
@pytest.mark.parametrize("does", ["get", "put", "remove"])
@pytest.mark.parametrize("at", [0, 1])
def test_below_its_number_an_operation_is_refused_wherever_it_is_called(protection: str, does: Does, at: int) -> None:
    planes = two_of_three(protection)
    returned = planes.do(at, does, "k", "new" if does == "put" else "")
    kind = "reads" if does == "get" else "writes"
    if protection in ("data=3", f"data=3:{kind}"):
        assert (returned.outcome, returned.reason) == (
            "failed",
            f"{kind} of data take 3 data members, and my list has 2",
        )
        assert [value(planes, 0), value(planes, 1)] == [b"old", b"old"]
    else:
        assert returned.outcome == "ok"
        assert value(planes, 0) == {"get": b"old", "put": b"new", "remove": None}[does]


def test_what_was_done_before_its_answer_was_lost_is_told_however_few_are_left() -> None:
    planes = three(split_brain_protection="data=3")
    planes.wire(0, 1).loses = keeps([], OperationAnswer)
    returned = planes.call(1, "put", "k", "new")
    planes.run(100 * MILLISECOND)
    assert not returned
    assert value(planes, 0) == b"new"
    planes.gone(2)
    planes.run(60 * SECOND)
    assert [each.outcome for each in returned] == ["ok"]


def test_entries_that_merge_are_not_refused() -> None:
    planes = two_of_three("data=3")
    bringer = bring(planes, 1, aside("j"))
    planes.run(SECOND)
    assert told(bringer) == [("j", "kept", "new")]
    assert [type(message) for _, message in planes.nodes.nodes[0].sent].count(Backup) == 2
