"""Steps: all that a script can wait for. `Cluster`'s verbs are made of them, and the driver performs them.

And the ways in which a script can end before its last line."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from shaketable.harness.conditions.cluster import Condition
from shaketable.harness.faults.actions import Action, NoEffect, Receipt
from shaketable.node.core.env import Micros

T = TypeVar("T")


class Step(Generic[T]):
    __slots__ = ()

    def __await__(self) -> Generator[Step[T], T, T]:
        return (yield self)


@dataclass(frozen=True, slots=True)
class Sleep(Step[None]):
    delay: Micros


@dataclass(frozen=True, slots=True)
class Until(Step[str | None]):
    """Ends with None when the condition holds, or with the reason why it does not at the deadline."""

    condition: Condition
    deadline: Micros


@dataclass(frozen=True, slots=True)
class Act(Step[Receipt | NoEffect]):
    """Is seen to its end even when the script is cancelled meanwhile, for its receipt belongs to the history."""

    action: Action
    what: str
    """for people"""
    record: Callable[[Receipt | NoEffect], None] = lambda receipt: None
    """puts what came of it into the history, before the script goes on or is cancelled"""


@dataclass(frozen=True, slots=True)
class Together(Step[list[Any]]):
    scripts: tuple[Coroutine[Any, Any, Any], ...]


class Unmet(Exception):
    """Something that the script waited for or expected did not come true: the run failed."""


class Cancelled(BaseException):
    """Thrown into a script that must end. Its `finally` may still await steps: a script is driven to its end."""
