"""The reasons that members give, by all that they have told before (text 1.5 to 1.9, 3.1.1 to 3.2.2).

No event tells whom a message named, and which list or table of its sender came with it: that is left open. The cause of
a step says whose message began it, and when that left; a message after which nothing was told is not seen. A node that
founds a cluster by consent is judged by its links: those that are up are to the nodes that it has asked. As long as
nothing was broken and nobody has left, a backup differs only where its owner has done without it. Times are not judged
in a run with a clock that was set; what a member does not end in time may wait for an interval more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.reasons import (
    known,
    known_merges,
    known_tables,
    of_data,
    of_joiners,
    of_members,
    of_merges,
    of_tables,
    of_times,
)
from shaketable.harness.checks.reasons.known import Judge, Known, Wrongs
from shaketable.harness.checks.reasons.of_messages import JUDGED, Senders
from shaketable.harness.checks.reasons.of_times import Times
from shaketable.harness.checks.result import CheckResult, Findings, Watch, counted
from shaketable.harness.checks.shared.not_its_own import NOT_OF_THE_MEMBER
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen, Observed
from shaketable.node.events import ClaimFinished, Event, LinkDown, Merged, Started

NAME: Final = "true reasons"
RULE: Final = (
    "The reason that a member gives for a decision is true of what it has told before, and it decides as one does for "
    "that reason. Only a master removes members and has others act, and only a candidate asks for a mastership. Nobody "
    "takes an answer of a member that it has not asked, or what was meant for another, or tells a suspect that it "
    "lives. Nobody is admitted that has not asked. A master is told of suspicions when they change, and waits for a "
    "silent one of a broken pair before it decides. Parts of a cluster are compared by their lists, none goes over "
    "before its table is found, and one that waits for a migration tries again when that has ended. A plan is done "
    "once, nothing ends that has not begun, no migration begins that its master has ended, no data are sent to a "
    "member that has not begun to take them, no backup is mended that does not differ, none differs again before "
    "anybody writes, and data that have come whole are taken. A map that is protected is not read where too few "
    "members share it. Partitions are assigned when somebody uses the data. Migrations that add a copy come first. An "
    "owner names the backups that have a write, says which it does without, and waits for nobody who has left. No "
    "write is applied twice. When one member comes or leaves, no more partitions than have to get another owner. An "
    "address where nobody is any more is forgotten. Nobody gives up before its time for that is over, or goes on for "
    "longer, and what a master sends every so often it sends then."
)
_JUDGES: Final[Mapping[type[Event], Judge]] = {
    **of_members.JUDGES,
    **of_joiners.JUDGES,
    **of_merges.JUDGES,
    **of_tables.JUDGES,
    **of_data.JUDGES,
}
NEEDS: Final = tuple(
    dict.fromkeys(
        (
            *(*_JUDGES, *known.LEARNS, *known_merges.LEARNS, *known_tables.LEARNS, *of_times.NEEDS),
            *(ClaimFinished, LinkDown, Merged, Started),
        )
    )
)


def check(history: History, bounds: Bounds) -> Watch:
    return _Judge(history, bounds)


class _Judge:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self.findings = Findings(history)
        self.count = 0
        self._known = Known(history, bounds)
        self._senders = Senders(history.names, self._known.merges.told_to_come)
        self._times = Times(history, self._known)

    def see(self, record: Record, node: NodeSeen | None, seen: Observed) -> None:
        known, event = self._known, record.event
        if node is None:
            known.learn_of_others(record)
            self._times.learn_of_others(record)
            return
        if type(event) in NOT_OF_THE_MEMBER:
            self._times.learn_of_others(record)
            return
        known.seen = seen
        judge = _JUDGES.get(type(event))
        if judge is not None:
            self.count += 1
            self._accuse(record, judge(known, record, event, node))
        cause = record.cause
        if cause is not None and cause.kind in JUDGED:
            self._accuse(record, self._senders.judge(cause, record, node, seen))
        self._accuse(record, self._times.judge(record, node))
        self._senders.learn(record, node)
        known.learn(record, node)

    def _accuse(self, record: Record, wrongs: Wrongs) -> None:
        for wrong in wrongs:
            who = self._known.names.process(record.node, record.incarnation)
            self.findings.add(f"{who} {wrong}.", [record])

    def result(self) -> CheckResult:
        for record, wrong in self._times.at_the_end():
            self._accuse(record, iter((wrong,)))
        return self.findings.result(NAME, RULE, counted(self.count, "decision"), self.count)
