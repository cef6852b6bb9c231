"""The faults of a chosen order, done by the script's own verbs: the history tells of them as of all others."""

from __future__ import annotations

from shaketable.harness.scripting.cluster import Cluster, Injected
from shaketable.harness.scripting.driver import Driver, Routine
from shaketable.harness.worlds.sim.orders import Kind, Orders, Step
from shaketable.harness.worlds.sim.world import SimWorld


def does_its_faults(orders: Orders, world: SimWorld, driver: Driver, cluster: Cluster) -> None:
    cuts: list[Injected] = []

    async def hit(step: Step) -> None:
        match step.kind:
            case Kind.KILL:
                await cluster.kill(step.node)
            case Kind.RESET:
                await cluster.reset(step.sender, step.node, one_way=True)
            case _:
                cut = await cluster.cut(step.sender, step.node, one_way=True)
                if orders.open:
                    cuts.append(cut)
                else:
                    await cluster.heal(cut)

    async def mend() -> None:
        for cut in cuts:
            await cluster.heal(cut)

    def heal() -> None:
        if cuts:
            beside(mend())

    def beside(routine: Routine) -> None:
        driver.also(routine, lambda result, error: None)

    orders.world = world
    orders.do = lambda step: beside(hit(step))
    orders.heal = heal
