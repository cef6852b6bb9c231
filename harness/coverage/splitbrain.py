"""The marks of split-brain recovery: who looks for whom, which side goes over, the merge and its data, addresses."""

from __future__ import annotations

from typing import Final

from shaketable.harness.coverage.mark import Told, any_of, told
from shaketable.node import events as e
from shaketable.node.why import Why

MARKS: Final[tuple[Told, ...]] = (
    told("split-brain: search", "a master looked for other parts", e.SplitBrainSearchBegan),
    told("split-brain: all answered", "a search ended as all had answered", e.SplitBrainSearchEnded,
         why=Why.ALL_ANSWERED),
    told("split-brain: some silent", "a search ended though some were silent", e.SplitBrainSearchEnded,
         why=Why.SOME_SILENT),
    told("split-brain: they come", "a search ended as another part was on its way", e.SplitBrainSearchEnded,
         why=Why.THEY_COME),
    told("split-brain: fewer data members merge", "the part with fewer data members had to go over", e.MergeJudged,
         decision="merge", why=Why.DATA_MEMBERS),
    told("split-brain: larger address merges", "of equal parts that with the larger master's address had to go over",
         e.MergeJudged, decision="merge", why=Why.LARGER_ADDRESS),
    told("split-brain: they have to come", "the other part had to come", e.MergeJudged, decision="stay"),
    told("split-brain: lists overlap", "both lists had a member in common: no merge", e.MergeJudged, decision="no"),
    told("merge put off: migration", "a merge was put off, as a migration was under way", e.MergePutOff,
         why=Why.MIGRATION_UNDER_WAY),
    told("merge put off: list changed", "a merge was put off, as the list had changed", e.MergePutOff,
         why=any_of(Why.LIST_CHANGED_SINCE_ASKED, Why.LIST_CHANGED)),
    told("merge put off: they come", "a merge was put off, as another part was on its way", e.MergePutOff,
         why=Why.THEY_COME),
    told("merge put off: too late", "a merge took too long to begin", e.MergePutOff, why=Why.BEGAN_TOO_LATE),
    told("merge: began", "a master told all its members to go over", e.MergeBegan),
    told("merge: a member went", "a member forgot its cluster and asked to be admitted anew", e.Merging),
    told("merge: arrived", "who went over is a member there", e.Merged),
    told("merge failed: not admitted", "who went over was not admitted in time", e.MergeFailed, why=Why.NOT_ADMITTED),
    told("merge failed: refused", "who went over was refused", e.MergeFailed, why=Why.REFUSES_ME),
    told("addresses: remembered, asked", "a master remembered who asked it and leads the larger part",
         e.AddressRemembered, why=Why.ASKS_ME),
    told("addresses: remembered, named by a follower", "a follower of another part named its master",
         e.AddressRemembered, why=Why.NAMED_BY_A_FOLLOWER),
    told("addresses: forgotten", "an address was forgotten after its retention", e.AddressForgotten),
    told("addresses: changed at run time", "a member took a new member list of its join configuration",
         e.JoinAddressesChanged),
    told("addresses: change on all", "all members took the new addresses", e.JoinAddressesChangeEnded, why=None),
    told("addresses: change failed", "a member could not take the new addresses", e.JoinAddressesChangeEnded,
         why=any_of(Why.CANNOT_TAKE_ADDRESSES, Why.ADDRESSES_NOT_CONFIRMED)),
    told("merge data: set aside", "who goes over took its data with it", e.EntriesSetAside),
    told("merge data: brought", "entries were brought to their owner", e.EntriesBrought),
    told("merge data: given up", "entries found no owner in time", e.EntriesGivenUp),
    told("merge data: done", "nothing was left to bring", e.MergeDataDone),
)  # fmt: skip
