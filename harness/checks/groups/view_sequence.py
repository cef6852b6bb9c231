"""S2, the sequence of views.

A restarted master is another incarnation, and begins again with 1. Installed views are compared with published ones
here, with each other by "one list a key". Only a member that leads publishes anything. A master tells each change to
all of its view (text 5.2.1.1), and says to how many. A member that is added, or ready, is in the view; one that has
failed or shut down is not, nor has it come again. Links are closed where a view changes (closed_links.py)."""

from __future__ import annotations

from typing import Final

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.closed_links import closed_links
from shaketable.harness.checks.groups.reading import ADD, NEW_MASTER, READY, Told, of_whom, told
from shaketable.harness.checks.result import CheckResult, Findings, IfSeen, counted
from shaketable.harness.history.history import History
from shaketable.harness.records import Record, tells
from shaketable.node.events import (
    LinkClosed,
    LinkDown,
    LinkUp,
    MasterFollowed,
    NotificationPublished,
    ReadmissionAsked,
    ViewInstalled,
)
from shaketable.node.messages import Member, Uuid

NAME: Final = "view sequence"
RULE: Final = (
    "A master's incarnation publishes notifications of strictly growing sequence ids, in its own name. Everybody "
    "installs its views in that order, with the members that it published, and closes its links to those who are gone."
)
NEEDS: Final = (NotificationPublished, IfSeen(LinkClosed, (LinkUp,)), IfSeen(LinkDown, (LinkUp,)))


def check(history: History, bounds: Bounds) -> CheckResult:
    findings, names = Findings(history), history.names
    views: dict[Told, tuple[tuple[Member, ...], Record]] = {}
    masters: dict[Uuid, bool] = {}
    installs = 0
    _judge_masters(history, findings)
    for uuid, records in told(history, NotificationPublished).items():
        before: Record[NotificationPublished] | None = None
        for record in records:
            event = record.event
            who = names.process(record.node, uuid)
            masters[uuid] = True
            if event.author != uuid:
                said = f"{who} publishes notification {event.version} in the name of {names.author(event.author)}."
                findings.add(said, [record])
            if before is not None and event.version <= before.event.version:
                said = f"{who} publishes notification {event.version} after {before.event.version}."
                findings.add(said, [before, record])
            _judge_receivers(history, findings, before, record)
            _judge_subject(history, findings, record)
            before = record
            views.setdefault((event.version, uuid), (event.members, record))
    for uuid, installed in told(history, ViewInstalled).items():
        newest: dict[Uuid, Record[ViewInstalled]] = {}
        for install in installed:
            view = install.event
            installs += 1
            who, author = names.process(install.node, uuid), names.author(view.author)
            last = newest.get(view.author)
            if last is not None and view.version <= last.event.version:
                findings.add(
                    f"{who} installs v{view.version} by {author} after v{last.event.version}.", [last, install]
                )
            newest[view.author] = install
            known = views.get((view.version, view.author))
            if known is not None and _sorted(known[0]) != _sorted(view.members):
                said = (
                    f"{who} installs v{view.version} {names.members(view.members)} by {author}, which published "
                    f"{names.members(known[0])}."
                )
                findings.add(said, [known[1], install])
    closed_links(history, findings)
    looked_at = (
        f"{counted(len(views), 'notification')} of {counted(len(masters), 'master')} and {counted(installs, 'install')}"
    )
    return findings.result(NAME, RULE, looked_at, len(views))


def _judge_masters(history: History, findings: Findings) -> None:
    """Only a member that leads publishes anything."""
    for uuid, records in told(history, NotificationPublished, MasterFollowed, ReadmissionAsked).items():
        follows: Record | None = None
        for record in records:
            if not tells(record, NotificationPublished):
                follows = record
            elif follows is not None and not (tells(follows, MasterFollowed) and follows.event.master.uuid == uuid):
                said = f"{history.names.process(record.node, uuid)} publishes notification {record.event.version}, and "
                findings.add(f"{said}does not lead.", [follows, record])


def _judge_subject(history: History, findings: Findings, record: Record[NotificationPublished]) -> None:
    """A member that is added, or ready, is in the view that is told with it. One that has gone is not, and no other
    incarnation is at its address: that one had come when the end was news."""
    event = record.event
    if event.peer is None or event.change == NEW_MASTER:
        return
    is_there = event.peer in event.members
    again = any(m != event.peer and m.address == event.peer.address for m in event.members)
    if is_there != (event.change in (ADD, READY)):
        has = f"{'has' if is_there else 'lacks'} that one"
    elif again and not is_there:
        has = "has another incarnation of it"
    else:
        return
    who = history.names.process(record.node, record.incarnation)
    said = f"{who} publishes notification {event.version}: {event.change}{of_whom(history, event.peer)}, and its "
    findings.add(f"{said}view {has}.", [record])


def _judge_receivers(
    history: History,
    findings: Findings,
    before: Record[NotificationPublished] | None,
    record: Record[NotificationPublished],
) -> None:
    """All others of its view before and after the change: a member that is taken off the view is told as well."""
    event = record.event
    if before is None and event.change != NEW_MASTER:
        return
    was = before.event.members if before is not None and event.change != NEW_MASTER else ()
    addresses = {member.address for member in (*was, *event.members)}
    if event.to != len(addresses) - 1:
        said = f"{history.names.process(record.node, record.incarnation)} says that it has told notification "
        said += f"{event.version} to {counted(event.to, 'member')}, and not to {len(addresses) - 1}."
        findings.add(said, [record] if before is None else [before, record])


def _sorted(members: tuple[Member, ...]) -> list[tuple[str, str]]:
    """A published view is in no order; a view that is installed has the master first."""
    return sorted((member.address, member.uuid) for member in members)
