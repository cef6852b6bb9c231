"""Climates for the tests of fault plans, with the settings of their stories."""

from __future__ import annotations

from typing import Final

from shaketable.chaos.helpers.weather import ANYTHING
from shaketable.chaos.storms.nemesis import DATA, PARTS, PARTS_WITH_DATA, WHOLE
from shaketable.harness.nemesis.drawing import Climate
from shaketable.node.config import DEFAULT, Settings

OFF: Final = DEFAULT.with_values({"merging": False})
BY_DATAGRAM: Final = Climate(
    weights={**ANYTHING, "lose_datagrams": 2, "delay_datagrams": 2, "repeat_datagrams": 1, "talk": 1},
    ending="one group",
    nodes=(4, 6),
)
STORIES: Final[dict[str, tuple[Climate, Settings]]] = {
    "parts": (PARTS, OFF),
    "merging": (WHOLE, DEFAULT),
    "data": (PARTS_WITH_DATA, OFF.with_values(DATA)),
    "group": (BY_DATAGRAM, DEFAULT.with_values({"family": "gms", "gms_udp": "both"})),
}
