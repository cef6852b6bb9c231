"""Of lists, suspicions, complaints, claims and heartbeats: is the reason true, and may this member do it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from shaketable.harness.checks.reasons.known import Judge, Known, Wrongs, stands_before_master
from shaketable.harness.checks.shared.leading import follows_itself, leads
from shaketable.harness.checks.shared.older import older_than
from shaketable.harness.checks.shared.search_time import SEARCH
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.events import (
    ClaimAnswered,
    ClaimAsked,
    ClaimConsented,
    ClaimDeclined,
    ComplaintReceived,
    ComplaintSent,
    ConfirmationIgnored,
    DisconnectionResolved,
    DisconnectionUnresolved,
    Event,
    ExplicitSuspicionReceived,
    ExplicitSuspicionSent,
    LinkClosed,
    MemberRemoved,
    RoundLate,
    StaleHeartbeat,
    Suspected,
    SuspicionEnded,
    SuspicionsReported,
    TriggerReceived,
    TriggerSent,
    ViewIgnored,
)
from shaketable.node.messages import JoinRequest, WhoIsMaster
from shaketable.node.why import Why

_ASKS: Final = (WhoIsMaster.__name__, JoinRequest.__name__)
"""of a node that looks for a cluster"""
FINAL: Final[Mapping[Why, bool]] = {
    Why.NOT_WHOM_YOU_MEAN: True,
    Why.NO_MEMBER: True,
    Why.MASTER_MYSELF: True,
    Why.NOT_IN_MY_LIST: True,
    Why.YOUNGER_MASTER: True,
    Why.TRUSTS_AN_OLDER: False,
}
"""whether a member that declines a claim for this reason may not accept it later"""
_NOT_TO_BE_OBEYED: Final = (
    *(Why.NO_MEMBER, Why.NOBODY_OF_MY_LIST, Why.AS_I_WAS),
    *(Why.TRIGGER_OF_ANOTHER, Why.TRIGGER_OF_ANOTHER_VERSION),
)


def _ignored(known: Known, record: Record, event: ViewIgnored, node: NodeSeen) -> Wrongs:
    said = f"ignores v{event.version} of {known.names.member(event.peer)} ({event.reason})"
    from_master = event.peer == node.master
    match event.why:
        case Why.NOT_FROM_MY_MASTER:
            if from_master:
                yield f"{said}, which is its master"
        case Why.NOT_NEWER:
            if event.version > node.version:
                yield f"{said}, and holds v{node.version}"
            if not from_master:
                yield f"{said}, which is not its master"
        case Why.WITHOUT_ME:
            if not from_master:
                yield f"{said}, which is not its master"


def _removed(known: Known, record: Record, event: MemberRemoved, node: NodeSeen) -> Wrongs:
    whom = known.names.member(event.peer)
    if not leads(node):
        yield f"removes {whom}, and does not lead"
    if event.peer not in node.members:
        yield f"removes {whom}, which is no member of its list"


def _suspected(known: Known, record: Record, event: Suspected, node: NodeSeen) -> Wrongs:
    said = f"suspects {known.names.member(event.peer)} ({event.reason})"
    if event.peer not in node.members or event.peer.uuid == node.incarnation:
        yield f"{said}, which is no other member of its list"
    elif event.peer.uuid in node.suspected:
        yield f"{said}, which it suspects already"
    match event.why:
        case Why.CONNECTION_LOST:
            if node.links_up.get(event.peer.address):
                yield f"{said}, and its link there is up"
        case Why.EXPLICIT:
            before = known.before.get(record.incarnation)
            told = before if isinstance(before, ExplicitSuspicionReceived) else None
            if told is None or not told.obeyed or told.peer.address != event.peer.address:
                yield f"{said}, and has not just obeyed it"
        case Why.NO_CONFIRMATION | Why.LEADS_ANOTHER:
            if not leads(node):
                yield f"{said}, and does not lead"
            late = known.late_at.get(record.incarnation)
            if event.why is Why.NO_CONFIRMATION and late is not None:
                took, within = record.time - late, known.settings_of(record.node).master_confirmation_timeout
                if took == 0 or (took + known.allowance < within and not known.clocks_set):
                    yield f"{said}, and its round was too late {f'{rounded(took)} before' if took else 'just now'}"
        case Why.NEW_IDENTITY:
            if not leads(node) and event.peer != node.master:
                yield f"{said}, and neither leads nor follows it"
            asker = record.cause.sender if record.cause is not None and record.cause.kind in _ASKS else ""
            if asker == event.peer.uuid:
                yield f"{said}, which has asked by the identity that it has"
            elif asker in known.came.get(record.incarnation, {}):
                yield f"{said}, and the one that asks had been in its list before"


def _ended(known: Known, record: Record, event: SuspicionEnded, node: NodeSeen) -> Wrongs:
    said = f"suspects {known.names.member(event.peer)} no longer ({event.reason})"
    if event.peer.uuid not in node.suspected:
        yield f"{said}, and did not suspect it"
    if event.why is Why.CLAIM_ACCEPTED:
        return
    if event.why is Why.ITS_LIST and event.peer != node.master:
        yield f"{said}, and follows another master"
    if node.master is not None and event.peer in older_than(node.members, node.master):
        yield f"{said}, which stands before its master"
    if (record.incarnation, event.peer.address) in known.lost:
        yield f"{said}, and its own link there is lost"


def _told_dead(known: Known, record: Record, event: ExplicitSuspicionReceived, node: NodeSeen) -> Wrongs:
    does = "obeys" if event.obeyed else "does not obey"
    said = f"{does} explicit suspicion of {known.names.member(event.peer)} ({event.reason})"
    if event.why in (_NOT_TO_BE_OBEYED if event.obeyed else (Why.AS_I_AM,)):
        yield f"{said}, which is a reason for the opposite"
    there = any(member.address == event.peer.address for member in node.members)
    match event.why:
        case Why.NO_MEMBER:
            if node.joined:
                yield f"{said}, and has joined"
        case Why.NOBODY_OF_MY_LIST:
            if there:
                yield f"{said}, and its list has that address"
        case Why.AS_I_WAS | Why.AS_I_AM:
            if not node.joined or not there:
                yield f"{said}, and its list does not have that address"


def _tells_dead(known: Known, record: Record, event: ExplicitSuspicionSent, node: NodeSeen) -> Wrongs:
    said = f"sends explicit suspicion to {known.names.member(event.peer)} ({event.reason})"
    before = known.before.get(record.incarnation)
    match event.why:
        case Why.STRANGE_LIST:
            if node.claiming or event.peer == node.master:
                yield f"{said}, and {'claims the mastership' if node.claiming else 'follows it'}"
            elif not (isinstance(before, ViewIgnored) and before.peer == event.peer):
                yield f"{said}, and has ignored no list of it just now"
        case Why.STRANGE_HEARTBEAT:
            if node.joined and not leads(node):
                yield f"{said}, and does not lead"
        case Why.STRANGE_CONFIRMATION | Why.ITS_LIST_HAS_ME:
            if not leads(node):
                yield f"{said}, and does not lead"
        case Why.COMPLAINT:
            if not leads(node):
                yield f"{said}, and does not lead"
            elif not isinstance(before, ComplaintReceived | ExplicitSuspicionSent):
                yield f"{said}, and has decided on no complaint just now"
        case Why.MY_MASTER_ASKS:
            if not (isinstance(before, TriggerReceived) and before.obeyed and before.third_party == event.peer):
                yield f"{said}, and has just obeyed nobody who asks for that"


def _complains(known: Known, record: Record, event: ComplaintSent, node: NodeSeen) -> Wrongs:
    said = f"complains of {known.names.member(event.peer)}"
    if node.master is None or follows_itself(node):
        yield f"{said}, and follows nobody to whom it could"
    elif node.master.uuid in node.suspected:
        yield f"{said} to its master, which it suspects"


def _judged(known: Known, record: Record, event: ComplaintReceived, node: NodeSeen) -> Wrongs:
    by, of = event.peer, event.complained_of
    said = f"decides on the complaint of {known.names.member(by)} about {known.names.member(of)} ({event.reason})"
    if (event.why is Why.COMPLAINT_TO_NO_MASTER) == leads(node):
        yield f"{said}, and {'leads' if leads(node) else 'does not lead'}"
    senseless = by == of or node.incarnation in (by.uuid, of.uuid)
    match event.why:
        case Why.BOTH_FOLLOW | Why.COMPLAINED_OF_FOLLOWS_NOT | Why.COMPLAINER_FOLLOWS_NOT | Why.NEITHER_FOLLOWS:
            follow = {
                Why.BOTH_FOLLOW: (by, of),
                Why.COMPLAINED_OF_FOLLOWS_NOT: (by,),
                Why.COMPLAINER_FOLLOWS_NOT: (of,),
            }.get(event.why, ())
            if senseless:
                yield f"{said}, which makes no sense"
            for member in follow:
                if member not in node.members:
                    yield f"{said}, and its list lacks {known.names.member(member)}"
            only_me = known.followed.get(of.uuid) == {node.incarnation: True}
            if of not in follow and of in node.members and only_me:
                yield f"{said}, and {known.names.member(of)} has followed nobody else"


def _triggers(known: Known, record: Record, event: TriggerSent, node: NodeSeen) -> Wrongs:
    said = f"has {known.names.member(event.peer)} send explicit suspicion to {known.names.member(event.third_party)}"
    if not leads(node):
        yield f"{said}, and does not lead"
    elif event.peer not in node.members:
        yield f"{said}, and its list lacks {known.names.member(event.peer)}"
    itself = event.third_party.address == node.address  # as it was in an earlier life
    if not itself and known.told_dead.get(record.incarnation) != event.third_party:
        yield f"{said}, and has not just sent it itself"


def _triggered(known: Known, record: Record, event: TriggerReceived, node: NodeSeen) -> Wrongs:
    does = "obeys" if event.obeyed else "does not obey"
    said = f"{does} the trigger of {known.names.member(event.peer)} ({event.reason})"
    if event.why in (_NOT_TO_BE_OBEYED if event.obeyed else (Why.TRIGGER_OF_MY_MASTER,)):
        yield f"{said}, which is a reason for the opposite"
    if (event.why is Why.TRIGGER_OF_ANOTHER) == (event.peer == node.master):
        yield f"{said}, and {'follows it' if event.peer == node.master else 'follows another'}"


def _ignores_confirmation(known: Known, record: Record, event: ConfirmationIgnored, node: NodeSeen) -> Wrongs:
    said = f"ignores a confirmation of {known.names.member(event.peer)} ({event.reason})"
    if (event.why is Why.NOT_MASTER) == leads(node):
        yield f"{said}, and {'leads' if leads(node) else 'does not lead'}"
    elif event.why is Why.TOO_OLD and event.peer not in node.members:
        yield f"{said}, which is no member of its list"


def _asks(known: Known, record: Record, event: ClaimAsked, node: NodeSeen) -> Wrongs:
    said, claim = f"asks {known.names.member(event.peer)} for its mastership", node.claims.open
    if claim is None:
        yield f"{said}, and claims none"
    elif event.peer.uuid == node.incarnation:
        yield f"{said}, which is itself"
    elif event.peer.uuid in claim.asked:
        yield f"{said}, and has asked it already"


def _answered(known: Known, record: Record, event: ClaimAnswered, node: NodeSeen) -> Wrongs:
    said = f"takes an answer of {known.names.member(event.peer)} to a claim"
    claim = node.claims.open
    asked = claim.asked.get(event.peer.uuid) if claim is not None else None
    if claim is None:
        yield f"{said}, and claims nothing"
    elif asked is None:
        yield f"{said}, and has not asked it"
    elif asked.final:
        yield f"{said}, and had one"


def _consented(known: Known, record: Record, event: ClaimConsented, node: NodeSeen) -> Wrongs:
    said = f"accepts the claim of {known.names.member(event.peer)}"
    if follows_itself(node):
        yield f"{said}, and is master, or claims it itself"
    elif node.master == event.peer:
        yield f"{said}, which it follows already"
    elif event.peer.uuid in node.suspected and stands_before_master(node, event.peer):
        yield f"{said}, which it suspects, and follows a younger one"


def _declined(known: Known, record: Record, event: ClaimDeclined, node: NodeSeen) -> Wrongs:
    said = f"declines the claim of {known.names.member(event.peer)} ({event.reason})"
    if event.why in FINAL and event.final != FINAL[event.why]:
        yield f"{said}, {'for good' if event.final else 'for now'}"
    if event.why is Why.NO_MEMBER and node.joined:
        yield f"{said}, and has joined"
    elif event.why not in FINAL or event.why in (Why.NO_MEMBER, Why.NOT_WHOM_YOU_MEAN):
        return
    elif not node.joined:
        yield f"{said}, and has not joined"
    mine = follows_itself(node)
    if mine != (event.why is Why.MASTER_MYSELF):
        yield f"{said}, and {'is' if mine else 'is not'} its own master"
    match event.why:
        case Why.NOT_IN_MY_LIST:
            if event.peer in node.members:
                yield f"{said}, and its list has it"
        case Why.YOUNGER_MASTER:
            if event.peer.uuid not in node.suspected or not stands_before_master(node, event.peer):
                yield f"{said}, and does not suspect it, or does not follow a younger one"
        case Why.TRUSTS_AN_OLDER:
            if all(member.uuid in node.suspected for member in older_than(node.members, event.peer)):
                yield f"{said}, and suspects everyone older"


def _stale(known: Known, record: Record, event: StaleHeartbeat, node: NodeSeen) -> Wrongs:
    half = known.settings_of(record.node).heartbeat_timeout // 2
    if event.age <= half:
        yield f"ignores a heartbeat of {known.names.member(event.peer)}, which is not older than half the timeout"


def _late(known: Known, record: Record, event: RoundLate, node: NodeSeen) -> Wrongs:
    settings, began = known.settings_of(record.node), known.began.get(record.incarnation)
    if event.afresh != (event.lateness > settings.heartbeat_timeout // 2):
        yield f"{'begins' if event.afresh else 'does not begin'} all deadlines afresh after a round so late"
    if began is not None and event.lateness > record.time - began + known.allowance and not known.clocks_set:
        yield f"has a round {rounded(event.lateness)} late, and began {rounded(record.time - began)} before"


def _reported(known: Known, record: Record, event: SuspicionsReported, node: NodeSeen) -> Wrongs:
    said = f"takes a report of {known.names.member(event.peer)}"
    if not follows_itself(node):
        yield f"{said}, and is not master"
    for member in (event.peer, *event.suspected):
        if member not in node.members:
            yield f"{said}, and its list lacks {known.names.member(member)}"


def _told_again(known: Known, record: Record, event: DisconnectionResolved | DisconnectionUnresolved) -> Wrongs:
    """What comes while it searches is for the next decision, and is news to that one."""
    began = record.time - SEARCH * event.work
    for time, peer in known.told_again.get(record.incarnation, ()):
        if time < began:
            yield f"takes a report of {known.names.member(peer)}, which says nothing else than before"


def _unresolved(known: Known, record: Record, event: DisconnectionUnresolved, node: NodeSeen) -> Wrongs:
    yield from _told_again(known, record, event)


def _resolved(known: Known, record: Record, event: DisconnectionResolved, node: NodeSeen) -> Wrongs:
    yield from _told_again(known, record, event)
    yield from _waits_for_nobody(known, record, event)
    rows = node.partitions.rows
    if not rows or node.partitions.searching:
        return
    held = Counter(uuid for row in rows.values() for uuid in row)
    if event.replicas != tuple(held[member.uuid] for member in event.members):
        yield "decides who leaves, and counts other replicas than its table has"


def _waits_for_nobody(known: Known, record: Record, event: DisconnectionResolved) -> Wrongs:
    """A master waits up to a timeout for each one of a broken pair that it does not hear: it may be ill."""
    me, settings, began = record.incarnation, known.settings_of(record.node), record.time - SEARCH * event.work
    first = min((each.since for each in known.told.get(me, {}).values()), default=0)
    if began >= first + settings.partial_disconnection_wait + settings.heartbeat_timeout:
        return
    for member in dict.fromkeys(each for reporter, suspected in event.reports for each in (reporter, *suspected)):
        since = known.unheard_since(known.seen.names.get(member.address, ""), record.node, began)
        late, came = known.round_late_at.get(me, 0), known.came.get(me, {}).get(member.uuid, 0)
        if since is None or max(late, came) >= since:
            continue  # its silence began to count later
        if began > since + 2 * settings.heartbeat_interval + known.allowance:
            silent = rounded(began - since)
            yield f"decides who leaves, and does not wait for {known.names.member(member)}, silent for {silent}"


def _hangs_up(known: Known, record: Record, event: LinkClosed, node: NodeSeen) -> Wrongs:
    said = f"hangs up its link to {known.names.place(event.address)}"
    if any(member.address == event.address for member in node.members):
        yield f"{said}, where a member of its list is"
    elif not known.link_is_up(node, event.address):
        yield f"{said}, which is not up"


JUDGES: Final[Mapping[type[Event], Judge]] = {
    ViewIgnored: _ignored,
    MemberRemoved: _removed,
    Suspected: _suspected,
    SuspicionEnded: _ended,
    SuspicionsReported: _reported,
    ExplicitSuspicionReceived: _told_dead,
    ExplicitSuspicionSent: _tells_dead,
    ComplaintSent: _complains,
    ComplaintReceived: _judged,
    TriggerSent: _triggers,
    TriggerReceived: _triggered,
    ConfirmationIgnored: _ignores_confirmation,
    ClaimAsked: _asks,
    ClaimAnswered: _answered,
    ClaimConsented: _consented,
    ClaimDeclined: _declined,
    DisconnectionResolved: _resolved,
    DisconnectionUnresolved: _unresolved,
    LinkClosed: _hangs_up,
    StaleHeartbeat: _stale,
    RoundLate: _late,
}
