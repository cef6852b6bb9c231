"""The quiet twin of a run: the same formation, settings and length of time, with no steps.

A node that is suspected in it is suspected falsely. The check "detection" judges that, and in a group the check "group
detection"."""

from __future__ import annotations

from dataclasses import replace

from shaketable.harness.checks.detection import detection
from shaketable.harness.checks.groups import group_detection
from shaketable.harness.checks.registry import checks_of, untold
from shaketable.harness.runs.run import Finished, Options
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.scripts import Script
from shaketable.node.config import GMS


def why_no_twin(options: Options, script: Script) -> str:
    """Why its twin says nothing of this system; "": it does."""
    family = options.settings(script).family
    (check,) = [check for check in checks_of(family) if check.name == _judges(family)]
    nothing = untold(check, options.chosen.under_test)
    return nothing.looked_at if nothing else ""


def _judges(family: str) -> str:
    return group_detection.NAME if family == GMS else detection.NAME


def quiet_twin(finished: Finished) -> Script:
    end = finished.records[-1].time

    async def body(cluster: Cluster) -> None:
        for formed in finished.formation:
            knowing = {} if formed.knowing is None else {"knowing": formed.knowing}
            await getattr(cluster, formed.verb)(*formed.nodes, settings=formed.settings, **knowing)
        await cluster.sleep(max(0, end - cluster.seen.now()))

    script = finished.script
    return replace(
        script,
        name=f"{script.name}-quiet",
        title=f"The quiet twin of {script.name}: the same formation and length of time, and nothing is broken.",
        body=body,
        about=(_judges(finished.settings.family),),
        expects_violation=None,
        broken_too=(),
        twin_of=script.name,
    )
