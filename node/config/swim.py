"""The settings of SWIM and Lifeguard as detectors of a group, with the papers' names in brackets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shaketable.node.config.fields import setting
from shaketable.node.core.env import Micros

SWIM: Final = "swim"
LIFEGUARD: Final = "lifeguard"
SWIMS: Final = (SWIM, LIFEGUARD)

_SWIM: Final = "the paper on SWIM"
_LIFEGUARD: Final = "the paper on Lifeguard"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwimSettings:
    swim_ping_timeout: Micros = setting(
        1, unit="seconds", least=0.01, source=f"{_SWIM}: a period is three times as long",
        meaning="swim, lifeguard: a ping that is not answered by then is tried by others, for twice as long",
    )  # fmt: skip
    swim_helpers: int = setting(
        3, most=1000, source=_SWIM, meaning="swim, lifeguard: this many others try a ping that was not answered (k)"
    )
    swim_suspicion_periods: float = setting(
        5, least=0.1, most=1000, source=_LIFEGUARD,
        meaning="swim, lifeguard: a suspect has so many heartbeat periods to answer, times the decimal logarithm of "
        "the number of members where that is more than 1 (alpha)",
    )  # fmt: skip
    lifeguard_worst_health: int = setting(
        8, most=1000, source=_LIFEGUARD,
        meaning="lifeguard: a member that is slow itself takes up to 1 + this many times as long for a ping; 0: never "
        "longer (S)",
    )  # fmt: skip
    lifeguard_longest_suspicion: float = setting(
        6, least=1, most=1000, source=_LIFEGUARD,
        meaning="lifeguard: a suspect has this many times as long while only one member suspects it; 1: never (beta)",
    )  # fmt: skip
    lifeguard_confirmations: int = setting(
        3, least=1, most=1000, source=_LIFEGUARD,
        meaning="lifeguard: when this many more suspect it, it has no more time than under swim (K)",
    )  # fmt: skip
    lifeguard_buddy: bool = setting(
        True, source=_LIFEGUARD, meaning="lifeguard: a ping tells a suspect that it is one, and it answers at once"
    )
