"""Of searches for other parts, merges and lists of addresses: is the reason true, and may this member do it?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from shaketable.harness.checks.reasons.known import Judge, Known, Wrongs
from shaketable.harness.checks.reasons.known_merges import UNFINISHED
from shaketable.harness.checks.shared.leading import leads
from shaketable.harness.history.words.cluster import rounded
from shaketable.harness.records import Record
from shaketable.harness.seen.run import NodeSeen
from shaketable.node.config import Settings
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    AddressRemembered,
    Event,
    JoinAddressesChanged,
    JoinAddressesChangeEnded,
    MergeBegan,
    MergePutOff,
    Merging,
    SplitBrainSearchBegan,
    SplitBrainSearchEnded,
)
from shaketable.node.why import Why

_ONLY_A_MASTER: Final[Mapping[type[Event], str]] = {
    MergeBegan: "has its cluster go over to another part",
    SplitBrainSearchBegan: "looks for other parts",
}


def _needs_to_lead(known: Known, record: Record, event: MergeBegan | SplitBrainSearchBegan, node: NodeSeen) -> Wrongs:
    does, me = _ONLY_A_MASTER[type(event)], record.incarnation
    if not leads(node):
        yield f"{does}, and does not lead"
    if node.merging.searching:
        yield f"{does}, and has not ended its search"
    if me in known.merges.leaving:
        yield f"{does}, and is about to leave"
    if known.merges.waiting.get(me):
        yield f"{does}, and has somebody wait who joins"
    if isinstance(event, MergeBegan):
        yield from _goes_over(known, record, event, node)
    else:
        yield from known.not_forgotten(record)
        yield from _searches_late(known, record)


def _searches_late(known: Known, record: Record) -> Wrongs:
    """A merge that was put off for a migration: it looks each time that it would ask to join whether that has ended."""
    since = known.merges.searches_since.get(record.incarnation)
    if since is None or known.clocks_set:
        return
    took, within = record.time - since, known.settings_of(record.node).join_retry
    if took > within + known.allowance + known.slept_for(record.node, since, record.time):
        said = f"looks for other parts {rounded(took)} after the migration had ended for which it put a merge off"
        yield f"{said}, and has {rounded(within)}"


def _goes_over(known: Known, record: Record, event: MergeBegan, node: NodeSeen) -> Wrongs:
    said = f"has its cluster go over to {known.names.member(event.peer)}"
    judged, settings = node.merging.judged.get(event.peer.uuid), known.settings_of(record.node)
    if judged is None or judged.decision != "merge":
        yield f"{said}, and has not judged that it has to"
    if node.partitions.searching or node.partitions.under_way:
        does = "looks for the newest table" if node.partitions.searching else "has a migration under way"
        yield f"{said}, and {does}"
    asked = known.merges.asked_at.get(record.incarnation)
    if asked is not None and not known.clocks_set:
        took, within = record.time - asked, kept(settings) - kept(settings) // 2 + known.allowance
        if took > within:
            yield f"{said} {rounded(took)} after it asked, and has {rounded(within)}"
    of, at = known.merges.told_to_come.get(record.incarnation, {}).get(event.peer.uuid, (event.peer.uuid, 0))
    if of != event.peer.uuid and record.time < at + kept(settings) + settings.max_join_merge_target:
        yield f"{said}, which was of a part that it had told to come {rounded(record.time - at)} before"


def _goes(known: Known, record: Record, event: Merging, node: NodeSeen) -> Wrongs:
    """The master: when all others have gone, or it has waited for them; and not so late that nobody is expected."""
    asked = known.merges.goes_since.get(record.incarnation)
    if asked is None or known.clocks_set:
        return
    said, took = f"goes over to {known.names.member(event.peer)}", record.time - asked
    time = kept(known.settings_of(record.node))
    if took > time - time // 4 + known.allowance + known.slept_for(record.node, asked, record.time):
        yield f"{said} {rounded(took)} after it asked, and has {rounded(time - time // 4)}"
    for member in node.members if took + known.allowance < time - time * 3 // 8 else ():
        other = known.seen.nodes.get(known.seen.names.get(member.address, ""))
        if member.uuid == record.incarnation or member.uuid in node.suspected or other is None:
            continue
        if other.running and other.incarnation == member.uuid and not other.merging.renews:
            yield f"{said}, and {known.names.member(member)}, a member of its list, has not gone"


def kept(settings: Settings) -> Micros:
    """So long a part waits for another one that it has told to come (rulings 4.7)."""
    return min(settings.max_join_merge_target, settings.merge_next_run_delay // 2)


def _search_ended(known: Known, record: Record, event: SplitBrainSearchEnded, node: NodeSeen) -> Wrongs:
    said = f"ends a search for other parts ({event.reason})"
    if not node.merging.searching:
        yield f"{said}, and has begun none"
    if event.why is Why.DOES_NOT_LEAD and leads(node):
        yield f"{said}, and leads"
    if event.why is Why.THEY_COME and not any(each.decision == "stay" for each in node.merging.judged.values()):
        yield f"{said}, and has told nobody to come"


def _put_off(known: Known, record: Record, event: MergePutOff, node: NodeSeen) -> Wrongs:
    said, me = f"does not go over to {known.names.member(event.peer)} ({event.reason})", record.incarnation
    match event.why:
        case Why.DOES_NOT_LEAD_OR_CLAIMS:
            if leads(node):
                yield f"{said}, and leads"
        case Why.ABOUT_TO_LEAVE:
            if me not in known.merges.leaving:
                yield f"{said}, and nobody has told it to leave"
        case Why.SOMEBODY_JOINS:
            if not known.merges.waiting.get(me):
                yield f"{said}, and has nobody wait"
        case Why.MIGRATION_UNDER_WAY:
            if not node.partitions.under_way and not node.partitions.active:
                yield f"{said}, and none is"
        case Why.SEARCHING:
            if not node.partitions.searching:
                yield f"{said}, and has found it"
        case Why.LIST_CHANGED | Why.LIST_CHANGED_SINCE_ASKED:
            if known.merges.asked_with.get(me) == (node.version, node.members):
                yield f"{said}, and has the list with which it asked"
        case Why.THEY_COME:
            if not any(each.decision == "stay" for each in node.merging.judged.values()):
                yield f"{said}, and has told nobody to come"
    asked, settings = known.merges.asked_at.get(me), known.settings_of(record.node)
    if event.why in UNFINISHED and asked is not None and not known.clocks_set:
        took, waits = record.time - asked, kept(settings) - kept(settings) // 2
        if took + known.allowance < waits:
            yield f"{said} {rounded(took)} after it asked, and waits for {rounded(waits)}"


def _remembers(known: Known, record: Record, event: AddressRemembered, node: NodeSeen) -> Wrongs:
    if event.address in known.merges.remembered.get(record.node, {}):
        yield f"remembers {known.names.place(event.address)}, and has not forgotten it since"


def _takes_addresses(known: Known, record: Record, event: JoinAddressesChanged, node: NodeSeen) -> Wrongs:
    if event.master != node.master:
        yield f"takes a list of addresses of {known.names.member(event.master)}, and follows another master"


def _addresses_ended(known: Known, record: Record, event: JoinAddressesChangeEnded, node: NodeSeen) -> Wrongs:
    """All have them, or nobody if somebody cannot take them."""
    me, which = record.incarnation, " ".join(known.names.place(address) for address in event.addresses)
    taken = known.merges.taken.get(me, {})
    if event.why is None:
        for member in node.members:
            if taken.get(member.uuid) != event.addresses:
                yield f"says that all members know {which}, and {known.names.member(member)} does not"
    elif event.why is Why.CANNOT_TAKE_ADDRESSES and me in known.merges.taken_since:
        yield f"says that not all members can know {which}, and some do"


JUDGES: Final[Mapping[type[Event], Judge]] = {
    MergeBegan: _needs_to_lead,
    SplitBrainSearchBegan: _needs_to_lead,
    SplitBrainSearchEnded: _search_ended,
    MergePutOff: _put_off,
    Merging: _goes,
    AddressRemembered: _remembers,
    JoinAddressesChanged: _takes_addresses,
    JoinAddressesChangeEnded: _addresses_ended,
}
