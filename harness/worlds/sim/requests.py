"""HTTP requests in virtual time: the node's own handler, without a socket.

A node that is paused or held answers when it goes on. The caller waits for a limited time only."""

from __future__ import annotations

from collections.abc import Callable

from shaketable.harness.faults.actions import Http, NoEffect, Receipt
from shaketable.harness.worlds.sim.heap import Heap
from shaketable.harness.worlds.sim.node import SimNode
from shaketable.node.core.env import SECOND
from shaketable.node.rest import Response


class Requests:
    def __init__(self, heap: Heap) -> None:
        self._heap = heap
        self._last = 0
        self._open: dict[int, tuple[str, Callable[[Receipt | NoEffect], None]]] = {}
        """by number: who was asked"""

    def ask(self, node: SimNode, http: Http, done: Callable[[Receipt | NoEffect], None]) -> None:
        rest = node.rest
        if rest is None:
            raise NoEffect(f"{node.name} does not listen for HTTP requests: set rest_enabled")
        self._last += 1
        number = self._last
        self._open[number] = node.name, done

        def respond(response: Response) -> None:
            self._answer(number, Receipt(self._heap.time, "it answered", response))

        self._heap.later(0, node, lambda: rest.handle(http.request, respond))
        silent = NoEffect(f"{node.name} does not answer within {http.patience / SECOND:g} s")
        self._heap.call_later(http.patience, lambda: self._answer(number, silent))

    def node_ended(self, name: str, reason: str) -> None:
        for number in [number for number, (node, _) in self._open.items() if node == name]:
            self._answer(number, NoEffect(f"{name} ended: {reason}"))

    def _answer(self, number: int, answer: Receipt | NoEffect) -> None:
        asked = self._open.pop(number, None)
        if asked is not None:
            self._heap.call_later(0, lambda: asked[1](answer))
