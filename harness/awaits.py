"""What a script may not await, and what it may not forget to await: caught while its own code runs.

The same mistake must read the same in both worlds, whether a loop of asyncio runs underneath or not."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any, Final

from shaketable.harness.errors import ScriptError
from shaketable.harness.whereabouts import of_a_script, place

FOREIGN: Final = "a script may only await what the cluster offers (cluster.sleep, cluster.together), nothing of asyncio"


class _NoLoop:
    """Stands where asyncio looks for its loop, so that its use is the same mistake in both worlds."""

    def __getattr__(self, name: str) -> Any:
        raise ScriptError(FOREIGN)


_NO_LOOP: Final = _NoLoop()


@contextmanager
def without_asyncio(left: list[AsyncGenerator[Any, Any]]) -> Iterator[None]:
    """While the script's own code runs no loop is to be found, and async generators that it leaves are ours to end."""
    asyncio = sys.modules.get("asyncio")
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(None, left.append)
    loop = asyncio._get_running_loop() if asyncio is not None else None
    if asyncio is not None:
        asyncio._set_running_loop(_NO_LOOP)
    try:
        yield
    finally:
        if asyncio is not None:
            asyncio._set_running_loop(loop)
        sys.set_asyncgen_hooks(*hooks)


def came_through_asyncio(error: BaseException) -> bool:
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "asyncio":
            return True
        traceback = traceback.tb_next
    return False


@contextmanager
def watching_for_forgotten_awaits(found: list[str]) -> Iterator[None]:
    """A coroutine that was called and not awaited did nothing: Python says so when it is thrown away."""
    depth = sys.get_coroutine_origin_tracking_depth()
    sys.set_coroutine_origin_tracking_depth(8)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        sys.set_coroutine_origin_tracking_depth(depth)
    for warning in caught:
        said = str(warning.message)
        called = re.match(r"coroutine '(?:.*\.)?(\w+)' was never awaited", said)
        if called is None:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
            continue
        frames = re.findall(r'File "([^"]+)", line (\d+)', said)
        places = [place(filename, int(line)) for filename, line in frames if of_a_script(filename)]
        found.append(f"{places[-1] if places else 'the script'}: {called[1]} was called without await: it did nothing")
