"""How the stories of tests/data/core name members and lists, and write events and messages (interaction.py)."""

from __future__ import annotations

import re

import msgspec

from shaketable.node import messages as m
from shaketable.node.env import SECOND
from shaketable.node.events import DisconnectionResolved
from shaketable.node.messages import Address, ConfigCheck, Identity, Member, MemberList

LITE = "-lite"
SPARING = m.Heartbeat, DisconnectionResolved
"""those which say nothing of suspicions, of pairs that are not counted and of replicas, where there are none"""
SPARED = {"suspected", "unsettled", "replicas"}
TIMES = {"silence", "age", "lateness", "cluster_time"}


def member(name: str) -> Member:
    found = re.fullmatch(rf"([A-Z])('*)(?:@([A-Z]))?({LITE})?", name)
    if found is None:
        raise ValueError(f"{name} is no member: A, B, C', C@D, D-lite ...")
    identity, lives, at = ord(found[1]) - 64, len(found[2]), ord(found[3] or found[1]) - 64
    return Member(f"127.0.0.1:{5700 + at}", f"{identity:08x}-0000-4000-8000-{lives:012x}", bool(found[4]))


def address(name: str) -> Address:
    return member(name).address


def identity(text: str) -> Identity:
    """D/A/v4: D as it is when it follows A and holds version 4."""
    who, master, version = text.split("/")
    return Identity(member(who), None if master == "nobody" else address(master), int(version[1:]))


def name_of(who: Member) -> str:
    name, at = name_by_uuid(who.uuid), letter_of(who.address)
    return f"{name if name[0] == at else f'{name}@{at}'}{LITE * who.lite}"


def letter_of(where: Address) -> str:
    return chr(ord("A") + int(where.rpartition(":")[2]) - 5701)


def fields(struct: msgspec.Struct) -> str:
    return "".join(
        f" {f.name}={value(f.name, getattr(struct, f.name))}"
        for f in msgspec.structs.fields(struct)
        if f.name != "sender" and getattr(struct, f.name) is not None
        if f.name not in SPARED or getattr(struct, f.name) or not isinstance(struct, SPARING)
    )


def value(name: str, what: object) -> str:
    match what:
        case bool():
            return "yes" if what else "no"
        case int() if name in TIMES:
            return f"{what / SECOND:g}s"
        case Member():
            return name_of(what)
        case MemberList():
            return written(what)
        case ConfigCheck():
            return f"{what.cluster}/{what.partition_count}"
        case Identity():
            return f"{name_of(what.member)}/{letter_of(what.master) if what.master else 'nobody'}/v{what.version}"
        case tuple():
            return f"[{','.join(pair(x) for x in what)}]"
        case str() if name in ("target", "author"):
            return name_by_uuid(what)
        case str() if name in ("master", "address"):
            return letter_of(what)
        case str() if name in ("reason", "answer"):
            return f'"{re.sub(r"127.0.0.1:57[0-9]{2}", lambda found: letter_of(found[0]), what)}"'
        case _:
            return str(what)


def pair(what: object) -> str:
    """A member, two, one with the reason why a claim leaves it out, or one with those whom it reports."""
    if isinstance(what, Member):
        return name_of(what)
    assert isinstance(what, tuple)
    if isinstance(what[1], Member):
        return f"{name_of(what[0])}|{name_of(what[1])}"
    return f"{name_of(what[0])}: {' '.join(map(name_of, what[1])) if isinstance(what[1], tuple) else what[1]}"


def name_by_uuid(uuid: str) -> str:
    return chr(ord("A") + int(uuid[:8], 16) - 1) + "'" * int(uuid[-12:], 16)


def written(view: MemberList) -> str:
    author = "" if view.author == view.members[0].uuid else f"/{name_by_uuid(view.author)}"
    return f"v{view.version}[{','.join(map(name_of, view.members))}]{author}"
