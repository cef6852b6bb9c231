"""What the driver, the verbs and the book of faults ask of a world, real or simulated."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Protocol

from shaketable.harness.faults.actions import Action, NoEffect, Receipt
from shaketable.harness.faults.verb import Fault
from shaketable.harness.seen.run import Observed
from shaketable.node.core.env import Micros, Timer
from shaketable.node.events import Event


class World(Protocol):
    """What a script runs in: it knows nothing of coroutines, and offers the time, a call later, and acts."""

    name: str
    allowance: Micros
    """what this world adds to a bound"""
    observed: Observed
    on_change: Callable[[], None]
    """called when something that a condition can see has changed, never in the middle of a node's step"""

    @property
    def fabric(self) -> str: ...
    @property
    def acts(self) -> Container[type[Fault]]:
        """Classes of faults that it knows to begin and to end."""

    def now(self) -> Micros: ...
    def call_later(self, delay: Micros, callback: Callable[[], None]) -> Timer: ...
    def act(self, action: Action, done: Callable[[Receipt | NoEffect], None]) -> None: ...
    def record(self, event: Event) -> None: ...
