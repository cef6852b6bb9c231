"""Of joiners: is it true why a node founds a cluster, is ignored or refused, or is admitted?"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final

from shaketable.harness.checks.reasons.known import Judge, Known, Wrongs
from shaketable.harness.checks.reasons.known_merges import OWN_ADMISSIONS
from shaketable.harness.checks.result import counted
from shaketable.harness.checks.shared.leading import leads
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.events import Event, JoinBatched, Joined, JoinRefusedBy, JoinRequestIgnored, Stopped, ViewInstalled
from shaketable.node.messages import Address, JoinRequest, LeaveAnswer, StartupVoteAnswer, Uuid
from shaketable.node.why import Why

_FOUNDS: Final = (
    *(Why.NO_OTHER_ADDRESS, Why.NOBODY_ALIVE, Why.NOBODY_OF_MINE_ALIVE, Why.CONSENTED, Why.LONGEST_JOIN_TIME),
)
_CONFIGURED_OTHERWISE: Final = (Why.ANOTHER_PARTITION_COUNT, Why.OTHER_MAPS, Why.OTHER_GROUPS)
_OTHERWISE: Final = ("several at once", "a single one")
_AT_THE_MASTER: Final = (Why.LEFT_AND_REPLACED, Why.MEMBER_ELSEWHERE, Why.STALE_JOIN, Why.LINK_DOWN)


def _joined(known: Known, record: Record, event: Joined, node: NodeSeen) -> Wrongs:
    said = f"founds a cluster ({event.reason})" if event.founded else f"joins ({event.reason})"
    if event.why in ((Why.ADMITTED,) if event.founded else _FOUNDS):
        yield f"{said}, which is a reason for the opposite"
    yield from known.not_forgotten(record)
    alive = known.alive(node, record.incarnation)
    refused = record.incarnation in known.refused_by
    match event.why:
        case Why.NOBODY_ALIVE | Why.NOBODY_OF_MINE_ALIVE:
            if refused != (event.why is Why.NOBODY_OF_MINE_ALIVE):
                yield f"{said}, and {'another' if refused else 'no other'} cluster has refused it"
            if alive:
                yield f"{said}, and its link to {known.names.place(alive[0])} is up"
        case Why.LONGEST_JOIN_TIME:
            longest = known.settings_of(record.node).max_join
            took = record.time - known.looks_since.get(record.incarnation, record.time)
            if took + known.allowance < longest and not known.clocks_set:
                yield f"{said}, and has looked for one for {rounded(took)}, not {rounded(longest)}"
            yield from _waits_for_nobody(known, record, node, said)
        case Why.CONSENTED:
            yield from _consented(known, record, node, said, alive)


def _waits_for_nobody(known: Known, record: Record, node: NodeSeen, said: str) -> Wrongs:
    """It waits for an address that was heard, for a master of whom it was told, and for a vote, but not for ever."""
    since, s = known.alone_since(node, record.incarnation), known.settings_of(record.node)
    if since is None or known.slept or known.clocks_set:
        return
    took, most = record.time - since, 3 * (s.join_patience + s.join_retry) + s.startup_vote_timeout
    if took > most + known.allowance:
        yield f"{said}, and no other node has run for {rounded(took)}; it waits for {rounded(most)}"


def _consented(known: Known, record: Record, node: NodeSeen, said: str, alive: list[Address]) -> Wrongs:
    """The first by the order of the start-up vote founds, when the last one answers; no member can have consented."""
    me, s = node.address, known.settings_of(record.node)
    if record.cause is not None and record.cause.kind != StartupVoteAnswer.__name__:
        yield f"{said}, and nobody has just answered its vote"
    for address in alive:
        name = known.names.place(address)
        if start_up_order(address) < start_up_order(me):
            yield f"{said}, and {name} is before it in the order of the start-up vote"
        other = known.seen.nodes.get(known.seen.names.get(address, ""))
        since = known.joined_at.get(other.incarnation) if other is not None and other.running else None
        asked = record.time - s.startup_vote_timeout - s.join_retry - known.allowance
        if since is not None and since < asked and not known.slept:
            yield f"{said}, and {name} has been a member since {rounded(since)}"


def start_up_order(address: Address) -> tuple[int, Address]:
    """By a hash of 32 bits, with its sign: first of the host's letters, then of the port."""
    host, _, port = address.rpartition(":")
    hashed = 0
    for number in (*(ord(letter) for letter in host), int(port)):
        hashed = (hashed * 31 + number) % (1 << 32)
    return hashed - (hashed >> 31 << 32), address


def _refused_by(known: Known, record: Record, event: JoinRefusedBy, node: NodeSeen) -> Wrongs:
    if node.joined:
        yield f"is refused by {known.names.member(event.peer)}, and has joined"
    if event.why in _CONFIGURED_OTHERWISE and record.node not in known.has_gone_over:
        yield f"is refused by {known.names.member(event.peer)} ({event.reason}), and does not stop"


