"""Leadership agrees (S9): two members that were in one view heard of the same changes of the master, in the same order.

A change of the master is a notification like all others, so its key names it: all who take it tell their applications
the same master, once; two members hear of the changes that both took in the same order; and nobody tells a change that
no notification has told it. (That a member takes all of a master whose view it is in is "same notifications".)"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from shaketable.harness.checks.bounds import Bounds
from shaketable.harness.checks.groups.reading import LEADERSHIP, NEW_MASTER, Told, told
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.recording.history import History
from shaketable.harness.records import Record
from shaketable.node.events import NotificationTaken, Signalled
from shaketable.node.messages import Uuid

NAME: Final = "leadership agrees"
RULE: Final = (
    "Any two members hear of the same GROUP_LEADERSHIP, in the same order, while both are in one view: all who take "
    "the notification tell the same master, and nobody tells one without it."
)


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    orders: dict[Uuid, dict[Told, Record]] = {}
    for uuid, records in told(history, NotificationTaken, Signalled).items():
        orders[uuid] = _of_member(history, findings, records)
    first: dict[Told, Record] = {}
    order: dict[tuple[Told, Told], tuple[Record, Record]] = {}
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
    looked_at = f"{counted(len(first), 'change')} of the master, compared {counted(compared, 'time')}"
    return findings.result(NAME, RULE, looked_at, compared)


def _of_member(history: History, findings: Findings, records: list[Record]) -> dict[Told, Record]:
    """What its application heard of masters, in order."""
    heard: dict[Told, Record] = {}
    open_: dict[Told, Record] = {}
    last = records[-1]
    for record in records:
        match record.event:
            case NotificationTaken(version, author, _, change):
                if change == NEW_MASTER:
                    open_[version, author] = record
            case Signalled(signal, peer, version, author) if signal == LEADERSHIP:
                key = version, author
                who = history.names.process(record.node, record.incarnation)
                said = f"{who} tells its application that {history.names.member(peer)} leads"
                if key in heard:
                    findings.add(f"{said}, for the second time.", [heard[key], record])
                elif key not in open_:
                    findings.add(f"{said}, and no notification of that has come.", [record])
                elif peer.uuid != author:
                    said += f", by notification {version} of {history.names.author(author)}."
                    findings.add(said, [open_.pop(key), record])
                open_.pop(key, None)
                heard.setdefault(key, record)
    for (version, author), record in open_.items():
        if record is not last:  # the last words of who was killed may be lost
            who = history.names.process(record.node, record.incarnation)
            said = f"{who} takes notification {version} of {history.names.author(author)}, who leads from then on, and "
            findings.add(f"{said}does not tell its application.", [record])
    return heard


def _compare(history: History, findings: Findings, key: Told, one: Record, other: Record) -> None:
    both = one.event, other.event
    assert isinstance(both[0], Signalled)
    assert isinstance(both[1], Signalled)
    if both[0].peer == both[1].peer:
        return
    names = history.names
    who = names.process(one.node, one.incarnation), names.process(other.node, other.incarnation)
    said = (
        f"By notification {key[0]} of {names.author(key[1])} {who[0]} hears that {names.member(both[0].peer)} leads, "
    )
    findings.add(f"{said}and {who[1]} that {names.member(both[1].peer)} does.", [one, other])


def _accuse_of_order(
    history: History, findings: Findings, mine: tuple[Record, Record], theirs: tuple[Record, Record]
) -> None:
    names = history.names

    def told_of(records: tuple[Record, Record]) -> str:
        masters = []
        for record in records:
            assert isinstance(record.event, Signalled)
            masters.append(names.member(record.event.peer))
        who = names.process(records[0].node, records[0].incarnation)
        return f"{who} hears that {masters[0]} leads before it hears that {masters[1]} does"

    findings.add(f"{told_of(mine)}, and {told_of(theirs)}.", [*mine, *theirs])
