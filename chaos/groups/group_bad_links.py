"""One link between two members is bad, and all others are sound: what the two cannot tell each other, others tell.

SWIM's indirect pings are for that. Our own rule: a member that gets an answer from a suspect passes it on to the
master, which alone announces doubts. Ten members, so that the master itself pings nobody twice meanwhile; n1 leads."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster
from shaketable.chaos.helpers.groups import (
    ABOUT,
    CALM,
    LIFEGUARD,
    ONE_ELECTION,
    SWIM,
    form,
    have_not_failed,
    scripts_under,
)

ALL: Final = tuple(f"n{number}" for number in range(1, 11))


@scripts_under([SWIM, LIFEGUARD], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_suspect_does_not_hear_its_master(cluster: Cluster) -> None:
    """A suspect never hears of the doubt, for its master cannot reach it: others that it answers say so."""
    await a_doubt_over_a_bad_link(cluster, "n1", "n4")


@scripts_under([SWIM, LIFEGUARD], elections=ONE_ELECTION, about=[*ABOUT, *CALM])
async def group_master_does_not_hear_a_suspect(cluster: Cluster) -> None:
    """A suspect answers its master in vain: others that it answers say so."""
    await a_doubt_over_a_bad_link(cluster, "n4", "n1")


async def a_doubt_over_a_bad_link(cluster: Cluster, sender: str, to: str) -> None:
    await form(cluster, *ALL)
    bad = await cluster.blackhole(sender, to, one_way=True)
    silent = await cluster.drop("swimack", sender="n4")
    await cluster.until(cluster.that.suspects("n1", "n4"), within=cluster.bounds.group.suspicion)
    await cluster.heal(silent)
    await cluster.until(cluster.that.trusts("n1", "n4"), within=cluster.bounds.group.verification)
    await cluster.heal(bad)
    await cluster.calm()
    others = [name for name in ALL if name != "n4"]
    await cluster.expect(cluster.that.agree(*ALL) & have_not_failed(cluster, "n4", told=others), within=0)
