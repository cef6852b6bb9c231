"""Members' data planes to one of which entries are given that merge, and what it tells of them."""

from __future__ import annotations

from tests.node.cluster.partition.data_planes import Plane, Planes

from shaketable.node.cluster.partition.held import Entry
from shaketable.node.cluster.partition.merging import SetAside
from shaketable.node.events import EntriesMerged, MergeDataDone


def aside(key: str = "k", text: str = "new", *, name: str = "data", updated: int = 5, hits: int = 1) -> SetAside:
    return SetAside(name, key, Entry(text.encode(), updated, hits))


def bring(planes: Planes, at: int, *entries: SetAside) -> Plane:
    planes[at].bringing.take_over(entries)
    return planes[at]


def told(plane: Plane) -> list[tuple[str, str, str | None]]:
    """Of each entry its key, what became of it, and what is there now."""
    merged = [event for event in plane.node.told(EntriesMerged) if isinstance(event, EntriesMerged)]
    return [(key, outcome, now) for event in merged for key, _, outcome, now, _ in event.entries]


def done(plane: Plane) -> list[MergeDataDone]:
    return [event for event in plane.node.told(MergeDataDone) if isinstance(event, MergeDataDone)]
