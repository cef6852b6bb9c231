"""How long a campaign may take, as it is typed: 8h, 30m, 90s, 1h30m."""

from __future__ import annotations

import re
from typing import Final

from shaketable.harness.errors import UserError

_SAID: Final = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
MOST: Final = 30 * 24 * 3600
"""seconds"""


def seconds_of(said: str) -> int:
    found = _SAID.fullmatch(said)
    hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0)
    time = 3600 * hours + 60 * minutes + seconds
    if not 1 <= time <= MOST:
        raise UserError(f"--for {said}: give a time, as 8h, 30m, 90s or 1h30m, of 30 days at most")
    return time
