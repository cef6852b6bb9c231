"""What is known of one node, and of one fault, in the fold of a history (observed.py)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from shaketable.harness.observed_group import GroupSeen
from shaketable.harness.observed_merging import MergingSeen
from shaketable.harness.observed_partitions import PartitionsSeen
from shaketable.node.env import Micros
from shaketable.node.messages import Address, Member, Uuid

RUNNING: Final = "running"


@dataclass(slots=True)
class NodeSeen:
    """What is known of one node. Each incarnation starts from nothing but the name and the address."""

    name: str
    address: Address
    state: str = "named"
    """ "named", "spawned", "running", then how it ended: "killed", "left", "failed", "died",
    or by whom it was refused and why """
    incarnation: Uuid = ""
    joined: bool = False
    version: int = 0
    author: Uuid = ""
    members: tuple[Member, ...] = ()
    master: Member | None = None
    suspected: dict[Uuid, Member] = field(default_factory=dict)
    given_up: dict[Uuid, Member] = field(default_factory=dict)
    """suspected when they went off its list, and not back since; who leaves unsuspected is none of them"""
    claiming: bool = False
    ignored: dict[int, int] = field(default_factory=dict)
    """by version, how many of the lists that came to it it did not apply"""
    not_obeyed: dict[Uuid, int] = field(default_factory=dict)
    """by sender, how many explicit suspicions it did not obey"""
    told: dict[Uuid, dict[Uuid, bool]] = field(default_factory=dict)
    """of a master: by follower, whom that one has told it to suspect, of those between whom it has yet to decide"""
    resolved: int = 0
    """how often it decided, as the master, who stays"""
    unresolved: int = 0
    """how often it had to, and removed nobody"""
    held_at: str = ""
    links_up: dict[Address, bool] = field(default_factory=dict)
    partitions: PartitionsSeen = field(default_factory=PartitionsSeen)
    merging: MergingSeen = field(default_factory=MergingSeen)
    group: GroupSeen = field(default_factory=GroupSeen)

    def copy(self) -> NodeSeen:
        """It and this one no longer change each other."""
        return NodeSeen(
            self.name,
            self.address,
            self.state,
            self.incarnation,
            self.joined,
            self.version,
            self.author,
            self.members,
            self.master,
            dict(self.suspected),
            dict(self.given_up),
            self.claiming,
            dict(self.ignored),
            dict(self.not_obeyed),
            dict(self.told),  # what each has told is never changed, only told anew
            self.resolved,
            self.unresolved,
            self.held_at,
            dict(self.links_up),
            self.partitions.copy(),
            self.merging.copy(),
            self.group.copy(),
        )

    @property
    def running(self) -> bool:
        return self.state == RUNNING

    @property
    def ended(self) -> bool:
        return self.state not in ("named", "spawned", "running")


@dataclass(slots=True)
class FaultSeen:
    number: int
    verb: str
    nodes: tuple[str, ...]
    links: tuple[str, ...]
    lasts: bool
    silences: bool
    took_at: Micros | None = None
    ended_at: Micros | None = None
    without_effect: str = ""
    fired: bool = False
    """of a filter: it has caught a message; of a hold: its node came to it"""

    @property
    def active(self) -> bool:
        return self.lasts and self.took_at is not None and self.ended_at is None
