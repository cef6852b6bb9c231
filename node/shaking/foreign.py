"""Which line raised, of code that is not ours: a user's own member, service or policy (node/plugged.py)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Final

_OURS: Final = "shaketable"


def own_line(error: BaseException) -> str:
    """In brackets the last line of code that is neither ours nor Python's; nothing if the error passed no such line."""
    places = [*_foreign(error.__traceback__)]
    return f" ({places[-1]})" if places else ""


def _foreign(traceback: TracebackType | None) -> Iterator[str]:
    while traceback is not None:
        code, module = traceback.tb_frame.f_code, str(traceback.tb_frame.f_globals.get("__name__"))
        top = module.partition(".")[0]
        if top != _OURS and top not in sys.stdlib_module_names:
            yield f"{code.co_filename.rpartition('/')[2]}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
