"""A check cannot judge a system that does not tell what the check needs: it is not told, which is neither vacuous nor
broken. Where it judges, and needs events that were only inferred, its result says so."""

from __future__ import annotations

from typing import Final

import msgspec

from shaketable.harness.checks.result import NOT_TOLD, VACUOUS, Check, CheckResult, IfSeen
from shaketable.harness.history.history import History
from shaketable.harness.records import HARNESS_EVENTS, UnderTest
from shaketable.node.events import Event

_MOST_NAMED: Final = 2
"""of the kinds of event that a system does not tell"""


def not_told(check: Check, system: UnderTest, history: History | None, *, promised: bool) -> CheckResult | None:
    """Its result where it cannot judge this run of this system, else None. `promised`: the system need not name it."""
    if not promised and system.promises is not None and check.name not in system.promises:
        why = f"{system.called} does not promise it"
    elif missing := _missing(check, system, history):
        why = f"{system.called} does not tell {_some(missing)}"
    else:
        return None
    return CheckResult(check.name, check.rule, NOT_TOLD, why, 0)


def with_inferred(result: CheckResult, check: Check, history: History) -> CheckResult:
    """It was judged; its result names what it rests on that no member has told."""
    system = history.system
    if system.is_ours or result.status == VACUOUS:
        return result
    names = [
        kind.__name__
        for kind in _needed(check, history)
        if any(kind.__name__ in system.infers or _in_part(record.event) for record in history.of(kind))
    ]
    return msgspec.structs.replace(result, inferred=tuple(names)) if names else result


def _in_part(event: Event) -> bool:
    return bool(getattr(event, "inferred", ()))


def rests_on(result: CheckResult) -> list[str]:
    """In words."""
    return [f"it rests on what was inferred: {', '.join(result.inferred)}"] if result.inferred else []


def _missing(check: Check, system: UnderTest, history: History | None) -> list[str]:
    return [kind.__name__ for kind in _needed(check, history) if not system.told(kind)]


def _needed(check: Check, history: History | None) -> list[type[Event]]:
    """The kinds of event that it needs in this run. Those of the harness are in every run."""
    kinds = [
        need.kind if isinstance(need, IfSeen) else need
        for need in check.needs
        if not isinstance(need, IfSeen) or (history is not None and history.has(*need.others))
    ]
    return [kind for kind in kinds if kind not in HARNESS_EVENTS]


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return f"{', '.join(names[:_MOST_NAMED])} and {more} more" if more > 0 else " and ".join(names)
