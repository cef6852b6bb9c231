"""What a node tells of split-brain recovery: whom its master asks, what was decided, and the merge itself."""

from __future__ import annotations

from shaketable.node.events.base import Event
from shaketable.node.messages import Address, Member
from shaketable.node.why import Why


class SplitBrainSearchBegan(Event, frozen=True):
    """A master asks this many addresses outside its list for other parts."""

    version: int
    addresses: int


class SplitBrainSearchEnded(Event, frozen=True):
    """This many masters of other parts have answered."""

    version: int
    answered: int
    reason: str
    why: Why


class MergeJudged(Event, frozen=True):
    """A master has compared its list with that of another master, `peer`: "merge" (I go over to it), "stay" (it comes
    to me), or "no"."""

    peer: Member
    decision: str
    reason: str
    why: Why


class MergePutOff(Event, frozen=True):
    """This master has to go over to `peer`, but not now."""

    peer: Member
    reason: str
    why: Why


class MergeBegan(Event, frozen=True):
    """The merging master tells all members of its list to go over to `peer`, then goes itself."""

    peer: Member
    version: int
    members: tuple[Member, ...]


class Merging(Event, frozen=True):
    """The last event of this identity: it forgets its cluster, and asks `peer` to admit its next one."""

    peer: Member


class Merged(Event, frozen=True):
    """The new identity is a member of the cluster of `peer`."""

    peer: Member


class MergeFailed(Event, frozen=True):
    """The new identity was not admitted in time, and looks for a cluster like any other node."""

    reason: str
    why: Why


class AddressRemembered(Event, frozen=True):
    """A member at this address leads another part, and the next search asks it too."""

    address: Address
    reason: str
    why: Why


class AddressForgotten(Event, frozen=True):
    """Its member left longer ago than the time of retention, or too many others have left since."""

    address: Address


class JoinAddressesChanged(Event, frozen=True):
    """This member takes a new member list for its join configuration from its master."""

    master: Member
    addresses: tuple[Address, ...]


class JoinAddressesChangeEnded(Event, frozen=True):
    """The master learns that all its members have taken these addresses, or why not, and which have not."""

    addresses: tuple[Address, ...]
    reason: str
    why: Why | None
