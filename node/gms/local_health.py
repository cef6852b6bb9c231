"""How far a member takes itself for slow: Lifeguard's local health.

Answers that stay out, and a doubt about itself that it has to refute, say that it may be slow itself. It then pings
more slowly, and waits longer for answers. Each answer that comes in time makes it sure of itself again."""

from __future__ import annotations

from shaketable.node.config import Settings


class LocalHealth:
    def __init__(self, settings: Settings) -> None:
        self._worst = settings.worst_health
        self.score = 0
        """0: all is well; never more than the setting says, which is 0 under swim"""

    @property
    def slower(self) -> int:
        """So many times."""
        return 1 + self.score

    def answered(self) -> None:
        self.score = max(0, self.score - 1)

    def missed(self, answers: int = 1) -> None:
        """So many that it could expect."""
        self.score = min(self._worst, self.score + answers)

    def refuted(self) -> None:
        """A doubt about me."""
        self.missed()
