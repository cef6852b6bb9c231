"""A time as a user types it: "12.5", "1:30", "500ms", "+2" and "-0.1" from where the cursor stands, "50%", "end"."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from shaketable.harness.errors import UserError
from shaketable.node.core.env import MILLISECOND, SECOND, Micros

SAID: Final = re.compile(
    r"(?P<sign>[+-]?)(?:(?:(?P<hours>\d+):)?(?P<minutes>\d+):)?(?P<number>\d+(?:[.,]\d*)?|[.,]\d+)\s*(?P<unit>ms|s|m|h|%|)",
    re.IGNORECASE,
)
UNITS: Final = {"ms": MILLISECOND, "s": SECOND, "": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
MOST_DIGITS: Final = 20
USAGE: Final = "a time is said as 12.5, 1:30, 500ms, +2, -0.1, 50% or end"


def time_said(text: str, now: Micros, end: Micros) -> Micros:
    """`now`: where the cursor stands; `end`: of the history."""
    text = text.strip()
    if text.casefold() in ("end", "start", "beginning"):
        return end if text.casefold() == "end" else 0
    said = SAID.fullmatch(text)
    if said is None or len(text) > MOST_DIGITS:
        raise UserError(USAGE)
    number, unit = Decimal(said["number"].replace(",", ".")), said["unit"].casefold()
    if unit == "%":
        if said["sign"] or said["minutes"] or number > 100:
            raise UserError(USAGE)
        return int(end * number / 100)
    if said["minutes"] and unit:
        raise UserError(USAGE)
    minutes = 60 * int(said["hours"] or 0) + int(said["minutes"] or 0)
    time = int(number * UNITS[unit]) + minutes * 60 * SECOND
    return {"": time, "+": now + time, "-": now - time}[said["sign"]]
