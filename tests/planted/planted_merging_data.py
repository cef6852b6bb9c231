"""Planted bugs of data that merge: members that break one rule each, and the script in which it shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from shaketable.harness.scripting.cluster import Cluster, Injected
from shaketable.harness.scripting.scripts import Script, script
from shaketable.node.cluster import partitions
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.cluster.partition.merging import SetAside, SettingAside
from shaketable.node.cluster.partition.merging.policies import pass_through
from shaketable.node.cluster.partition.merging.setting_aside import owned
from shaketable.node.cluster.partition.table import Table
from shaketable.node.config import Settings
from shaketable.node.core.env import MILLISECOND, SECOND, Env
from shaketable.node.messages import Address, EntryMerged, MergingEntry, Uuid

SOON: Final = {
    "merge_first_run_delay_seconds": 120, "merge_next_run_delay_seconds": 60, "partition_count": 11, "maps": "data=1",
}  # fmt: skip
LARGE, SMALL = ("n1", "n2", "n3"), ("n4", "n5")


async def cut_off_with_data(cluster: Cluster) -> Injected:
    """The two youngest of five, when each partition has an entry and its backup."""
    await cluster.form(*LARGE, *SMALL)
    for partition in range(cluster.settings.partition_count):
        await cluster.put("n1", cluster.seen.key_in(partition), f"before{partition}")
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    apart = await cluster.split(LARGE, SMALL)
    await cluster.until(cluster.that.agree(*LARGE) & cluster.that.agree(*SMALL), within=cluster.bounds.settle())
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    return apart


@script(about=["merged data", "no lost data"], settings=SOON)
async def two_come_back_with_data(cluster: Cluster) -> None:
    """The two youngest of five are cut off, and come back with what they have written."""
    apart = await cut_off_with_data(cluster)
    for partition in range(cluster.settings.partition_count):
        await cluster.put("n4", cluster.seen.key_in(partition, 1), f"small{partition}")
        await cluster.put("n4", cluster.seen.key_in(partition, 2), f"both-small{partition}")
        await cluster.put("n1", cluster.seen.key_in(partition, 2), f"both-large{partition}")
    await cluster.heal(apart)
    await cluster.sleep(cluster.bounds.converge() + cluster.settings.heartbeat_timeout)
    await cluster.read_back("n2")


@script(about=["merged data", "no lost data"], settings=SOON)
async def one_of_two_crashes_before_they_come_back(cluster: Cluster) -> None:
    """Of the two youngest of five that were cut off one crashes when the other one is about to go over."""
    apart = await cut_off_with_data(cluster)
    held = await cluster.hold("n4", "MergeBegan")
    await cluster.heal(apart)
    await cluster.until_held("n4", "MergeBegan", within=cluster.bounds.converge())
    await cluster.kill("n5")
    await cluster.heal(held)
    await cluster.sleep(cluster.bounds.converge() + cluster.settings.heartbeat_timeout)
    await cluster.read_back("n2")


@script(about=["merged data"], settings={**SOON, "maps": "data=0"})
async def clients_write_until_they_go_over(cluster: Cluster) -> None:
    """The two youngest of five were cut off, and come back. Clients at one of them write until it goes."""
    apart = await cut_off_with_data(cluster)
    held = await cluster.hold("n4", "MergeBegan")
    await cluster.heal(apart)
    await cluster.until_held("n4", "MergeBegan", within=cluster.bounds.converge())
    await cluster.slow("n4", "n5", latency=100 * MILLISECOND, one_way=True)
    work = await cluster.work("n5", clients=4, keys=4, size=20, writes_percent=100, pause=MILLISECOND)
    await cluster.heal(held)
    await cluster.sleep(SECOND)
    await cluster.stop_work(work)
    await cluster.sleep(cluster.bounds.converge() + cluster.settings.heartbeat_timeout)


class _GoesOn(SettingAside):
    def set_aside(self, going: Collection[Uuid], silent: Collection[Uuid] = ()) -> None:
        super().set_aside(going, silent)
        self._state.goes_over = False


class WritesOn(ClusterMember):
    """Merged data: it sets aside what it owns, and takes writes until it goes."""

    class partition_service(partitions.Partitions):  # noqa: N801 - it takes the place of a class variable
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.going_over = _GoesOn(self.state, store=self.store, publishing=self.publishing)


class _HalfOf(SettingAside):
    def set_aside(self, going: Collection[Uuid], silent: Collection[Uuid] = ()) -> None:
        whole = self._state.table
        kept = [each for each in owned(self._state, going, silent) if each % 2]
        rows = [row if number in kept else () for number, row in enumerate(whole.rows)]
        self._state.table = Table(whole.version, rows)
        super().set_aside(going, silent)


class _OnlyItsOwn(SettingAside):
    def set_aside(self, going: Collection[Uuid], silent: Collection[Uuid] = ()) -> None:
        super().set_aside(self._state.membership.known)


class SetsNothingAsideForOthers(ClusterMember):
    """Merged data: who holds a backup of what a crashed member owned leaves it."""

    class partition_service(partitions.Partitions):  # noqa: N801 - it takes the place of a class variable
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.going_over = _OnlyItsOwn(self.state, store=self.store, publishing=self.publishing)


class SetsHalfAside(ClusterMember):
    """Merged data: of what it owns it takes every second partition with it."""

    class partition_service(partitions.Partitions):  # noqa: N801 - it takes the place of a class variable
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            self.going_over = _HalfOf(self.state, store=self.store, publishing=self.publishing)


class LosesOneOnTheWay(ClusterMember):
    """Merged data: one entry is dropped, and nobody is told."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        bringing = self.partitions.bringing
        take_over = bringing.take_over

        def drop_one(entries: Iterable[SetAside]) -> None:
            take_over(list(entries)[1:])

        bringing.take_over = drop_one  # type: ignore[method-assign]


class OverwritesAll(ClusterMember):
    """Merged data: whatever the policy, what merges is kept."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        taking = self.partitions.taking
        judged = taking._judged

        def keep(policy: str, decide: Any, entry: MergingEntry, existing: Any) -> Any:
            return judged(policy, pass_through, entry, existing)

        taking._judged = keep  # type: ignore[method-assign]


class TakesNothingIn(ClusterMember):
    """No lost data: the owner says that an entry is kept, and does not write it."""

    def __init__(self, env: Env, address: Address, addresses: Sequence[Address], settings: Settings) -> None:
        super().__init__(env, address, addresses, settings)
        taking = self.partitions.taking
        decided = taking._decided

        def say_so(message: Any, entry: MergingEntry) -> tuple[EntryMerged, bytes | None]:
            result, value = decided(message, entry)
            if result.outcome == "kept":
                return EntryMerged("there", result.value, result.reason), value
            return result, value

        taking._decided = say_so  # type: ignore[method-assign]


MERGED_CASES: Final[list[tuple[str, Script, type[ClusterMember]]]] = [
    ("merged data", two_come_back_with_data, SetsHalfAside),
    ("merged data", clients_write_until_they_go_over, WritesOn),
    ("merged data", one_of_two_crashes_before_they_come_back, SetsNothingAsideForOthers),
    ("merged data", two_come_back_with_data, LosesOneOnTheWay),
    ("merged data", two_come_back_with_data, OverwritesAll),
    ("no lost data", two_come_back_with_data, TakesNothingIn),
]
