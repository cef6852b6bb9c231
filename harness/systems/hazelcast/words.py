"""Members, addresses, lists and times as Hazelcast's own text names them: the same from 5.3 to 5.7."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from shaketable.node.core.env import Micros
from shaketable.node.messages import Address, Member

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
ADDRESS: Final = r"\[[^\[\]\s]+\]:\d+"
MEMBER: Final = rf"Member {ADDRESS} - {_UUID}(?: this)?(?: lite)?"
MEMBERS: Final = rf"\[(?:{MEMBER}(?:, )?)*\]"
_INFO: Final = rf"MemberInfo\{{address={ADDRESS}, uuid={_UUID}, [^{{}}]*\}}"
LIST: Final = rf"MembersView\{{version=\d+, members=\[(?:{_INFO}(?:, )?)*\]\}}"
PRINTED: Final = rf"\s*Members \{{size:\d+, ver:\d+\}} \[(?:\s*{MEMBER})*\s*\]\s*"
METADATA: Final = rf"MembersViewMetadata\{{address={ADDRESS}, memberUuid='?{_UUID}'?, [^{{}}]*\}}"
UUID: Final = _UUID
TIME: Final = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"

_PREFIX: Final = re.compile(rf"(?:{ADDRESS}|\[LOCAL\]) \[[^\]]*\] \[[^\]]*\] ")
_ADDRESS: Final = re.compile(r"\[([^\[\]\s]+)\]:(\d+)")
_MEMBER: Final = re.compile(rf"Member \[([^\[\]\s]+)\]:(\d+) - ({_UUID})(?: this)?( lite)?")
_ONE_INFO: Final = re.compile(
    rf"MemberInfo\{{address=\[([^\[\]\s]+)\]:(\d+), uuid=({_UUID}), [^{{}}]*?liteMember=(true|false)"
)
_VERSION: Final = re.compile(r"version=(\d+)|ver:(\d+)")


class Named(NamedTuple):
    """A list as a line of the log names it."""

    version: int
    members: tuple[Member, ...]


def without_prefix(text: str) -> str:
    """Each line begins with the member's address, its cluster and Hazelcast's version."""
    prefix = _PREFIX.match(text)
    return text[prefix.end() :] if prefix is not None else text


def address_in(text: str) -> Address:
    found = _ADDRESS.search(text)
    return f"{found[1]}:{found[2]}" if found is not None else ""


def members_in(text: str) -> tuple[Member, ...]:
    named = [Member(f"{host}:{port}", uuid, lite=bool(lite)) for host, port, uuid, lite in _MEMBER.findall(text)]
    infos = [Member(f"{host}:{port}", uuid, lite == "true") for host, port, uuid, lite in _ONE_INFO.findall(text)]
    return tuple(named or infos)


def list_in(text: str) -> Named:
    version = _VERSION.search(text)
    return Named(int(version[1] or version[2]) if version is not None else 0, members_in(text))


def between(since: str, now: str) -> Micros:
    """Of two times of one member's clock."""
    then, later = (datetime.strptime(each, "%Y-%m-%d %H:%M:%S.%f") for each in (since, now))
    return (later - then) // timedelta(microseconds=1)
