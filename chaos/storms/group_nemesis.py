"""Random faults of all kinds fall on a group, under each policy, drawn anew by each seed as in nemesis.py."""

from __future__ import annotations

from typing import Final

from shaketable import Climate, Cluster, draw, play
from shaketable.chaos.helpers.groups import scripts_under
from shaketable.chaos.helpers.weather import ANYTHING

ABOUT: Final = ("one list a key", "settled", "view sequence", "same notifications")
DATAGRAMS: Final = {"lose_datagrams": 2, "delay_datagrams": 2, "repeat_datagrams": 1}
BY_CONNECTION: Final = Climate(weights={**ANYTHING, "talk": 1}, ending="one group", nodes=(4, 6))
BY_DATAGRAM: Final = Climate(weights={**ANYTHING, **DATAGRAMS, "talk": 1}, ending="one group", nodes=(4, 6))


@scripts_under(about=ABOUT)
async def nemesis_of_a_group(cluster: Cluster) -> None:
    """Random faults of all kinds fall on a group: in the end all who live are one group."""
    await play(cluster, draw(BY_CONNECTION, cluster.settings, cluster.seed))


@scripts_under(about=ABOUT, settings={"gms_udp": "both"})
async def nemesis_of_a_group_by_datagram(cluster: Cluster) -> None:
    """Random faults fall on a group whose datagrams are lost, late and doubled: all who live end as one group."""
    await play(cluster, draw(BY_DATAGRAM, cluster.settings, cluster.seed))
