"""What a node tells of split-brain recovery: whom its master asks, what was decided, and the merge itself."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Address, Member
from shaketable.node.why import Why


class SplitBrainSearchBegan(Event, frozen=True):
    """A master asks so many addresses, none of them a member of its own, whether they belong to another part."""

    version: int
    addresses: int


class SplitBrainSearchEnded(Event, frozen=True):
    """So many masters of other parts have answered."""

    version: int
    answered: int
    reason: str
    why: Why


class MergeJudged(Event, frozen=True):
    """A master has compared its list with that of `peer`, which has asked it or answered it: "merge" (I have to go over
    to it), "stay" (it has to come to me), or "no"."""

    peer: Member
    decision: str
    reason: str
    why: Why


class MergePutOff(Event, frozen=True):
    """It has to go over to `peer`, and not now."""

    peer: Member
    reason: str
    why: Why


class MergeBegan(Event, frozen=True):
    """The merging master tells all members of its list to go over to `peer`, and then goes itself."""

    peer: Member
    version: int
    members: tuple[Member, ...]


class Merging(Event, frozen=True):
    """The last event of this identity: it forgets its cluster, and asks `peer` to be admitted under a new one."""

    peer: Member


class Merged(Event, frozen=True):
    """The new identity is a member of the cluster of `peer`, to whom it was sent or whom it was told of there."""

    peer: Member


class MergeFailed(Event, frozen=True):
    """It was not admitted in time, and looks for a cluster as any other node does."""

    reason: str
    why: Why


class AddressRemembered(Event, frozen=True):
    """Somebody there leads another part: the next search asks it, too."""

    address: Address
    reason: str
    why: Why


class AddressForgotten(Event, frozen=True):
    """Its member left so long ago that its time of retention has run out, or too many others have left since."""

    address: Address


class JoinAddressesChanged(Event, frozen=True):
    """The member list of its join configuration is this from now on, as its master says."""

    master: Member
    addresses: tuple[Address, ...]


class JoinAddressesChangeEnded(Event, frozen=True):
    """Of the master: all its members have taken these addresses, or why not, and who has not."""

    addresses: tuple[Address, ...]
    reason: str
    why: Why | None
