"""What becomes of the data when parts of a cluster that hold some become one: a policy decides, for each map.

From rulings 7.4 and the real system. Each member of the smaller part sets aside what it owns, and brings it to the
owners in the larger one. All of them read afterwards what the policy keeps, and each loss is told. Split-brain
protection (rulings 4.10) refuses what a merge might lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from shaketable import MILLISECOND, SECOND, Cluster, Settings, Work, script
from shaketable.chaos.helpers.merging import become_one, come_apart
from shaketable.chaos.helpers.merging_data import ABOUT, ALL, LARGE, SMALL, few, put

SIZE: Final = 20_000
"""bytes of a partition that crawls: as many as pass in a heartbeat timeout"""
MOST_AT_ONCE: Final = 64
"""entries of a message that brings them"""
MAPS: Final = {
    "absent": "put-if-absent", "latest": "latest-update", "hits": "higher-hits", "through": "pass-through",
    "gone": "discard",
}  # fmt: skip


def policies(run: Settings) -> Mapping[str, object]:
    """A map for each policy that there is, with so many backups that the larger part has one."""
    chosen = " ".join(f"{name}={policy}" for name, policy in MAPS.items())
    return {**few(run), "maps": " ".join(f"{name}=2" for name in MAPS), "merge_policies": chosen}


def their_own(run: Settings) -> Mapping[str, object]:
    own = "longest=shaketable.chaos.helpers.own_policy:Longest both=shaketable.chaos.helpers.own_policy:Together"
    return {**few(run), "maps": "longest=1 both=1", "merge_policies": own}


def in_one_partition(run: Settings) -> Mapping[str, object]:
    return {**few(run), "partition_count": 1, "maps": "data=2"}


def latest(run: Settings) -> Mapping[str, object]:
    return {**few(run), "merge_policies": "data=latest-update"}


def hits(run: Settings) -> Mapping[str, object]:
    return {**few(run), "merge_policies": "data=higher-hits"}


def protected(run: Settings) -> Mapping[str, object]:
    """Of five members three are needed for all that is done to data, and to write to precious."""
    return {**few(run), "maps": "data=4 precious=4 free=4", "split_brain_protection": "data=3 precious=3:writes"}


@script(about=ABOUT, settings=in_one_partition)
async def more_entries_than_go_at_once(cluster: Cluster) -> None:
    """The smaller part has so many small entries in one partition that it brings them in two messages: all come."""
    await cluster.form(*ALL)
    await put(cluster, "n1", "of-all", "before", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await come_apart(cluster, LARGE, SMALL)
    keys = [f"k{number}" for number in range(MOST_AT_ONCE + 6)]
    for key in keys:
        await put(cluster, "n4", key, f"of-{key}", "data")
    await cluster.heal(apart)
    await are_one(cluster)
    for key in keys:
        await holds(cluster, key, f"of-{key}", "data")
    await cluster.take_stock()


@script(about=ABOUT, settings=policies)
async def each_policy_decides(cluster: Cluster) -> None:
    """On both sides clients write to the same keys, now here last, now there: each map's policy says what stays."""
    await cluster.form(*ALL)
    for name in MAPS:
        await put(cluster, "n1", "of-all", f"before-{name}", name)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await come_apart(cluster, LARGE, SMALL)
    for name in MAPS:
        await put(cluster, "n4", "large-last", f"a-small-{name}", name)
        await put(cluster, "n4", "only-small", f"b-small-{name}", name)
        await put(cluster, "n1", "small-last", f"c-large-{name}", name)
        await put(cluster, "n1", "only-large", f"d-large-{name}", name)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    for name in MAPS:
        await put(cluster, "n1", "large-last", f"a-large-{name}", name)
        await put(cluster, "n4", "small-last", f"c-small-{name}", name)
        await cluster.get("n5", "small-last", map=name)
        await cluster.get("n2", "large-last", map=name)
    await cluster.heal(apart)
    await are_one(cluster)
    small, large = ("small", "small"), ("large", "large")
    last = {"latest": ("large", "small"), "hits": ("large", "small"), "through": small}
    for name in MAPS:
        of_large, of_small = last.get(name, large)
        await holds(cluster, "large-last", f"a-{of_large}-{name}", name)
        await holds(cluster, "small-last", f"c-{of_small}-{name}", name)
        await holds(cluster, "only-small", None if name == "gone" else f"b-small-{name}", name)
        await holds(cluster, "only-large", f"d-large-{name}", name)
        await holds(cluster, "of-all", f"before-{name}", name)
    await cluster.take_stock()


