"""The quiet twin of a run: the same formation, settings and length of time, with no steps.

A node that is suspected in it is suspected falsely. The check "detection" judges that, and in a group the check "group
detection"."""

from __future__ import annotations

from dataclasses import replace

from shaketable.harness.checks.detection import detection
from shaketable.harness.checks.groups import group_detection
from shaketable.harness.runs.run import Finished
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script
from shaketable.node.config import GMS


def quiet_twin(finished: Finished) -> Script:
    end = finished.records[-1].time

    async def body(cluster: Cluster) -> None:
        for formed in finished.formation:
            knowing = {} if formed.knowing is None else {"knowing": formed.knowing}
            await getattr(cluster, formed.verb)(*formed.nodes, settings=formed.settings, **knowing)
        await cluster.sleep(max(0, end - cluster.seen.now()))

    script = finished.script
    about = group_detection if finished.settings.family == GMS else detection
    return replace(
        script,
        name=f"{script.name}-quiet",
        title=f"The quiet twin of {script.name}: the same formation and length of time, and nothing is broken.",
        body=body,
        about=(about.NAME,),
        expects_violation=None,
        broken_too=(),
        twin_of=script.name,
    )
