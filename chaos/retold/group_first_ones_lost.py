"""Stories of groups in which each node loses the first message of one kind that it sends: they come to the same end."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster, script
from shaketable.chaos.groups import group_coming_and_going, group_masters, group_members, group_splits
from shaketable.chaos.helpers.groups import ABOUT, ALL, CALM, form, have_failed, named
from shaketable.chaos.helpers.losing import where_it_is_lost

LOST: Final = (
    (
        named("ring-by-seniority", group_coming_and_going.group_shrinks_by_its_oldest),
        "healthhandedover", "healthtaken", "lastnotifications", "shutdownwanted",
    ),
    (named("all-to-all", group_coming_and_going.group_starts_and_stops_as_a_whole), "ready"),
    (named("ring-by-order", group_coming_and_going.group_many_come_and_go), "suspectreporttaken"),
    (named("ring-by-order", group_masters.group_master_oversleeps), "mastercollision", "stillheard"),
    (named("all-to-all-by-order", group_splits.group_split_by_cut), "followmaster"),
    (named("heartbeats", group_members.group_talk_is_as_good_as_heartbeats), "application"),
)  # fmt: skip
"""A story, and kinds that are sent whenever it is told."""


@script(about=[*ABOUT, *CALM, "every failure told"], settings={"family": "gms"})
async def group_no_hint(cluster: Cluster) -> None:
    """A watchdog's word of a crash is lost: the member is missed by its heartbeats, as without a watchdog."""
    await form(cluster, *ALL)
    await cluster.start("w1", settings={"gms_member_type": "watchdog"}, knowing=ALL)
    await cluster.until(cluster.that.link_is_up("w1", "n1"), within=cluster.bounds.group.forming)
    lost = await cluster.drop("failurehint", sender="w1", count=1)
    await cluster.kill("n3")
    await cluster.hint("w1", "n3")
    rest = ["n1", "n2", "n4", "n5"]
    gone = cluster.that.agree(*rest) & have_failed(cluster, ["n3"], told=rest)
    await cluster.expect(gone & cluster.that.caught(lost), within=cluster.bounds.group.failure())
    await cluster.heal(lost)
    await cluster.calm()


SCRIPTS = [where_it_is_lost(kind, story, "group_no_first") for story, *kinds in LOST for kind in kinds]
