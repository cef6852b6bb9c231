"""How long a random deed lasts, and how long it is until the next: against the protocol's own times.

Whole milliseconds: the link fabric knows no less."""

from __future__ import annotations

import random
from typing import Final

from shaketable.harness.faults.verb import BY_ITSELF, EVENT, MESSAGE, STARTED_AGAIN, STOP_WORK
from shaketable.harness.nemesis.deeds import CRASH_AT, KINDS
from shaketable.node.config import GMS, Settings
from shaketable.node.core.env import MILLISECOND, Micros

LONG_PAUSES: Final = 0.25
LONGER_PAUSES: Final = 0.05


class Times:
    def __init__(self, settings: Settings, chance: random.Random) -> None:
        self._chance = chance
        group = settings.family == GMS
        self.beat: Micros = settings.gms_heartbeat_period if group else settings.heartbeat_interval
        self.patience: Micros = 2 * settings.detection_window if group else settings.heartbeat_timeout
        """after which somebody who is silent is given up"""
        self.blink: Micros = self.beat // 10 if group else settings.connection_grace // 6
        """so short that nobody need notice"""
        self.age: Micros = 2 * self.patience
        """in which parts look for each other"""
        if not group and settings.merging:
            self.age = settings.heartbeat_timeout + 2 * settings.merge_next_run_delay

    def pause(self) -> Micros:
        """Mostly short against the patience, so that deeds overlap; sometimes long enough for all to act on them."""
        kind = self._chance.random()
        if kind < LONGER_PAUSES:
            return self._below(self.age)
        return self._below(self.patience if kind < LONGER_PAUSES + LONG_PAUSES else self.beat)

    def lasting(self, verb: str) -> Micros | None:
        kind = KINDS[verb]
        waits = kind.comes_upon in (EVENT, MESSAGE)
        weights = [0, 1, 4, 4, 4] if waits else [2, 3, 4, 1, 2]
        longest = self._chance.choices([self.blink, self.beat, self.patience, self.age, 0], weights)[0]
        if verb == CRASH_AT:
            return self._below(self.age) + MILLISECOND
        if kind.ends == STARTED_AGAIN and self._chance.random() < 0.8:
            return self._below(self.patience) + MILLISECOND  # most of the dead return
        if kind.ends in (BY_ITSELF, STOP_WORK):
            return None  # to wait until clients have returned would keep all else waiting
        return self._below(longest) + MILLISECOND if longest else None

    def _below(self, longest: Micros) -> Micros:
        return self._chance.randrange(max(1, longest // MILLISECOND)) * MILLISECOND
