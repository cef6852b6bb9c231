"""The marks of split-brain recovery: who looks for whom, which side goes over, the merge and its data, addresses."""

from __future__ import annotations

from typing import Final

from shaketable.harness.coverage.mark import Told, told
from shaketable.node import events as e

MARKS: Final[tuple[Told, ...]] = (
    told("split-brain: search", "a master looked for other parts", e.SplitBrainSearchBegan),
    told("split-brain: all answered", "a search ended as all had answered", e.SplitBrainSearchEnded,
         reason="^all have"),
    told("split-brain: some silent", "a search ended though some were silent", e.SplitBrainSearchEnded,
         reason="^some"),
    told("split-brain: they come", "a search ended as another part was on its way", e.SplitBrainSearchEnded,
         reason="on their way"),
    told("split-brain: fewer data members merge", "the part with fewer data members had to go over", e.MergeJudged,
         decision="^merge", reason="^data members"),
    told("split-brain: larger address merges", "of equal parts that with the larger master's address had to go over",
         e.MergeJudged, decision="^merge", reason="larger address"),
    told("split-brain: they have to come", "the other part had to come", e.MergeJudged, decision="^stay"),
    told("split-brain: lists overlap", "both lists had a member in common: no merge", e.MergeJudged, decision="^no"),
    told("merge put off: migration", "a merge was put off, as a migration was under way", e.MergePutOff,
         reason="migration"),
    told("merge put off: list changed", "a merge was put off, as the list had changed", e.MergePutOff,
         reason="list has changed"),
    told("merge put off: they come", "a merge was put off, as another part was on its way", e.MergePutOff,
         reason="on their way"),
    told("merge put off: too late", "a merge took too long to begin", e.MergePutOff, reason="took too long"),
    told("merge: began", "a master told all its members to go over", e.MergeBegan),
    told("merge: a member went", "a member forgot its cluster and asked to be admitted anew", e.Merging),
    told("merge: arrived", "who went over is a member there", e.Merged),
    told("merge failed: not admitted", "who went over was not admitted in time", e.MergeFailed, reason="did not admit"),
    told("merge failed: refused", "who went over was refused", e.MergeFailed, reason="refuses me"),
    told("addresses: remembered, asked", "a master remembered who asked it and leads the larger part",
         e.AddressRemembered, reason="^it asks me"),
    told("addresses: remembered, named by a follower", "a follower of another part named its master",
         e.AddressRemembered, reason="follows it"),
    told("addresses: forgotten", "an address was forgotten after its retention", e.AddressForgotten),
    told("addresses: changed at run time", "a member took a new member list of its join configuration",
         e.JoinAddressesChanged),
    told("addresses: change on all", "all members took the new addresses", e.JoinAddressesChangeEnded, reason="^$"),
    told("addresses: change failed", "a member could not take the new addresses", e.JoinAddressesChangeEnded,
         reason="."),
    told("merge data: set aside", "who goes over took its data with it", e.EntriesSetAside),
    told("merge data: brought", "entries were brought to their owner", e.EntriesBrought),
    told("merge data: given up", "entries found no owner in time", e.EntriesGivenUp),
    told("merge data: done", "nothing was left to bring", e.MergeDataDone),
)  # fmt: skip
