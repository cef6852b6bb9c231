"""What is told of an error in a user's own code: a member, a service, a policy (node/plugged.py) or a check."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Final

_OURS: Final = "shaketable"
_LONGEST: Final = 200
"""letters of what it says of itself"""


def words_of(error: BaseException) -> str:
    """In short, and in brackets the last line of code that is neither ours nor Python's, if the error passed one."""
    kind, places = type(error).__name__, [*_foreign(error.__traceback__)]
    try:
        words = " ".join(str(error).encode(errors="replace").decode().split())
    except Exception:  # it cannot even say what it is
        words = ""
    said = f"{kind}: {words}"[:_LONGEST] if words else kind
    return f"{said} ({places[-1]})" if places else said


def _foreign(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        code, module = traceback.tb_frame.f_code, str(traceback.tb_frame.f_globals.get("__name__"))
        top = module.partition(".")[0]
        if top != _OURS and top not in sys.stdlib_module_names:
            yield f"{code.co_filename.rpartition('/')[2]}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
