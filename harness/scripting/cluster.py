"""What a chaos script sees: one class whose verbs yield steps, whichever world they act in.

Its verbs are in `verbs/`, by what they act on; what a script can wait for is in `that.py`, what it can look at in
`seen.py`. A fault that takes no effect does not stop a script; it makes the verdict unknown. Times are whole
microseconds, best computed from `settings` and `bounds`: `cluster.settings.heartbeat_timeout * 2`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from shaketable.harness.faults.verb import Fault
from shaketable.harness.records import OURS, UnderTest
from shaketable.harness.scripting.driver import Driver, Routine
from shaketable.harness.scripting.fault_book import Injected
from shaketable.harness.scripting.seen import Seen
from shaketable.harness.scripting.that import That
from shaketable.harness.scripting.verbs.any_fault import AnyFault
from shaketable.harness.scripting.verbs.base import Formed
from shaketable.harness.scripting.verbs.data import DataVerbs
from shaketable.harness.scripting.verbs.forming import Forming
from shaketable.harness.scripting.verbs.group import GroupVerbs
from shaketable.harness.scripting.verbs.links import LinkVerbs
from shaketable.harness.scripting.verbs.nodes import NodeVerbs
from shaketable.harness.scripting.verbs.rest import RestVerbs
from shaketable.harness.scripting.verbs.telling import Telling
from shaketable.harness.scripting.verbs.waiting import Waiting
from shaketable.harness.scripting.world import World
from shaketable.node.config import Settings

__all__ = ["Cluster", "Injected"]

RENAMED: Final = {"holds": "has_list", "holds_replica": "has_replica"}
"""conditions that have another name since they are asked for as `cluster.that...`"""
PLACES: Final = {"that": That, "seen": Seen}
"""of what is no verb"""


class Cluster(Forming, LinkVerbs, NodeVerbs, AnyFault, Waiting, Telling, DataVerbs, RestVerbs, GroupVerbs):
    def __init__(
        self, world: World, driver: Driver, settings: Settings, seed: int, under_test: UnderTest = OURS
    ) -> None:
        super().__init__(world, driver, settings, seed)
        self.under_test: Final = under_test
        """whose members these are, and what they do otherwise than ours"""
        self.that: Final = That(world, self._faults, settings, self._formed)
        """what it can wait for: `await cluster.until(cluster.that.settled(), within=...)`"""
        self.seen: Final = Seen(world, settings, self._formed)
        """what it can look at: `cluster.seen.members()`"""

    if not TYPE_CHECKING:  # an editor offers what is to be used, and a type checker names what is not

        def __getattr__(self, name: str) -> object:
            """Conditions and what is looked at were names of the cluster itself before 0.1; these go on with a warning
            for one release."""
            now = RENAMED.get(name, name)
            place = next((place for place, kind in PLACES.items() if hasattr(kind, now)), "")
            if name.startswith("_") or not place:
                return super().__getattr__(name)
            said = f"cluster.{name} will not work in the next release: write cluster.{place}.{now} instead"
            warnings.warn(said, DeprecationWarning, stacklevel=2)
            return getattr(getattr(self, place), now)


def formation_of(cluster: Cluster) -> Sequence[Formed]:
    """For the runner: how its nodes were started, so that the run's quiet twin can form in the same way."""
    return tuple(cluster._formation)


async def begins(cluster: Cluster, fault: Fault) -> Injected:
    """Asks for a fault that is at hand, by no verb."""
    return await cluster._faults.begin(fault)


def beside(cluster: Cluster, routine: Routine, then: Callable[[Any, BaseException | None], None]) -> None:
    """While the script goes on: for what it need not wait for. `then` is told its result, or its error."""
    cluster._driver.also(routine, then)


def finish(cluster: Cluster) -> None:
    """The runner says that the script has ended: what never took effect is told now."""
    cluster._faults.finish()
