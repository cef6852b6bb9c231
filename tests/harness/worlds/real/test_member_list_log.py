"""A real node writes each list that it installs to its log, in the text's format or in the one before 3.9."""

from __future__ import annotations

from pathlib import Path

from shaketable.harness.history.history import History
from shaketable.harness.runs.run import Options, run_real
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import script
from shaketable.node.cluster.service.views import describe
from shaketable.node.events import ViewInstalled
from shaketable.node.messages import MemberList


@script(about=[])
async def one_of_two_logs_as_before(cluster: Cluster) -> None:
    """The second node is told to log as before 3.9."""
    await cluster.form("n1")
    await cluster.join("n2", settings={"hazelcast.legacy.memberlist.format.enabled": "true", "lite_member": True})


def test_every_installed_list_is_in_the_log_byte_for_byte(tmp_path: Path) -> None:
    history = History(run_real(one_of_two_logs_as_before, Options("real"), folder=tmp_path).records)
    processes = {process.node: process for process in history.processes.values()}
    for node, legacy in (("n1", False), ("n2", True)):
        member, logged = processes[node].member, []
        assert member is not None
        for record in history.of(ViewInstalled):
            if record.node == node and isinstance(event := record.event, ViewInstalled):
                view = MemberList(event.version, event.author, event.members)
                logged.append(describe(view, member, legacy=legacy))
        (log,) = tmp_path.rglob(f"{node}.log")
        assert log.read_text(encoding="utf-8").strip() == "\n\n".join(logged)
        assert len(logged) == {"n1": 2, "n2": 1}[node]
        assert logged[-1].count(" lite") == 1
