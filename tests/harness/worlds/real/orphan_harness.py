"""A harness of its own, in a process that a test kills: three nodes, one of them stopped, and CPU load."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from shaketable.harness.faults.actions import Begin, NoEffect, Receipt, Start
from shaketable.harness.faults.table import Load, Pause
from shaketable.harness.worlds.real.world import RealWorld
from shaketable.node.config import FAST


async def live(folder: Path) -> None:
    world = RealWorld(1, FAST, folder=folder, toxiproxy="relay", sink=lambda record: None)
    await world.start()
    names = ("n1", "n2", "n3")
    for action in (Start(names, names), Begin(1, Pause("n2")), Begin(2, Load(1))):
        answer: asyncio.Future[Receipt | NoEffect] = asyncio.get_running_loop().create_future()
        world.act(action, answer.set_result)
        print(await answer, flush=True)  # noqa: T201
    try:
        await asyncio.Event().wait()
    finally:
        await world.close()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1])))
