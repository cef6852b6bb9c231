"""One call of a verb, as data and as a line of a chaos script."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

import msgspec

from shaketable.harness.faults.kinds import KINDS
from shaketable.node.core.env import MILLISECOND, SECOND, Micros

Simple = str | int | bool | None
Argument = Simple | tuple[str, ...] | dict[str, Simple]
TIMES: Final = frozenset(
    ("pause", "every", *(each.name for kind in KINDS.values() for each in kind.parameters if each.is_time))
)
"""options that are times: of clients and applications, and of faults"""


class Call(msgspec.Struct, frozen=True):
    """`verb` of `Cluster`, what it is called with in order, and by name."""

    verb: str
    arguments: tuple[Argument, ...] = ()
    options: dict[str, Argument] = {}

    def __str__(self) -> str:
        """As Python reads it."""
        options = [f"{name}={value!r}" for name, value in self.options.items()]
        return f"cluster.{self.verb}({', '.join([*map(repr, self.arguments), *options])})"


def written(call: Call, time: Callable[[Micros], str]) -> str:
    """As a hand would write it; `time` writes one."""
    said = [value_of(value) for value in call.arguments]
    for name, value in call.options.items():
        if name in TIMES and isinstance(value, int):
            said.append(f"{name}={time(value)}")
        else:
            said.append(f"{name}={value_of(value)}")
    return f"cluster.{call.verb}({', '.join(said)})"


def value_of(value: Argument | float) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {value_of(each)}" for name, each in value.items()) + "}"
    return json.dumps(value) if isinstance(value, str | tuple) else repr(value)


def in_units(time: Micros) -> str:
    """In seconds or milliseconds, if it is some."""
    for unit, name in ((SECOND, "SECOND"), (MILLISECOND, "MILLISECOND")):
        if time and time % unit == 0:
            return name if time == unit else f"{time // unit:_} * {name}"
    return f"{time:_}"
