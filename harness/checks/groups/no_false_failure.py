"""S4, no false failure.

The *window* is the longest time between a member's last heartbeat and its FAILURE.

- A member was reachable if it was there for all of the window, or since it was added, and no fault touched it, the
  member that declared it failed, or a link of either.
- It was added with the first view that anybody installed with it. Its master had heard it just then. It may have taken
  that view itself much later, when a link was up again.
- If a round of either was late, the check cannot know whether it was on time.
- Faults of datagrams are no excuse: a missed member is probed twice, over the links.
- A watchdog's hint is believed (rulings 5.9).
- A suspicion that ends without a FAILURE is not judged here, but by "group detection"; compare-detectors counts it."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.reading import FAILURE, repeats, told
from shaketable.harness.checks.groups.rest import first_seen
from shaketable.harness.checks.result import CheckResult, counted
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.faults.verb import DATAGRAM
from shaketable.harness.history.history import History, Process
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.node.core.env import Micros
from shaketable.node.events import HintTaken, Leaving, NotificationPublished, ReadmissionAsked, ViewInstalled
from shaketable.node.messages import Uuid

NAME: Final = "no false failure"
RULE: Final = "There is no FAILURE of a member that was reachable and on time for the entire window before."
NEEDS: Final = (ViewInstalled,)


def check(history: History, bounds: Bounds) -> CheckResult:
    return _Judge(history, bounds).judged()


class _Judge:
    def __init__(self, history: History, bounds: Bounds) -> None:
        self._history = history
        self._all = Circumstances(history, bounds)
        self._all.spans = [span for span in self._all.spans if span.kind.comes_upon != DATAGRAM]
        self._away = told(history, Leaving, ReadmissionAsked)
        self._added = first_seen(history)
        self._links: dict[str, list[str]] = {}
        for span in self._all.spans:
            for link in span.links:
                for end in link.split("->"):
                    self._links.setdefault(end, []).append(link)

    def judged(self) -> CheckResult:
        again = repeats(self._history)
        members = failures = explained = 0
        for process in self._history.processes.values():
            members += any(len(install.view.members) > 1 for install in process.installs)
        for uuid, records in told(self._history, HintTaken, NotificationPublished).items():
            hinted: dict[Uuid, bool] = {}
            for record in records:
                match record.event:
                    case HintTaken(_, failed):
                        hinted[failed.uuid] = True
                    case NotificationPublished(version, _, peer, change) if change == FAILURE and peer is not None:
                        if (version, uuid) in again:
                            continue
                        failures += 1
                        process_ = self._history.by_uuid.get(peer.uuid)
                        if peer.uuid in hinted or process_ is None or not self._was_there(record, process_):
                            explained += 1
                        else:
                            self._accuse(record, process_)
        looked_at = f"{counted(members, 'member')} of a group, {counted(failures, 'published failure')}"
        looked_at += f", {explained} of them of members that were gone or disturbed" if explained else ""
        excused = self._all.excused
        notes = [f"{counted(excused, 'failure')} while rounds were late"] if excused else []
        return self._all.findings.result(NAME, RULE, looked_at, members, unknown=bool(excused), notes=notes)

    def _window(self, node: str) -> Micros:
        return self._all.bounds_of(node).group.failure()

    def _begin(self, record: Record, peer: Process) -> Micros:
        """Of the window; a member that was added in it was heard just then."""
        return max(record.time - self._window(record.node), self._added[peer.uuid])

    def _was_there(self, record: Record, peer: Process) -> bool:
        """Running and undisturbed, for all of the window or since it was added."""
        if not peer.installs or peer.installs[0].record.time > record.time:
            return False
        if peer.ended is not None and peer.ended.time <= record.time:
            return False
        begin, end = self._begin(record, peer), record.time
        if any(begin <= each.time <= end for each in self._away.get(peer.uuid, ())):
            return False
        both = (record.node, peer.node)
        links = [link for node in both for link in self._links.get(node, ())]
        return not self._all.touched(begin, end, nodes=both, links=links)

    def _accuse(self, record: Record, peer: Process) -> None:
        begin, names = self._begin(record, peer), self._history.names
        late = self._all.late_between
        excused = late(record.incarnation, begin, record.time) or late(peer.uuid, begin, record.time)
        who = names.process(record.node, record.incarnation)
        said = f"{who} publishes the failure of {self._history.name(peer)}, which was there, and nothing stood between "
        self._all.accuse(f"{said}them, for {rounded(record.time - begin)} before.", [record], late=excused)
