"""A part of a member for one alone of those that stand on it: the same state, and other methods."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

Part = TypeVar("Part")


def instead(part: Part, **methods: Callable[..., Any]) -> Part:
    other = copy(part)
    for name, method in methods.items():
        assert callable(getattr(part, name)), f"{type(part).__name__} has no {name}"
        setattr(other, name, method)
    return other
