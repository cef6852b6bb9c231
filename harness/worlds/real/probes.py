"""What the nodes' own links tell the harness: came up, went down, took a probe, let it through or not.

The receipts of link faults rest on this and not on what the link server says of itself."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from shaketable.harness.faults.table import Link
from shaketable.harness.worlds.real.nodes import RealNode
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.process import control

FOR_EVER: Final[Micros] = 1 << 62
LOOK_AGAIN: Final = 0.25
"""seconds"""


@dataclass(slots=True)
class LinkSeen:
    """What the sender of a link has reported of it in the life of its present process."""

    up: bool = False
    ups: int = 0
    downs: int = 0
    hung_up: bool = False
    """by its own sender, who opens it again when it sends something"""
    hang_ups: int = 0

    @property
    def ends(self) -> int:
        """How often its connection ended, one way or the other."""
        return self.downs + self.hang_ups


class Probes:
    def __init__(self) -> None:
        self._seen: dict[Link, LinkSeen] = {}
        self._news = asyncio.Event()
        self._nonces = itertools.count(1)
        self._sent: dict[int, asyncio.Future[Micros | None]] = {}
        self._delay: dict[int, asyncio.Future[Micros]] = {}

    def link(self, link: Link) -> LinkSeen:
        return self._seen.setdefault(link, LinkSeen())

    def changed(self, link: Link, up: bool) -> None:
        seen = self.link(link)
        seen.up, seen.hung_up = up, False
        if up:
            seen.ups += 1
        else:
            seen.downs += 1
        self.wake()

    def hung_up(self, link: Link) -> None:
        seen = self.link(link)
        seen.up, seen.hung_up = False, True
        seen.hang_ups += 1
        self.wake()

    def node_gone(self, name: str) -> None:
        for link, seen in self._seen.items():
            if link[0] == name:
                seen.up = seen.hung_up = False
        self.wake()

    def wake(self) -> None:
        """Every waiter looks again."""
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, limit: float) -> None:
        try:
            await asyncio.wait_for(self._news.wait(), limit)
        except TimeoutError:
            return

    async def send(
        self,
        sender: RealNode,
        receiver: RealNode,
        padding: int,
        patience: Micros,
        lost: Callable[[], bool] = lambda: False,
    ) -> Micros | None:
        """How long a probe of now takes; FOR_EVER if it was sent and has not come; None if the link took none.

        It is not waited for longer than `patience`, nor once `lost` says that it cannot come any more."""
        nonce = next(self._nonces)
        loop = asyncio.get_running_loop()
        sent = self._sent[nonce] = loop.create_future()
        delay = self._delay[nonce] = loop.create_future()
        sender.tell(control.Probe(nonce, receiver.address, padding))
        try:
            if not await _comes(sent, patience, lost) or sent.result() is None:
                return None
            return delay.result() if await _comes(delay, patience, lost) else FOR_EVER
        finally:
            del self._sent[nonce], self._delay[nonce]

    def said(self, said: control.Said) -> None:
        match said:
            case control.ProbeSent(nonce=nonce, sent=sent):
                waiting = self._sent.get(nonce)
                if waiting is not None and not waiting.done():
                    waiting.set_result(sent)
            case control.ProbeHeard(nonce=nonce, sent=at, heard=heard):
                arrival = self._delay.get(nonce)
                if arrival is not None and not arrival.done():
                    arrival.set_result(heard - at)


async def _comes(answer: asyncio.Future[Any], patience: Micros, lost: Callable[[], bool]) -> bool:
    loop = asyncio.get_running_loop()
    ends = loop.time() + patience / SECOND
    while not answer.done():
        rest = ends - loop.time()
        if rest <= 0 or lost():
            return False
        await asyncio.wait((answer,), timeout=min(rest, LOOK_AGAIN))
    return True
