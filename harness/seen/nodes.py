"""What is known of one node, and of one fault, in the fold of a history (run.py)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.faults.kinds import UNKNOWN
from shaketable.harness.faults.verb import FaultKind
from shaketable.harness.records import Ending, Missed
from shaketable.harness.seen.claims import ClaimsSeen
from shaketable.harness.seen.copies import alike
from shaketable.harness.seen.group import GroupSeen
from shaketable.harness.seen.merging import MergingSeen
from shaketable.harness.seen.partitions import PartitionsSeen
from shaketable.harness.seen.reports import Reports
from shaketable.harness.seen.suspicions import Suspicions
from shaketable.node.core.env import Micros
from shaketable.node.messages import Address, Member, Uuid

RUNNING: Final = "running"


@dataclass(slots=True)
class NodeSeen:
    """One node. Each incarnation starts with only the name and the address."""

    name: str
    address: Address
    state: str = "named"
    """ "named", "spawned", "running", then how it ended: "killed", "left", "failed", "died",
    "not understood", "never ran", or by whom it was refused and why """
    incarnation: Uuid = ""
    """the uuid of its present identity"""
    joined: bool = False
    version: int = 0
    """version of its member list"""
    author: Uuid = ""
    """author of that list"""
    members: tuple[Member, ...] = ()
    """members of its list, by age"""
    a_set: bool = False
    """its members are a set, with no version and no master"""
    master: Member | None = None
    """the master that it follows"""
    suspected: Suspicions = field(default_factory=dict)
    """the members that it suspects, by uuid"""
    given_up: Suspicions = field(default_factory=dict)
    """the members that were suspected when they went off its list, and are not back; not those that left unsuspected"""
    claims: ClaimsSeen = field(default_factory=ClaimsSeen)
    """mastership claims: its own last one, and its answers to others'"""
    ignored: dict[int, int] = field(default_factory=dict)
    """by version, how many of the lists that came to it it did not apply"""
    not_obeyed: dict[Uuid, int] = field(default_factory=dict)
    """by sender, how many explicit suspicions it did not obey"""
    reports: Reports = field(default_factory=dict)
    """of a master: by follower, the suspicions that it has reported and that are not decided yet"""
    resolved: int = 0
    """how often, as the master, it decided which members stay"""
    unresolved: int = 0
    """how often it had to decide, and removed nobody"""
    held_at: str = ""
    """the kind of event at which it holds"""
    links_up: dict[Address, bool] = field(default_factory=dict)
    """by address, whether its own link there is up"""
    partitions: PartitionsSeen = field(default_factory=PartitionsSeen)
    merging: MergingSeen = field(default_factory=MergingSeen)
    group: GroupSeen = field(default_factory=GroupSeen)
    end: Ending | None = None
    """how it ended; `state` says it in words"""

    def copy(self) -> NodeSeen:
        """It and this one no longer change each other."""
        other = alike(self)
        other.suspected, other.given_up = dict(self.suspected), dict(self.given_up)
        other.claims, other.reports = self.claims.copy(), dict(self.reports)
        other.ignored, other.not_obeyed = dict(self.ignored), dict(self.not_obeyed)
        other.links_up = dict(self.links_up)
        other.partitions, other.merging, other.group = self.partitions.copy(), self.merging.copy(), self.group.copy()
        return other

    @property
    def claiming(self) -> bool:
        """It is in the middle of a mastership claim."""
        return self.claims.open is not None

    @property
    def running(self) -> bool:
        """Its process has started, and has not ended."""
        return self.state == RUNNING and self.end is None

    @property
    def ended(self) -> bool:
        """Its process is gone, however it ended."""
        return self.end is not None


@dataclass(slots=True)
class FaultSeen:
    """One fault."""

    number: int
    verb: str
    nodes: tuple[str, ...]
    links: tuple[str, ...]
    lasts: bool
    silences: bool
    kind: FaultKind = UNKNOWN
    act: FaultKind = UNKNOWN
    """the kind of fault on its links or its node"""
    took_at: Micros | None = None
    ended_at: Micros | None = None
    missed: Missed | None = None
    """the kind of reason why it had no effect"""
    without_effect: str = ""
    """that reason, in words"""
    fired: bool = False
    """a filter has caught a message, or a node has come to its hold"""

    @property
    def active(self) -> bool:
        """It has taken effect and has not ended."""
        return self.lasts and self.took_at is not None and self.ended_at is None
