"""A run that is over goes by once more: its time passes at a speed, until its end or until it is halted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shaketable.node.core.env import SECOND, Micros

SPEEDS: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0)
"""of the run's seconds in one of the user's; a simulated world that lives can go as fast as it can beside"""


@dataclass(slots=True)
class Playback:
    speed: float = 1.0
    time: Micros = 0
    """of the run, by now; where nothing happens it passes as well"""
    _anchor: tuple[float, Micros] | None = None
    """a moment of the wall clock, and the run's time that belongs to it; None: it stands"""

    @property
    def plays(self) -> bool:
        return self._anchor is not None

    def begin(self, now: float, time: Micros) -> None:
        """`now`: the wall clock, in seconds."""
        self._anchor, self.time = (now, time), time

    def halt(self) -> None:
        self._anchor = None

    def pass_to(self, now: float) -> Micros:
        """The run's time by then."""
        if self._anchor is not None:
            began, at = self._anchor
            self.time = at + round((now - began) * self.speed * SECOND)
        return self.time

    def set_speed(self, now: float, speed: float) -> None:
        if self._anchor is not None:
            self.begin(now, self.pass_to(now))
        self.speed = speed


def faster(speed: float | None, steps: int) -> float | None:
    """The speed that is so many steps away; None: as fast as it can, which is beyond the last."""
    at = next((place for place, step in enumerate(SPEEDS) if speed is not None and step >= speed), len(SPEEDS))
    return (*SPEEDS, None)[max(0, min(at + steps, len(SPEEDS)))]
