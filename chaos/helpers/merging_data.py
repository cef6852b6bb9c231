"""What stories of data that merge share: three and two members come apart, each with entries of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable import Cluster, Settings
from shaketable.chaos import merging_soon

ABOUT: Final = ("no lost data", "merged data", "in place", "balanced", "settled")
LARGE, SMALL = ("n1", "n2", "n3"), ("n4", "n5")
ALL: Final = (*LARGE, *SMALL)


def few(run: Settings) -> Mapping[str, object]:
    return {**merging_soon(run), "partition_count": 11}


async def put(cluster: Cluster, via: str, key: str, value: str, name: str) -> None:
    done = await cluster.put(via, key, value, map=name)
    assert done.outcome == "ok", done
