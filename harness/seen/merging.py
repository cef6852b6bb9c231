"""What is known of one node's split-brain recovery: its searches for other parts, what it decided, and its merges.

A part of the fold of a history (run.py): conditions and screens see it. It is the one thing that outlives a merge,
since the node goes on in the same process; a restart ends it like all else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from shaketable.harness.seen.copies import alike
from shaketable.node.core.env import Micros
from shaketable.node.events import (
    Event,
    MergeBegan,
    Merged,
    MergeFailed,
    MergeJudged,
    MergePutOff,
    Merging,
    SplitBrainSearchBegan,
    SplitBrainSearchEnded,
)
from shaketable.node.messages import Member, Uuid


@dataclass(slots=True)
class MergingSeen:
    """A node's searches for other parts, and its merges."""

    begun: Micros | None = None
    """when its process told its first word"""
    into: Member | None = None
    """the master to whose cluster it is on its way, from the moment when its own master began"""
    renews: bool = False
    """whether its former identity has ended and the next one has not begun"""
    merged_into: Member | None = None
    """the master whose cluster has admitted its present identity after a merge"""
    merges: int = 0
    """how often it has come over since its process began"""
    failed: int = 0
    """how often it was not admitted in time"""
    searching: bool = False
    asked: int = 0
    """how many addresses the last search asked"""
    answered: int = 0
    searches: int = 0
    """how many searches have ended"""
    last_search: Micros | None = None
    """when its last search began"""
    judged: dict[Uuid, MergeJudged] = field(default_factory=dict)
    """by master of the other part, the last decision about it; cleared with the identity that made it"""
    put_off: int = 0
    """how often it was to go over to another part, and did not"""
    last_put_off: MergePutOff | None = None

    def copy(self) -> MergingSeen:
        other = alike(self)
        other.judged = dict(self.judged)
        return other

    def next_identity(self) -> MergingSeen:
        """What its successor begins with; `merged_into` is said of one identity."""
        return replace(self, renews=False, merged_into=None, searching=False, judged={})


def _search_began(node: MergingSeen, event: SplitBrainSearchBegan, time: Micros) -> None:
    node.searching, node.asked, node.answered, node.last_search = True, event.addresses, 0, time


def _search_ended(node: MergingSeen, event: SplitBrainSearchEnded, time: Micros) -> None:
    node.searching, node.answered = False, event.answered
    node.searches += 1


def _judged(node: MergingSeen, event: MergeJudged, time: Micros) -> None:
    node.judged[event.peer.uuid] = event


def _put_off(node: MergingSeen, event: MergePutOff, time: Micros) -> None:
    node.into, node.last_put_off = None, event
    node.put_off += 1


def _began(node: MergingSeen, event: MergeBegan, time: Micros) -> None:
    node.into = event.peer


def _merging(node: MergingSeen, event: Merging, time: Micros) -> None:
    node.into, node.renews = event.peer, True


def _merged(node: MergingSeen, event: Merged, time: Micros) -> None:
    node.into, node.merged_into = None, event.peer
    node.merges += 1


def _failed(node: MergingSeen, event: MergeFailed, time: Micros) -> None:
    node.into = None
    node.failed += 1


MERGING_FOLDS: Final[Mapping[type[Event], Callable[[MergingSeen, Any, Micros], None]]] = {
    SplitBrainSearchBegan: _search_began,
    SplitBrainSearchEnded: _search_ended,
    MergeJudged: _judged,
    MergePutOff: _put_off,
    MergeBegan: _began,
    Merging: _merging,
    Merged: _merged,
    MergeFailed: _failed,
}