def _stopped(known: Known, record: Record, event: Stopped, node: NodeSeen) -> Wrongs:
    if event.refused and node.joined:
        yield f"stops ({event.reason}), and has joined"
    if event.refused != (event.why is Why.REFUSED_BY):
        yield f"stops ({event.reason}), and says that it is {'' if event.refused else 'not '}refused"
    asked, by = (
        known.merges.leaving.get(record.incarnation),
        known.merges.sets_aside.get(record.node, record.incarnation),
    )
    if asked is not None and by != record.incarnation and not known.clocks_set:
        took, most = record.time - asked, known.settings_of(record.node).graceful_shutdown_max_wait
        if took + known.allowance < most:
            yield f"stops ({event.reason}), and has not brought all data that it has set aside"
    answered = record.cause is not None and record.cause.kind == LeaveAnswer.__name__
    all_leave = all(member.lite or member.uuid in known.merges.leaving for member in node.members)
    if event.why is Why.LEFT and leads(node) and len(node.members) > 1 and not answered and not all_leave:
        held = known.held_by(node)
        if held:
            yield f"stops ({event.reason}), and has not handed over {counted(held, 'partition')}"


def _waits(known: Known, record: Record, event: JoinBatched, node: NodeSeen) -> Wrongs:
    said = f"lets {known.names.member(event.peer)} wait for others"
    if not leads(node):
        yield f"{said}, and does not lead"
    elif event.peer in node.members:
        yield f"{said}, which is a member already"
    if known.merges.waiting.get(record.incarnation, {}).get(event.peer.address) == event.peer:
        yield f"{said}, which waits already, and it has neither admitted nor ignored it"


def _ignored(known: Known, record: Record, event: JoinRequestIgnored, node: NodeSeen) -> Wrongs:
    said = f"ignores the join request of {known.names.member(event.peer)} ({event.reason})"
    there = any(member.address == event.peer.address for member in node.members)
    match event.why:
        case Why.NO_MEMBER_MYSELF:
            if node.joined:
                yield f"{said}, and is one"
        case Why.CLAIM_UNDER_WAY:
            if not node.claiming:
                yield f"{said}, and claims nothing"
        case Why.GOES_OVER:
            if node.merging.into is None:
                yield f"{said}, and stays"
        case Why.NOT_MASTER_ANY_MORE:
            if leads(node):
                yield f"{said}, and leads"
        case Why.LOST_WHILE_IT_WAITED:
            if known.merges.waiting.get(record.incarnation, {}).get(event.peer.address) != event.peer:
                yield f"{said}, and has not let it wait"
    if event.why not in _AT_THE_MASTER:
        return
    if not leads(node):
        yield f"{said}, and does not lead"
    elif there != (event.why is Why.LEFT_AND_REPLACED):
        yield f"{said}, and {'a' if there else 'no'} member is at its address"
    elif event.why is Why.LINK_DOWN and node.links_up.get(event.peer.address):
        yield f"{said}, and its link there is up"
    elif (event.why is Why.MEMBER_ELSEWHERE) != any(m.uuid == event.peer.uuid for m in node.members):
        yield f"{said}, and its list says otherwise"
    elif event.why is Why.STALE_JOIN and event.peer.uuid not in known.came.get(record.incarnation, {}):
        yield f"{said}, and its list never had it"


def _admitted(known: Known, record: Record, event: ViewInstalled, node: NodeSeen) -> Wrongs:
    """By a master: an identity that has come and gone a short while ago asks by a stale request."""
    if event.why not in OWN_ADMISSIONS:
        return
    before = {member.uuid for member in node.members}
    new = [member for member in event.members if member.uuid not in before]
    if before and (event.why is Why.SEVERAL_JOINED) != (len(new) > 1):
        yield f"admits {known.names.members(new)} ({event.reason}), and gives a reason for {_OTHERWISE[len(new) > 1]}"
    yield from _asked(known, record, event, node, before)
    if known.clocks_set:
        return
    came = known.came.get(record.incarnation, {})
    prevention = known.settings_of(record.node).stale_join_prevention
    for member in event.members:
        at = came.get(member.uuid)
        if member.uuid not in before and at is not None and record.time + known.allowance < at + prevention:
            name = known.names.member(member)
            yield f"admits {name}, which had come {rounded(record.time - at)} before, and was gone again"


def _asked(known: Known, record: Record, event: ViewInstalled, node: NodeSeen, before: Container[Uuid]) -> Wrongs:
    """Each has asked just now, or waited for others; and it can be told."""
    cause, waiting = record.cause, known.merges.waiting.get(record.incarnation, {})
    for member in event.members:
        if member.uuid in before:
            continue
        if node.links_up.get(member.address) is False:
            yield f"admits {known.names.member(member)}, to which its link is down"
        asks = cause is None or (cause.kind == JoinRequest.__name__ and cause.sender == member.uuid)
        if not asks and waiting.get(member.address) != member:
            yield f"admits {known.names.member(member)}, which has not asked"


JUDGES: Final[Mapping[type[Event], Judge]] = {
    Joined: _joined,
    JoinRefusedBy: _refused_by,
    Stopped: _stopped,
    JoinBatched: _waits,
    JoinRequestIgnored: _ignored,
    ViewInstalled: _admitted,
}
