"""Storms on the simulator: whatever breaks at random, no rule of the member list does, and calm settles it.

`storm` is the chaos script of that name; `hail` adds what real links do not do by themselves: single kinds of message
are lost, late or held back, clocks jump and drift, members leave and new ones join. Both also fall `between followers`,
where the master decides who stays."""

from __future__ import annotations

import pytest
from tests.lengths import seeds

from shaketable.chaos import RESOLVING
from shaketable.chaos.helpers.weather import NODES, BetweenFollowers, Weather
from shaketable.chaos.storms.storm import storm, storm_between_followers
from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.registry import run_checks
from shaketable.harness.history.history import History
from shaketable.harness.records import FaultWithoutEffect
from shaketable.harness.runs.run import Options, run_simulated
from shaketable.harness.scripting.cluster import Cluster, Injected
from shaketable.harness.scripting.scripts import Script, script
from shaketable.node import messages
from shaketable.node.events import DisconnectionResolved

ROUNDS = 24
KINDS = sorted(kind.__name__.lower() for kind in messages.KINDS)
TELLING = ("membersupdate", "finalizejoin", "heartbeat", "mastershipclaim", "claimaccepted", "explicitsuspicion")


@script(about=[])
async def hail(cluster: Cluster) -> None:
    """Faults by kind of message, of clocks, leaves and joins fall into a storm."""
    await fall(cluster, Hail)


@script(about=[], settings=RESOLVING)
async def hail_between_followers(cluster: Cluster) -> None:
    """The same into one of broken links between followers: reports are lost and late, and masters sleep over them."""
    await fall(cluster, HailBetweenFollowers)


async def fall(cluster: Cluster, kind: type[Hail]) -> None:
    await cluster.form(*NODES)
    weather = kind(cluster)
    for _ in range(ROUNDS):
        await cluster.sleep(weather.pause())
        await weather.strike()
    await cluster.sleep(weather.pause())
    await weather.clear_up()
    await cluster.sleep(2 * cluster.bounds.settle())
    await cluster.expect(cluster.that.settled(), within=2 * cluster.bounds.settle())


class Hail(Weather):
    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._lasting: list[tuple[str, Injected]] = []
        self._guests = 0

    async def strike(self) -> None:
        chance = self._draw.random()
        other = [self._lose, self._lose, self._delay, self._hold_back, self._clock, self._guest]
        if chance < 0.5:
            await super().relieve()
            await super().strike()
        else:
            await (self._leave if chance > 0.97 else self._draw.choice(other))()

    async def clear_up(self) -> None:
        for _, fault in self._lasting:
            await self._cluster.heal(fault)
        await super().clear_up()

    def _kinds(self) -> tuple[str, str]:
        awake = [n for n in self._up() if n not in self._asleep]
        kinds = TELLING if self._draw.random() < 0.7 else KINDS
        return self._draw.choice(kinds), self._draw.choice(awake or self._up())

    async def _lose(self) -> None:
        kind, name = self._kinds()
        count = 1 + self._draw.randrange(5)
        self._lasting.append((name, await self._cluster.drop(kind, sender=name, count=count)))

    async def _hold_back(self) -> None:
        kind, name = self._kinds()
        count = 1 + self._draw.randrange(3)
        self._lasting.append((name, await self._cluster.hold_back(kind, sender=name, count=count)))

    async def _delay(self) -> None:
        kind, name = self._kinds()
        by = self._draw.randrange(self._cluster.settings.heartbeat_timeout)
        self._lasting.append((name, await self._cluster.delay(kind, by, sender=name, count=10)))

    async def _clock(self) -> None:
        _, name = self._kinds()
        jump = self._draw.choice([0, self._draw.randrange(3 * self._cluster.settings.heartbeat_timeout)])
        rate = self._draw.randrange(-100_000, 100_000)
        self._lasting.append((name, await self._cluster.clock(name, jump=jump, rate_ppm=rate)))

    async def _leave(self) -> None:
        """It may wait long for an answer, and the storm with it."""
        _, name = self._kinds()
        if len(self._up()) > 3:
            await self._cluster.leave(name)
            self._down.append(name)
            self._forget_the_dead()

    async def _guest(self) -> None:
        self._guests += 1
        await self._cluster.start(f"g{self._guests}")

    async def _kill(self) -> None:
        await super()._kill()
        self._forget_the_dead()

    def _forget_the_dead(self) -> None:
        self._lasting = [(n, f) for n, f in self._lasting if n not in self._down]


class HailBetweenFollowers(Hail, BetweenFollowers):
    pass


@script(about=[])
async def gathering(cluster: Cluster) -> None:
    """Nodes start on slow but sound links, some sleep, and one is killed and returns: one cluster comes of them.

    It is killed before anybody can have founded one. Later a joiner may be admitted by a master that dies before its
    word has arrived, and ends alone, as the real system has it."""
    draw, patience = cluster.rng, cluster.settings.join_patience
    names = [f"n{i}" for i in range(1, 4 + draw.randrange(6))]
    await cluster.start(*names)
    victim = draw.choice(names)
    await cluster.sleep(draw.randrange(patience))
    await cluster.kill(victim)
    for _ in range(draw.randrange(5)):
        a, b = draw.sample([n for n in names if n != victim], 2)
        await cluster.slow(a, b, patience // 4, jitter=patience // 5)
        sleeper = await cluster.pause(a)
        await cluster.sleep(draw.randrange(patience))
        await cluster.heal(sleeper)
    await cluster.restart(victim)
    await cluster.expect(cluster.that.agree(*names), within=cluster.bounds.forming)


def faults_of(what: Script, seed: int, preset: str) -> list[str]:
    run = run_simulated(what, Options(seed=seed, preset=preset))
    wrong = [] if run.outcome.kind == "done" else [f"{run.outcome.kind}: {run.outcome.reason}"]
    in_vain = [r.event for r in run.records if isinstance(r.event, FaultWithoutEffect)]
    # Hail falls blindly: often no message of that kind is sent any more.
    wrong += [str(event) for event in in_vain if not event.reason.startswith("no message matched")]
    for result in run_checks(History(run.records), Bounds(run.settings, run.allowance)):
        if result.status not in ("held", "vacuous"):
            wrong.append(f"{result.name} {result.status}: {result.violations or result.notes}")
    return [f"seed {seed}, {preset}: {sentence}" for sentence in wrong]


@seeds(4, 15)
@pytest.mark.parametrize(
    "what", [storm, hail, gathering, storm_between_followers, hail_between_followers], ids=lambda what: what.name
)
@pytest.mark.parametrize("preset", ["default", "fast"])
def test_no_rule_breaks_in_a_storm_and_calm_settles_it(what: Script, seeds: range, preset: str) -> None:
    wrong = [sentence for seed in seeds for sentence in faults_of(what, seed, preset)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("what", [storm_between_followers, hail_between_followers], ids=lambda what: what.name)
def test_the_master_decides_in_storms_between_followers(what: Script) -> None:
    """Else those would be storms like the others."""
    runs = [run_simulated(what, Options(seed=seed)) for seed in range(10)]
    decided = [sum(isinstance(r.event, DisconnectionResolved) for r in run.records) for run in runs]
    assert sum(decided) > 10
    assert max(decided) > 1
