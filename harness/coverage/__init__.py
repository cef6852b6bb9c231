"""What of the protocols a history has reached, as marks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.coverage import cluster, groups, partitions, shaken, sometimes, sometimes_seen, splitbrain
from shaketable.harness.coverage.guards import GUARDS
from shaketable.harness.coverage.mark import BOTH, Mark, Reader
from shaketable.harness.history.history import History
from shaketable.harness.records import RunBegan
from shaketable.node.config import CLUSTER, GMS

__all__ = ["ALL_MARKS", "BOTH", "SERVICES", "Mark", "marks_of"]

_OF_CLUSTERS: Final = (*cluster.MARKS, *partitions.MARKS, *splitbrain.MARKS)

_MARKS: Final[Mapping[str, Mark]] = {
    **{mark.name: Mark(CLUSTER, mark.means) for mark in _OF_CLUSTERS},
    **{mark.name: Mark(GMS, mark.means) for mark in groups.MARKS},
    **sometimes.MARKS,
    **shaken.MARKS,
}
ALL_MARKS: Final[Mapping[str, Mark]] = {
    name: Mark(mark.family, f"{mark.means}; a guard: {GUARDS[name]}") if name in GUARDS else mark
    for name, mark in _MARKS.items()
}
"""In the order in which a report lists them."""
SERVICES: Final[Mapping[str, str]] = {
    **{mark.name: "cluster service" for mark in cluster.MARKS},
    **{mark.name: "partitions" for mark in partitions.MARKS},
    **{mark.name: "split-brain recovery" for mark in splitbrain.MARKS},
    **{mark.name: "groups" for mark in groups.MARKS},
    **dict.fromkeys(sometimes.MARKS, "combinations"),
    **dict.fromkeys(shaken.OF_FAULTS, "faults"),
    **dict.fromkeys(shaken.OF_MESSAGES, "messages shaken"),
    **dict.fromkeys(shaken.OF_CRASH_POINTS, "crash points of a migration"),
}
"""By mark: the service that it is of, or what was done to the nodes."""

_CLUSTERS: Final = Reader(_OF_CLUSTERS)
_GROUPS: Final = Reader(groups.MARKS)


def marks_of(history: History) -> dict[str, int]:
    """How often each was reached; of the marks that were, and in the order of ALL_MARKS."""
    reached: dict[str, int] = {}
    (_GROUPS if _family_of(history) == GMS else _CLUSTERS).read(history, reached)
    sometimes_seen.read(history, reached)
    shaken.read(history, reached)
    return {name: reached[name] for name in ALL_MARKS if name in reached}


def _family_of(history: History) -> str:
    """A history without its beginning is taken for a cluster's."""
    began = next((record.event for record in history.of(RunBegan)), None)
    return str(began.settings.get("family", CLUSTER)) if isinstance(began, RunBegan) else CLUSTER
