"""Of the family "detection": on a healthy network nobody is suspected.

It judges the runs in which nothing was ever broken, above all a script's quiet twin: the same formation, settings and
length with no steps. A suspicion while either side's rounds were very late is the machine's doing, and no proof."""

from __future__ import annotations

from typing import Final

from shaketable.harness.checks.bounds import Bounds
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.recording.history import History
from shaketable.harness.recording.words import rounded
from shaketable.node.events import RoundLate, Suspected

NAME: Final = "quiet"
RULE: Final = "As long as nothing is broken nobody is suspected."


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    if history.faults:
        return findings.result(NAME, RULE, f"nothing: the run had {counted(len(history.faults), 'fault')}", 0)
    late = _late(history, bounds.settings.heartbeat_timeout // 2)
    excused = 0
    for record in history.of(Suspected):
        event = record.event
        assert isinstance(event, Suspected)
        if record.incarnation in late or event.peer.uuid in late:
            excused += 1
            continue
        suspecting = history.names.process(record.node, record.incarnation)
        said = f"{suspecting} suspects {history.names.member(event.peer)} ({event.reason}), and nothing was broken."
        findings.add(said, [record])
    joined = sum(process.joined for process in history.processes.values())
    looked_at = f"{counted(joined, 'member')} over {rounded(history.end)}"
    notes = [f"{counted(excused, 'suspicion')} while heartbeat rounds were very late"] if excused else []
    return findings.result(NAME, RULE, looked_at, joined, unknown=bool(excused), notes=notes)


def _late(history: History, most: int) -> dict[str, bool]:
    """The processes whose rounds were once so late that a suspicion by them, or of them, proves nothing."""
    rounds = ((record.incarnation, record.event) for record in history.of(RoundLate))
    return {uuid: True for uuid, event in rounds if isinstance(event, RoundLate) and event.lateness > most}
