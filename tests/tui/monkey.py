"""Somebody who presses, clicks, pastes and resizes at random, by a seed; and what must be so after each step."""

from __future__ import annotations

import asyncio
from asyncio import Handle
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from time import thread_time
from typing import Final

from tests.tui.showing import Heard
from tests.waiting import HANG
from textual import events
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.keys import _character_to_key
from textual.message_pump import MessagePump

from shaketable.tui.actions import ACTIONS
from shaketable.tui.model.hands.calls import Call
from shaketable.tui.source import Source

MOST_AT_ONCE: Final = 9
"""inputs that come in one read"""
SLOWEST: Final = 2.0
"""seconds of the processor for which nothing else may have its turn, on a machine that does the additions in a
thirtieth of that; a slower one, or one that others use too, may take longer"""
ADDITIONS: Final = 400_000
ROUTES: Final = ("up", "down", "left", "right", "enter", "escape", "tab", "shift+tab", "space", "backspace", "delete",
                 "home", "end", "pageup", "pagedown", "ctrl+p", "ctrl+up", "ctrl+down", "shift+left", "shift+right",
                 "ctrl+a", "ctrl+k", "ctrl+u", "ctrl+w", "f1")  # fmt: skip
RARE: Final = ("one_more", "take_picture")
"""a cluster of hundreds of nodes, and a folder full of pictures, would be another test"""
KEYS: Final = tuple(key for action in ACTIONS if action.action not in ("quit", *RARE) for key in action.keys.split(","))
RARELY: Final = tuple(action.keys for action in ACTIONS if action.action in RARE)
TYPED: Final = "abcdefghijklmnopqrstuvwxyzABHNOSUZ0123456789 .,:;-+=_*?!|'\"()[]{}<>@#%&ß日…"
PASTED: Final = ("n2", "1:30", "n1 n2 | n3", "", "x" * 5_000, "[bold]x[/] [/", "\x1b[31mred\x07", "two\nlines\r\n",
                 "日本語", "-kind:Suspected", "99999999999999999999", "kind:", "node:n9 -")  # fmt: skip
ASK: Final = frozenset(("k", "p", "r", "l", "u", "H", "a", "y", "enter", "space"))
"""keys after which something may be done to the cluster; so may it be after a click"""
CLICK: Final = "click"


