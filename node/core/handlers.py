"""Which handler gets which message: each says by its signature what it takes, and nobody names a kind twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Never, get_args, get_type_hints

from shaketable.node.messages import Message


def handlers_of(*handlers: Callable[[Never], None]) -> dict[type[Message], Callable[[Any], None]]:
    """By the kind, or the kinds, that each of these methods and functions takes; no kind has two."""
    functions = tuple([getattr(handler, "__func__", handler) for handler in handlers])
    return {kind: handlers[place] for kind, place in _places(functions)}


@cache
def _places(functions: tuple[Callable[..., None], ...]) -> list[tuple[type[Message], int]]:
    """Of each kind the handler's, read once for all members."""
    found: dict[type[Message], int] = {}
    for place, function in enumerate(functions):
        hints = get_type_hints(function)
        (taken,) = [kind for name, kind in hints.items() if name != "return"]
        for kind in get_args(taken) or (taken,):
            assert kind not in found, f"two handlers take {kind.__name__}"
            found[kind] = place
    return list(found.items())
