"""Copies of what is seen: the screens make one of each node whenever they leave a checkpoint behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")


def alike(of: T) -> T:
    """Another dataclass with the same values: as by `dataclasses.replace`, in a third of the time."""
    kind: Any = type(of)
    other: T = kind(*_values(kind)(of))
    return other


@cache
def _values(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*(field.name for field in fields(kind)))
