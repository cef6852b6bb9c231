"""What a verb takes besides whom it is done to: its unit, its limits, what a random plan draws, and what is plainer."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from shaketable.node.core.env import MILLISECOND, Micros

Value = str | int | bool
ONE_WAY: Final = "one_way"
YES_OR_NO: Final = "yes or no"
HOW: Final = "how"
WORD_OF_A_MESSAGE: Final = "kind"
WORD_OF_AN_EVENT: Final = "event"
NAMES: Final = "nodes"
MAP: Final = "map"
VALUES: Final = "values"
"""names with their values, as role=destination"""
ADDRESSES: Final = "addresses"
"""of nodes that there need not be, or their names"""
WORDS: Final = (WORD_OF_A_MESSAGE, WORD_OF_AN_EVENT, HOW, NAMES, MAP, VALUES, ADDRESSES, "text", "node", "groups")
"""units of parameters that are no numbers"""


@dataclass(slots=True)
class Drawing:
    """Of one deed of a random plan: what its values are drawn from."""

    chance: random.Random
    beat: Micros
    """how often somebody says something"""
    patience: Micros
    """after which who is silent is given up"""
    age: Micros
    """in which parts look for each other"""
    one_way: bool
    message: Callable[[], str]
    """a kind of message that there may be"""
    event: Callable[[], str]
    maps: tuple[str, ...]
    given: dict[str, Value] = field(default_factory=dict)
    """what has been drawn so far"""

    def millis(self, least: int, most: Micros) -> Micros:
        return self.chance.randint(least, max(least, most // MILLISECOND)) * MILLISECOND


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    unit: str
    """what a user types is in this unit: "ms", "s", "bytes/s", "bytes", "%", "ppm", "times"; or it is a word: "kind",
    "event", "how", "text", "node", "nodes", "groups", "map", "values", "addresses", "yes or no" """
    usual: str = ""
    """what a form offers; where this is empty, nothing need be said"""
    factor: int = 1
    """of the unit in what the verb takes"""
    positional: bool = False
    said: str = ""
    """as a mistake calls it"""
    least: int | None = 1
    """of what the verb takes; None: there is no limit"""
    most: int | None = None
    step: int = 1
    """it is a multiple of this"""
    steps: str = ""
    """in words, with what it is a multiple of"""
    no_more_than: str = ""
    """another one, which is not smaller"""
    nothing: str = "no limit"
    """what it means where nothing is said"""
    draw: Callable[[Drawing], Value | None] | None = None
    """for a random plan; None comes out: it is not said"""
    plainer: tuple[Value | None, ...] = ()
    """values that are easier to understand, None: nothing is said"""

    @property
    def optional(self) -> bool:
        return None in self.plainer

    @property
    def is_time(self) -> bool:
        return self.factor > 1

    @property
    def least_typed(self) -> float | None:
        """In its unit."""
        if self.least is None:
            return None
        return (max(self.least, self.step) if self.least > 0 else self.least) / self.factor

    @property
    def most_typed(self) -> float | None:
        return None if self.most is None else self.most / self.factor


def drawn(parameters: Mapping[str, Parameter], order: tuple[str, ...], drawing: Drawing) -> dict[str, Value]:
    """In the order of the parameters, whatever the order in which they were drawn."""
    for name in order or parameters:
        draw = parameters[name].draw
        value = None if draw is None else draw(drawing)
        if value is not None:
            drawing.given[name] = value
    return {name: drawing.given[name] for name in parameters if name in drawing.given}
