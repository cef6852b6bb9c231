"""What storms draw from: faults that overlap on six nodes, one after the other, by the seed of the run."""

from __future__ import annotations

from typing import Final

from shaketable import Cluster, Injected

NODES: Final = ("n1", "n2", "n3", "n4", "n5", "n6")
FAULTS: Final = 12
ANYTHING: Final = {
    "cut": 4, "blackhole": 4, "slow": 2, "thin": 1, "flap": 1, "reset": 1, "isolate": 2, "split": 3,
    "pause": 3, "kill": 3, "leave": 1, "join": 1, "clock": 1, "load": 0.3,
    "hold": 2, "crash_at": 2, "drop": 2, "hold_back": 2, "delay": 2,
}  # fmt: skip
"""weights of a plan of faults of all kinds: on links, to nodes, inside them"""


async def rage(cluster: Cluster, weather: Weather, faults: int = FAULTS) -> None:
    for _ in range(faults):
        await cluster.sleep(weather.pause())
        await weather.relieve()
        await weather.strike()
    await cluster.sleep(weather.pause())
    await weather.clear_up()


class Weather:
    """Draws faults that can take effect: none of a node that is down, no second sleep of one that sleeps."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._draw = cluster.rng
        self._down: list[str] = []
        self._asleep: dict[str, Injected] = {}
        self._broken: list[Injected] = []

    def pause(self) -> int:
        """Mostly short against the heartbeat timeout, so that faults overlap; sometimes long enough for all to act."""
        settings = self._cluster.settings
        longest = settings.heartbeat_timeout if self._draw.random() < 0.3 else settings.heartbeat_interval
        return self._draw.randrange(longest)

    async def strike(self) -> None:
        """One more fault."""
        kinds = [self._break_link, self._break_link, self._split, self._isolate]
        if len(self._up()) - len(self._asleep) > 2:
            kinds.append(self._put_to_sleep)
        # Three stay up, so that there is a cluster to speak of.
        if len(self._up()) > 3:
            kinds.append(self._kill)
        await self._draw.choice(kinds)()

    async def relieve(self) -> None:
        """Perhaps one fault ends, or one of the dead returns."""
        kinds = (
            [self._mend] * bool(self._broken) + [self._wake] * bool(self._asleep) + [self._return] * bool(self._down)
        )
        if kinds and self._draw.random() < 0.6:
            await self._draw.choice(kinds)()

    async def clear_up(self) -> None:
        while self._asleep:
            await self._wake()
        while self._down:
            await self._return()
        while self._broken:
            await self._mend()

    def _up(self) -> list[str]:
        return [n for n in NODES if n not in self._down]

    async def _break_link(self) -> None:
        a, b = self._draw.sample(self._up(), 2)
        one_way = self._draw.random() < 0.6
        how = self._draw.choice([self._cluster.cut, self._cluster.blackhole])
        self._broken.append(await how(a, b, one_way=one_way))

    async def _isolate(self) -> None:
        how = self._draw.choice(["cut", "blackhole"])
        self._broken.append(await self._cluster.isolate(self._draw.choice(self._up()), how=how))

    async def _split(self) -> None:
        names = self._draw.sample(NODES, len(NODES))
        size = 1 + self._draw.randrange(len(names) - 1)
        how = self._draw.choice(["cut", "blackhole"])
        self._broken.append(await self._cluster.split(names[:size], names[size:], how=how))

    async def _mend(self) -> None:
        await self._cluster.heal(self._broken.pop(self._draw.randrange(len(self._broken))))

    async def _put_to_sleep(self) -> None:
        awake = [n for n in self._up() if n not in self._asleep]
        name = self._draw.choice(awake)
        self._asleep[name] = await self._cluster.pause(name)

    async def _wake(self) -> None:
        name = self._draw.choice(list(self._asleep))
        await self._cluster.heal(self._asleep.pop(name))

    async def _kill(self) -> None:
        await self.lose(self._draw.choice(self._up()))

    async def lose(self, name: str) -> None:
        """This node dies, and returns some day."""
        await self._cluster.kill(name)
        self._down.append(name)
        self._asleep.pop(name, None)

    async def _return(self) -> None:
        await self._cluster.restart(self._down.pop(self._draw.randrange(len(self._down))))


class BetweenFollowers(Weather):
    """Breaks links between members that are not the master; a quarter of the faults may still be any."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._between: list[Injected] = []

    def pause(self) -> int:
        """Sometimes as long as it takes from a silence to the decision."""
        if self._draw.random() < 0.2:
            return self._draw.randrange(self._cluster.bounds.silence + self._cluster.bounds.resolution)
        return super().pause()

    async def strike(self) -> None:
        followers = [n for n in self._up() if n != NODES[0]][: len(NODES) - 1]
        if len(followers) < 2 or self._draw.random() < 0.25:
            await super().strike()
            return
        a, *others = self._draw.sample(followers, 2 + self._draw.randrange(min(2, len(followers) - 1)))
        one_way = self._draw.random() < 0.5
        how = self._draw.choice([self._cluster.cut, self._cluster.blackhole])
        for b in others:
            one, other = (a, b) if self._draw.random() < 0.5 else (b, a)
            self._between.append(await how(one, other, one_way=one_way))

    async def relieve(self) -> None:
        if self._between and self._draw.random() < 0.4:
            await self._cluster.heal(self._between.pop(self._draw.randrange(len(self._between))))
        else:
            await super().relieve()

    async def clear_up(self) -> None:
        """In half of the storms what is broken between followers stays so: nobody mends it but the master."""
        if self._draw.random() < 0.5:
            self._broken += self._between
        await super().clear_up()
