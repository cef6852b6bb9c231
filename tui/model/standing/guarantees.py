"""What each check says where the cursor stands.

A check judges a whole history. Of a part of it only this is sure: what was broken before the cursor is broken there.
So a guarantee "holds" only where the cursor stands at the end of what was judged; before that it is not broken yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shaketable.harness.checks.result import BROKEN, HELD, NOT_TOLD, VACUOUS, Check, CheckResult
from shaketable.node.config import CLUSTER
from shaketable.tui.model.history.proofs import Broken, violations_of
from shaketable.tui.model.session import Session

IS_BROKEN: Final = "broken"
"""the cursor has passed all that proves it"""
NOT_BROKEN_YET: Final = "not broken yet"
"""it will be, later than the cursor"""
HOLDS: Final = "holds"
"""nothing is wrong in all that was judged, and the cursor has passed that"""
HOLDS_IN_THE_END: Final = "holds in the end"
"""nothing is wrong in all that was judged, which is more than the cursor has passed"""
NOTHING_SEEN: Final = "nothing seen yet"
NOTHING_TO_SEE: Final = "nothing to see"
"""the run is over, and there was nothing to judge"""
UNKNOWN: Final = "unknown"
"""it saw something and cannot judge it"""
NOT_JUDGED: Final = "not judged yet"
UNTOLD: Final = "not told"
"""by the system: it is never judged"""


@dataclass(frozen=True, slots=True)
class Guarantee:
    result: CheckResult
    state: str
    violations: tuple[Broken, ...]
    """all of them, those beyond the cursor, too"""
    passed: int
    """how many of them the cursor has passed"""

    @property
    def name(self) -> str:
        return self.result.name


def guarantees(session: Session) -> Sequence[Guarantee]:
    """In the order of the checks; all of them, judged or not. Cheap: a proof is looked for but once."""
    if not session.judged:
        from shaketable.harness.checks.registry import checks_of, untold  # most sessions can be shown without these

        family, own = (
            str(session.facts.settings.get(each, usual)) for each, usual in (("family", CLUSTER), ("own_checks", ""))
        )
        of = session.facts.system
        return [_not_judged(check, untold(check, of)) for check in checks_of(family, own)]
    return [_guarantee(session, check) for check in session.checks]


def unjudged(session: Session) -> int:
    """How many of the records that the cursor has passed no check has seen: a live run is judged now and then."""
    return max(0, session.cursor - session.checked)


def _not_judged(check: Check, untold: CheckResult | None) -> Guarantee:
    if untold is not None:
        return Guarantee(untold, UNTOLD, (), 0)
    return Guarantee(CheckResult(check.name, check.rule, VACUOUS, "", 0), NOT_JUDGED, (), 0)


def _guarantee(session: Session, check: CheckResult) -> Guarantee:
    violations = violations_of(session.store, check)
    passed = sum(1 for each in violations if each.seen_from is not None and each.seen_from <= session.cursor)
    return Guarantee(check, _state(session, check, violations, passed), violations, passed)


def _state(session: Session, check: CheckResult, violations: Sequence[Broken], passed: int) -> str:
    all_passed = session.cursor >= session.checked
    if check.status == BROKEN:
        # Where none of its proof has a place in the history it is broken wherever one looks.
        return IS_BROKEN if passed or all(each.seen_from is None for each in violations) else NOT_BROKEN_YET
    if check.status == HELD:
        return HOLDS if all_passed else HOLDS_IN_THE_END
    if check.status == VACUOUS:
        return NOTHING_TO_SEE if session.ended is not None or session.store.complete else NOTHING_SEEN
    return UNTOLD if check.status == NOT_TOLD else UNKNOWN
