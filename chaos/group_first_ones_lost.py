"""Stories of groups in which each node loses the first message of one kind that it sends: they come to the same end."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from shaketable.chaos import group_coming_and_going, group_masters, group_members, group_splits
from shaketable.chaos.first_ones_lost import where_it_is_lost
from shaketable.chaos.group_members import ALL
from shaketable.chaos.groups import ABOUT, CALM, form, have_failed
from shaketable.harness.cluster import Cluster
from shaketable.harness.scripts import script
from shaketable.node.config import GMS

LOST: Final = (
    (
        group_coming_and_going, "group_shrinks_by_its_oldest_ring_by_seniority",
        "healthhandedover", "healthtaken", "lastnotifications", "shutdownwanted",
    ),
    (group_coming_and_going, "group_starts_and_stops_as_a_whole_all_to_all", "ready"),
    (group_coming_and_going, "group_many_come_and_go_ring_by_order", "suspectreporttaken"),
    (group_masters, "group_master_oversleeps_ring_by_order", "mastercollision", "stillheard"),
    (group_splits, "group_split_by_cut_all_to_all_by_order", "followmaster"),
    (group_members, "group_talk_is_as_good_as_heartbeats", "application"),
)  # fmt: skip
"""A file, a story of it, and kinds that are sent whenever it is told."""


@script(about=[*ABOUT, *CALM, "every failure told"], settings={"family": GMS})
async def group_no_hint(cluster: Cluster) -> None:
    """What a watchdog tells of a crash is lost: the member is missed by its heartbeats, as without a watchdog."""
    await form(cluster, *ALL)
    await cluster.start("w1", settings={"gms_member_type": "watchdog"}, knowing=ALL)
    await cluster.until(cluster.link_is_up("w1", "n1"), within=cluster.bounds.group.forming)
    lost = await cluster.drop("failurehint", sender="w1", count=1)
    await cluster.kill("n3")
    await cluster.hint("w1", "n3")
    rest = ["n1", "n2", "n4", "n5"]
    gone = cluster.agree(*rest) & have_failed(cluster, ["n3"], told=rest)
    await cluster.expect(gone & cluster.caught(lost), within=cluster.bounds.group.failure())
    await cluster.heal(lost)
    await cluster.calm()


# Each is made by @script.
for _file, _story, *_kinds in LOST:
    for _kind in _kinds:
        _told = where_it_is_lost(str(_kind), getattr(_file, str(_story)), "group_no_first")
        _made = replace(_told, file=__file__)  # else it would belong to the file that makes it
        globals()[_made.name] = _made
del _made, _told
