"""How the stories of tests/data/core name members and lists, and write events and messages (interaction.py)."""

from __future__ import annotations

import re

import msgspec
from tests.notation.interaction_names import letter_of, name_by_uuid, name_of
from tests.notation.interaction_partitions import id_written, partition_value

from shaketable.node import messages as m
from shaketable.node.core.env import SECOND
from shaketable.node.events import DisconnectionResolved
from shaketable.node.messages import ConfigCheck, Identity, Member, MemberList
from shaketable.node.why import Because

SPARING = m.Heartbeat, DisconnectionResolved
"""those which say nothing of suspicions, of pairs that are not counted and of replicas, where there are none"""
SPARED = {"suspected", "unsettled", "replicas"}
LEFT_OUT = {"has_table", "under_way", "refusal", "inferred"}
"""where it is no, or nothing"""
NEVER = {"sender", "stamp", "requested", "why", "whys"}
TIMES = {"silence", "age", "lateness", "cluster_time", "updated"}


def fields(struct: msgspec.Struct) -> str:
    return "".join(
        f" {f.name}={value(f.name, getattr(struct, f.name))}"
        for f in msgspec.structs.fields(struct)
        if f.name not in NEVER and (getattr(struct, f.name) is not None or f.name == "reason")
        if f.name not in LEFT_OUT or getattr(struct, f.name)
        if f.name not in SPARED or getattr(struct, f.name) or not isinstance(struct, SPARING)
    )


def value(name: str, what: object) -> str:
    of_partitions = partition_value(name, what)
    if of_partitions is not None:
        return of_partitions
    match what:
        case None:
            return '""'
        case Because(words):
            return f'"{in_words(words)}"'
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
        case tuple() if name == "addresses":
            return f"[{','.join(map(letter_of, what))}]"
        case tuple():
            return f"[{','.join(pair(x) for x in what)}]"
        case str() if name in ("target", "author"):
            return name_by_uuid(what)
        case str() if name in ("master", "address"):
            return letter_of(what)
        case str() if name in ("reason", "answer", "refusal"):
            return f'"{in_words(what)}"'
        case _:
            return str(what)


def in_words(reason: str) -> str:
    reason = re.sub(r"127.0.0.1:57[0-9]{2}", lambda found: letter_of(found[0]), reason)
    reason = re.sub(r"\b[0-9a-f]{8}-0000-4000-8000-[0-9a-f]{12}\b", lambda found: name_by_uuid(found[0]), reason)
    return re.sub(r"\b[0-9a-f]{8}-[0-9]+\b", lambda found: id_written(found[0]), reason)


def pair(what: object) -> str:
    """A member, two, one with the reason why a claim leaves it out, or one with those whom it reports."""
    if isinstance(what, Member):
        return name_of(what)
    assert isinstance(what, tuple)
    if isinstance(what[1], Member):
        return f"{name_of(what[0])}|{name_of(what[1])}"
    return f"{name_of(what[0])}: {' '.join(map(name_of, what[1])) if isinstance(what[1], tuple) else what[1]}"


def written(view: MemberList) -> str:
    author = "" if view.author == view.members[0].uuid else f"/{name_by_uuid(view.author)}"
    return f"v{view.version}[{','.join(map(name_of, view.members))}]{author}"
