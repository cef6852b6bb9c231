"""Stories know where a system's members leave one by one, and where links to those that left may stay."""

import msgspec
import pytest

from shaketable.chaos.helpers.one_decision import in_one_list, they_hang_up
from shaketable.harness.records import OURS
from shaketable.harness.runs import run
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Body, Script
from shaketable.harness.systems.ours import SHAKETABLE
from shaketable.harness.systems.registry import Chosen

ALL = ("n1", "n2", "n3", "n4")


async def two_leave_one_after_the_other(cluster: Cluster) -> None:
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n3", "n4"]))
    for leaver, staying in (("n3", ("n1", "n2", "n4")), ("n4", ("n1", "n2"))):
        await cluster.kill(leaver)
        await cluster.until(cluster.that.agree(*staying), within=cluster.bounds.crash)


async def another_one_leaves(cluster: Cluster) -> None:
    await cluster.form(*ALL)
    cluster.always(in_one_list(cluster, ALL, ["n3", "n4"]))
    await cluster.kill("n2")
    await cluster.until(cluster.that.agree("n1", "n3", "n4"), within=cluster.bounds.crash)


async def all_links_stay(cluster: Cluster) -> None:
    await cluster.form(*ALL)
    await they_hang_up(cluster, ["n1", "n2"], ["n3", "n4"])


@pytest.mark.parametrize(
    ("body", "dialect", "ends"),
    [
        (two_leave_one_after_the_other, {}, "failed"),
        (two_leave_one_after_the_other, {"one_by_one": True}, "done"),
        (another_one_leaves, {"one_by_one": True}, "failed"),
        (all_links_stay, {}, "failed"),
        (all_links_stay, {"keeps_links": True}, "done"),
    ],
)
def test_what_a_story_expects_follows_the_dialect(
    body: Body, dialect: dict[str, bool], ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_test = msgspec.structs.replace(OURS, **dialect)
    monkeypatch.setattr(run, "chosen", lambda asked: Chosen(SHAKETABLE, under_test))
    finished = run_simulated(Script("told", "told", __file__, body, about=("settled",)), Options("sim"))
    assert finished.outcome.kind == ends, finished.outcome
