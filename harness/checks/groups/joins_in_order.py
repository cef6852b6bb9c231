"""S6, joins in order.

A *stay* is the stay of the other member in this one's views. A living member that was removed is added again, and
begins another stay. No JOIN is due for a member that was there first, or came with another master's view or with
notifications that are lost. Any other is due (joins_told.py). A master that is asked adds a newcomer at once
(let_in.py). A member that is added says so itself (says_it_joined.py), and the master tells soon that it is ready
(readied.py). The start of a whole group is over when all are ready, or its time is up (group_starts.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.group_starts import GroupStarts
from shaketable.harness.checks.groups.joins_told import JoinsTold
from shaketable.harness.checks.groups.let_in import LetIn
from shaketable.harness.checks.groups.readied import Readied
from shaketable.harness.checks.groups.reading import ADD, FAILURE, JOIN, JOINED_AND_READY, SHUTDOWN, is_core, told
from shaketable.harness.checks.groups.says_it_joined import SaysItJoined
from shaketable.harness.checks.result import CheckResult, IfSeen, counted
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import (
    GroupStartBegan,
    GroupStartEnded,
    Joined,
    Leaving,
    MasterFollowed,
    NotificationsLost,
    NotificationTaken,
    ReadmissionAsked,
    Signalled,
    ViewInstalled,
)
from shaketable.node.messages import Uuid
from shaketable.node.why import Why

NAME: Final = "joins in order"
RULE: Final = (
    "JOIN of a member is told before its JOINED_AND_READY, each once for each incarnation and stay. Of a spectator "
    "neither is told. A master adds a member that asks it, at once. A member that is in a view says that it has joined."
    " The start of a whole group is over when all are ready, or its time is up."
)
NEEDS: Final = (
    Joined,
    Leaving,
    ReadmissionAsked,
    Signalled,
    ViewInstalled,
    IfSeen(GroupStartBegan, (GroupStartEnded,)),
)


@dataclass(slots=True)
class Seen:
    """A member in another one's views."""

    added: bool
    """here it was seen to come"""
    joined: Record | None = None
    ready: Record | None = None


def check(history: History, bounds: Bounds) -> CheckResult:
    all_ = Circumstances(history, bounds)
    findings = all_.findings
    kinds = MasterFollowed, ReadmissionAsked, NotificationsLost, NotificationTaken, ViewInstalled, Signalled
    joins = readies = 0
    for records in told(history, *kinds).values():
        seen: dict[Uuid, Seen] = {}
        gap = False
        for record in records:
            match record.event:
                case ReadmissionAsked():
                    seen = {}
                case NotificationsLost():
                    gap = True
                case NotificationTaken(_, _, peer, change):
                    if change in (FAILURE, SHUTDOWN) and peer is not None:
                        seen.pop(peer.uuid, None)
                    elif change == ADD and peer is not None and peer.uuid == record.incarnation:
                        seen = {}  # its own stay begins, whether or not it knew that the one before was over
                case ViewInstalled() as view:
                    added = view.why is Why.ADD and bool(seen) and not gap
                    gap = False
                    seen = {m.uuid: seen.get(m.uuid) or Seen(added) for m in view.members}
                case Signalled(signal, peer) if signal in (JOIN, JOINED_AND_READY):
                    joins, readies = joins + (signal == JOIN), readies + (signal != JOIN)
                    wrong = "" if is_core(history, peer, bounds.settings) else ", which is no core member"
                    here = seen.setdefault(peer.uuid, Seen(added=True))
                    before = here.joined if signal == JOIN else here.ready
                    if not wrong and before is not None:
                        wrong = ", for the second time in its stay"
                    elif not wrong and signal == JOIN and here.ready is not None:
                        wrong, before = " after its JOINED_AND_READY", here.ready
                    elif not wrong and signal == JOINED_AND_READY and here.joined is None and here.added:
                        wrong = " without a JOIN before"
                    if wrong:
                        who = history.names.process(record.node, record.incarnation)
                        said = f"{who} tells its application {signal} of {history.names.member(peer)}{wrong}."
                        findings.add(said, [each for each in (before, record) if each is not None])
                    if signal == JOIN:
                        here.joined = record
                    else:
                        here.ready = record
    SaysItJoined(history, all_).judge()
    JoinsTold(history, findings, bounds.settings).judge()
    LetIn(history, all_, bounds.settings).judge()
    Readied(history, all_).judge()
    GroupStarts(history, all_).judge()
    looked_at = f"{counted(joins, 'JOIN')} and {counted(readies, 'JOINED_AND_READY', 'JOINED_AND_READYs')}"
    notes = [f"{counted(all_.excused, 'newcomer')} while rounds were late"] if all_.excused else []
    return findings.result(NAME, RULE, looked_at, joins + readies, unknown=bool(all_.excused), notes=notes)
