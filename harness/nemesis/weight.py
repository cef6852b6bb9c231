"""Which of two plans is simpler for a person who has to understand it: fewer deeds first, fewer nodes, then plainer
deeds, times in the protocol's own units, and shorter ones.

A plan is only ever replaced by a lighter one. So shrinking ends, and no two ideas undo each other's work."""

from __future__ import annotations

from shaketable.harness.faults.parameters import WORD_OF_A_MESSAGE
from shaketable.harness.nemesis.deeds import KINDS
from shaketable.harness.nemesis.plan import Deed, Plan
from shaketable.harness.nemesis.simpler import times_among
from shaketable.node.core.env import MILLISECOND, SECOND, Micros

Weight = tuple[int, ...]


def weight_of(plan: Plan, units: tuple[Micros, ...]) -> Weight:
    """`units` are the protocol's own times."""
    times = [plan.storm]
    for deed in plan.deeds:
        times += [deed.at, deed.lasts or 0, *(time for _, time in times_among(deed.options))]
    plainness = sum(_plainness(deed) for deed in plan.deeds)
    return len(plan.deeds), len(plan.nodes), plainness, sum(_roundness(time, units) for time in times), sum(times)


def _plainness(deed: Deed) -> int:
    """0 is plain."""
    said = sum(1 + (name == "nth" and value != 1) for name, value in deed.options.items() if name != WORD_OF_A_MESSAGE)
    amounts = (
        int(deed.options.get("keys", 1))
        + int(deed.options.get("count", 1))
        + abs(100 - int(deed.options.get("percent", 100))) // 10
    )
    return KINDS[deed.verb].hardness + said + amounts + len(deed.on) + len(deed.to) + (deed.lasts is not None)


def _roundness(time: Micros, units: tuple[Micros, ...]) -> int:
    """0 is round."""
    for rank, unit in enumerate((*units[-1:], SECOND, 100 * MILLISECOND, MILLISECOND)):
        if time % unit == 0:
            return rank
    return 5
