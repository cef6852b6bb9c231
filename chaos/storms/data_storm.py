"""A storm over members that hold data: crashes, returns, slow and thin links, while clients write and read on."""

from shaketable import Cluster, Injected, script
from shaketable.chaos import MERGING_OFF
from shaketable.chaos.helpers.weather import NODES, Weather, rage

FAULTS = 10
ABOUT = ("table order", "replica count", "commit order", "completed list", "no lost data", "balanced", "in place")
SETTINGS = {**MERGING_OFF, "partition_count": 11, "maps": "data=1 precious=2"}


@script(about=ABOUT, settings=SETTINGS)
async def data_storm(cluster: Cluster) -> None:
    """Ten random faults of nodes and links fall on six members with two maps; then all return, and all is in place.

    No link is ever broken for good, so that there is one cluster at the end."""
    await cluster.form(*NODES)
    works = [
        await cluster.work(["n1", "n4"], keys=6, size=100, pause=20_000),
        await cluster.work(["n2", "n5"], map="precious", keys=6, size=2000, pause=20_000),
    ]
    await rage(cluster, DataWeather(cluster), FAULTS)
    # A node just started again must have joined: the others are settled without it as well.
    await cluster.until(cluster.that.agree(*NODES), within=cluster.bounds.settle())
    for work in works:
        await cluster.stop_work(work)
    await cluster.until(cluster.that.is_safe(), within=cluster.bounds.safe())
    await cluster.read_back("n3")
    await cluster.read_back("n3", map="precious")
    await cluster.take_stock()


class DataWeather(Weather):
    """Draws faults of which each leaves the cluster one: crashes, at most two at a time, sleeps, slow and thin links,
    links that drop and come back."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._bad: list[tuple[str, str, Injected]] = []

    def pause(self) -> int:
        """Long against a migration, mostly short against all of a plan's."""
        interval = self._cluster.settings.heartbeat_interval
        return self._draw.choice([self._draw.randrange(20_000), self._draw.randrange(interval), 2 * interval])

    async def strike(self) -> None:
        kinds = [self._slow, self._thin, self._interrupt]
        if len(self._down) < 2:
            kinds += [self._kill, self._kill, self._kill]
        await self._draw.choice(kinds)()

    async def relieve(self) -> None:
        # Nobody sees that a link is sound again while one of its ends is down.
        kinds = [self._heal] * bool(self._seen()) + [self._return] * bool(self._down)
        if kinds and self._draw.random() < 0.7:
            await self._draw.choice(kinds)()

    async def clear_up(self) -> None:
        while self._down:
            await self._return()
        await self._cluster.until(self._cluster.that.agree(*NODES), within=self._cluster.bounds.settle())
        while self._bad:
            await self._heal()

    def _seen(self) -> list[tuple[str, str, Injected]]:
        return [bad for bad in self._bad if bad[0] not in self._down and bad[1] not in self._down]

    async def _return(self) -> None:
        """Once nobody has the dead one on its list any more: its successor is another one."""
        name = self._down.pop(self._draw.randrange(len(self._down)))
        await self._cluster.sleep(self._cluster.bounds.crash)
        await self._cluster.restart(name)

    async def _slow(self) -> None:
        a, b = self._draw.sample(self._up(), 2)
        self._bad.append((a, b, await self._cluster.slow(a, b, self._draw.randrange(1, 40) * 1000)))

    async def _thin(self) -> None:
        a, b = self._draw.sample(self._up(), 2)
        self._bad.append((a, b, await self._cluster.thin(a, b, self._draw.randrange(20, 80) * 1000)))

    async def _interrupt(self) -> None:
        """For less than the grace: nobody is suspected, but what is under way is lost."""
        a, b = self._draw.sample(self._up(), 2)
        broken = await self._cluster.cut(a, b)
        await self._cluster.sleep(self._cluster.settings.connection_grace // 6)
        await self._cluster.heal(broken)

    async def _heal(self) -> None:
        bad = self._draw.choice(self._seen())
        self._bad.remove(bad)
        await self._cluster.heal(bad[2])
