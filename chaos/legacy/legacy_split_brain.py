"""Why parts of a cluster never found each other before the text on split-brain recovery, each story told twice.

Once every member is made as the text says that it was before (`legacy_fault`, in `node/legacy/`): the parts stay apart,
and the checks that name the rule are red; once by the real members, with the same steps, and they become one. n1 and n2
are the text's smaller cluster, and its first members; those who came later are not in their configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from shaketable import Cluster, Settings, script
from shaketable.chaos import forgetting_soon, merging_soon
from shaketable.chaos.helpers.merging import are_apart, come_apart, come_apart_until_forgotten

ABOUT = ("converged", "split heals")
Computed = Callable[[Settings], Mapping[str, object]]
BRIDGE, SMALL, LARGE = "n1", ("n2", "n3"), ("n4", "n5", "n6")


def before(
    fault: str, settings: Callable[[Settings], Mapping[str, object]]
) -> Callable[[Settings], Mapping[str, object]]:
    return lambda run: {**settings(run), "legacy_fault": fault}


@script(
    about=ABOUT,
    expects_violation="converged",
    broken_too=["split heals"],
    settings=before("only configured", merging_soon),
)
async def legacy_only_configured(cluster: Cluster) -> None:
    """Before: neither part was configured with a living member of the other: they stay apart."""
    await neither_is_configured_with_the_other(cluster)
    await they_stay_apart(cluster)


@script(about=ABOUT, settings=merging_soon)
async def remembered(cluster: Cluster) -> None:
    """Neither part was configured with a living member of the other: they remember each other, and merge."""
    await neither_is_configured_with_the_other(cluster)
    await they_become_one(cluster)


async def neither_is_configured_with_the_other(cluster: Cluster) -> None:
    """All joined through n1, which is shut down; then they are split, and the links heal."""
    await cluster.form(BRIDGE)
    await cluster.join(*SMALL, knowing=[BRIDGE])
    await cluster.join(*LARGE, knowing=[BRIDGE])
    await cluster.leave(BRIDGE)
    await cluster.until(cluster.that.agree(*SMALL, *LARGE), within=cluster.bounds.crash)
    await cluster.heal(await come_apart(cluster, SMALL, LARGE))


@script(
    about=ABOUT,
    expects_violation="converged",
    broken_too=["split heals"],
    settings=before("silent followers", forgetting_soon),
)
async def legacy_silent_followers(cluster: Cluster) -> None:
    """Before: the larger part knows a follower of the smaller one, which does not answer: they stay apart."""
    await a_follower_alone_is_known(cluster)
    await they_stay_apart(cluster)


@script(about=ABOUT, settings=forgetting_soon)
async def a_follower_that_answers(cluster: Cluster) -> None:
    """The larger part knows a follower of the smaller one, which names its master: the parts merge."""
    await a_follower_alone_is_known(cluster)
    await they_become_one(cluster)


async def a_follower_alone_is_known(cluster: Cluster) -> None:
    """The smaller part's master was not configured with any of the larger one, and has forgotten them."""
    await cluster.form(*SMALL)
    await cluster.join(*LARGE, knowing=[SMALL[1]])
    await come_apart_until_forgotten(cluster, SMALL, LARGE)


@script(
    about=ABOUT,
    expects_violation="converged",
    broken_too=["split heals"],
    settings=before("one-sided search", forgetting_soon),
)
async def legacy_one_sided_search(cluster: Cluster) -> None:
    """Before: the larger part's master asks the smaller part's, which has to go over, and does not know where."""
    await the_larger_part_alone_searches(cluster)
    await they_stay_apart(cluster)


@script(about=ABOUT, settings=forgetting_soon)
async def a_search_from_either_side(cluster: Cluster) -> None:
    """The larger part's master asks the smaller part's, which learns of the larger part by that, and goes over."""
    await the_larger_part_alone_searches(cluster)
    await they_become_one(cluster)


async def the_larger_part_alone_searches(cluster: Cluster) -> None:
    """With an answer: the smaller part has forgotten whom its configuration does not name, and has nobody to ask."""
    await cluster.form(*SMALL)
    await cluster.join(*LARGE, knowing=SMALL)
    await come_apart_until_forgotten(cluster, SMALL, LARGE)


async def they_stay_apart(cluster: Cluster) -> None:
    """For twice as long as it may take until all are one."""
    await cluster.sleep(2 * cluster.bounds.converge() + cluster.settings.heartbeat_timeout)
    await cluster.until(are_apart(cluster, [SMALL, LARGE]), within=0)


async def they_become_one(cluster: Cluster) -> None:
    await cluster.expect(cluster.that.agree(*SMALL, *LARGE), within=cluster.bounds.converge())
    await cluster.sleep(cluster.bounds.converge() + cluster.settings.heartbeat_timeout)
