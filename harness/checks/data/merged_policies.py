"""Of the check "merged data": whether what was decided on an entry is what the policy of its map says.

The value that was there is taken from the history, not from the owner's word: it is the last acknowledged write of the
other part, if nobody can have written since. The check judges which of two updates is the later one only if one had
ended before the other began, by more than clocks may differ, and had come to one member only. If a member did not
answer, and was asked no more, it may have made the update later by its clock than it was acknowledged. A history does
not tell hits, so for a policy by hits only an entry that met nothing is judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.data.kept_writes import Judge
from shaketable.harness.checks.data.lines import Line
from shaketable.harness.checks.result import Findings
from shaketable.harness.checks.shared.circumstances import FOR_EVER
from shaketable.harness.checks.shared.merged_entries import Decision
from shaketable.harness.checks.shared.operations import FAILED, Key, Operation
from shaketable.harness.history.history import History
from shaketable.harness.history.words.cluster import rounded
from shaketable.node.core.env import Micros
from shaketable.node.events import OperationCalled, OperationReturned
from shaketable.node.why import Why

KEPT: Final = ("kept", "there")
USUAL: Final = "put-if-absent"


class PolicyJudge:
    def __init__(self, history: History, bounds: Bounds, findings: Findings, judge: Judge) -> None:
        self.judged = self.unsure = 0
        self._history = history
        self._bounds = bounds
        self._findings = findings
        self._judge = judge
        clocks = [facts.asked.time for facts in history.faults.values() if facts.kind.sets_clock]
        self._first_wrong_clock = min(clocks, default=FOR_EVER)

    def judge(self, decision: Decision, key: Key | None) -> None:
        settings = self._history.settings_of(decision.told.node, self._bounds.settings)
        policy = settings.policies.get(decision.event.map, USUAL)
        if key is None or key.several_at_once or decision.why is Why.DECIDED_BEFORE:
            self.unsure += 1
            return
        # Where bringing takes no time it would be found itself.
        key = replace(key, writes=[write for write in key.writes if write.called is not decision.brought])
        last = self._judge.last_kept(key, _as_read(decision, key))[0]
        bringer = self._history.by_uuid[decision.told.incarnation]
        stayed = bringer.followed_at(decision.asked.time) == bringer.followed_at(decision.told.time)
        if not stayed or not _is_sure(key, last, decision, self._judge.line_of(bringer, decision.told.time)):
            self.unsure += 1
            return
        there = last if last is not None and last.writes is not None else None
        expected = self._expected(policy, there, key, decision)
        if expected is None:
            self.unsure += 1
            return
        self.judged += 1
        same = there is not None and there.writes == decision.value
        if expected != (decision.outcome in KEPT) and not same:
            self._accuse(decision, policy, there)

    def _expected(self, policy: str, there: Operation | None, key: Key, decision: Decision) -> bool | None:
        """Whether it is to be kept; None: nobody can say."""
        if policy == "discard":
            return False
        if policy == "pass-through":
            return True
        if ":" in policy:
            return None
        if there is None:
            return True
        if policy == USUAL:
            return False
        return self._later(there, key, decision) if policy == "latest-update" else None

    def _later(self, there: Operation, key: Key, decision: Decision) -> bool | None:
        if self._first_wrong_clock <= decision.told.time:
            return None  # by the clocks of the two parts, and by no other time
        written = [w for w in key.writes if w.writes == decision.value and w.called.time < decision.brought.time]
        margin = self._bounds.settings.heartbeat_interval
        if len(written) != 1 or not _by_a_client(there):
            return None
        own, other = written[0], there
        if _made_by(other) + margin < own.called.time:
            return True
        return False if _made_by(own) + margin < other.called.time else None

    def _accuse(self, decision: Decision, policy: str, there: Operation | None) -> None:
        who = self._history.names.member(decision.event.peer)
        what = f"{decision.value!r} at {decision.key} of {decision.event.map}, which merges"
        done = "is kept" if decision.outcome in KEPT else "is lost" if decision.outcome == "lost" else "is changed"
        met = "and there was nothing"
        proof = [decision.brought, decision.told]
        if there is not None and there.returned is not None:
            met = f"and {there.writes!r} was acknowledged at {rounded(there.returned.time)}"
            proof += [there.called, there.returned]
        self._findings.add(f"By {policy} at {who} {what}, {done}, {met}.", proof)


def _is_sure(key: Key, last: Operation | None, decision: Decision, line: Line) -> bool:
    """That last write was there when it was decided, and nothing else can have been."""
    for write in key.writes:
        if write is last or write.outcome == FAILED or write.called.time > decision.told.time:
            continue
        if write.end is None or not write.acknowledged or not write.over_by(decision.asked.time - 1):
            return False
        if last is not None and write.called.time < last.called.time:
            continue
        # An attempt before the last one may have come to somebody else, or come yet: nobody tells.
        if write.end.attempts > 1 or any(line.until(holder) > write.called.time for holder in write.end.holders):
            return False  # somebody of this part may have it
    return True


def _made_by(write: Operation) -> Micros:
    """When the update was made at the latest, wherever it was made."""
    if write.returned is None or write.end is None or write.end.attempts > 1:
        return FOR_EVER
    return write.returned.time


def _by_a_client(write: Operation) -> bool:
    return isinstance(write.called.event, OperationCalled)


def _as_read(decision: Decision, key: Key) -> Operation:
    """A value that the other part had all the time, from when the entry came to the member that decided on it until
    that was told."""
    call = OperationCalled("", 0, "get", key.map, key.name, "", key.partition)
    return Operation(decision.asked, call, decision.told, OperationReturned("", 0, "ok", None, (), 0, "", None))