class Watched(Heard):
    """Its run cannot be left: not by a quit, and not for another one."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.quits = self.changes = 0

    async def action_quit(self) -> None:
        self.quits += 1

    async def show_instead(self, source: Source, screen: str) -> None:
        self.changes += 1


class Monkey:
    def __init__(self, app: Watched, seed: int) -> None:
        self.app = app
        self.chance = Random(seed)
        self.inputs = 0
        self.trail: deque[str] = deque(maxlen=40)
        """the last ones, in words"""
        self.asked: list[Call] = []
        """what the app has done to its run"""
        self._may_ask = [False, False]
        """with what came last, and just before that"""
        self._longest = 0.0
        """seconds of the processor that one turn took"""

    @contextmanager
    def _watching_turns(self) -> Iterator[None]:
        """Of the event loop: a session goes on meanwhile, for as long as the machine is slow, but in short turns."""
        run = Handle._run

        def watched(handle: Handle) -> None:
            began = thread_time()
            run(handle)
            self._longest = max(self._longest, thread_time() - began)

        setattr(Handle, "_run", watched)  # noqa: B010
        try:
            yield
        finally:
            setattr(Handle, "_run", run)  # noqa: B010

    def watch_hands(self) -> None:
        hands = self.app.source.hands
        assert hands is not None
        do = hands.do

        def watched(call: Call, then: object) -> None:
            assert any(self._may_ask), f"{call} was done, and nobody asked for it"
            self.asked.append(call)
            do(call, then)  # type: ignore[arg-type]

        hands.do = watched  # type: ignore[method-assign]

    async def go(self, inputs: int) -> None:
        for key in (*"bosUO?wD", "ctrl+p"):  # what is opened for the first time is loaded first, and takes longer
            for each in (_character_to_key(key) if len(key) == 1 else key, "escape", "escape"):
                self.app.post_message(events.Key(each, None))
                await self._settled()
        with self._watching_turns():
            while self.inputs < inputs:
                await self.burst()

    async def burst(self) -> None:
        inputs = [each for _ in range(self.chance.randint(1, MOST_AT_ONCE)) for each in self._some()]
        self.inputs += len(inputs)
        self._longest = 0.0
        self._may_ask = [any(_may_ask(each) for each in inputs), self._may_ask[0]]
        for each in inputs:
            self.app.post_message(each)
        await self._settled()
        assert self.app.broken_by is None, self.told()
        took = self._longest
        assert took < SLOWEST or took < 30 * _additions(), f"{self.told()}\n{took:.3f} s in one turn"

    def told(self) -> str:
        return f"after {self.inputs} inputs at {self.app.size}, the last of them: {' · '.join(self.trail)}"

    async def _settled(self) -> None:
        """All that came of it has been done; what was to be drawn is drawn."""
        # A dialog that has gone leaves what was chosen to the screen that was below it, wherever that stands by now.
        for node in (self.app, *self.app.screen_stack, self.app.focused, self.app):
            if node is not None:
                await self._passed(node)

    async def _passed(self, node: MessagePump) -> None:
        """All that waited for it, unless the app or the screen has ended."""
        done = asyncio.Event()
        if node.is_running and node.call_later(done.set):
            waiting = asyncio.ensure_future(done.wait())
            async with asyncio.timeout(HANG):
                while not waiting.done() and node.is_running and self.app.broken_by is None:
                    await asyncio.wait([waiting], timeout=0.5)
            waiting.cancel()

    # What it does

    def _some(self) -> list[events.Event]:
        draw = self.chance.random()
        if draw < 0.75:
            return [self._key(self._some_key())]
        if draw < 0.85:
            letter = self.chance.choice(TYPED)
            return [self._key(_character_to_key(letter), letter)]
        if draw < 0.95:
            return self._clicks()
        if draw < 0.98:
            text = self.chance.choice(PASTED)
            self.trail.append(f"paste {text[:12]!r}")
            return [events.Paste(text)]
        return [self._resize()]

    def _some_key(self) -> str:
        if self.chance.random() < 0.003:
            return self.chance.choice(RARELY)
        return self.chance.choice(ROUTES if self.chance.random() < 0.5 else KEYS)

    def _key(self, key: str, letter: str | None = None) -> events.Key:
        self.trail.append(key)
        return events.Key(key, letter if letter is not None else key if len(key) == 1 else None)

    def _clicks(self) -> list[events.Event]:
        x, y = self.chance.randrange(self.app.size.width), self.chance.randrange(self.app.size.height)
        kinds: list[type[events.MouseEvent]] = self.chance.choice(
            [
                *[[events.MouseMove, events.MouseDown, events.MouseUp]] * 4,
                [events.MouseDown, events.MouseUp] * 2,
                [events.MouseScrollDown],
                [events.MouseScrollUp],
                [events.MouseMove],
                [events.MouseDown],
                [events.MouseUp],
            ]
        )
        self.trail.append(f"{'+'.join(kind.__name__ for kind in kinds)} at {x},{y}")
        return [kind(None, x, y, 0, 0, 1, False, False, False, x, y) for kind in kinds]

    def _resize(self) -> events.Event:
        size = Size(self.chance.randint(40, 200), self.chance.randint(10, 60))
        self.trail.append(f"resize {size.width}x{size.height}")
        if isinstance(self.app._driver, HeadlessDriver):
            self.app._driver._size = size
        return events.Resize(size, size)


def _may_ask(event: events.Event) -> bool:
    return isinstance(event, events.MouseEvent) or (isinstance(event, events.Key) and event.key in ASK)


def _additions() -> float:
    """How long they take on this machine, as it is now."""
    began = thread_time()
    total = 0
    for number in range(ADDITIONS):
        total += number
    return thread_time() - began