@script(about=ABOUT, settings=their_own)
async def a_policy_of_ones_own(cluster: Cluster) -> None:
    """Two parts merge with two values of a key: one map keeps the longer, another puts them together."""
    await cluster.form(*ALL)
    await cluster.get("n1", "k", map="both")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await come_apart(cluster, LARGE, SMALL)
    for name in ("longest", "both"):
        await put(cluster, "n1", "k", "of-the-large-part", name)
        await put(cluster, "n4", "k", "of-the-small", name)
        await put(cluster, "n1", "j", "large", name)
        await put(cluster, "n5", "j", "of-the-small-one", name)
        await put(cluster, "n5", "i", "alone", name)
    await cluster.heal(apart)
    await are_one(cluster)
    await holds(cluster, "k", "of-the-large-part", "longest")
    await holds(cluster, "j", "of-the-small-one", "longest")
    await holds(cluster, "k", "of-the-large-part+of-the-small", "both")
    await holds(cluster, "j", "large+of-the-small-one", "both")
    for name in ("longest", "both"):
        await holds(cluster, "i", "alone", name)
    await cluster.take_stock()


@script(about=ABOUT, settings=hits)
async def an_entry_brings_its_hits_with_it(cluster: Cluster) -> None:
    """n5's entry is read four times, and n4's twice. n5 comes over first: it is its entry that stays when n4 comes."""
    await cluster.form(*ALL)
    await cluster.get("n1", "k")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    alone = [await come_apart(cluster, [*LARGE, "n4"], ["n5"]), await come_apart(cluster, LARGE, ["n4"])]
    for name, times in (("n5", 4), ("n4", 2)):
        await put(cluster, name, "k", f"of-{name}", "data")
        for _ in range(times):
            await cluster.get(name, "k")
    for healed, left in zip(alone, ((*LARGE, "n5"), (*LARGE, "n5", "n4")), strict=True):
        await cluster.heal(healed)
        await cluster.until(cluster.that.agree(*left), within=cluster.bounds.converge())
        await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await holds(cluster, "k", "of-n5", "data")
    await cluster.take_stock()


