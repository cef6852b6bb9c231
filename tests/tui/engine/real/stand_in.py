"""Stands in for the screens: opens an engine, takes what comes, and says on its standard output how far it has come.

python stand_in.py WORLD [SCRIPT]"""

from __future__ import annotations

import asyncio
import sys

from shaketable.harness.records import FaultTook, StepBegan
from shaketable.tui.engine.client import Engine
from shaketable.tui.engine.protocol import Begin
from shaketable.tui.model.hands.calls import FROM_HERE, Call


async def watch(begin: Begin) -> None:
    engine = Engine(begin)
    await engine.open(lambda sentence, trouble: print("said", sentence, flush=True))  # noqa: T201
    seen = 0
    while True:
        engine.pump()
        store = engine.session.store
        for place in range(seen, len(store)):
            event = store[place].event
            if isinstance(event, StepBegan) and event.step == FROM_HERE:
                engine.do(Call("pause", ("n2",)), lambda trouble: None)
                engine.do(Call("load", (1,)), lambda trouble: None)
            if isinstance(event, FaultTook):
                print("took", event.fault, flush=True)  # noqa: T201
        seen = len(store)
        await asyncio.sleep(0.02)


if __name__ == "__main__":
    script = sys.argv[2] if len(sys.argv) > 2 else ""
    asyncio.run(watch(Begin(world=sys.argv[1], seed=1, nodes=3, script=script)))
