"""The faults of a chosen order, done by the script's own verbs: the history tells of them as of all others."""

from __future__ import annotations

from shaketable.harness.scripting.cluster import Cluster, Injected
from shaketable.harness.scripting.driver import Driver
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
            driver.also(mend(), lambda result, error: None)

    def do(step: Step) -> None:
        def hit_it(result: object, error: BaseException | None) -> None:
            if error is not None:
                driver.stop(f"{step} of its order: {error}")

        driver.also(hit(step), hit_it)

    orders.world = world
    orders.do = do
    orders.heal = heal
