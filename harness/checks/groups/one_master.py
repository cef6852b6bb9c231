"""S1, one master.

If some pair of a part is not linked both ways, no member has to follow anybody, because two views may be right. Two
masters that are linked both ways are a violation in any case. So is a member that follows a dead master for longer than
it takes to give that one up (rulings 5.3). Parts that cannot find each other are judged apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.at_rest import AtRest
from shaketable.harness.checks.groups.rest import Part, Rests, Wrong, following, judged
from shaketable.harness.checks.result import CheckResult
from shaketable.harness.history.history import History
from shaketable.node.core.env import Micros
from shaketable.node.events import MasterFollowed

NAME: Final = "one master"
RULE: Final = (
    "After calm and the settle bound each set of members that are linked pairwise both ways has one master. All "
    "members of a set that is whole follow it. Nobody goes on following a dead master."
)
NEEDS: Final = (MasterFollowed,)


def check(history: History, bounds: Bounds) -> CheckResult:
    return judged(history, bounds, NAME, RULE, lambda rests, part, now: _why_not(history, rests, part, now))


def _why_not(history: History, rests: Rests, part: Part, now: Micros) -> list[Wrong]:
    wrong: list[Wrong] = []
    sides = list(following(part.standings).values())
    for members in rests.known.together(sides, now):
        masters = [each for each in members if each.leads]
        for one, other in combinations(masters, 2):
            if (one.process.node, other.process.node) in part.linked:
                both = f"{history.name(one.process)} and {history.name(other.process)}"
                wrong.append((f"{both} are linked both ways, and are masters both", (one.since, other.since)))
        if part.whole and len(masters) < 2:
            wrong += [_stray(history, each, masters) for each in members if _strays(each, masters)]
    if not part.whole:
        wrong += [_forlorn(history, each) for each in part.standings if _is_forlorn(history, rests, part, each, now)]
    return wrong


def _is_forlorn(history: History, rests: Rests, part: Part, each: AtRest, now: Micros) -> bool:
    """It asks one member after the other to follow its dead master. If one of them says all the time that another one
    leads, which does not come for it, it gives up."""
    master = history.by_uuid.get(each.master.uuid) if each.master is not None else None
    if master is None or master.ended is None or master.ended.time > part.since:
        return False
    own, members = rests.settings_of(each.process), len(each.install.view.members) if each.install is not None else 1
    return now - part.since > part.bound + own.patience_with_a_silent_master(members)


def _forlorn(history: History, each: AtRest) -> Wrong:
    assert each.master is not None
    said = f"{history.name(each.process)} follows {history.names.member(each.master)}, which is dead"
    return said, (each.since,)


def _strays(each: AtRest, masters: Sequence[AtRest]) -> bool:
    return each.master is None or not masters or each.master.uuid != masters[0].process.uuid


def _stray(history: History, each: AtRest, masters: Sequence[AtRest]) -> Wrong:
    whom = "nobody" if each.master is None else f"{history.names.member(each.master)}, who leads none of them"
    instead = f"{history.name(masters[0].process)} is the master" if masters else "there is no master"
    return f"{history.name(each.process)} follows {whom}, and {instead} of those whom it is linked with", (each.since,)
