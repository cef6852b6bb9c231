"""The engine's process: python -m shaketable.tui.engine, started by the screens.

Orders come through its standard input, words leave through its standard output; whatever prints goes to the log. When
the orders end, because the screens have quit or died, it ends its world and itself: no process is left."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import traceback
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.harness.runs.run import collect_garbage_rarely
from shaketable.tui.engine.outlet import Outlet, Reading, writing_to
from shaketable.tui.engine.playing import Play
from shaketable.tui.engine.protocol import (
    MESSAGE,
    Begin,
    Do,
    Done,
    Malformed,
    Orders,
    Over,
    Said,
    SetSpeed,
    Splitter,
    StepOn,
    Stop,
    order_in,
)

PATIENCE: Final = 60.0
"""seconds after it was told to end: then it ends on the spot, and the kernel ends its processes. Screens that live are
less patient; where they are gone nobody waits, and a busy machine needs its time to end a run in order"""


class Engine:
    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport
        self._outlet = Outlet(transport, ())
        self._splitter = Splitter()
        self._play: Play | None = None
        self._told_to_end = False
        self._first: asyncio.Future[Begin | None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        begin = await self._first
        if begin is None:
            return
        try:
            play = self._play = _play_of(begin, self._transport)
            self._outlet = play.outlet
            if self._told_to_end:
                play.stop()
            await play.play()
        except UserError as error:
            self._fail(str(error))
        except Exception as error:
            traceback.print_exc()
            self._fail(f"the engine itself failed: {type(error).__name__}: {error}")
        await self._outlet.drained()

    def _fail(self, sentence: str) -> None:
        self._outlet.say(Over("unknown", (sentence,)))

    def heard(self, data: bytes) -> None:
        try:
            for kind, content in self._splitter.feed(data):
                if kind != MESSAGE:
                    raise Malformed("the screen sends what only an engine sends")
                self._obey(order_in(content))
        except Malformed as malformed:
            self._outlet.say(Said(str(malformed), True))
            self.end()

    def end(self) -> None:
        if not self._told_to_end:
            self._told_to_end = True
            late = threading.Timer(PATIENCE, os._exit, (1,))
            late.daemon = True
            late.start()
        if not self._first.done():
            self._first.set_result(None)
        if self._play is not None:
            self._play.stop()

    def _obey(self, order: Orders) -> None:
        if isinstance(order, Begin):
            if self._first.done():
                raise Malformed("the screen begins twice")
            self._first.set_result(order)
        elif isinstance(order, Stop):
            self.end()
        elif self._play is None:
            if isinstance(order, Do):
                self._outlet.say(Done(order.number, "the world is not ready yet"))
        elif isinstance(order, Do):
            number = order.number
            self._play.do(order.call, lambda trouble: self._outlet.say(Done(number, trouble)))
        elif isinstance(order, SetSpeed):
            self._play.set_speed(order.speed)
        elif isinstance(order, StepOn):
            self._play.step_on(order.events)


def _play_of(begin: Begin, transport: asyncio.WriteTransport) -> Play:
    if begin.world == "real":
        from shaketable.tui.engine.real import RealPlay

        return RealPlay(begin, transport)
    if begin.world == "sim":
        from shaketable.tui.engine.simulated import SimulatedPlay

        return SimulatedPlay(begin, transport)
    raise UserError(f"there is no world {begin.world!r}: give real or sim")


async def _live(orders: int, words: int) -> None:
    loop = asyncio.get_running_loop()
    with os.fdopen(orders, "rb", 0) as heard, os.fdopen(words, "wb", 0) as told:
        transport = await writing_to(told)
        engine = Engine(transport)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, engine.end)
        reading, _ = await loop.connect_read_pipe(lambda: Reading(engine.heard, engine.end), heard)
        await engine.run()
        reading.close()
        transport.close()
        await asyncio.sleep(0)  # both let go of their files before those are closed


def main() -> None:
    orders, words = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # whatever prints, here or in a script, must not get into the pipe
    os.close(nothing)
    collect_garbage_rarely()
    asyncio.run(_live(orders, words))


if __name__ == "__main__":
    main()
