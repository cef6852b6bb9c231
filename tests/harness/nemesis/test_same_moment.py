"""What a plan does in one and the same microsecond, as it comes about where it had to wait."""

from __future__ import annotations

from tests.reasons import gone

from shaketable.harness.history.history import History
from shaketable.harness.records import NodeEnded, NodeSpawned
from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.events import Started, Stopped


@script(about=["settled"], settings={"merging": False})
async def started_killed_and_started_again(cluster: Cluster) -> None:
    """A node is started, killed and started again, and no time passes."""
    await cluster.form("n1", "n2")
    await cluster.start("n3")
    await cluster.kill("n3")
    await cluster.restart("n3")
    await cluster.calm()


def test_a_history_tells_two_lives_apart_whichever_identity_comes_first() -> None:
    for seed in range(1, 14):
        finished = run_simulated(started_killed_and_started_again, Options(seed=seed, preset="fast"))
        assert judged(finished).outcome == "passed", (seed, judged(finished).reasons)
        ended = [r.time for r in finished.records if r.event == NodeEnded("n3", *gone("killed"))]
        first, second = (r.time for r in finished.records if r.event == NodeSpawned("n3"))
        lives = [r.time for r in finished.records if r.node == "n3" and isinstance(r.event, Started)]
        assert lives == [first, second] == [ended[0], ended[0] + 1]


@script(about=["one master"], settings={"family": "gms"})
async def killed_as_it_starts(cluster: Cluster) -> None:
    """A member crashes, is started again, and killed before any time has passed."""
    await cluster.form("n1", knowing=["n1", "n2", "n3"])
    await cluster.join("n2", "n3", knowing=["n1", "n2", "n3"])
    await cluster.kill("n2")
    await cluster.sleep(cluster.settings.gms_heartbeat_period)
    await cluster.restart("n2")
    await cluster.kill("n2")
    await cluster.calm()


def test_who_is_killed_as_it_starts_is_not_there_any_more() -> None:
    finished = run_simulated(killed_as_it_starts, Options())
    assert [p.ended is not None for p in History(finished.records).processes.values() if p.node == "n2"] == [True, True]
    assert judged(finished).outcome == "passed", judged(finished).reasons


@script(about=["nothing waits"])
async def a_member_killed_as_it_starts(cluster: Cluster) -> None:
    """A member crashes, is started again, and killed before any time has passed."""
    await cluster.form("n1", "n2")
    await cluster.kill("n2")
    await cluster.sleep(cluster.settings.heartbeat_timeout)
    await cluster.restart("n2")
    await cluster.kill("n2")
    await cluster.sleep(cluster.bounds.settle())


def test_nobody_waits_for_a_member_that_was_killed_as_it_started() -> None:
    finished = run_simulated(a_member_killed_as_it_starts, Options())
    assert judged(finished).outcome == "passed", judged(finished).reasons


@script(about=["joined"])
async def restarted_at_its_last_word(cluster: Cluster) -> None:
    """A member that says that it has stopped is started again, before its process has come to its end."""
    await cluster.form("n1", "n2")
    await cluster.leave("n2", wait=False)
    await cluster.until(cluster.that.ended("n2"), within=cluster.bounds.settle())
    await cluster.restart("n2")
    await cluster.expect(cluster.that.agree("n1", "n2"), within=cluster.bounds.settle())


def test_a_member_that_has_stopped_may_be_started_again_in_the_same_moment() -> None:
    finished = run_simulated(restarted_at_its_last_word, Options())
    assert judged(finished).outcome == "passed", judged(finished).reasons
    (stopped,) = [r.time for r in finished.records if isinstance(r.event, Stopped)]
    spawned = [r.time for r in finished.records if r.event == NodeSpawned("n2")]
    assert spawned[1] == stopped + 1
