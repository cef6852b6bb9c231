"""A run that lives, by lines: one as something of note happens, and orders from the standard input.

Orders are done one after the other: the next one is read when it is known what came of the last. They wait until the
cluster has formed."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from shaketable.harness.causes.chain import chain, chain_text
from shaketable.harness.causes.grounds import Grounds
from shaketable.harness.command.why import event_asked
from shaketable.harness.errors import UserError
from shaketable.harness.history.history import History
from shaketable.harness.history.times import time_said
from shaketable.harness.records import StepBegan, StepKind
from shaketable.node.core.env import Micros
from shaketable.tui.model.folds.receipt import receipt_of
from shaketable.tui.model.hands.calls import Call
from shaketable.tui.model.hands.saving import save, written
from shaketable.tui.model.standing.possible import no_hand, no_speed
from shaketable.tui.panels.why import line_of
from shaketable.tui.plain import text
from shaketable.tui.plain.orders import call_of, help_lines
from shaketable.tui.source import Source

Print = Callable[[str], None]
LOOKS: Final = 0.05
"""seconds between two looks at what has come"""
PIECE: Final = 1 << 16


class Plain:
    def __init__(self, source: Source, out: Print, orders: int | None = 0) -> None:
        """`orders`: the descriptor that they come from; None: there are none."""
        self.source = source
        self.session = source.session
        self._out = out
        self._orders = orders
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._printed = 0
        self._came: list[str] = []
        """of orders: it is said below the events that they made"""
        self._busy = False
        """what came of the last order is not known yet"""
        self._until: Micros | None = None
        """no order is read before"""
        self._formed = False
        self._over = False

    async def run(self) -> None:
        """To the end of the run, of its orders, or to `quit`."""
        await self.source.open(lambda sentence, trouble: self._out(f"{'! ' if trouble else ''}{sentence}"))
        self._listen()
        while not self._over:
            self.source.pump()
            self._tell()
            if self.session.ended is not None and not self.session.live:
                break
            while self._ready() and not self._lines.empty():
                self._obey(self._lines.get_nowait())
            await asyncio.sleep(LOOKS)
        await self.source.close()
        while self.source.pump():
            self._tell()
        self._tell()
        self._say(text.came_of_it(self.session))

    def _listen(self) -> None:
        if self._orders is None:
            return
        loop, orders = asyncio.get_running_loop(), self._orders

        def read() -> None:
            rest = b""
            with suppress(OSError, RuntimeError):  # the loop has ended
                while piece := os.read(orders, PIECE):
                    *lines, rest = (rest + piece).split(b"\n")
                    for line in lines:
                        loop.call_soon_threadsafe(self._lines.put_nowait, line.decode(errors="replace"))
                for last in ([rest.decode(errors="replace")] if rest else []) + [None]:
                    loop.call_soon_threadsafe(self._lines.put_nowait, last)

        threading.Thread(target=read, daemon=True).start()

    def _tell(self) -> None:
        store = self.session.store
        for place in range(self._printed, len(store)):
            if text.of_note(store, place):
                self._out(text.event(self.session, place))
            event = store[place].event
            self._formed |= isinstance(event, StepBegan) and event.means is StepKind.BY_HAND
        self._printed = len(store)
        self._say(iter(self._came))
        self._came = []

    def _ready(self) -> bool:
        if self._busy or self._over or not (self._formed or self.session.facts.script):
            return False
        if self._until is not None and self.session.present_time < self._until:
            return False
        self._until = None
        return True

    # Orders

    def _obey(self, line: str | None) -> None:
        if line is None:
            self._over = not self.session.facts.script  # a script is seen to its end
            return
        words = line.split()
        if not words:
            return
        try:
            self._do(words)
        except UserError as error:
            self._out(f"! {error}")

    def _do(self, words: list[str]) -> None:
        session = self.session
        match words:
            case ["quit"]:
                self._over = True
            case ["help"]:
                self._say(help_lines(session))
            case ["status"]:
                self._say(text.status(session))
            case ["events"]:
                self._say(text.last_events(session))
            case ["events", many] if many.isdecimal():
                self._say(text.last_events(session, int(many)))
            case ["at", *time] if time:
                self._look_at(time_said("".join(time), session.time, session.store.end))
            case ["why", event]:
                self._say(self._why(event))
            case ["wait", seconds]:
                self._until = session.present_time + time_said(seconds, 0, 0)
            case ["speed", speed]:
                self._set_speed(speed)
            case ["save", file]:
                records = (session.store[place] for place in range(len(session.store)))
                self._out(save(records, session.facts, Path(file)) or f"saved: {file}")
            case _:
                self._call(call_of(words, session))

    def _say(self, lines: Iterator[str]) -> None:
        for line in lines:
            self._out(line)

    def _look_at(self, time: Micros) -> None:
        session = self.session
        session.go_to(time)
        while session.target is not None:
            session.work(float("inf"))
        self._say(text.status(session))
        self._say(text.last_events(session, 5))
        session.follow()

    def _why(self, event: str) -> Iterator[str]:
        store = self.session.store
        history = History(store[place] for place in range(len(store)))
        record = event_asked(history, event)
        yield from chain_text(chain(Grounds(history), record), history.names)
        if line := line_of(self.session, record):
            yield f"the line of its log: {line}"

    def _set_speed(self, said: str) -> None:
        trouble = no_speed(self.session, self.source.hands is not None)
        if trouble:
            raise UserError(trouble)
        try:
            speed = None if said == "max" else float(said)
        except ValueError:
            speed = -1.0
        if speed is not None and not 0 <= speed < float("inf"):
            raise UserError(f"speed {said}: give 0 or more virtual seconds a second, or max")
        assert self.source.hands is not None
        self.source.hands.set_speed(speed)

    def _call(self, call: Call) -> None:
        trouble, hands = no_hand(self.session, self.source.hands is not None), self.source.hands
        if trouble or hands is None:
            raise UserError(trouble)
        session, before = self.session, len(self.session.store)

        def then(trouble: str) -> None:
            self._busy = False
            came = f"! {written(call)}: {trouble}"
            self._came.append(came if trouble else f"done: {written(call)}: {receipt_of(session.store, call, before)}")

        self._busy = self.session.speed != 0  # of a world that stands nothing comes before it goes on
        hands.do(call, then)
        if self.session.speed == 0:
            self._out(f"{written(call)}: the world stands; it takes effect when that goes on (speed 1)")
