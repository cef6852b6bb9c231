"""S10, rejoin of an incarnation that vanished unseen.

It is judged at a master: the last incarnation at that address was in its view, and neither failed nor shut down there.
JOIN and JOINED_AND_READY of the same stay say so. If another master came between, it cannot know and is not judged. An
application that an earlier master told of the end is not told again. A FAILURE that a member itself concludes from a
rejoin does not come before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from shaketable.harness.bounds.cluster import Bounds
from shaketable.harness.checks.groups.reading import (
    ADD,
    FAILED,
    FAILURE,
    JOIN,
    JOINED_AND_READY,
    NEW_MASTER,
    PLANNED_SHUTDOWN,
    READY,
    SHUTDOWN,
    Told,
    told,
)
from shaketable.harness.checks.result import CheckResult, Findings, counted
from shaketable.harness.history.history import History
from shaketable.harness.records import Record
from shaketable.node.events import NotificationPublished, NotificationTaken, ReadmissionAsked, Signalled
from shaketable.node.messages import Address, Uuid

NAME: Final = "rejoin"
RULE: Final = (
    "If the master did not change in between, JOIN and JOINED_AND_READY carry the rejoin sub-event if and only if the "
    "incarnation changed without a FAILURE or PLANNED_SHUTDOWN before."
)
NEEDS: Final = (NotificationPublished,)


class Due(NamedTuple):
    """What must be told by one notification."""

    before: Uuid | None
    """the incarnation that vanished unseen"""
    record: Record


def check(history: History, bounds: Bounds) -> CheckResult:
    findings = Findings(history)
    due: dict[Told, Due] = {}
    changed = rejoined = 0
    for uuid, records in told(history, NotificationPublished).items():
        present: dict[Address, Uuid] = {}
        former: dict[Address, Uuid] = {}
        """the last incarnation there, in this reign"""
        stays: dict[Uuid, Due] = {}
        for record in records:
            event = record.event
            key, peer = (event.version, uuid), event.peer
            if event.change == NEW_MASTER:
                present = {member.address: member.uuid for member in event.members}
                former, stays = dict(present), {}
            elif peer is None:
                continue
            elif event.change == ADD:
                before = present.get(peer.address)
                unseen = before if before != peer.uuid else stays[peer.uuid].before if peer.uuid in stays else None
                due[key] = stays[peer.uuid] = Due(unseen, record)
                changed += former.get(peer.address, peer.uuid) != peer.uuid
                rejoined += before not in (None, peer.uuid)
                present[peer.address] = former[peer.address] = peer.uuid
            elif event.change == READY and peer.uuid in stays:
                due[key] = stays.pop(peer.uuid)  # until then another stay of its own is part of its coming
            elif event.change in (FAILURE, SHUTDOWN) and present.get(peer.address) == peer.uuid:
                del present[peer.address]
    for heard in told(history, NotificationTaken, Signalled, ReadmissionAsked).values():
        _judge_member(history, findings, heard, due)
    looked_at = f"{counted(changed, 'member')} that came back as another incarnation, {rejoined} of them unseen before"
    return findings.result(NAME, RULE, looked_at, changed)


def _judge_member(history: History, findings: Findings, records: list[Record], due: Mapping[Told, Due]) -> None:
    over: dict[Uuid, Uuid | None] = {}
    """whose end its application knows of, in this stay of its own; from whom, if by a rejoin under the master of now"""
    unseen: Uuid | None = None
    """the incarnation that has vanished by the notification that it has just taken"""
    for record in records:
        signal = record.event
        if isinstance(signal, NotificationTaken):
            taken = due.get((signal.version, signal.author))
            unseen = taken.before if taken is not None else None
        if isinstance(signal, ReadmissionAsked):
            over = {}
        elif isinstance(signal, NotificationTaken) and signal.change == NEW_MASTER:
            over = dict.fromkeys(over)
        elif isinstance(signal, NotificationTaken) and signal.change == ADD and signal.peer is not None:
            over.pop(signal.peer.uuid, None)
        if not isinstance(signal, Signalled):
            continue
        if signal.signal in (FAILED, PLANNED_SHUTDOWN) and (signal.version or signal.peer.uuid != unseen):
            over[signal.peer.uuid] = None
        must = due.get((signal.version, signal.author))
        if must is None or signal.signal not in (JOIN, JOINED_AND_READY):
            continue
        by = over.get(must.before, signal.author) if must.before is not None else None
        if by not in (None, signal.author):
            continue  # who asked two masters to be added is in the view of the second one without a change of masters
        rejoins = by is not None
        if (signal.rejoin is not None) == rejoins:
            if must.before is not None:
                over.setdefault(must.before, signal.author)  # READY of the same master is to say so too
            continue
        who, whom = history.names.process(record.node, record.incarnation), history.names.member(signal.peer)
        said = f"{who} tells its application {signal.signal} of {whom} "
        if rejoins:
            said += "as if it were new, and its incarnation before vanished without a FAILURE or PLANNED_SHUTDOWN."
        else:
            said += "as a rejoin, and no incarnation before it had vanished unseen."
        findings.add(said, dict.fromkeys((must.record, record)))
