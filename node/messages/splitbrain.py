"""The messages of split-brain recovery: two masters find each other, and the members of one go over to the other; and
the member list of the join configuration is changed on all members."""

from __future__ import annotations

from shaketable.node.messages.base import Address, ConfigCheck, Member, MemberList, Message, Number, Uuid


class MergeValidation(Message, frozen=True):
    """A master to whoever may lead another part of its cluster: this is mine, what is yours?"""

    request: Number
    config: ConfigCheck
    view: MemberList


class MergeValidationAnswer(Message, frozen=True):
    """Of a master. Without a list: not now, or never, for this reason."""

    request: Number
    target: Uuid
    view: MemberList | None
    reason: str


class PrepareMerge(Message, frozen=True):
    """A master to its members, before we go over to another cluster: set aside what you own, by this table."""

    request: Number
    target: Uuid
    into: Member
    table_version: Number


class PrepareMergeAnswer(Message, frozen=True):
    """It is done, and I change nothing of it any more; or not yet, for my
    table is older, or I still ask for what I lack; or finally not, for that
    identity is gone."""

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
    """I go; that identity has gone already; or it is gone without having heard of it, for I was restarted."""

    request: Number
    goes: bool


class ChangeAddresses(Message, frozen=True):
    """A member to its master: these are to be the addresses in the join configuration of all members."""

    request: Number
    target: Uuid
    addresses: tuple[Address, ...]


class ChangeAddressesAnswer(Message, frozen=True):
    """All members have them; or what went wrong, in a sentence."""

    request: Number
    reason: str


class TakeAddresses(Message, frozen=True):
    """A master to each member: can you take these into your join configuration? And if all can: take them."""

    request: Number
    target: Uuid
    addresses: tuple[Address, ...]
    final: bool


class TakeAddressesAnswer(Message, frozen=True):
    """Yes; or why not."""

    request: Number
    reason: str
