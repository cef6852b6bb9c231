"""Scripts with data on real processes: the same verbs, conditions and crash points as in virtual time."""

from __future__ import annotations

from pathlib import Path

from tests.harness.scripting.data_script import MASTER, POINTS, every_crash_point, impatience

from shaketable.harness.runs.judging import judged
from shaketable.harness.runs.run import Options, run_real
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.events import Held, OperationCalled, OperationReturned

REAL = Options(world="real", toxiproxy="relay")


@script(about=["table order"], settings={"partition_count": 12})
async def work_while_others_come_and_go(cluster: Cluster) -> None:
    """Clients work while a member joins and another leaves; then all is there."""
    await cluster.form("n1", "n2", "n3")
    work = await cluster.work(["n1", "n2"], clients=2, keys=5)
    counted = await cluster.work("n3", operations=20, size=2000)
    await cluster.join("n4")
    await cluster.leave("n3")
    await cluster.until_worked(counted, within=cluster.bounds.operation)
    await cluster.expect(cluster.that.is_safe() & cluster.that.no_migrations(), within=cluster.bounds.safe())
    await cluster.stop_work(work)
    assert (await cluster.read_back("n4")).complete
    stock = await cluster.take_stock()
    assert sorted(stock) == ["n1", "n2", "n4"]


def test_every_crash_point_of_a_migration_is_come_to(tmp_path: Path) -> None:
    finished = run_real(every_crash_point, REAL, folder=tmp_path)
    assert finished.outcome.kind == "done", finished.outcome.reason
    held = [(record.node, record.event.event) for record in finished.records if isinstance(record.event, Held)]
    # A message that has left may have done its work before its sender says that it holds: each node has its own order.
    asked = [(MASTER, "PartitionsPlanned"), *((node, event) for node, event, _, _ in POINTS.values())]
    assert sorted(held, key=lambda each: each[0]) == sorted(asked, key=lambda each: each[0])


def test_clients_work_while_members_come_and_go(tmp_path: Path) -> None:
    finished = run_real(work_while_others_come_and_go, REAL, folder=tmp_path)
    assert finished.outcome.kind == "done", finished.outcome.reason
    calls = [record.event for record in finished.records if isinstance(record.event, OperationCalled)]
    ends = [record.event for record in finished.records if isinstance(record.event, OperationReturned)]
    assert {call.client for call in calls} >= {"load1-n1.1", "load1-n1.2", "load1-n2.1", "load1-n2.2", "load2-n3.1"}
    assert {end.outcome for end in ends} == {"ok"}


def test_who_has_no_patience_is_told_unknown_and_goes_on(tmp_path: Path) -> None:
    finished = run_real(impatience, REAL, folder=tmp_path)
    assert finished.outcome.kind == "done", finished.outcome.reason
    verdict = judged(finished)
    assert verdict.outcome == "passed", verdict.reasons
