"""The messages that a story of tests/data/core writes as `A -> B: Heartbeat version=4` (interaction.py)."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from tests.notation import interaction_partitions as partitions
from tests.notation.interaction_names import address, identity, member
from tests.reasons import reason_in

from shaketable.node import messages as m
from shaketable.node.cluster.member import ClusterMember
from shaketable.node.core.env import SECOND, Micros
from shaketable.node.messages import ConfigCheck, Identity, MemberList, Message

KINDS = {kind.__name__: kind for kind in m.KINDS}


def message(sender: str, to: ClusterMember, now: Micros, kind: str, rest: str) -> Message:
    """From `sender`, with these fields; left out are those of a sound sender."""
    ms = to.membership
    given = {name: quoted.strip('"') for name, quoted in re.findall(r'(\w+)=("[^"]*"|\S+)', rest)}
    usual: dict[str, Any] = {
        "target": Identity(ms.me, ms.master.address if ms.master else None, ms.view.version)
        if kind == "ExplicitSuspicion"
        else ms.me.uuid,
        "master": address(sender) if kind == "MasterResponse" or not ms.master else ms.master.address,
        "version": ms.view.version,
        "cluster_time": now,
        "config": ms.config,
        "request": 1,
        "granted": True,
        "final": False,
        "reason": "as the story wants",
        "suspected": (),
        **({"view": None} if kind == "MergeValidationAnswer" else {}),
        **partitions.usual(kind, to.partitions.state, ms.view.version),
    }
    values: dict[str, Any] = {}
    for f in msgspec.structs.fields(KINDS[kind])[1:]:
        values[f.name] = _value(kind, f.name, given.pop(f.name)) if f.name in given else usual[f.name]
    if given:
        raise ValueError(f"{kind} has no {', '.join(given)}")
    for f in msgspec.structs.fields(KINDS[kind]):
        if f.name in ("reason", "refusal") and f.type is not str:
            values[f.name] = reason_in(values[f.name]) if values[f.name] else None
    made: Message = KINDS[kind](member(sender), **values)
    return made


def _value(kind: str, name: str, text: str) -> Any:
    of_partitions = partitions.value_of(kind, name, text)
    if of_partitions is not NotImplemented:
        return of_partitions
    match name:
        case "complainer" | "complained_of" | "third_party":
            return identity(text)
        case "target" if kind == "ExplicitSuspicion":
            return identity(text)
        case "target":
            return member(text).uuid
        case "view":
            return view_of(text)
        case "into":
            return member(text)
        case "master":
            return address(text) if text != "nobody" else None
        case "config":
            cluster, _, count = text.partition("/")
            return ConfigCheck(cluster, int(count))
        case "cluster_time":
            return round(float(text.rstrip("s")) * SECOND)
        case "version" | "request":
            return int(text)
        case "addresses":
            return tuple(address(n) for n in text.strip("[]").split(",") if n)
        case "granted" | "final":
            return text == "yes"
        case "suspected":
            return tuple(member(n) for n in text.strip("[]").split(",") if n)
        case _:
            return text


def view_of(text: str) -> MemberList:
    found = re.fullmatch(r"v(\d+)\[([^\]]+)\](?:/(.+))?", text)
    if found is None:
        raise ValueError(f"{text} is no list: v4[A,B,C]")
    members = tuple(member(n) for n in found[2].split(","))
    return MemberList(int(found[1]), member(found[3]).uuid if found[3] else members[0].uuid, members)
