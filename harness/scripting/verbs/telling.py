"""What a script itself has to say in the history of its run."""

from __future__ import annotations

from shaketable.harness.records import PlanPlayed
from shaketable.harness.scripting.verbs.base import Verbs


class Telling(Verbs):
    def note(self, what: str) -> None:
        """A sentence of the script's own, for whoever reads the history."""
        self._step(what)


def plays(cluster: Telling, deeds: int, plan: str) -> None:
    """From here on it plays this plan of so many deeds, which is kept so that the run can be shrunk."""
    cluster._world.record(PlanPlayed(deeds, plan))
