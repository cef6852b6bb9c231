"""The messages of split-brain recovery: two masters find each other, and the members of one go over to the other; and
the member list of the join configuration is changed on all members."""

from __future__ import annotations

from shaketable.node.messages.base import Address, ConfigCheck, Member, MemberList, Message, Number, Uuid


class MergeValidation(Message, frozen=True):
    """A master to a possible master of another part: this is my list, what is yours?"""

    request: Number
    config: ConfigCheck
    view: MemberList


class MergeValidationAnswer(Message, frozen=True):
    """A master's list. Without a list: not now, or never, for this reason."""

    request: Number
    target: Uuid
    view: MemberList | None
    reason: str


class PrepareMerge(Message, frozen=True):
    """A master to its members, before they go over: set aside what you own by this table."""

    request: Number
    target: Uuid
    into: Member
    table_version: Number


class PrepareMergeAnswer(Message, frozen=True):
    """Done, and I change nothing any more. Or not yet: my table is older, or I still ask for what I lack. Or never:
    that identity is gone."""

    request: Number
    done: bool
    final: bool


class MergeClusters(Message, frozen=True):
    """A master to its members: we go over to this one's cluster."""

    request: Number
    target: Uuid
    into: Member
    going: tuple[Uuid, ...]
    """All who have set aside what they own; what anybody else owned the next one in its row sets aside."""


class MergeClustersAnswer(Message, frozen=True):
    """I go; or that identity has gone already; or I was restarted, and it ended without hearing of this."""

    request: Number
    goes: bool


class ChangeAddresses(Message, frozen=True):
    """A member to its master: all members are to take these join addresses."""

    request: Number
    target: Uuid
    addresses: tuple[Address, ...]


class ChangeAddressesAnswer(Message, frozen=True):
    """All members have them; or a sentence about what went wrong."""

    request: Number
    reason: str


class TakeAddresses(Message, frozen=True):
    """A master to each member: can you take these join addresses? If all can: take them."""

    request: Number
    target: Uuid
    addresses: tuple[Address, ...]
    final: bool


class TakeAddressesAnswer(Message, frozen=True):
    """Yes; or why not."""

    request: Number
    reason: str
