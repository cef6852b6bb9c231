"""What a script may not await, and what it may not forget to await: caught while its own code runs.

The same mistake must read the same in both worlds, whether a loop of asyncio runs underneath or not."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import AsyncGenerator, Sequence
from inspect import CORO_CREATED, getcoroutinestate
from types import CoroutineType
from typing import Any, Final, cast

from shaketable.harness.errors import ScriptError
from shaketable.harness.scripting.whereabouts import MODULE_OF_SCRIPTS, last_frame, of_a_script, place

FOREIGN: Final = "a script may only await what the cluster offers (cluster.sleep, cluster.together), nothing of asyncio"

_WARNED: Final[dict[tuple[str, int, str], bool]] = {}
"""file, line and words of each warning that was told"""


class _NoLoop:
    """Stands where asyncio looks for its loop, so that its use is the same mistake in both worlds."""

    def __getattr__(self, name: str) -> Any:
        raise ScriptError(FOREIGN)


_NO_LOOP: Final = _NoLoop()
_ALWAYS: Final = ("always", None, Warning, None, 0)


def came_through_asyncio(error: BaseException) -> bool:
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "asyncio":
            return True
        traceback = traceback.tb_next
    return False


def forgotten_before(error: BaseException, forgotten: Sequence[ScriptError]) -> ScriptError | None:
    """The script used the call of a verb as if it were what the verb gives, and that is this error."""
    if not isinstance(error, AttributeError | TypeError) or "coroutine" not in str(error):
        return None
    frame = last_frame(error)
    if frame is None:
        return None
    used = [getattr(error, "obj", None)] if forgotten else [getattr(error, "obj", None), *frame.f_locals.values()]
    for value in used:
        if isinstance(value, CoroutineType) and getcoroutinestate(value) == CORO_CREATED:
            places = [(file, line) for file, line, _ in value.cr_origin or () if of_a_script(file)]
            value.close()
            return _forgotten(value.__name__, places)
    return forgotten[0] if forgotten else None


def _forgotten(called: str, places: Sequence[tuple[str, int]]) -> ScriptError:
    """By lines of scripts on the way to the call, the last one first."""
    return ScriptError(f"{called} was called without await: it did nothing", place(*places[0]) if places else None)


def _warn(warning: warnings.WarningMessage) -> None:
    """As if it had not been caught, but once a line: with each that is caught Python forgets what it has told."""
    file, line = warning.filename, warning.lineno
    if (file, line, said := str(warning.message)) not in _WARNED:
        _WARNED[file, line, said] = True
        warnings.warn_explicit(
            warning.message, warning.category, file, line, MODULE_OF_SCRIPTS if of_a_script(file) else None
        )


class Watch:
    """Is put around each moment in which a script's own code runs.

    No loop of asyncio is to be found then; what was called without await is found in `forgotten`; async generators
    that were left early are in `left`, for their `finally` must be driven like the rest of the script."""

    def __init__(self) -> None:
        self.forgotten: list[ScriptError] = []
        self.left: list[AsyncGenerator[Any, Any]] = []
        self._loop: Any = None

    def __enter__(self) -> None:
        self._asyncio = sys.modules.get("asyncio")
        if self._asyncio is not None:
            self._loop = self._asyncio._get_running_loop()
            self._asyncio._set_running_loop(_NO_LOOP)
        self._hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(None, self.left.append)
        self._depth = sys.get_coroutine_origin_tracking_depth()
        sys.set_coroutine_origin_tracking_depth(8)
        self._catching = warnings.catch_warnings(record=True)
        self._caught = self._catching.__enter__()
        # As `simplefilter("always")` does it, in half the time: the list was copied just now.
        cast(list[object], warnings.filters).insert(0, _ALWAYS)

    def __exit__(self, *raised: object) -> None:
        for warning in self._caught or ():
            warning.source = None  # what was to be awaited by that in its turn is told of now as well, not later
        self._catching.__exit__(None, None, None)
        sys.set_coroutine_origin_tracking_depth(self._depth)
        sys.set_asyncgen_hooks(*self._hooks)
        if self._asyncio is not None:
            self._asyncio._set_running_loop(self._loop)
        for warning in self._caught or ():
            said = str(warning.message)
            called = re.match(r"coroutine '(?:.*\.)?(\w+)' was never awaited", said)
            if called is None:
                _warn(warning)
                continue
            frames = re.findall(r'File "([^"]+)", line (\d+)', said)
            places = [(file, int(line)) for file, line in reversed(frames) if of_a_script(file)]
            self.forgotten.append(_forgotten(called[1], places))
