"""Stories in which each node loses the first message of one kind that it sends: they come to the same end.

From the texts: what is asked is asked again, what is told is told again with the next round or the next occasion, and
who never hears of a thing finds out by itself. These are the kinds that no story of their own loses."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, Final, cast

from shaketable.chaos import (
    LISTS,
    MERGING_OFF,
    claims,
    colder_backups,
    crashes,
    joins,
    legacy_split_brain,
    one_way,
    rest,
)
from shaketable.harness.cluster import Cluster, Injected
from shaketable.harness.nemesis.endings import its_data_are_safe
from shaketable.harness.scripts import Script, script

STARTING: Final = ("form", "form_at_once", "join", "start", "restart")
LOST: Final = (
    (joins, "lite_members", "leaveanswer"),
    (joins, "another_cluster_s_name", "clustermismatch", "startupvote", "startupvoteanswer"),
    (joins, "a_wrong_configuration", "configmismatch"),
    (crashes, "restart_a_follower", "joinrequest"),
    (claims, "a_chain_of_four_claims", "mastershipclaim"),
    (claims, "two_claims_at_once", "claimrefused"),
    (one_way, "a_follower_is_not_heard_by_the_master", "triggerexplicitsuspicion"),
    (
        colder_backups, "a_colder_backup_has_what_the_first_missed",
        "morewanted", "replicawanted", "replicacomes",
    ),
    (
        legacy_split_brain, "remembered",
        "preparemerge", "preparemergeanswer", "mergeclusters", "mergeclustersanswer",
    ),
    (
        rest, "healed_over_http",
        "changeaddresses", "changeaddressesanswer", "takeaddresses", "takeaddressesanswer",
    ),
)  # fmt: skip
"""A file, a story of it, and kinds that are sent whenever it is told."""


class Losing:
    """A cluster to a story: whoever starts loses the first message of this kind."""

    def __init__(self, cluster: Cluster, kind: str) -> None:
        self._cluster = cluster
        self._kind = kind
        self.lost: list[Injected] = []

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._cluster, name)
        if name not in STARTING:
            return verb

        async def and_lose(*names: str, **options: object) -> None:
            await verb(*names, **options)
            for node in names:
                self.lost.append(await self._cluster.drop(self._kind, sender=node, count=1, perhaps=True))

        return and_lose


def where_it_is_lost(kind: str, story: Script, name: str = "no_first") -> Script:
    async def told(cluster: Cluster) -> None:
        losing = Losing(cluster, kind)
        await story.body(cast(Cluster, losing))
        await cluster.until(reduce(or_, [cluster.caught(lost) for lost in losing.lost]), within=0)
        for lost in losing.lost:
            await cluster.heal(lost)
        await cluster.calm()
        if "no lost data" in story.about:
            await its_data_are_safe(cluster, ())

    told.__doc__ = f"{story.title.removesuffix('.')}; and the first {kind} of each node is lost."
    told.__name__ = f"{name}_{kind}_{story.name.replace('-', '_')}"
    return script(about=story.about, settings=story.settings)(told)


@script(about=LISTS, settings=MERGING_OFF)
async def no_first_complaint(cluster: Cluster) -> None:
    """n3 misses the list with n4, and complains of its heartbeat; that is lost, and the next one helps, or a list."""
    await cluster.form("n1", "n2", "n3")
    lists = await cluster.drop("membersupdate", sender="n1", to=["n3"])
    lost = await cluster.drop("heartbeatcomplaint", sender="n3", count=1)
    await cluster.start("n4")
    await cluster.until(cluster.caught(lists) & cluster.caught(lost), within=cluster.bounds.forming)
    await cluster.heal(lists)
    await cluster.expect(cluster.agree("n1", "n2", "n3", "n4"), within=cluster.bounds.lost_publish)


# Each is made by @script.
for _file, _story, *_kinds in LOST:
    for _kind in _kinds:
        _made = where_it_is_lost(str(_kind), getattr(_file, str(_story)))
        globals()[_made.name] = _made
del _made
