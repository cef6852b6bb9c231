"""The three faults that the text on cluster service consistency opens with, each story told twice.

Once every member is made as the text says that it was before (`legacy_fault`, in `node/legacy/`), and the check that
names the rule is red; once by the real members, with the same steps, and all is green. n1, n2, n3 are the text's A, B,
C."""

from shaketable import Cluster, Injected, script
from shaketable.chaos import LISTS, MERGING_OFF


@script(
    about=["view order"],
    expects_violation="view order",
    # Views in no one's order: then somebody's versions fall as well.
    broken_too=["single authority"],
    settings={**MERGING_OFF, "legacy_fault": "unordered updates"},
)
async def legacy_unordered_updates(cluster: Cluster) -> None:
    """Before 3.9: a periodic list is processed after the removal of B, and C has B in its list again."""
    late = await a_periodic_list_is_late(cluster)
    await cluster.heal(late)
    again = cluster.that.has_list("n3", version=3, members=["n1", "n2", "n3"])
    await cluster.until(again, within=cluster.settings.heartbeat_interval)


@script(about=LISTS, settings=MERGING_OFF)
async def ordered_updates(cluster: Cluster) -> None:
    """A periodic list is processed after the removal of B: C ignores it, for its version is not greater."""
    late = await a_periodic_list_is_late(cluster)
    cluster.always(cluster.that.agree("n1", "n3"))
    ignored = cluster.that.ignores("n3", version=3)
    await cluster.heal(late)
    await cluster.expect(ignored, within=cluster.settings.heartbeat_interval)


async def a_periodic_list_is_late(cluster: Cluster) -> Injected:
    """A publishes [A, B, C] periodically; B is gone, both A and C have [A, C]; C has still to process A's [A, B, C].

    The fault that is given back holds it. C cannot know whether A published before B shut down or just after it."""
    await cluster.form("n1", "n2", "n3")
    late = await cluster.hold_back("membersupdate", sender="n1", to=["n3"], count=1)
    await cluster.until(cluster.that.caught(late), within=cluster.bounds.lost_publish)
    await cluster.kill("n2")
    await cluster.until(cluster.that.agree("n1", "n3"), within=cluster.bounds.crash)
    return late


@script(
    about=["view agreement"],
    expects_violation="view agreement",
    # Members that never agree have not settled at the end either.
    broken_too=["settled"],
    settings={**MERGING_OFF, "legacy_fault": "missed removal"},
)
async def legacy_missed_removal(cluster: Cluster) -> None:
    """Before 3.9: C misses the removal of B, and rejects each list that comes after it."""
    await a_removal_is_missed(cluster)
    await cluster.sleep(cluster.bounds.settle() + cluster.settings.heartbeat_timeout)
    await cluster.until(cluster.that.has_list("n3", version=4, members=["n1", "n2", "n3", "n4"]), within=0)


@script(about=LISTS, settings=MERGING_OFF)
async def missed_removal(cluster: Cluster) -> None:
    """C misses the removal of B: the next list that it gets, for a member that joins, tells it of both."""
    await a_removal_is_missed(cluster)
    await cluster.expect(cluster.that.agree("n1", "n3", "n4", "n5"), within=cluster.bounds.lost_publish)


async def a_removal_is_missed(cluster: Cluster) -> None:
    """B dies, and what A says of it does not come to C; then E joins, and A's lists come to C again."""
    await cluster.form("n1", "n2", "n3", "n4")
    lost = await cluster.drop("membersupdate", sender="n1", to=["n3"])
    await cluster.kill("n2")
    removed = cluster.that.has_list("n4", version=5, members=["n1", "n3", "n4"])
    await cluster.until(removed & cluster.that.caught(lost), within=cluster.bounds.crash)
    # C knows of B's end by itself, and keeps that to itself.
    await cluster.until(cluster.that.suspects("n3", "n2"), within=cluster.bounds.crash)
    await cluster.start("n5")
    joined = cluster.that.has_list("n4", version=6, members=["n1", "n3", "n4", "n5"])
    await cluster.until(joined, within=cluster.bounds.forming)
    await cluster.heal(lost)


@script(
    about=["claims"],
    expects_violation="claims",
    settings={**MERGING_OFF, "legacy_fault": "stale overwrite"},
)
async def legacy_stale_overwrite(cluster: Cluster) -> None:
    """Before 3.9: the new master does not know D, and its list overwrites the one with D in it: D has to split."""
    await the_next_in_line_lags_behind(cluster)
    apart = cluster.that.agree("n2", "n3") & cluster.that.agree("n4")
    await cluster.expect(apart, within=cluster.bounds.crash + cluster.bounds.silence)


@script(about=[*LISTS, "claims"], settings=MERGING_OFF)
async def no_stale_overwrite(cluster: Cluster) -> None:
    """The next in line does not know D when it claims the mastership; C's answer tells it, and D stays."""
    await the_next_in_line_lags_behind(cluster)
    await cluster.expect(cluster.that.agree("n2", "n3", "n4"), within=cluster.bounds.crash)


async def the_next_in_line_lags_behind(cluster: Cluster) -> None:
    """D joins, and the list with it does not come to B; then the master A dies."""
    await cluster.form("n1", "n2", "n3")
    await cluster.drop("membersupdate", sender="n1", to=["n2"])
    await cluster.start("n4")
    everybody = ["n1", "n2", "n3", "n4"]
    joined = cluster.that.has_list("n3", version=4, members=everybody) & cluster.that.has_list(
        "n4", version=4, members=everybody
    )
    await cluster.until(joined, within=cluster.bounds.forming)
    await cluster.until(cluster.that.has_list("n2", version=3, members=["n1", "n2", "n3"]), within=0)
    await cluster.kill("n1")
