"""Stories in which each node loses the first message of one kind that it sends: they come to the same end.

From the texts: what is asked is asked again, what is told is told again with the next round or the next occasion, and
a member that never hears of a thing finds out by itself. These are the kinds that no story of their own loses."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster, script
from shaketable.chaos import LISTS, MERGING_OFF
from shaketable.chaos.cluster import claims, crashes, joins, one_way, rest
from shaketable.chaos.helpers.losing import where_it_is_lost
from shaketable.chaos.legacy import legacy_split_brain
from shaketable.chaos.migration import colder_backups

LOST: Final = (
    (joins.lite_members, "leaveanswer"),
    (joins.another_cluster_s_name, "clustermismatch", "startupvote", "startupvoteanswer"),
    (joins.a_wrong_configuration, "configmismatch"),
    (crashes.restart_a_follower, "joinrequest"),
    (claims.a_chain_of_four_claims, "mastershipclaim"),
    (claims.two_claims_at_once, "claimrefused"),
    (one_way.a_follower_is_not_heard_by_the_master, "triggerexplicitsuspicion"),
    (colder_backups.a_colder_backup_has_what_the_first_missed, "morewanted", "replicawanted", "replicacomes"),
    (
        legacy_split_brain.remembered,
        "preparemerge", "preparemergeanswer", "mergeclusters", "mergeclustersanswer",
    ),
    (
        rest.healed_over_http,
        "changeaddresses", "changeaddressesanswer", "takeaddresses", "takeaddressesanswer",
    ),
)  # fmt: skip
"""A story, and kinds that are sent whenever it is told."""


@script(about=LISTS, settings=MERGING_OFF)
async def no_first_complaint(cluster: Cluster) -> None:
    """n3 misses the list with n4, and complains of its heartbeat; that is lost, and the next one helps, or a list."""
    await cluster.form("n1", "n2", "n3")
    lists = await cluster.drop("membersupdate", sender="n1", to=["n3"])
    lost = await cluster.drop("heartbeatcomplaint", sender="n3", count=1)
    await cluster.start("n4")
    await cluster.until(cluster.that.caught(lists) & cluster.that.caught(lost), within=cluster.bounds.forming)
    await cluster.heal(lists)
    await cluster.expect(cluster.that.agree("n1", "n2", "n3", "n4"), within=cluster.bounds.lost_publish)


SCRIPTS = [where_it_is_lost(kind, story) for story, *kinds in LOST for kind in kinds]
