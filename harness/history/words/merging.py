"""The events of split-brain recovery in words: searches, decisions, merges. A part of words.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from shaketable.harness.history.names import Names
from shaketable.node import events as e
from shaketable.node.events import Event
from shaketable.node.messages import Address

_DECISIONS: Final = {"merge": "has to go over to", "stay": "is to take in", "no": "does not merge with"}


def said_of_merging(event: Event, names: Names) -> str:
    """Without its subject; "" for an event of another service."""
    member, members = names.member, names.members
    match event:
        case e.SplitBrainSearchBegan(version, addresses):
            where = "1 address" if addresses == 1 else f"{addresses} addresses"
            return f"looks for other parts of its cluster at {where}, holding v{version}"
        case e.SplitBrainSearchEnded(_, answered, reason):
            who = "1 master of another part has" if answered == 1 else f"{answered} masters of other parts have"
            return f"ends its search for other parts: {who} answered ({reason})"
        case e.MergeJudged(peer, decision, reason):
            return f"{_DECISIONS.get(decision, decision)} {member(peer)} ({reason})"
        case e.MergePutOff(peer, reason):
            return f"does not go over to {member(peer)} now ({reason})"
        case e.MergeBegan(peer, version, listed):
            return f"begins to merge into {member(peer)}'s cluster, with v{version} {members(listed)}"
        case e.Merging(peer):
            return f"ends as this identity, and goes over to {member(peer)}"
        case e.Merged(peer):
            return f"has come over to the cluster of {member(peer)}"
        case e.MergeFailed(reason):
            return f"is not admitted where it was to merge ({reason})"
        case e.AddressRemembered(address, reason):
            return f"remembers {names.place(address)} as a place to look at ({reason})"
        case e.AddressForgotten(address):
            return f"forgets {names.place(address)}: its member left too long ago"
        case e.JoinAddressesChanged(master, addresses):
            places = _places(addresses, names)
            return f"has another member list in its join configuration: {places} (as {member(master)} says)"
        case e.JoinAddressesChangeEnded(addresses, reason):
            places = _places(addresses, names)
            if reason:
                return f"could not change the join addresses of all members to {places} ({reason})"
            return f"has changed the join addresses of all members to {places}"
    return ""


def _places(addresses: Iterable[Address], names: Names) -> str:
    return ", ".join(map(names.place, addresses))
