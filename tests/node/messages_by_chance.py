"""Hypothesis strategies for well-formed messages: all that strict decoding lets through, among a few addresses."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st

from shaketable.node import messages as m
from shaketable.node.messages import ConfigCheck, Identity, Member, MemberList, Message

KINDS: tuple[type[Message], ...] = m.AnyMessage.__args__
LARGEST = 1 << 60


def member(number: int, life: int = 0, lite: bool = False) -> Member:
    return Member(f"127.0.0.1:{5700 + number}", f"{number:08x}-0000-4000-8000-{life:012x}", lite)


def members(addresses: int, lives: int) -> st.SearchStrategy[Member]:
    return st.builds(member, st.integers(1, addresses), st.integers(0, lives - 1), st.booleans())


def member_lists(who: st.SearchStrategy[Member], versions: st.SearchStrategy[int]) -> st.SearchStrategy[MemberList]:
    uuids = who.map(lambda found: found.uuid)
    several = st.lists(who, min_size=1, max_size=6, unique_by=(lambda w: w.address, lambda w: w.uuid)).map(tuple)
    return st.builds(MemberList, versions, uuids, several)


def messages(
    who: st.SearchStrategy[Member],
    *,
    versions: st.SearchStrategy[int] | None = None,
    requests: st.SearchStrategy[int] | None = None,
    times: st.SearchStrategy[int] | None = None,
    kinds: tuple[type[Message], ...] = KINDS,
) -> st.SearchStrategy[Any]:
    versions = versions if versions is not None else st.integers(1, LARGEST)
    addresses, uuids = who.map(lambda found: found.address), who.map(lambda found: found.uuid)
    by_name: dict[str, st.SearchStrategy[Any]] = {
        "sender": who,
        "config": st.builds(
            ConfigCheck, st.sampled_from(["dev", "dev", "dev", "prod"]), st.sampled_from([271, 271, 271, 7])
        ),
        "reason": st.text(max_size=8),
        "view": member_lists(who, versions),
        "request": requests if requests is not None else st.integers(0, LARGEST),
        "cluster_time": times if times is not None else st.integers(-LARGEST, LARGEST),
        "version": versions,
        "granted": st.booleans(),
        "final": st.booleans(),
        "master": addresses,
        "target": uuids,
        "suspected": st.lists(who, max_size=3).map(tuple),
    }
    identities = st.builds(Identity, who, st.none() | addresses, versions)
    by_name |= dict.fromkeys(("complainer", "complained_of", "third_party"), identities)

    def of(kind: type[Message]) -> st.SearchStrategy[Any]:
        own = dict(by_name)
        if kind is m.ExplicitSuspicion:
            own["target"] = identities
        if kind is m.Heartbeat:
            own["master"] = st.none() | addresses
        return st.builds(kind, **{f.name: own[f.name] for f in msgspec.structs.fields(kind)})

    return st.sampled_from(kinds).flatmap(of)
