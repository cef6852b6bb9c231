"""Notes that a script writes into the history of its run."""

from __future__ import annotations

from shaketable.harness.records import PlanPlayed, StepBegan
from shaketable.harness.scripting.outcome import LONGEST
from shaketable.harness.scripting.verbs.base import Verbs


class Telling(Verbs):
    def note(self, what: str) -> None:
        """A sentence of the script's own, for the reader of the history; of more than 2,000 letters the beginning."""
        self._step(what if len(what) <= LONGEST else f"{what[:LONGEST]} …")


def leaves_out(cluster: Telling, deed: int, what: str) -> None:
    """A deed of the plan that it plays makes no sense here, and is not done."""
    cluster._world.record(StepBegan(f"left out, deed {deed}: {what}", left_out=(deed,)))


def leaves_out_the_rest(cluster: Telling, deed: int, what: str) -> None:
    """The same of what is to follow in a deed that was begun."""
    cluster._world.record(StepBegan(f"left out, what is to follow in deed {deed}: {what}", rest_left_out=(deed,)))


def plays(cluster: Telling, deeds: int, plan: str) -> None:
    """From here on it plays this plan of so many deeds, which is kept so that the run can be shrunk."""
    cluster._world.record(PlanPlayed(deeds, plan))
