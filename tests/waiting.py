"""Waits for what a test needs. The one limit is for a hang: no machine is so slow that it meets it."""

import asyncio
import time
from collections.abc import Callable
from inspect import isawaitable
from typing import Any, Final

HANG: Final = 300.0
"""seconds after which a test gives up"""
_A_LOOK = 0.005


def wait_until(what: Callable[[], Any], why: str) -> Any:
    """What it gives, once that is true."""
    ends = time.monotonic() + HANG
    while not (found := what()):
        assert time.monotonic() < ends, f"not within {HANG:g} s: {why}"
        time.sleep(_A_LOOK)
    return found


async def until(what: Callable[[], Any], why: str = "") -> None:
    """The same in an event loop; `what` may be a coroutine function."""
    ends = time.monotonic() + HANG
    while True:
        found = what()
        if await found if isawaitable(found) else found:
            return
        assert time.monotonic() < ends, f"not within {HANG:g} s: {why or what}"
        await asyncio.sleep(_A_LOOK)
