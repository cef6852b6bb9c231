"""Members that differ in whether they look for other parts of their cluster."""

from __future__ import annotations

from shaketable.chaos import merging_soon
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.harness.verdicts.verdict import PASSED


@script(about=[], settings=merging_soon)
async def a_follower_without_merging_goes_over(cluster: Cluster) -> None:
    """It looks for nobody, and goes when its master says so."""
    await cluster.form("n1", "n2", "n3", "n4")
    await cluster.join("n5", settings={"merging": False})
    apart = await cluster.split(["n1", "n2", "n3"], ["n4", "n5"])
    await cluster.until(cluster.that.agree("n4", "n5"), within=cluster.bounds.settle())
    await cluster.heal(apart)
    await cluster.expect(cluster.that.agree("n1", "n2", "n3", "n4", "n5"), within=cluster.bounds.converge())
    await cluster.until(cluster.that.has_merged_into("n5", "n1"), within=0)


def test_a_follower_without_merging_goes_over_when_its_master_says_so() -> None:
    finished = run_simulated(a_follower_without_merging_goes_over, Options(seed=1, preset="default"))
    assert judged(finished, story=False).outcome == PASSED
