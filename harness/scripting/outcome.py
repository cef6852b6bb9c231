"""How a script ended, and what is said of an error that it did not catch: one sentence with file and line."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import Final

from shaketable.harness.errors import ScriptError, UserError, did_you_mean
from shaketable.harness.records import ScriptOutcome
from shaketable.harness.scripting.awaits import FOREIGN, came_through_asyncio
from shaketable.harness.scripting.steps import Unmet
from shaketable.harness.scripting.whereabouts import raised_by_script, where_raised
from shaketable.harness.visible import whole

LONGEST: Final = 2_000
"""letters of what an error says"""
_NO_CALL: Final = re.compile(r"object (\w+) can't be used in 'await' expression")
"""what Python says of an await before anything else than a call of an async function"""

_INSTEAD: Final = {
    "NoneType": "this call gives nothing to wait for: it is called without await, as cluster.note(...) is",
    "Condition": "a condition is not awaited: write await cluster.until(..., within=...), or cluster.expect",
    "method": "a verb is called, and that is awaited: its name is followed by (...)",
}
_OURS: Final = "shaketable."


@dataclass(frozen=True, slots=True)
class Outcome:
    kind: ScriptOutcome
    reason: str = ""


def let_through(error: BaseException) -> None:
    """Ctrl-C that nobody handles goes its way. All else that a script raises, whatever its kind, is told of the script:
    KeyboardInterrupt too, where Ctrl-C has a handler and does not raise it."""
    if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        raise error


def outcome_of(error: BaseException) -> Outcome:
    where = (error.place if isinstance(error, ScriptError) else None) or where_raised(error)
    # A history is the same in every run, and no object's address is.
    words = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(_said_by(error).split()))
    kind = ScriptOutcome.UNKNOWN
    if isinstance(error, Unmet):
        kind = ScriptOutcome.FAILED
    elif isinstance(error, AssertionError) and raised_by_script(error):
        kind, words = ScriptOutcome.FAILED, f"the script's assertion does not hold{': ' + words if words else ''}"
    elif came_through_asyncio(error):
        words = FOREIGN
    elif raised_by_script(error) and (awaited := _NO_CALL.fullmatch(words)):
        words = _INSTEAD.get(
            awaited[1], f"{awaited[1]} is not awaited: only calls of verbs are, as in cluster.kill(...)"
        )
    elif isinstance(error, AttributeError) and type(error.obj).__module__.startswith(_OURS):
        names = [name for name in dir(error.obj) if not name.startswith("_")]
        words = f"{type(error.obj).__name__} has no {error.name}{did_you_mean(str(error.name), names)}"
    elif not isinstance(error, UserError):
        words = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return Outcome(kind, f"{where}: {words}" if where else words)


def _said_by(error: BaseException) -> str:
    """An error of the script's own may say whatever it likes, or fail to say anything."""
    try:
        said = str(error)
    except BaseException as another:
        let_through(another)
        return f"(it cannot be told: {type(another).__name__})"
    said = whole(said)
    return said if len(said) <= LONGEST else f"{said[:LONGEST]} …"
