"""The names of members in the stories of tests/data/checks (notation.py)."""

from __future__ import annotations

import re

from shaketable.node.messages import Member, Row

NODE = re.compile(r"n(\d+)('*)(~?)$")


def member(name: str) -> Member:
    """n2' is at the address of n2, under another uuid; a name of another form is a stranger."""
    found = NODE.match(name)
    if found is None:
        raise ValueError(f"{name} is no node")
    number, lives = int(found[1]), len(found[2])
    uuid = f"{'abcdefgh'[lives] * 2}{number:02d}-0000-4000-8000-000000000000"
    return Member(f"127.0.0.1:{5700 + number}", uuid, lite=bool(found[3]))


def members(names: str) -> tuple[Member, ...]:
    return tuple(map(member, names.split()))


def row(text: str) -> Row:
    """ "n1 - n3": nobody holds index 1."""
    return tuple(None if name == "-" else member(name).uuid for name in text.split())


def rows(text: str) -> tuple[tuple[int, Row], ...]:
    """ "0 [n1 n2], 5 [n2 n1]": by partition."""
    found = re.findall(r"(\d+) \[(.*?)\]", text)
    assert text == ", ".join(f"{partition} [{names}]" for partition, names in found), f"no rows: {text!r}"
    return tuple((int(partition), row(names)) for partition, names in found)
