"""Which of two parts of a cluster goes over to the other: a function of their two lists, the same from either side.

From rulings 4.1: the side with fewer data members merges; of equal ones that whose master's "[host]:port" is the larger
string. Parts that share a member have not come apart yet."""

from __future__ import annotations

from typing import Final, Literal

from shaketable.node.messages import Address, Member, MemberList
from shaketable.node.why import Because, Why, because

MERGE: Final = "merge"
STAY: Final = "stay"
NO: Final = "no"
Decision = Literal["merge", "stay", "no"]
"""I have to go over to them; they have to come to me; neither"""


def decide(mine: MemberList, theirs: MemberList) -> tuple[Decision, Because]:
    """With the reason, as seen by the holder of `mine`."""
    here = {member.address: True for member in mine.members}
    shared = next((member.address for member in theirs.members if member.address in here), None)
    if shared is not None:
        return NO, because(Why.LISTS_OVERLAP, shared)
    own, other = data_members(mine), data_members(theirs)
    if own != other:
        return (MERGE if own < other else STAY), because(Why.DATA_MEMBERS, own, other)
    merges = bracketed(mine.members[0].address) > bracketed(theirs.members[0].address)
    return (MERGE if merges else STAY), because(Why.LARGER_ADDRESS, own)


def data_members(view: MemberList) -> int:
    return sum([not member.lite for member in view.members])


def bracketed(address: Address) -> str:
    host, _, port = address.rpartition(":")
    return f"[{host}]:{port}"


def best(targets: list[tuple[Member, MemberList]]) -> tuple[Member, MemberList]:
    """Of those to whom I have to go over the largest; of equal ones the one to which the others would go over."""
    return min(targets, key=lambda target: (-data_members(target[1]), bracketed(target[0].address)))
