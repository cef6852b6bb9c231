"""A system says by name which events it tells and which checks may judge it: each name has to be one of ours."""

from __future__ import annotations

from functools import cache
from typing import Final

from shaketable.harness.checks.registry import CHECK_NAMES
from shaketable.harness.errors import SystemRefused, did_you_mean
from shaketable.harness.history.codec import EVENT_TYPES
from shaketable.harness.records import UnderTest

_KINDS: Final = frozenset(event.__name__ for event in EVENT_TYPES)


@cache
def check_names(of: UnderTest) -> None:
    """UserError: there is no such event, or no such check."""
    for kind in (*(of.tells or ()), *of.infers):
        if kind not in _KINDS:
            near = did_you_mean(kind, _KINDS)
            raise SystemRefused(of.name, f"it says that it tells {kind}, and there is no such kind of event{near}")
    for check in of.promises or ():
        if check not in CHECK_NAMES:
            near = did_you_mean(check, CHECK_NAMES)
            raise SystemRefused(of.name, f"it says that it promises {check!r}, and there is no such check{near}")
