"""How the stories of tests/data/core name members: A, A' (its second incarnation), C@D (C at D's address), E-lite."""

from __future__ import annotations

import re

from shaketable.node.messages import Address, Identity, Member

LITE = "-lite"


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


def name_by_uuid(uuid: str) -> str:
    return chr(ord("A") + int(uuid[:8], 16) - 1) + "'" * int(uuid[-12:], 16)
