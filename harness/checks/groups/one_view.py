"""S8, one view.

This is asked after a crash, and after the links between two parts are whole again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.at_rest import AtRest
from shaketable.harness.checks.groups.rest import Part, Rests, Wrong, following, judged
from shaketable.harness.checks.result import CheckResult
from shaketable.harness.history.history import History
from shaketable.node.core.env import Micros
from shaketable.node.events import MasterFollowed, ViewInstalled

NAME: Final = "one view"
RULE: Final = (
    "After calm and the settle bound all members that are linked pairwise both ways hold the same view: these members,"
    " and nobody else."
)
NEEDS: Final = (MasterFollowed, ViewInstalled)


def check(history: History, bounds: Bounds) -> CheckResult:
    return judged(history, bounds, NAME, RULE, lambda rests, part, now: _why_not(history, rests, part, now))


def _why_not(history: History, rests: Rests, part: Part, now: Micros) -> list[Wrong]:
    if not part.whole:
        return []
    sides = list(following(part.standings).values())
    wrong: list[Wrong] = []
    for members in rests.known.together(sides, now):
        are = sorted(each.process.uuid for each in members)
        wrong += [_wrong(history, each, members) for each in members if _holds(each) != are]
        first = next((each for each in members if _holds(each) == are), None)
        for each in members:
            if first is not None and _holds(each) == are and _key(each) != _key(first):
                both = [s.install.record for s in (first, each) if s.install is not None]
                said = (
                    f"{history.name(first.process)} holds v{_key(first)[0]} by {history.names.author(_key(first)[1])}"
                )
                said += f", and {history.name(each.process)} v{_key(each)[0]}"
                wrong.append((f"{said} by {history.names.author(_key(each)[1])}", both))
    return wrong


def _holds(each: AtRest) -> list[str]:
    return sorted(m.uuid for m in each.install.view.members) if each.install is not None and each.master else []


def _key(each: AtRest) -> tuple[int, str]:
    return each.install.key if each.install is not None else (0, "")


def _wrong(history: History, each: AtRest, members: Sequence[AtRest]) -> Wrong:
    names = history.names
    all_ = names.members(other.process.member for other in members if other.process.member is not None)
    install = each.install if each.master is not None else None
    what = "no view" if install is None else f"v{install.view.version} {names.members(install.view.members)}"
    said = f"{history.name(each.process)} holds {what}, and {all_} are linked pairwise"
    return said, [each.since if install is None else install.record]
