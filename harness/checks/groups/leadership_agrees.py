"""S9, one leadership.

The key of the notification names the change. "Same notifications" checks that a member takes it.

- Of those that are well the first one takes over (successors.py).
- A master that shuts down is followed at once (handed_over.py).
- So is one that stops and has told nobody else to lead (stopped_masters.py).
- A master that is started again leads no more, and is missed at once (restarted_masters.py).
- A new master takes up what the one before told last (inherited.py).
- If nobody leads, the first one of those that look for a group founds it (founders.py).
- Two masters that learn of each other decide which one stays, and the other one gives way (met_masters.py).
- A member takes over from its own master, and goes over to a later reign alone (in_turn.py)."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.founders import Founders
from shaketable.harness.checks.groups.handed_over import HandedOver
from shaketable.harness.checks.groups.in_turn import InTurn
from shaketable.harness.checks.groups.inherited import Inherited
from shaketable.harness.checks.groups.met_masters import MetMasters
from shaketable.harness.checks.groups.reading import LEADERSHIP, NEW_MASTER, Told, told
from shaketable.harness.checks.groups.restarted_masters import RestartedMasters
from shaketable.harness.checks.groups.stopped_masters import StoppedMasters
from shaketable.harness.checks.groups.successors import Successors
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, counted
from shaketable.harness.checks.shared.circumstances import Circumstances
from shaketable.harness.history.history import History
from shaketable.harness.records import Record, tells
from shaketable.node.events import (
    HealthAnnouncedToAll,
    LeadershipTaken,
    LeadershipYielded,
    Leaving,
    MasterFollowed,
    MastersCollided,
    NotificationPublished,
    NotificationTaken,
    ReadmissionAsked,
    Signalled,
    Suspected,
    SuspectReported,
)
from shaketable.node.messages import Uuid

Heard = Record[Signalled]

NAME: Final = "leadership agrees"
RULE: Final = (
    "While two members are in one view, they hear of the same GROUP_LEADERSHIP, in the same order. All who take the "
    "notification tell the same master, and nobody tells one without it. The first in the order of the election takes "
    "over, of those that are well: at once, if the master shuts down. A master that is started again is missed at once."
    " Of two masters that meet one gives way."
)
NEEDS: Final = (
    HealthAnnouncedToAll,
    LeadershipTaken,
    Leaving,
    MasterFollowed,
    NotificationPublished,
    NotificationTaken,
    ReadmissionAsked,
    Signalled,
    Suspected,
    SuspectReported,
    IfSeen(LeadershipYielded, (MastersCollided,)),
)


def check(history: History, bounds: Bounds) -> CheckResult:
    all_ = Circumstances(history, bounds)
    findings = all_.findings
    orders: dict[Uuid, dict[Told, Heard]] = {}
    for uuid, records in told(history, NotificationTaken, Signalled).items():
        orders[uuid] = _of_member(history, findings, records)
    first: dict[Told, Heard] = {}
    order: dict[tuple[Told, Told], tuple[Heard, Heard]] = {}
    compared = 0
    for heard in orders.values():
        for key, record in heard.items():
            known = first.setdefault(key, record)
            if known is not record:
                compared += 1
                _compare(history, findings, key, known, record)
        for (one, early), (other, late) in combinations(heard.items(), 2):
            order.setdefault((one, other), (early, late))
            if (other, one) in order:
                _accuse_of_order(history, findings, (early, late), order[other, one])
    for part in (Successors, HandedOver, StoppedMasters, RestartedMasters, Inherited, Founders, MetMasters, InTurn):
        part(history, all_).judge()
    looked_at = f"{counted(len(first), 'change')} of the master, compared {counted(compared, 'time')}"
    notes = [f"{counted(all_.excused, 'change')} of the master while rounds were late"] if all_.excused else []
    return findings.result(NAME, RULE, looked_at, compared, unknown=bool(all_.excused), notes=notes)


def _of_member(history: History, findings: Findings, records: list[Record]) -> dict[Told, Heard]:
    """What its application heard of masters, in order."""
    heard: dict[Told, Heard] = {}
    open_: dict[Told, Record] = {}
    last = records[-1]
    for record in records:
        if tells(record, NotificationTaken) and record.event.change == NEW_MASTER:
            open_[record.event.version, record.event.author] = record
        elif tells(record, Signalled) and record.event.signal == LEADERSHIP:
            peer, key = record.event.peer, (record.event.version, record.event.author)
            who = history.names.process(record.node, record.incarnation)
            said = f"{who} tells its application that {history.names.member(peer)} leads"
            if key in heard:
                findings.add(f"{said}, for the second time.", [heard[key], record])
            elif key not in open_:
                findings.add(f"{said}, and no notification of that has come.", [record])
            elif peer.uuid != key[1]:
                said += f", by notification {key[0]} of {history.names.author(key[1])}."
                findings.add(said, [open_.pop(key), record])
            open_.pop(key, None)
            heard.setdefault(key, record)
    for (version, author), record in open_.items():
        if record is not last:  # the last words of a killed member may be lost
            who = history.names.process(record.node, record.incarnation)
            said = f"{who} takes notification {version} of {history.names.author(author)}, who leads from then on, and "
            findings.add(f"{said}does not tell its application.", [record])
    return heard


def _compare(history: History, findings: Findings, key: Told, one: Heard, other: Heard) -> None:
    masters = one.event.peer, other.event.peer
    if masters[0] == masters[1]:
        return
    names = history.names
    who = names.process(one.node, one.incarnation), names.process(other.node, other.incarnation)
    said = f"By notification {key[0]} of {names.author(key[1])} {who[0]} hears that {names.member(masters[0])} leads, "
    findings.add(f"{said}and {who[1]} that {names.member(masters[1])} does.", [one, other])


def _accuse_of_order(
    history: History, findings: Findings, mine: tuple[Heard, Heard], theirs: tuple[Heard, Heard]
) -> None:
    names = history.names

    def told_of(records: tuple[Heard, Heard]) -> str:
        masters = [names.member(record.event.peer) for record in records]
        who = names.process(records[0].node, records[0].incarnation)
        return f"{who} hears that {masters[0]} leads before it hears that {masters[1]} does"

    findings.add(f"{told_of(mine)}, and {told_of(theirs)}.", [*mine, *theirs])
