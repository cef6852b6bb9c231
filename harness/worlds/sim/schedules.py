"""In which order messages of different links arrive: how long each message takes. A link always keeps its own order.

- usual: a link's delays are nearly constant, so two messages on two links nearly always arrive in one order.
- varying: each message takes its own time, from a tenth of a millisecond to 20 ms, as often in each decade.
- ranked: each link has a rank that is drawn, and is five times as slow as one of the rank before. When the run has had
  a number of messages that is drawn as well, the link of the next one falls to the last rank, `schedule_changes` times.
  These are the priorities and change points of probabilistic concurrency testing, applied to links: a bug that needs d
  orderings is hit with a chance that falls with d, and not with the number of messages.
- chosen: each message takes equally long, and orders.py chooses what comes next."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, NamedTuple

from shaketable.node.config import CHOSEN, RANKED, VARYING, Settings
from shaketable.node.core.env import MILLISECOND, Micros

DELAY: Final = (150, 450)
"""a sound link's usual delay lies between these"""
SHORTEST: Final[Micros] = 100
LONGEST: Final[Micros] = 20 * MILLISECOND
RANKS: Final = (160, 800, 4 * MILLISECOND, LONGEST)
"""the delay of each, without what keeps equal ones apart"""
FIRST_CHANGE, LAST_CHANGE = 10, 100_000
"""messages of a run; as many changes lie between ten and a hundred as between a thousand and ten thousand"""


class Pace(NamedTuple):
    """A message takes `base`, and with what `draw` gives up to `span` more."""

    base: Micros
    span: Micros
    draw: Callable[[], float]
    """from 0 to 1; asked once for each message"""


class Schedule:
    def __init__(self, seed: int, settings: Settings) -> None:
        self._how = settings.schedule
        rng = random.Random(f"{seed}/schedule")
        ratio = LAST_CHANGE / FIRST_CHANGE
        changes = [round(FIRST_CHANGE * ratio ** rng.random()) for _ in range(settings.schedule_changes)]
        self._changes = sorted(changes, reverse=True)
        self._messages = 0

    def pace(self, rng: random.Random) -> Pace:
        """Of one more link, which draws from this."""
        if self._how == VARYING:
            ratio = LONGEST / SHORTEST
            return Pace(0, LONGEST, lambda: ratio ** (rng.random() - 1))
        if self._how == RANKED:
            return Pace(0, LONGEST, self._ranked(rng))
        if self._how == CHOSEN:
            return Pace(DELAY[0], 1, _nothing_more)
        base = DELAY[0] + rng.randrange(DELAY[1] - DELAY[0])
        return Pace(base, max(1, base // 4), rng.random)

    def _ranked(self, rng: random.Random) -> Callable[[], float]:
        delay = rng.choice(RANKS)

        def draw() -> float:
            nonlocal delay
            self._messages += 1
            if self._changes and self._messages >= self._changes[-1]:
                self._changes.pop()
                delay = LONGEST
            return delay * (1 - rng.random() / 10) / LONGEST

        return draw


def _nothing_more() -> float:
    return 0.0
