"""How the stories of tests/data/gms write members, views, reigns and notifications, and read messages.

A seat is its member, with "-spectator" where it is one; a reign A:1..7 (of A, from its notification 1 to 7), with /C
where it succeeded C; a notification 7 failure of C [A,B]."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from tests.notation.interaction_names import address, letter_of, member, name_by_uuid, name_of
from tests.notation.interaction_words import in_words

from shaketable.node import messages as m
from shaketable.node.core.env import SECOND
from shaketable.node.messages import Member, Notification, Reign, Seat

KINDS = {kind.__name__: kind for kind in m.GROUP_MESSAGES}
NEVER = {"sender", "stamp", "request", "why", "whys"}
"""but the stay that a message is of, where that is not the first"""
TIMES = {"silence", "lateness", "rejoin"}
UUIDS = {"author"}


def fields(struct: msgspec.Struct) -> str:
    told = "".join(
        f" {f.name}={written(f.name, value)}"
        for f in msgspec.structs.fields(struct)
        if f.name not in NEVER and (value := getattr(struct, f.name)) not in (None, False, "")
        if (f.name, value) != ("inferred", ())
    )
    if not isinstance(struct, m.GroupMessage):
        return told
    stay, beat = struct.stamp.stay, struct.stamp.beat
    told += f" stay={stay}" * (stay != 1)
    return told if beat is None else f'{told} carries="{beat.state} {written("reign", beat.reign)}"'


def written(name: str, what: object) -> str:
    match what:
        case bool():
            return "yes" if what else "no"
        case int() if name in TIMES:
            return f"{what / SECOND:g}s"
        case Member():
            return name_of(what)
        case Seat():
            return name_of(what.member) + ("" if what.kind == "core" else f"-{what.kind}")
        case Reign():
            former = f"/{name_by_uuid(what.former)}" if what.former else ""
            return f"{name_of(what.master)}:{what.first}..{what.last}{former}"
        case Notification():
            about = f" of {name_of(what.about.member)}" if what.about is not None else ""
            more = " (with the whole group)" * what.whole_group + " (rejoin)" * (what.rejoin is not None)
            return f'"{what.sequence} {what.change}{about} {written("view", what.view)}{more}"'
        case tuple():
            return f"[{','.join(written(name, each) for each in what)}]"
        case str() if name in UUIDS:
            return name_by_uuid(what)
        case str() if re.fullmatch(r"127\.0\.0\.1:57\d\d", what):
            return letter_of(what)
        case str() if name in ("reason", "change", "state", "signal"):
            return f'"{in_words(what)}"'
        case _:
            return str(what)


def reign_of(text: str, start: int) -> Reign:
    found = re.fullmatch(r"([A-Z]'*):(\d+)\.\.(\d+)(?:/([A-Z]'*))?", text)
    if found is None:
        raise ValueError(f"{text} is no reign: A:1..7, B:8..9/A")
    former = member(found[4]).uuid if found[4] else ""
    return Reign(member(found[1]), start, int(found[2]), int(found[3]), former)


def value_of(name: str, text: str, start: int) -> Any:
    """Of a field that a story gives to a message."""
    match name:
        case "reign":
            return None if text == "nobody" else reign_of(text, start)
        case "master" | "member":
            return member(text)
        case "about" | "suspect":
            return Seat(member(text), "core", start, 0, 1)
        case "failed":
            return address(text)
        case "wants_in" | "heard" | "whole_group" | "reached":
            return text == "yes"
        case "after" | "before" | "request" | "stay" | "doubt":
            return int(text)
        case _:
            return text
