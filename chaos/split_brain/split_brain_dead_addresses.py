"""A hundred addresses at which nobody is any more: a search for other parts asks them all, and harms nobody.

The text on split-brain recovery fears that remembered addresses "can accumulate a lot which may slow down the execution
of the split-brain handler". They are all asked at once, so a run has ended before the next is due, and heartbeats go on
meanwhile (rulings 4.6)."""

from __future__ import annotations

from collections.abc import Sequence

from shaketable import Cluster, Condition, Observed, script
from shaketable.chaos import LISTS, merging_soon
from shaketable.chaos.helpers.merging import ABOUT, become_one, come_apart

LIVING = ("n1", "n2", "n3")
DEAD = tuple(f"dead{number}" for number in range(1, 101))
RUNS = 3


@script(about=ABOUT, settings=merging_soon)
async def a_hundred_dead_configured_addresses(cluster: Cluster) -> None:
    """All are configured with a hundred addresses at which there never was anybody; a split heals all the same."""
    await cluster.form(*LIVING, knowing=DEAD)
    await the_runs_end_in_time(cluster, "n1", [f"n{i}" for i in (2, 3)])
    await cluster.heal(await come_apart(cluster, LIVING[:2], LIVING[2:]))
    await become_one(cluster, LIVING[:2], LIVING[2:])


@script(about=[*LISTS, "detection"], settings=merging_soon, worlds=["sim"])
async def a_hundred_dead_remembered_addresses(cluster: Cluster) -> None:
    """Of a hundred and three members a hundred crash: the master looks for all of them, and nobody else is suspected.

    In virtual time alone: so many processes are too much for one machine."""
    await cluster.form(*LIVING, *DEAD)
    for one in LIVING:
        for other in LIVING:
            if one != other:
                cluster.always(cluster.that.trusts(one, other))
    await cluster.together(*map(cluster.kill, DEAD))
    await cluster.until(cluster.that.agree(*LIVING), within=2 * cluster.bounds.crash)
    await the_runs_end_in_time(cluster, "n1", LIVING[1:])
    await cluster.expect(cluster.that.agree(*LIVING), within=cluster.bounds.crash)


async def the_runs_end_in_time(cluster: Cluster, master: str, others: Sequence[str]) -> None:
    """Each asks a hundred addresses, is over before the next is due, and meanwhile no member is suspected."""
    settings = cluster.settings
    for number in range(RUNS):
        wait = settings.merge_next_run_delay + (0 if number else settings.merge_first_run_delay)
        await cluster.until(begins_to_search(master, len(DEAD)), within=wait)
        await cluster.until(cluster.that.has_searched(master), within=settings.merge_next_run_delay // 2)
        for other in others:
            await cluster.until(cluster.that.trusts(master, other) & cluster.that.trusts(other, master), within=0)


def begins_to_search(name: str, addresses: int) -> Condition:
    """It is in the middle of a search that asks so many addresses."""

    def why_not(seen: Observed) -> str | None:
        merging = seen.nodes[name].merging
        if not merging.searching:
            return f"{name} does not search"
        return None if merging.asked == addresses else f"{name} asks {merging.asked} addresses"

    return Condition(f"{name} asks {addresses} addresses for other parts", why_not)