@script(about=ABOUT, settings=latest)
async def the_later_update_counts_after_slow_links(cluster: Cluster) -> None:
    """The larger part's links are slow for a while. Its clock stays its master's: its later update is the later one."""
    await cluster.form(*ALL)
    await put(cluster, "n1", "k", "of-all", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await come_apart(cluster, LARGE, SMALL)
    late = cluster.settings.heartbeat_timeout // 8 // MILLISECOND * MILLISECOND
    slow = await cluster.together(*[cluster.slow("n1", name, late) for name in LARGE[1:]])
    await cluster.sleep(2 * cluster.settings.heartbeat_timeout)
    await cluster.together(*map(cluster.heal, slow))
    await put(cluster, "n5", "k", "small", "data")
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await put(cluster, "n2", "k", "large", "data")
    await cluster.heal(apart)
    await are_one(cluster)
    await holds(cluster, "k", "large", "data")
    await cluster.take_stock()


@script(about=ABOUT, settings=protected)
async def protection_prevents_what_a_merge_would_lose(cluster: Cluster) -> None:
    """Two of five are cut off: their writes to one map are lost, and the other maps refuse theirs."""
    await cluster.form(*ALL)
    for name in ("data", "precious", "free"):
        await put(cluster, "n4", "k", f"before-{name}", name)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await come_apart(cluster, LARGE, SMALL)
    for name in ("data", "precious", "free"):
        await put(cluster, "n2", "k", f"large-{name}", name)
    await put(cluster, "n5", "k", "small-free", "free")
    for name in ("data", "precious"):
        refused = await cluster.put("n5", "k", f"small-{name}", map=name)
        assert refused.outcome == "failed", refused
        assert refused.why == "too-few-members", refused
    refused = await cluster.get("n4", "k", map="data")
    assert refused.outcome == "failed", refused
    assert refused.why == "too-few-members", refused
    found = await cluster.get("n4", "k", map="precious")
    assert (found.outcome, found.value) == ("ok", "before-precious"), found
    await cluster.heal(apart)
    await are_one(cluster)
    for name in ("data", "precious", "free"):
        await holds(cluster, "k", f"large-{name}", name)
    await cluster.take_stock()


@script(about=ABOUT, settings=latest)
async def clients_work_on_through_a_merge(cluster: Cluster) -> None:
    """Clients at all nodes write and read all the time, and work on under the next identity of their node."""
    await cluster.form(*ALL)
    work = await cluster.work(ALL, keys=8, size=200, pause=cluster.settings.heartbeat_interval // 10)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    apart = await come_apart(cluster, LARGE, SMALL)
    await cluster.sleep(2 * cluster.settings.heartbeat_interval)
    await cluster.heal(apart)
    await are_one(cluster)
    for node, name in of_small(work):
        assert cluster.seen.view(node).partitions.client(name).called, f"{name} does nothing any more"
    await all_is_read(cluster, work)
    done = [cluster.seen.view(node).partitions.client(name).called for node, name in of_small(work)]
    await cluster.sleep(cluster.settings.heartbeat_interval)
    assert done == [cluster.seen.view(node).partitions.client(name).called for node, name in of_small(work)]


@script(about=ABOUT, settings=latest)
async def the_small_part_migrates(cluster: Cluster) -> None:
    """Data crawl from one member of the smaller part to the other: they go over between two migrations."""
    await migrating(cluster, SMALL)


@script(about=ABOUT, settings=latest)
async def the_large_part_migrates(cluster: Cluster) -> None:
    """Data crawl between the members of the larger part: what merges waits for partitions that move."""
    await migrating(cluster, LARGE)


async def migrating(cluster: Cluster, side: Sequence[str]) -> None:
    await cluster.form(*ALL)
    for partition in range(cluster.settings.partition_count):
        await put(cluster, "n1", cluster.seen.key_in(partition), f"of-all-{partition} {'.' * SIZE}", "data")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    rate = SIZE * SECOND // cluster.settings.heartbeat_timeout // 1000 * 1000 + 1000
    await cluster.together(*[cluster.thin(one, other, rate) for one, other in combinations(side, 2)])
    apart = await come_apart(cluster, LARGE, SMALL)
    await cluster.until(cluster.that.migrates(), within=cluster.bounds.safe())
    for partition in range(cluster.settings.partition_count):
        for via in ("n1", "n4"):
            key = cluster.seen.key_in(partition, 1)
            await cluster.put(via, key, f"{via}-{partition}", patience=cluster.settings.heartbeat_interval)
    await cluster.until(cluster.that.migrates(), within=0)
    await cluster.heal(apart)
    slow = cluster.settings.partition_count * 2 * cluster.settings.heartbeat_timeout
    await cluster.expect(cluster.that.agree(*ALL), within=cluster.bounds.converge() + slow)
    await cluster.heal_all()
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await all_is_read(cluster)


async def are_one(cluster: Cluster) -> None:
    """With all partitions in place, and nothing left to bring."""
    await become_one(cluster, LARGE, SMALL)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())


async def holds(cluster: Cluster, key: str, value: str | None, name: str) -> None:
    """At whomever one asks."""
    for via in ("n1", "n5"):
        found = await cluster.get(via, key, map=name)
        assert (found.outcome, found.value) == ("ok", value), f"{key} of {name} at {via}: {found}, not {value}"


def of_small(work: Work) -> list[tuple[str, str]]:
    """The clients at those that go over, each with its node."""
    return [(node, name) for node, _, names in work.clients if node in SMALL for name in names]


async def all_is_read(cluster: Cluster, *works: Work) -> None:
    for work in works:
        await cluster.stop_work(work)
    for via in ("n1", "n4"):
        assert (await cluster.read_back(via)).complete
    await cluster.take_stock()
