"""A check of the user's own, named by the setting `own_checks`. A mistake in it leaves the run unknown, and is said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from shaketable.harness.checks.result import BROKEN, HELD, UNKNOWN, VACUOUS, Check, CheckResult, IfSeen, Watch
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.config import SettingError
from shaketable.node.core.foreign import words_of
from shaketable.node.events import Event
from shaketable.node.plugged import found

if TYPE_CHECKING:
    from shaketable.harness.bounds.cluster import Bounds

_SETTING: Final = "own_checks"


def own_check(name: str) -> Check:
    """SettingError: nothing has this name, or it is no check."""
    check = found(_SETTING, name, "NAME")
    if not isinstance(check, Check):
        raise SettingError(f"{_SETTING}: {name} is no check; make one with Check(name, rule, begin)")
    needs: object = check.needs
    if not isinstance(needs, tuple) or not all(map(_is_need, needs)):
        raise SettingError(
            f"{_SETTING}: {name} needs {needs!r:.60}; give a tuple of kinds of event, from shaketable.events"
        )
    return replace(check, begin=lambda history, bounds: _Guarded(check, history, bounds))


def _is_need(need: object) -> bool:
    kinds = (need.kind, *need.others) if isinstance(need, IfSeen) else (need,)
    return all(isinstance(kind, type) and issubclass(kind, Event) for kind in kinds)


def not_at_hand(name: str, why: str) -> Check:
    """A recording may be judged again where the check cannot be found."""
    return Check(name, "", lambda history, bounds: CheckResult(name, "", UNKNOWN, "", 0, notes=(why,)))


class _Guarded:
    def __init__(self, check: Check, history: History, bounds: Bounds) -> None:
        self._check = check
        self._begun: CheckResult | Watch
        try:
            self._begun = check.begin(history, bounds)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever the user's own code may raise
            self._begun = self._unable(error)
        self._watches = callable(getattr(self._begun, "see", None))

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        if self._watches:
            try:
                self._begun.see(record, node, seen)  # type: ignore[union-attr]
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._begun, self._watches = self._unable(error), False

    def result(self) -> CheckResult:
        result: object = self._begun
        if self._watches:
            try:
                result = self._begun.result()  # type: ignore[union-attr]
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                result = self._unable(error)
        if not isinstance(result, CheckResult):
            result = self._unknown(f"it answered with {result!r:.60}, which is no CheckResult")
        elif wrong := _what_is_wrong_in(result):
            result = self._unknown(f"its CheckResult is wrong: {wrong}")
        return msgspec.structs.replace(result, name=self._check.name, rule=self._check.rule)

    def _unable(self, error: BaseException) -> CheckResult:
        return self._unknown(f"it raised {words_of(error)}")

    def _unknown(self, why: str) -> CheckResult:
        return CheckResult(self._check.name, self._check.rule, UNKNOWN, "", 0, notes=(why,))


def _what_is_wrong_in(result: CheckResult) -> str:
    """Python lets a user write anything into it."""
    try:
        msgspec.json.decode(msgspec.json.encode(result), type=CheckResult)
    except (TypeError, ValueError) as error:
        return str(error)
    if result.status not in (HELD, BROKEN, VACUOUS, UNKNOWN):
        return f"there is no status {result.status!r}; there are {HELD}, {BROKEN}, {VACUOUS} and {UNKNOWN}"
    if result.count < 0 or result.pending < 0:
        return f"count={result.count} and pending={result.pending} are numbers of things, and cannot be below 0"
    if (result.status == BROKEN) != bool(result.violations):
        return f"its status is {result.status}, and it has {len(result.violations)} violations"
    return ""
